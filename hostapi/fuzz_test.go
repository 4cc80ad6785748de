package hostapi_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

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
