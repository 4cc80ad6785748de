package hostapitest_test

import (
	"net/http"
	"testing"
	"time"

	"hostbot/hostapi/hostapitest"
)

func TestAnActionTakesItsTimeThroughItsStates(t *testing.T) {
	tests := []struct {
		op                       hostapitest.Operation
		before, meanwhile, after string
		takes                    time.Duration
		answer                   string
	}{
		{hostapitest.OpRestart, "RUNNING", "RESTARTING", "RUNNING", 4 * time.Second, `{"ok":true,"status":"RUNNING"}`},
		{hostapitest.OpRestart, "CRASHED", "RESTARTING", "RUNNING", 4 * time.Second, `{"ok":true,"status":"RUNNING"}`},
		{hostapitest.OpReinstall, "RUNNING", "INSTALLING", "RUNNING", 6 * time.Second, `{"ok":true}`},
		{hostapitest.OpReinstall, "STOPPED", "INSTALLING", "STOPPED", 6 * time.Second, `{"ok":true}`},
		{hostapitest.OpStart, "STOPPED", "STARTING", "RUNNING", 3 * time.Second, `{"ok":true,"status":"RUNNING"}`},
		{hostapitest.OpStop, "RUNNING", "STOPPING", "STOPPED", 2 * time.Second, `{"ok":true,"status":"STOPPED"}`},
	}
	for _, test := range tests {
		t.Run(string(test.op)+" from "+test.before, func(t *testing.T) {
			s := run(t, hostapitest.Options{})
			s.AddServer(user, hostapitest.Server{ID: "a", Status: test.before})
			answered := s.later(t.Context(), http.MethodPost, "/api/bot/servers/a/"+string(test.op), asUser(user))
			s.clock.BlockUntil(t, 1)
			s.clock.Advance(test.takes - 1)
			s.wantStatus(t, test.meanwhile)
			s.clock.Advance(1)
			if got := <-answered; got.body != test.answer {
				t.Errorf("answered %+v, want %s", got, test.answer)
			}
			s.wantStatus(t, test.after)
		})
	}
}

func (a asker) wantStatus(t *testing.T, want string) {
	t.Helper()
	if got, _ := a.Server(user, "a"); got.Status != want {
		t.Errorf("the server is %q, want %q", got.Status, want)
	}
}
