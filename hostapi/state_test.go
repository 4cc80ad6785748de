package hostapi_test

import (
	"io"
	"net/http"
	"testing"

	"hostbot/hostapi"
)

// TestStates has the words of what hosting services are built on, and how they are written.
func TestStates(t *testing.T) {
	const (
		running, stopped, starting, stopping    = hostapi.StateRunning, hostapi.StateStopped, hostapi.StateStarting, hostapi.StateStopping
		restarting, installing, crashed, failed = hostapi.StateRestarting, hostapi.StateInstalling, hostapi.StateCrashed, hostapi.StateError
		suspended, unknown                      = hostapi.StateSuspended, hostapi.StateUnknown
		inTheReadersLanguage, asItCame          = true, false
	)
	for _, test := range []struct {
		status string
		want   hostapi.State
		plain  bool
	}{
		{"RUNNING", running, inTheReadersLanguage}, {" running ", running, inTheReadersLanguage}, {"Running.", running, inTheReadersLanguage},
		{"", unknown, inTheReadersLanguage}, {"Hibernating", unknown, asItCame}, {"UNKNOWN", unknown, asItCame}, {"20", unknown, asItCame},

		// Docker
		{"created", stopped, asItCame}, {"paused", stopped, asItCame}, {"restarting", restarting, inTheReadersLanguage}, {"removing", stopping, asItCame},
		{"exited", stopped, inTheReadersLanguage}, {"dead", crashed, asItCame}, {"OOMKilled", crashed, asItCame},
		{"OOM_KILLED", crashed, asItCame}, {"oom killed", crashed, asItCame}, {"oom-killed", crashed, asItCame},
		{"exited (0)", stopped, inTheReadersLanguage}, {"exited (137)", crashed, asItCame}, {"Exited (1)", crashed, asItCame}, {"exited(255)", crashed, asItCame},
		{"exited (143)", stopped, inTheReadersLanguage}, {"Exited (0) 2 hours ago", stopped, inTheReadersLanguage}, {"Exited (137) About an hour ago", crashed, asItCame},
		{"exited with code 1", crashed, asItCame}, {"exit code: 0", stopped, inTheReadersLanguage}, {"exited: 137", crashed, asItCame}, {"exited (code 2)", crashed, asItCame},
		{"Exited 2 hours ago", unknown, asItCame}, {"Restarting (1) 5 seconds ago", crashed, asItCame}, {"Restarting (0) 5 seconds ago", restarting, inTheReadersLanguage},
		{"Up 3 minutes", running, inTheReadersLanguage}, {"Up About an hour (healthy)", running, inTheReadersLanguage}, {"Up Less than a second", running, inTheReadersLanguage},
		{"Up 3 minutes (Paused)", stopped, asItCame}, {"up for sale", unknown, asItCame},

		// supervisord
		{"STOPPED", stopped, inTheReadersLanguage}, {"STARTING", starting, inTheReadersLanguage}, {"BACKOFF", crashed, asItCame}, {"STOPPING", stopping, inTheReadersLanguage},
		{"EXITED", stopped, inTheReadersLanguage}, {"FATAL", crashed, asItCame},

		// Kubernetes
		{"Pending", starting, asItCame}, {"Running", running, inTheReadersLanguage}, {"Succeeded", stopped, asItCame}, {"Failed", failed, inTheReadersLanguage},
		{"CrashLoopBackOff", crashed, asItCame}, {"crash loop back-off", crashed, asItCame}, {"ImagePullBackOff", crashed, asItCame}, {"ErrImagePull", crashed, asItCame},
		{"ContainerCreating", starting, asItCame}, {"Terminating", stopping, asItCame}, {"Completed", stopped, asItCame}, {"Error", failed, inTheReadersLanguage},
		{"Evicted", crashed, asItCame}, {"CreateContainerConfigError", crashed, asItCame}, {"Init:0/1", starting, asItCame}, {"Init:CrashLoopBackOff", crashed, asItCame},
		{"ExitCode:137", crashed, asItCame},
		{"Waiting: CrashLoopBackOff", crashed, asItCame}, {"Terminated (OOMKilled)", crashed, asItCame}, {"Terminated: Error", crashed, asItCame},
		{"Terminated: Completed", unknown, asItCame},

		// What is said behind a word of a server that is down may be that it has crashed.
		{"stopped (exit code 137)", crashed, asItCame}, {"Stopped (exit code 0)", stopped, inTheReadersLanguage}, {"Stopped (OOM)", crashed, asItCame},
		{"stopped: out of memory", crashed, asItCame}, {"offline (crashed)", crashed, asItCame}, {"exited - OOMKilled", crashed, asItCame},
		{"Stopped - by its owner", stopped, inTheReadersLanguage}, {"running (crashed before)", running, inTheReadersLanguage},

		// Pterodactyl, Pelican
		{"installing", installing, inTheReadersLanguage}, {"install_failed", crashed, asItCame}, {"reinstall_failed", crashed, asItCame}, {"suspended", suspended, inTheReadersLanguage},
		{"restoring_backup", installing, asItCame}, {"offline", stopped, inTheReadersLanguage}, {"build failed", crashed, asItCame}, {"backup_failed", unknown, asItCame},
		{"Suspended (non-payment)", suspended, asItCame}, {"suspended: non-payment", suspended, asItCame}, {"Suspended - non-payment", suspended, asItCame}, {"SUSPENDED — abuse", suspended, asItCame}, {"suspended by admin", suspended, asItCame}, {"SUSPENDED_NONPAYMENT", suspended, asItCame},

		// systemd
		{"active", running, inTheReadersLanguage}, {"active (running)", running, inTheReadersLanguage}, {"inactive (dead)", stopped, inTheReadersLanguage},
		{"failed (Result: exit-code)", failed, asItCame}, {"activating", starting, inTheReadersLanguage}, {"activating (auto-restart)", crashed, asItCame},
		{"deactivating", stopping, inTheReadersLanguage}, {"reloading", running, asItCame},

		// pm2
		{"online", running, inTheReadersLanguage}, {"launching", starting, inTheReadersLanguage}, {"errored", failed, inTheReadersLanguage}, {"waiting restart", crashed, asItCame},
		{"one-launch-status", unknown, asItCame},

		// What is not known is never taken for stopped, nor for anything else.
		{"not stopped", unknown, asItCame}, {"stop", unknown, asItCame}, {"unsuspended", unknown, asItCame}, {"running-low", unknown, asItCame}, {"🟢", unknown, asItCame},
	} {
		state, plain := hostapi.Server{Status: test.status}.Meaning()
		if state != test.want || plain != test.plain {
			t.Errorf("%q is %c, plain %t, want %c, %t", test.status, state, plain, test.want, test.plain)
		}
	}
}

// TestStatusMap says otherwise what words mean.
func TestStatusMap(t *testing.T) {
	words, err := hostapi.ParseStatusMap([]string{"On ice = stopped", "a=b=RUNNING", "20=RUNNING", "FAILED=STOPPED", "exited (137)=STOPPED", "スリープ=STOPPED"})
	if err != nil {
		t.Fatal(err)
	}
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"servers":[{"id":"1","status":"ON_ICE"},{"id":"2","status":"on-ice (since Monday)"}],"account":{},"id":"3","status":"20"}`)
	}, func(c *hostapi.Config) { c.StatusMap = words })
	list, err := client.List(t.Context(), "42")
	if err != nil {
		t.Fatal(err)
	}
	got, err := client.Get(t.Context(), "42", "3")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range append(list.Servers, hostapi.Server{ID: "4", Status: "a=b", StatusMap: words}, hostapi.Server{ID: "5", Status: "failed", StatusMap: words},
		hostapi.Server{ID: "6", Status: "Exited (137)", StatusMap: words}, hostapi.Server{ID: "7", Status: "スリープ", StatusMap: words}, got) {
		want := hostapi.StateStopped
		if s.ID == "3" || s.ID == "4" {
			want = hostapi.StateRunning
		}
		if state, plain := s.Meaning(); state != want || plain {
			t.Errorf("%q is %c, plain %t", s.Status, state, plain)
		}
	}
	for _, known := range []string{"exited (1)", "CRASHED"} {
		if state := (hostapi.Server{Status: known, StatusMap: words}).State(); !state.Broken() {
			t.Errorf("%q is %c", known, state)
		}
	}
}
