package hostapi_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hostbot/hostapi/hostapitest"
)

const user = "80351110224678912"

func asUser(id string) string { return `{"chatUserId":"` + id + `"}` }

func TestRequestThatBreaksTheDocumentIsRefused(t *testing.T) {
	list, one := "/api/bot/servers", "/api/bot/servers/a"
	query := "?chatUserId=" + user
	tests := []struct {
		name               string
		method, path, body string
		header             []string
		want               int
	}{
		{"unknown path", "GET", "/api/bot/other" + query, "", nil, 404},
		{"path that only begins well", "GET", list + "x" + query, "", nil, 404},
		{"unknown verb", "POST", one + "/explode", asUser(user), nil, 404},
		{"path below a verb", "POST", one + "/restart/now", asUser(user), nil, 404},
		{"empty id", "POST", list + "//restart", asUser(user), nil, 404},
		{"slash at the end", "GET", one + "/" + query, "", nil, 404},
		{"id that a proxy would take for a step", "POST", list + "/../restart", asUser(user), nil, 404},
		{"wrong method for the list", "PUT", list, asUser(user), nil, 405},
		{"wrong method for an action", "GET", one + "/restart" + query, "", nil, 405},
		{"list without user", "GET", list, "", nil, 400},
		{"list with an empty user", "GET", list + "?chatUserId=", "", nil, 400},
		{"list with two users", "GET", list + query + "&chatUserId=2", "", nil, 400},
		{"list with more in its query", "GET", list + query + "&page=2", "", nil, 400},
		{"list with a body", "GET", list + query, asUser(user), nil, 400},
		{"action without a body", "POST", one + "/restart", "", []string{"Content-Type", "application/json"}, 400},
		{"action without user", "POST", one + "/restart", `{}`, nil, 400},
		{"action with an empty user", "POST", one + "/restart", asUser(""), nil, 400},
		{"action with a user that is null", "POST", one + "/restart", `{"chatUserId":null}`, nil, 400},
		{"action with a user that is a number", "POST", one + "/restart", `{"chatUserId":1}`, nil, 400},
		{"action with a name in another case", "POST", one + "/restart", `{"chatuserid":"` + user + `"}`, nil, 400},
		{"action with the user in the query", "POST", one + "/restart" + query, `{}`, nil, 400},
		{"action with an unknown field", "POST", one + "/restart", `{"chatUserId":"` + user + `","force":true}`, nil, 400},
		{"action with no JSON", "POST", one + "/restart", `chatUserId=1`, nil, 400},
		{"action with null", "POST", one + "/restart", `null`, nil, 400},
		{"action with a list", "POST", one + "/restart", `[]`, nil, 400},
		{"form", "POST", one + "/restart", asUser(user), []string{"Content-Type", "application/x-www-form-urlencoded"}, 400},
		{"create without a field", "POST", list, asUser(user), nil, 400},
		{"body beyond any need", "POST", one + "/restart", strings.Repeat(" ", 2<<20), nil, 413},
		{"no bearer", "GET", list + query, "", []string{"Authorization", "hosting-secret"}, 401},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := hostapitest.RunWith(t, hostapitest.Options{AllowViolations: true})
			before := s.AddServer(user, hostapitest.Server{ID: "a", Status: hostapitest.Stopped})
			if got := ask(t, s, test.method, test.path, test.body, test.header); got != test.want {
				t.Errorf("answered %d, want %d", got, test.want)
			}
			if s.Requests()[0].Violation == "" {
				t.Error("no violation is recorded")
			}
			if diff := cmp.Diff([]hostapitest.Server{before}, s.Servers(user)); diff != "" {
				t.Errorf("it changed servers:\n%s", diff)
			}
		})
	}
}

// ask asks a service as a client would, with net/http alone. header replaces what
// is usual.
func ask(t *testing.T, s *hostapitest.Service, method, path, body string, header []string) (status int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.Secret())
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if header != nil {
		r.Header.Set(header[0], header[1])
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// recorder is a test that is looked at in place of failing.
type recorder struct {
	testing.TB
	cleanup func()
	errors  []string
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanup = f }
func (r *recorder) Fatalf(f string, a ...any) {
	r.errors = append(r.errors, fmt.Sprintf(f, a...))
	runtime.Goexit()
}
func (r *recorder) Errorf(f string, a ...any) { r.errors = append(r.errors, fmt.Sprintf(f, a...)) }

func TestViolationFailsTheTest(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		var seen recorder
		s := hostapitest.RunWith(&seen, hostapitest.Options{AllowViolations: allowed})
		response, err := http.Get(s.URL() + "/nowhere")
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		seen.cleanup()
		if failed := len(seen.errors) > 0; failed == allowed {
			t.Errorf("allowed: %t, errors: %q", allowed, seen.errors)
		}
	}
}
