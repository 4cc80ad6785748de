package hostapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hostbot/hostapi"
)

// record is a Server record as the service's document has it.
const record = `{"id":"srv-1","name":"Echo","language":"NODE","status":"RUNNING","subdomain":null,
	"startupCommand":"npm start","entryFile":"index.js","ramMb":512,"diskMb":2048,"cpuPercent":150,
	"planName":"Pro","createdAt":"2026-01-02T03:04:05.678Z","x-unknown":"a member of which nothing is known"}`

func wantServer() hostapi.Server {
	return hostapi.Server{
		ID: "srv-1", Name: "Echo", Language: "NODE", Status: "RUNNING", StartupCommand: "npm start", EntryFile: "index.js",
		RAMMB: 512, DiskMB: 2048, CPUPercent: 150, PlanName: "Pro", CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC),
	}
}

// operation is one call with what must be sent and may come back.
type operation struct {
	name   string
	call   func(context.Context, *hostapi.Client) (any, error)
	method string
	uri    string
	body   string // empty: none
	answer string
	want   any
}

func operations() []operation {
	status := func(call func(*hostapi.Client, context.Context, string, string) (string, error)) func(context.Context, *hostapi.Client) (any, error) {
		return func(ctx context.Context, c *hostapi.Client) (any, error) { return call(c, ctx, "42", "srv-1") }
	}
	return []operation{
		{
			name:   "list",
			call:   func(ctx context.Context, c *hostapi.Client) (any, error) { return c.List(ctx, "42") },
			method: "GET", uri: "/base/api/bot/servers?chatUserId=42",
			answer: `{"servers":[` + record + `],"account":{"planName":"Pro","planRamMb":4096,"maxServers":5,"serverCount":1}}`,
			want: hostapi.List{
				Servers: []hostapi.Server{wantServer()},
				Account: hostapi.Account{PlanName: "Pro", PlanRAMMB: 4096, MaxServers: 5, ServerCount: 1},
			},
		},
		{
			name:   "get, bare",
			call:   func(ctx context.Context, c *hostapi.Client) (any, error) { return c.Get(ctx, "42", "srv-1") },
			method: "GET", uri: "/base/api/bot/servers/srv-1?chatUserId=42",
			answer: record, want: wantServer(),
		},
		{
			name:   "get, wrapped",
			call:   func(ctx context.Context, c *hostapi.Client) (any, error) { return c.Get(ctx, "42", "srv-1") },
			method: "GET", uri: "/base/api/bot/servers/srv-1?chatUserId=42",
			answer: `{"ok":true,"server":` + record + `}`, want: wantServer(),
		},
		{
			name: "create",
			call: func(ctx context.Context, c *hostapi.Client) (any, error) {
				return c.Create(ctx, "42", hostapi.NewServer{Name: "Echo", Language: "NODE", EntryFile: "index.js",
					StartupCommand: "npm start", RAMMB: 512, DiskMB: 2048, CPUPercent: 150})
			},
			method: "POST", uri: "/base/api/bot/servers",
			body:   `{"chatUserId":"42","name":"Echo","language":"NODE","entryFile":"index.js","startupCommand":"npm start","ramMb":512,"diskMb":2048,"cpuPercent":150}`,
			answer: `{"ok":true,"server":` + record + `}`, want: wantServer(),
		},
		{
			name:   "delete",
			call:   func(ctx context.Context, c *hostapi.Client) (any, error) { return nil, c.Delete(ctx, "42", "srv-1") },
			method: "DELETE", uri: "/base/api/bot/servers/srv-1?chatUserId=42",
			answer: `{"ok":true}`,
		},
		{
			name: "start", call: status((*hostapi.Client).Start),
			method: "POST", uri: "/base/api/bot/servers/srv-1/start", body: `{"chatUserId":"42"}`,
			answer: `{"ok":true,"status":"RUNNING"}`, want: "RUNNING",
		},
		{
			name: "stop", call: status((*hostapi.Client).Stop),
			method: "POST", uri: "/base/api/bot/servers/srv-1/stop", body: `{"chatUserId":"42"}`,
			answer: `{"ok":true}`, want: "",
		},
		{
			name: "restart", call: status((*hostapi.Client).Restart),
			method: "POST", uri: "/base/api/bot/servers/srv-1/restart", body: `{"chatUserId":"42"}`,
			answer: `{"ok":true,"status":"RUNNING"}`, want: "RUNNING",
		},
		{
			name: "reinstall",
			call: func(ctx context.Context, c *hostapi.Client) (any, error) {
				return nil, c.Reinstall(ctx, "42", "srv-1")
			},
			method: "POST", uri: "/base/api/bot/servers/srv-1/reinstall", body: `{"chatUserId":"42"}`,
			answer: `{"ok":true}`,
		},
		{
			name: "update startup",
			call: func(ctx context.Context, c *hostapi.Client) (any, error) {
				return c.UpdateStartup(ctx, "42", "srv-1", hostapi.Startup{Command: "npm start", EntryFile: "index.js"})
			},
			method: "PATCH", uri: "/base/api/bot/servers/srv-1/startup",
			body:   `{"chatUserId":"42","startupCommand":"npm start","entryFile":"index.js"}`,
			answer: `{"ok":true,"server":` + record + `}`, want: wantServer(),
		},
	}
}

func TestOperationsOnTheWire(t *testing.T) {
	called := make(map[hostapi.Operation]bool)
	for _, op := range operations() {
		t.Run(op.name, func(t *testing.T) {
			var got *http.Request
			var body []byte
			client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				got = r
				body, _ = io.ReadAll(r.Body)
				_, _ = io.WriteString(w, op.answer)
			}, func(c *hostapi.Config) {
				c.BaseURL += "/base/"
				c.UserAgent = "hostbot/test"
				c.Observe = func(call hostapi.Call) { called[call.Op] = true }
			})

			answer, err := op.call(t.Context(), client)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(op.want, answer); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			if got.Method != op.method || got.RequestURI != op.uri {
				t.Errorf("sent %s %s, want %s %s", got.Method, got.RequestURI, op.method, op.uri)
			}
			wantHeader := map[string]string{"Authorization": "Bearer " + theSecret, "User-Agent": "hostbot/test", "Content-Type": ""}
			if op.body != "" {
				wantHeader["Content-Type"] = "application/json"
			}
			for name, want := range wantHeader {
				if got := got.Header.Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			if op.body == "" {
				if len(body) != 0 {
					t.Errorf("sent the body %s", body)
				}
				return
			}
			if diff := cmp.Diff(decoded(t, op.body), decoded(t, string(body))); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
		})
	}
	for _, op := range hostapi.Operations() {
		if !called[op] {
			t.Errorf("%s is not tried", op)
		}
	}
}

func decoded(t *testing.T, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}

func TestOperationsCheckTheirArgumentsFirst(t *testing.T) {
	client := serve(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("sent %s %s", r.Method, r.RequestURI) },
		func(c *hostapi.Config) {
			c.Operations = map[hostapi.Operation]hostapi.Override{hostapi.OpStop: {Enabled: new(false)}}
		})
	for _, ids := range [][2]string{{"", "a"}, {"4\xff2", "a"}, {"42", ""}, {"42", "."}, {"42", ".."}} {
		if err := client.Delete(t.Context(), ids[0], ids[1]); hostapi.CodeOf(err) != hostapi.CodeInternal || hostapi.IsUncertain(err) {
			t.Errorf("%q: %v", ids, err)
		}
	}
	if _, err := client.Stop(t.Context(), "42", "srv-1"); hostapi.CodeOf(err) != hostapi.CodeNotOffered || hostapi.IsUncertain(err) {
		t.Errorf("turned off: %v", err)
	}
}

func TestOperationsCanBeChanged(t *testing.T) {
	var sent string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent = r.Method + " " + r.RequestURI + " " + string(body)
		_, _ = io.WriteString(w, `{"ok":true,"servers":[],"account":{}}`)
	}, func(c *hostapi.Config) {
		c.Operations = map[hostapi.Operation]hostapi.Override{
			hostapi.OpList:    {Method: "POST", Path: "/v2/list", UserIDIn: hostapi.InBody},
			hostapi.OpRestart: {Method: "PUT", Path: "/v2/:id/power%20cycle", UserIDIn: hostapi.InQuery},
			hostapi.OpDelete:  {UserIDIn: hostapi.InBody},
			hostapi.OpCreate:  {Enabled: new(false)},
		}
	})
	if client.Offers(hostapi.OpCreate) || !client.Offers(hostapi.OpRestart) || client.Offers("reboot") {
		t.Error("Offers does not tell what is turned on")
	}
	for _, test := range []struct {
		call func() error
		want string
	}{
		{func() error { _, err := client.List(t.Context(), "42"); return err }, `POST /v2/list {"chatUserId":"42"}`},
		{func() error { _, err := client.Restart(t.Context(), "42", "a/b"); return err }, `PUT /v2/a%2Fb/power%20cycle?chatUserId=42 `},
		{func() error { return client.Delete(t.Context(), "42", "a") }, `DELETE /api/bot/servers/a {"chatUserId":"42"}`},
	} {
		if err := test.call(); err != nil || sent != test.want {
			t.Errorf("sent %q (%v), want %q", sent, err, test.want)
		}
	}
}

func TestIDsArriveIntact(t *testing.T) {
	var uri, userID string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		uri, userID = r.RequestURI, r.URL.Query().Get("chatUserId")
		_, _ = io.WriteString(w, `{"ok":true,"servers":[],"account":{}}`)
	})
	for _, id := range []string{
		"a/b", "/a", "a//b", "../etc", "a?b=c", "a#b", "100%", "%2F", "%2e%2e", "a b", "+", "a&chatUserId=7", ":id", "a;b,c", "ünï/日本", "\x00", "a\nb", `a\b`,
	} {
		_, restarted := client.Restart(t.Context(), "42", id)
		segment := strings.TrimSuffix(strings.TrimPrefix(uri, "/api/bot/servers/"), "/restart")
		if got, err := url.PathUnescape(segment); restarted != nil || strings.ContainsAny(segment, "/?# ") || err != nil || got != id {
			t.Errorf("the server %q was sent as %q: %v", id, uri, restarted)
		}
		if _, err := client.List(t.Context(), id); err != nil || userID != id {
			t.Errorf("the user %q arrived as %q: %v", id, userID, err)
		}
	}
}

func TestClientObservesEveryCall(t *testing.T) {
	var got []string
	status := http.StatusOK
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"ok":true}`)
	}, func(c *hostapi.Config) {
		c.Observe = func(call hostapi.Call) {
			got = append(got, fmt.Sprintf("%s:%s:%d:%v", call.Op, call.Code, call.Attempts, call.Duration > 0))
		}
	})

	if _, err := client.Start(t.Context(), "u", "s"); err != nil {
		t.Fatal(err)
	}
	status = http.StatusConflict
	_, _ = client.Stop(t.Context(), "u", "s")
	_, _ = client.Get(t.Context(), "u", "")
	status = http.StatusServiceUnavailable
	_, err := client.List(t.Context(), "u")
	if failure := asError(t, err); failure.Attempts != 3 || failure.Took <= 0 {
		t.Errorf("%d attempts in %v", failure.Attempts, failure.Took)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, _ = client.List(canceled, "u")

	if want := "start::1:true stop:conflict:1:true get:internal:0:true list:unavailable:3:true list:canceled:0:true"; strings.Join(got, " ") != want {
		t.Errorf("observed %v, want %s", got, want)
	}
}

func TestClientIsPrintedWithoutTheSecret(t *testing.T) {
	config := hostapi.Config{BaseURL: "https://hosting.example", Secret: theSecret}
	client := newClient(t, config.BaseURL)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
		for _, value := range []any{config, &config, client, *client, struct{ c *hostapi.Client }{client}} {
			text := fmt.Sprintf(verb, value)
			for _, secret := range []string{theSecret, fmt.Sprintf("%x", theSecret), fmt.Sprintf("%X", theSecret)} {
				if strings.Contains(text, secret) {
					t.Errorf("%s of a %T: %s", verb, value, text)
				}
			}
		}
	}
}
