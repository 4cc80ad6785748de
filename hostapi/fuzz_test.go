package hostapi_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"hostbot/hostapi"
)

// FuzzAnswers has the service answer anything: without a crash, never taken for
// a success that it does not name, and without repeating the secret.
func FuzzAnswers(f *testing.F) {
	for _, body := range []string{
		`{"ok":true,"status":"RUNNING"}`, `{"ok":false,"error":"busy","code":"conflict"}`, `{"ok":"true"}`, `{"server":{"id":"a","name":"b"},"ok":true}`, `[]`, `null`, ``,
		`{"error":{"message":["x"]}}`, `<h1>Bad Gateway</h1>`, string(theSecret), `{"message":"Bearer ` + string(theSecret) + `"}`, `{"servers":[{"id":"a"},{"id":1}],"account":{}}`,
	} {
		for _, status := range []int{200, 204, 400, 401, 404, 409, 418, 503} {
			f.Add(status, "text/html", "5", []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, status int, kind, wait string, body []byte) {
		if status < 200 || status > 999 {
			return // net/http does not answer with it
		}
		answer := func(r *http.Request) (*http.Response, error) {
			header := http.Header{"Content-Type": {kind}, "Retry-After": {wait}, "Location": {kind}}
			return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(string(body))), Request: r}, nil
		}
		client := newClient(t, "https://hosting.example", func(c *hostapi.Config) {
			c.Transport = &script{steps: []step{answer}}
		})
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond) // too short to try again
		defer cancel()
		_, restarted := client.Restart(ctx, "42", "shop")
		_, created := client.Create(ctx, "42", hostapi.NewServer{Name: "x", Language: "NODE", EntryFile: "x", StartupCommand: "x", RAMMB: 1, DiskMB: 1, CPUPercent: 1})
		for what, err := range map[string]error{
			"restart": restarted, "create": created, "reinstall": client.Reinstall(ctx, "42", "shop"), "delete": client.Delete(ctx, "42", "shop"),
		} {
			said := status == http.StatusNoContent || status < 300 && strings.Contains(strings.ToLower(string(body)), "true")
			if err == nil && !said {
				t.Errorf("%s has succeeded by status %d and %q", what, status, body)
			}
			var refused *hostapi.Error
			if err != nil && (!errors.As(err, &refused) || refused.Code == "" || len(err.Error()) > 4096) {
				t.Errorf("%s: error %v", what, err)
			}
			if err != nil && strings.Contains(err.Error(), string(theSecret)) {
				t.Errorf("%s repeats the secret: %v", what, err)
			}
		}
	})
}

// FuzzRecords has the service answer anything to a list and to a question about
// one server: what is believed of it has what the rest of the program relies on.
func FuzzRecords(f *testing.F) {
	for _, body := range []string{
		`{"servers":[],"account":{"planName":"Pro","planRamMb":2048,"maxServers":5,"serverCount":1}}`,
		`{"servers":[{"id":"a","name":"Bot","language":"NODE","status":"RUNNING","subdomain":null,"ramMb":512,"diskMb":1024,"cpuPercent":100,"createdAt":"2025-01-02T03:04:05.678Z"},{"id":"a"},{"id":"b","subdomain":{"x":[1]}}]}`,
		`{"id":"a","createdAt":"0000-01-01T00:00:00Z"}`, `{"server":{"id":"a","ramMb":1e3}}`, `{"servers":[null]}`, `{"servers":[{"id":""}]}`, `{"servers":null}`, "{\"servers\":[{\"id\":\"\xff\"}]}",
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		client := newClient(t, "https://hosting.example", func(c *hostapi.Config) {
			c.Transport = &script{steps: []step{answers(http.StatusOK, string(body), "")}}
		})
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond) // too short to try again
		defer cancel()
		list, err := client.List(ctx, "42")
		if err == nil && list.Servers == nil {
			t.Error("a list without servers is a success")
		}
		seen := make(map[string]bool)
		for _, s := range list.Servers {
			if s.ID == "" || seen[s.ID] || !utf8.ValidString(s.ID+s.Name+s.Status+s.Subdomain) {
				t.Errorf("believed: %+v", list.Servers)
			}
			seen[s.ID] = true
			if s.CreatedAt.Location() != time.UTC {
				t.Errorf("a server of %v", s.CreatedAt)
			}
		}
		if s, err := client.Get(ctx, "42", "a"); err == nil && s.ID != "a" {
			t.Errorf("asked for one, got %+v", s)
		}
	})
}
