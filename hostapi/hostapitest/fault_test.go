package hostapitest_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"hostbot/hostapi/hostapitest"
)

const restart = "/api/bot/servers/a/restart"

// faulty is a service in which actions take no time and server a is stopped,
// so that a restart shows in its status.
func faulty(t *testing.T, f hostapitest.Fault) asker {
	t.Helper()
	s := run(t, hostapitest.Options{Restart: -1})
	s.AddServer(user, hostapitest.Server{ID: "a", Status: hostapitest.Stopped})
	s.Fail(hostapitest.OpRestart, f, 1)
	return s
}

func TestFaults(t *testing.T) {
	tests := []struct {
		name  string
		fault hostapitest.Fault
		acted bool
		check func(answer) bool
	}{
		{"reset", hostapitest.Fault{Reset: true}, false, func(a answer) bool { return a.err != nil }},
		{"reset after", hostapitest.Fault{ResetAfter: true}, true, func(a answer) bool { return a.err != nil }},
		{"status", hostapitest.Fault{Status: 429, Header: http.Header{"retry-after": {"7"}}, Body: "slow down"}, false, func(a answer) bool {
			return a.status == 429 && a.header.Get("Retry-After") == "7" && a.body == "slow down"
		}},
		{"body alone", hostapitest.Fault{Body: `{"ok":false}`}, false, func(a answer) bool { return a.status == 200 && a.body == `{"ok":false}` }},
		{"redirect", hostapitest.Fault{Redirect: "http://elsewhere.example/"}, false, func(a answer) bool {
			return a.status == 307 && a.header.Get("Location") == "http://elsewhere.example/"
		}},
		{"malformed", hostapitest.Fault{Malformed: true}, true, func(a answer) bool { return a.status == 200 && a.body != "" && !json.Valid([]byte(a.body)) }},
		{"wrong types", hostapitest.Fault{WrongTypes: true}, true, func(a answer) bool { return a.body == `{"ok":"wrong","status":1}` }},
		{"huge", hostapitest.Fault{Huge: true}, true, func(a answer) bool { return len(a.body) > 8<<20 && json.Valid([]byte(a.body)) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := faulty(t, test.fault)
			got := s.ask(t.Context(), http.MethodPost, restart, asUser(user))
			if !test.check(got) {
				t.Errorf("answered %d %v %.100q, error %v", got.status, got.header, got.body, got.err)
			}
			server, _ := s.Server(user, "a")
			if acted := server.Status == hostapitest.Running; acted != test.acted {
				t.Errorf("acted: %t, want %t", acted, test.acted)
			}
		})
	}
}
