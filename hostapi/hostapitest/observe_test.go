package hostapitest_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"hostbot/hostapi/hostapitest"
)

func TestAnObserverSeesRequestsAndAnswers(t *testing.T) {
	seen := make(chan string, 1)
	service := hostapitest.RunWith(t, hostapitest.Options{
		Observe: func(r hostapitest.Request) func(int, string) {
			return func(status int, body string) { seen <- fmt.Sprint(r.Method, " ", r.Path, ": ", status, " ", body) }
		},
	})
	service.AddAccount("1", hostapitest.Plan{Name: "Pro"})
	ask := func() string {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, service.URL()+"/api/bot/servers?chatUserId=1", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+service.Secret())
		if res, err := http.DefaultClient.Do(req); err == nil {
			_ = res.Body.Close()
		}
		return <-seen
	}
	const asked = "GET /api/bot/servers?chatUserId=1: "
	if got := ask(); !strings.HasPrefix(got, asked+"200 {") || !strings.Contains(got, `"Pro"`) {
		t.Errorf("of an answer was seen %q", got)
	}
	service.Fail("", hostapitest.Fault{Status: http.StatusBadGateway, Body: "away"}, 1)
	if got := ask(); got != asked+"502 away" {
		t.Errorf("of a failure was seen %q", got)
	}
	service.Fail("", hostapitest.Fault{Reset: true}, 1)
	if got := ask(); got != asked+"0 " {
		t.Errorf("of a connection broken off was seen %q", got)
	}
}

func TestWhatIsDoneIsTold(t *testing.T) {
	var done []string
	s := run(t, hostapitest.Options{Restart: -1, Acted: func(op hostapitest.Operation, userID, serverID string) {
		done = append(done, fmt.Sprint(op, " ", userID == user, " ", serverID))
	}})
	s.AddServer(user, hostapitest.Server{ID: "a"})
	s.ask(t.Context(), http.MethodGet, "/api/bot/servers?chatUserId="+user, "")
	s.ask(t.Context(), http.MethodPost, "/api/bot/servers/a/start", asUser(user)) // refused: it runs
	s.Fail(hostapitest.OpRestart, hostapitest.Fault{ResetAfter: true}, 1)
	s.ask(t.Context(), http.MethodPost, restart, asUser(user))
	s.ask(t.Context(), http.MethodPost, "/api/bot/servers", newServer(100))
	s.ask(t.Context(), http.MethodDelete, "/api/bot/servers/a?chatUserId="+user, "")
	if want := []string{"restart true a", "create true srv-1", "delete true a"}; !slices.Equal(done, want) {
		t.Errorf("told %q, want %q", done, want)
	}
}
