package hostapitest_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"hostbot/hostapi/hostapitest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const user = "80351110224678912"

func start() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC) }

// asker asks a service as a client would, with net/http alone.
type asker struct {
	*hostapitest.Service
	clock  *hostapitest.ManualClock
	client *http.Client
}

func run(t *testing.T, o hostapitest.Options) asker {
	t.Helper()
	clock := hostapitest.NewManualClock(start())
	o.Clock = clock
	client := &http.Client{
		Transport:     &http.Transport{},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t.Cleanup(client.CloseIdleConnections)
	return asker{hostapitest.RunWith(t, o), clock, client}
}

// answer is what came back: err where there was no answer in full.
type answer struct {
	status int
	header http.Header
	body   string
	err    error
}

func (a answer) fields(t *testing.T) map[string]any {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(a.body), &fields); err != nil {
		t.Fatalf("no JSON object in %.200q: %v", a.body, err)
	}
	return fields
}

func (a asker) ask(ctx context.Context, method, path, body string, header ...string) answer {
	r, err := http.NewRequestWithContext(ctx, method, a.URL()+path, strings.NewReader(body))
	if err != nil {
		return answer{err: err}
	}
	r.Header.Set("Authorization", "Bearer "+a.Secret())
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := a.client.Do(r)
	if err != nil {
		return answer{err: err}
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(content), err}
}

// later asks in the background.
func (a asker) later(ctx context.Context, method, path, body string) <-chan answer {
	c := make(chan answer, 1)
	go func() { c <- a.ask(ctx, method, path, body) }()
	return c
}

func asUser(id string) string { return `{"chatUserId":"` + id + `"}` }

func TestListIsTheDocuments(t *testing.T) {
	s := run(t, hostapitest.Options{})
	s.AddAccount(user, hostapitest.Plan{Name: "Pro", RAMMB: 2048, MaxServers: 5})
	s.AddServer(user, hostapitest.Server{ID: "a", Name: "one", Subdomain: "one.example"})
	s.AddServer(user, hostapitest.Server{ID: "b", Status: hostapitest.Crashed, RAMMB: 512, DiskMB: 9, CPUPercent: 150})

	got := s.ask(t.Context(), "GET", "/api/bot/servers?chatUserId="+user, "")
	want := map[string]any{
		"servers": []any{
			map[string]any{"id": "a", "name": "one", "language": "NODE", "status": "RUNNING", "subdomain": "one.example",
				"startupCommand": "node index.js", "entryFile": "index.js", "ramMb": 256., "diskMb": 1024., "cpuPercent": 50.,
				"planName": "Pro", "createdAt": "2026-01-02T03:04:05.678Z"},
			map[string]any{"id": "b", "name": "bot b", "language": "NODE", "status": "CRASHED", "subdomain": nil,
				"startupCommand": "node index.js", "entryFile": "index.js", "ramMb": 512., "diskMb": 9., "cpuPercent": 150.,
				"planName": "Pro", "createdAt": "2026-01-02T03:04:05.678Z"},
		},
		"account": map[string]any{"planName": "Pro", "planRamMb": 2048., "maxServers": 5., "serverCount": 2.},
	}
	if diff := cmp.Diff(want, got.fields(t)); diff != "" || got.status != 200 {
		t.Errorf("status %d, list (-want +got):\n%s", got.status, diff)
	}
}

func TestAnAccountWithoutServersHasAnEmptyList(t *testing.T) {
	s := run(t, hostapitest.Options{})
	s.AddAccount(user, hostapitest.Plan{Name: "Free"})
	if got := s.ask(t.Context(), "GET", "/api/bot/servers?chatUserId="+user, ""); !strings.Contains(got.body, `"servers":[]`) {
		t.Errorf("list is %s", got.body)
	}
}

func TestAGeneratedIDIsANewOne(t *testing.T) {
	s := run(t, hostapitest.Options{})
	s.AddServer(user, hostapitest.Server{ID: "srv-1"})
	if second := s.AddServer(user, hostapitest.Server{}); second.ID == "" || second.ID == "srv-1" || len(s.Servers(user)) != 2 {
		t.Errorf("the second server is %q, of %d", second.ID, len(s.Servers(user)))
	}
}

func TestCreateUpdateGetDelete(t *testing.T) {
	s := run(t, hostapitest.Options{})
	s.AddAccount(user, hostapitest.Plan{Name: "Pro", RAMMB: 1000, MaxServers: 2})

	made := s.ask(t.Context(), "POST", "/api/bot/servers", newServer(600)).fields(t)
	record, _ := made["server"].(map[string]any)
	id, _ := record["id"].(string)
	if made["ok"] != true || id == "" || record["status"] != "STOPPED" || record["name"] != "n" || record["ramMb"] != 600. {
		t.Fatalf("create answered %v", made)
	}

	s.ask(t.Context(), "PATCH", "/api/bot/servers/"+id+"/startup", `{"chatUserId":"`+user+`","startupCommand":"run","entryFile":"x.py"}`)
	got := s.ask(t.Context(), "GET", "/api/bot/servers/"+id+"?chatUserId="+user, "").fields(t)
	if got["startupCommand"] != "run" || got["entryFile"] != "x.py" {
		t.Errorf("after Update Startup the record is %v", got)
	}

	if gone := s.ask(t.Context(), "DELETE", "/api/bot/servers/"+id+"?chatUserId="+user, ""); gone.body != `{"ok":true}` {
		t.Errorf("delete answered %+v", gone)
	}
	if left := s.Servers(user); len(left) != 0 {
		t.Errorf("after Delete there are %v", left)
	}
}

func newServer(ramMB int) string {
	body, _ := json.Marshal(map[string]any{"chatUserId": user, "name": "n", "language": "PYTHON", "entryFile": "e", "startupCommand": "s",
		"ramMb": ramMB, "diskMb": 10, "cpuPercent": 100})
	return string(body)
}

func TestRefusals(t *testing.T) {
	server := "/api/bot/servers/mine"
	tests := []struct {
		name               string
		status             string // of the server
		method, path, body string
		header             []string
		wantStatus         int
		wantCode           string
		plan               hostapitest.Plan
	}{
		{name: "wrong secret", method: "GET", path: "/api/bot/servers?chatUserId=" + user, header: []string{"Authorization", "Bearer nonsense"}, wantStatus: 401, wantCode: "unauthorized"},
		{name: "account of no one", method: "GET", path: "/api/bot/servers?chatUserId=1", wantStatus: 404, wantCode: "account_not_found"},
		{name: "action on an account of no one", method: "POST", path: server + "/restart", body: asUser("1"), wantStatus: 404, wantCode: "account_not_found"},
		{name: "server that is not there", method: "POST", path: "/api/bot/servers/none/restart", body: asUser(user), wantStatus: 404, wantCode: "server_not_found"},
		{name: "server of another", method: "GET", path: "/api/bot/servers/theirs?chatUserId=" + user, wantStatus: 404, wantCode: "server_not_found"},
		{name: "deleting a server of another", method: "DELETE", path: "/api/bot/servers/theirs?chatUserId=" + user, wantStatus: 404, wantCode: "server_not_found"},
		{name: "too many servers", method: "POST", path: "/api/bot/servers", body: newServer(1), plan: hostapitest.Plan{RAMMB: 9999, MaxServers: 1}, wantStatus: 403, wantCode: "limit_reached"},
		{name: "too much memory", method: "POST", path: "/api/bot/servers", body: newServer(745), plan: hostapitest.Plan{RAMMB: 1000, MaxServers: 9}, wantStatus: 403, wantCode: "limit_reached"},
		{name: "memory below one", method: "POST", path: "/api/bot/servers", body: newServer(0), wantStatus: 400, wantCode: "invalid"},
		{name: "starting what runs", status: "RUNNING", method: "POST", path: server + "/start", body: asUser(user), wantStatus: 409, wantCode: "already_running"},
		{name: "stopping what is stopped", status: "STOPPED", method: "POST", path: server + "/stop", body: asUser(user), wantStatus: 409, wantCode: "already_stopped"},
		{name: "restart while starting", status: "STARTING", method: "POST", path: server + "/restart", body: asUser(user), wantStatus: 409, wantCode: "busy"},
		{name: "reinstall while restarting", status: "RESTARTING", method: "POST", path: server + "/reinstall", body: asUser(user), wantStatus: 409, wantCode: "busy"},
		{name: "start while stopping", status: "STOPPING", method: "POST", path: server + "/start", body: asUser(user), wantStatus: 409, wantCode: "busy"},
		{name: "delete while installing", status: "INSTALLING", method: "DELETE", path: server + "?chatUserId=" + user, wantStatus: 409, wantCode: "busy"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := run(t, hostapitest.Options{})
			if test.plan != (hostapitest.Plan{}) {
				s.AddAccount(user, test.plan)
			}
			s.AddServer(user, hostapitest.Server{ID: "mine", Status: test.status})
			s.AddServer("another", hostapitest.Server{ID: "theirs"})
			before := append(s.Servers(user), s.Servers("another")...)

			got := s.ask(t.Context(), test.method, test.path, test.body, test.header...)
			if fields := got.fields(t); got.status != test.wantStatus || fields["code"] != test.wantCode || fields["error"] == "" {
				t.Errorf("answered %d %s, want %d %s", got.status, got.body, test.wantStatus, test.wantCode)
			}
			if diff := cmp.Diff(before, append(s.Servers(user), s.Servers("another")...)); diff != "" {
				t.Errorf("a refused request changed servers:\n%s", diff)
			}
		})
	}
}

func TestAnIDIsOneSegmentWhateverItHolds(t *testing.T) {
	for id, escaped := range map[string]string{
		"a/b": "a%2Fb", "a?b": "a%3Fb", "50%": "50%25", "%2F": "%252F", "..": "%2E%2E", ".": "%2E", "two words": "two%20words", "ümlaut": "%C3%BCmlaut",
	} {
		t.Run(id, func(t *testing.T) {
			s := run(t, hostapitest.Options{Restart: -1})
			s.AddServer(user, hostapitest.Server{ID: id})
			got := s.ask(t.Context(), "POST", "/api/bot/servers/"+escaped+"/restart", asUser(user))
			if got.status != 200 || s.Requests()[0].ServerID != id {
				t.Errorf("answered %d %s to %q", got.status, got.body, s.Requests()[0].ServerID)
			}
		})
	}
}
