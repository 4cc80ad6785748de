package hostapitest_test

import (
	"context"
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

func TestASecondActionIsRefusedWhileOneRuns(t *testing.T) {
	s := run(t, hostapitest.Options{})
	s.AddServer(user, hostapitest.Server{ID: "a"})
	first := s.later(t.Context(), http.MethodPost, "/api/bot/servers/a/restart", asUser(user))
	s.clock.BlockUntil(t, 1)
	if got := s.ask(t.Context(), http.MethodPost, "/api/bot/servers/a/restart", asUser(user)); got.status != http.StatusConflict {
		t.Errorf("the second answered %+v", got)
	}
	s.clock.Advance(4 * time.Second)
	if got := <-first; got.status != http.StatusOK {
		t.Errorf("the first answered %+v", got)
	}
}

func TestAnActionGoesOnWithoutItsCaller(t *testing.T) {
	s := run(t, hostapitest.Options{})
	s.AddServer(user, hostapitest.Server{ID: "a"})
	ctx, leave := context.WithCancel(t.Context())
	answered := s.later(ctx, http.MethodPost, "/api/bot/servers/a/restart", asUser(user))
	s.clock.BlockUntil(t, 1)
	leave()
	if got := <-answered; got.err == nil {
		t.Fatalf("the caller is gone and was answered %+v", got)
	}
	s.wantStatus(t, "RESTARTING")
	s.clock.Advance(4 * time.Second)
	// The next action is accepted once the first has ended, which is soon.
	for {
		got := s.ask(t.Context(), http.MethodPatch, "/api/bot/servers/a/startup", `{"chatUserId":"`+user+`","startupCommand":"x","entryFile":"y"}`)
		if got.status == http.StatusOK {
			break
		}
		if got.status != http.StatusConflict {
			t.Fatalf("answered %+v", got)
		}
	}
	s.wantStatus(t, "RUNNING")
}

func TestAnActionMeetsWhatATestDoesMeanwhile(t *testing.T) {
	tests := []struct {
		name string
		do   func(*hostapitest.Service)
		want string
	}{
		{"crash", func(s *hostapitest.Service) { s.SetStatus(user, "a", "CRASHED") }, `{"ok":true,"status":"CRASHED"}`},
		{"removal", func(s *hostapitest.Service) { s.Remove(user, "a") }, `{"error":"the account has no such server","code":"server_not_found"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := run(t, hostapitest.Options{})
			s.AddServer(user, hostapitest.Server{ID: "a"})
			answered := s.later(t.Context(), http.MethodPost, "/api/bot/servers/a/restart", asUser(user))
			s.clock.BlockUntil(t, 1)
			test.do(s.Service)
			s.clock.Advance(4 * time.Second)
			if got := <-answered; got.body != test.want {
				t.Errorf("answered %+v, want %s", got, test.want)
			}
		})
	}
}

func TestCloseEndsWhatIsUnderWay(t *testing.T) {
	s := run(t, hostapitest.Options{})
	s.AddServer(user, hostapitest.Server{ID: "a"})
	answered := s.later(t.Context(), http.MethodPost, "/api/bot/servers/a/restart", asUser(user))
	s.clock.BlockUntil(t, 1)
	s.Close()
	if got := <-answered; got.err == nil {
		t.Errorf("answered %+v after the end", got)
	}
}
