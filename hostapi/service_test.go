package hostapi_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"hostbot/configs/secret"
	"hostbot/hostapi"
	"hostbot/hostapi/hostapitest"
)

// serviceAndClient runs the whole service, where nothing takes time, with one
// server "echo-1" of the user 42.
func serviceAndClient(t *testing.T, edits ...func(*hostapi.Config)) (*hostapitest.Service, *hostapi.Client) {
	t.Helper()
	service := hostapitest.RunWith(t, hostapitest.Options{Restart: -1, Reinstall: -1, Start: -1, Stop: -1})
	service.AddAccount("42", hostapitest.Plan{Name: "Pro", RAMMB: 2048, MaxServers: 2})
	service.AddServer("42", hostapitest.Server{ID: "echo-1", Name: "Echo", RAMMB: 512})
	edits = append([]func(*hostapi.Config){func(c *hostapi.Config) { c.Secret = secret.Text(service.Secret()) }}, edits...)
	return service, newClient(t, service.URL(), edits...)
}

func TestAllOperationsOfTheService(t *testing.T) {
	ctx := t.Context()
	service, client := serviceAndClient(t)

	created, err := client.Create(ctx, "42", hostapi.NewServer{Name: "Second", Language: "NODE", EntryFile: "main.js",
		StartupCommand: "node main.js", RAMMB: 1024, DiskMB: 1024, CPUPercent: 100})
	if err != nil || created.ID == "" || created.Name != "Second" || created.CreatedAt.IsZero() {
		t.Fatalf("create: %+v, %v", created, err)
	}
	if _, err := client.Create(ctx, "42", hostapi.NewServer{Name: "Third", Language: "NODE", EntryFile: "main.js",
		StartupCommand: "node main.js", RAMMB: 16, DiskMB: 16, CPUPercent: 10}); hostapi.CodeOf(err) != hostapi.CodeLimitReached {
		t.Errorf("a server too many: %v", err)
	}
	list, err := client.List(ctx, "42")
	if err != nil || len(list.Servers) != 2 || list.Account != (hostapi.Account{PlanName: "Pro", PlanRAMMB: 2048, MaxServers: 2, ServerCount: 2}) {
		t.Errorf("list: %+v, %v", list, err)
	}
	if status, err := client.Stop(ctx, "42", "echo-1"); err != nil || status != hostapitest.Stopped {
		t.Errorf("stop: %q, %v", status, err)
	}
	if status, err := client.Start(ctx, "42", "echo-1"); err != nil || status != hostapitest.Running {
		t.Errorf("start: %q, %v", status, err)
	}
	if _, err := client.Start(ctx, "42", "echo-1"); hostapi.CodeOf(err) != hostapi.CodeConflict {
		t.Errorf("start what runs: %v", err)
	}
	if status, err := client.Restart(ctx, "42", "echo-1"); err != nil || status != hostapitest.Running {
		t.Errorf("restart: %q, %v", status, err)
	}
	if err := client.Reinstall(ctx, "42", "echo-1"); err != nil {
		t.Errorf("reinstall: %v", err)
	}
	changed, err := client.UpdateStartup(ctx, "42", "echo-1", hostapi.Startup{Command: "npm run prod", EntryFile: "prod.js"})
	if err != nil || changed.StartupCommand != "npm run prod" || changed.EntryFile != "prod.js" {
		t.Errorf("update startup: %+v, %v", changed, err)
	}
	if got, err := client.Get(ctx, "42", "echo-1"); err != nil || got != changed {
		t.Errorf("get: %+v, %v, want %+v", got, err, changed)
	}
	if err := client.Delete(ctx, "42", created.ID); err != nil || len(service.Servers("42")) != 1 {
		t.Errorf("delete: %v, %d servers are left", err, len(service.Servers("42")))
	}
	if _, err := client.Get(ctx, "42", created.ID); hostapi.CodeOf(err) != hostapi.CodeNotFound {
		t.Errorf("get what is deleted: %v", err)
	}
	service.AddServer("7", hostapitest.Server{ID: "theirs"})
	if _, err := client.Restart(ctx, "42", "theirs"); hostapi.CodeOf(err) != hostapi.CodeNotFound {
		t.Errorf("restart what is another's: %v", err)
	}
	if _, err := client.List(ctx, "43"); hostapi.CodeOf(err) != hostapi.CodeNotFound {
		t.Errorf("list without an account: %v", err)
	}
}

func TestAWrongSecret(t *testing.T) {
	_, client := serviceAndClient(t, func(c *hostapi.Config) { c.Secret = "another" })
	if _, err := client.List(t.Context(), "42"); hostapi.CodeOf(err) != hostapi.CodeUnauthorized {
		t.Error(err)
	}
}

// TestFaults meets a read and an action with every fault that lasts.
func TestFaults(t *testing.T) {
	for _, test := range []struct {
		name      string
		fault     hostapitest.Fault
		code      hostapi.Code
		uncertain bool // of the action
		acted     bool
		reads     int // how often the read is tried
	}{
		{"reset", hostapitest.Fault{Reset: true}, hostapi.CodeUnavailable, true, false, 3},
		{"reset after", hostapitest.Fault{ResetAfter: true}, hostapi.CodeUnavailable, true, true, 3},
		{"redirect", hostapitest.Fault{Redirect: "https://elsewhere.example/"}, hostapi.CodeInternal, false, false, 1},
		{"malformed", hostapitest.Fault{Malformed: true}, hostapi.CodeMalformed, true, true, 1},
		{"wrong types", hostapitest.Fault{WrongTypes: true}, hostapi.CodeMalformed, true, true, 1},
		{"huge", hostapitest.Fault{Huge: true}, hostapi.CodeMalformed, true, true, 1},
		{"401", hostapitest.Fault{Status: 401}, hostapi.CodeUnauthorized, false, false, 1},
		{"403", hostapitest.Fault{Status: 403, Body: "no"}, hostapi.CodeForbidden, false, false, 1},
		{"409", hostapitest.Fault{Status: 409}, hostapi.CodeConflict, false, false, 1},
		{"429", hostapitest.Fault{Status: 429, Header: http.Header{"Retry-After": {"3600"}}}, hostapi.CodeRateLimited, false, false, 1},
		{"500", hostapitest.Fault{Status: 500, Body: "<html>"}, hostapi.CodeUnavailable, true, false, 3},
		{"502", hostapitest.Fault{Status: 502}, hostapi.CodeUnavailable, true, false, 3},
		{"not ok", hostapitest.Fault{Body: `{"ok":false,"error":"maintenance"}`}, hostapi.CodeUnavailable, false, false, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			service, client := serviceAndClient(t)
			service.Fail("", test.fault, 0)

			_, err := client.List(t.Context(), "42")
			if hostapi.CodeOf(err) != test.code || hostapi.IsUncertain(err) {
				t.Errorf("read: %v, want %s", err, test.code)
			}
			if got := service.Count(hostapitest.OpList); got != test.reads {
				t.Errorf("%d reads, want %d", got, test.reads)
			}
			// The first client may know better by now than to send anything.
			other := newClient(t, service.URL(), func(c *hostapi.Config) { c.Secret = secret.Text(service.Secret()) })
			_, err = other.Stop(t.Context(), "42", "echo-1")
			if hostapi.CodeOf(err) != test.code || hostapi.IsUncertain(err) != test.uncertain {
				t.Errorf("action: %v, uncertain %v, want %s, %v", err, hostapi.IsUncertain(err), test.code, test.uncertain)
			}
			if got := service.Count(hostapitest.OpStop); got != 1 {
				t.Errorf("the action was sent %d times", got)
			}
			if s, _ := service.Server("42", "echo-1"); (s.Status == hostapitest.Stopped) != test.acted {
				t.Errorf("the server is %s", s.Status)
			}
		})
	}
}

func TestAReadOutlivesAFaultThatPasses(t *testing.T) {
	service, client := serviceAndClient(t)
	service.Fail(hostapitest.OpList, hostapitest.Fault{Reset: true}, 1)
	service.Fail(hostapitest.OpList, hostapitest.Fault{Status: 503}, 1)
	if list, err := client.List(t.Context(), "42"); err != nil || len(list.Servers) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestAServiceThatHangs(t *testing.T) {
	service, client := serviceAndClient(t)
	service.Fail("", hostapitest.Fault{Hang: true}, 0)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := client.Restart(ctx, "42", "echo-1")
		failed <- err
	}()
	service.WaitFor(t, hostapitest.OpRestart, 1)
	cancel()
	select {
	case err := <-failed:
		if hostapi.CodeOf(err) != hostapi.CodeCanceled || !hostapi.IsUncertain(err) || !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the call outlives its context")
	}
}
