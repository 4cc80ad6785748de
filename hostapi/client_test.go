package hostapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"hostbot/configs/secret"
	"hostbot/hostapi"
)

const theSecret = "s3cr3t-of-the-service"

// newClient returns a client of the service at url, changed by edits.
func newClient(t testing.TB, url string, edits ...func(*hostapi.Config)) *hostapi.Client {
	t.Helper()
	config := hostapi.Config{BaseURL: url, Secret: theSecret, Timeout: 20 * time.Second}
	for _, edit := range edits {
		edit(&config)
	}
	client, err := hostapi.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// serve runs handler as the service and returns a client of it.
func serve(t testing.TB, handler http.HandlerFunc, edits ...func(*hostapi.Config)) *hostapi.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return newClient(t, server.URL, edits...)
}

func TestNewReportsEveryMistake(t *testing.T) {
	_, err := hostapi.New(hostapi.Config{
		BaseURL: "https://user:hunter2@hosting.example",
		Secret:  "two words",
		Timeout: -time.Second, UserAgent: "hostbot\r\nX-Injected: 1",
		Operations: map[hostapi.Operation]hostapi.Override{
			"reboot":            {Disabled: true},
			hostapi.OpList:      {Path: "/servers/:id"},
			hostapi.OpGet:       {UserIDIn: hostapi.InBody},
			hostapi.OpRestart:   {Method: "GET", Path: "servers/:id", UserIDIn: "header"},
			hostapi.OpReinstall: {Path: "/servers/reinstall"},
			hostapi.OpStop:      {Path: "/servers/../:id"},
			hostapi.OpStart:     {Path: "/servers/:id?force=1"},
			hostapi.OpDelete:    {Path: "/users/:user/servers/:id"},
		},
	})
	if err == nil {
		t.Fatal("New accepted it")
	}
	for _, want := range []string{
		"base URL: must not hold a user name or password",
		"secret: holds a space",
		"timeout: is negative",
		"user agent: holds a character",
		`operations: "reboot" is not an operation`,
		"operations: list: path:",
		"operations: get: user ID: a GET has no body",
		`operations: restart: method: "GET" is none of`,
		"operations: restart: path:",
		`operations: restart: user ID: place "header"`,
		"operations: reinstall: path:",
		"operations: stop: path:",
		"operations: start: path:",
		"operations: delete: path:",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in:\n%v", want, err)
		}
	}
	for _, never := range []string{"hunter2", "two words"} {
		if strings.Contains(err.Error(), never) {
			t.Errorf("%q is repeated in:\n%v", never, err)
		}
	}
}

func TestNewChecksTheBaseURL(t *testing.T) {
	for _, test := range []struct {
		url       string
		allowHTTP bool
		want      string // of the error; empty: none
	}{
		{url: "https://hosting.example"},
		{url: "https://hosting.example/base/"},
		{url: "http://localhost:8080"},
		{url: "http://127.0.0.1:8080"},
		{url: "http://[::1]:8080"},
		{url: "http://hosting.example", allowHTTP: true},
		{url: "http://hosting.example", want: "plain http"},
		{url: "http://localhost.example", want: "plain http"},
		{url: "", want: "missing"},
		{url: "hosting.example", want: "not an absolute"},
		{url: "ftp://hosting.example", want: "not an absolute"},
		{url: "https://", want: "not an absolute"},
		{url: "https://hosting.example?x=1", want: "end with its path"},
		{url: "https://hosting.example#x", want: "end with its path"},
		{url: "https://hosting.example:port", want: "not an absolute"},
	} {
		_, err := hostapi.New(hostapi.Config{BaseURL: test.url, Secret: theSecret, AllowHTTP: test.allowHTTP})
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%q: %v", test.url, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%q: error %v, want %q", test.url, err, test.want)
		}
	}
}

func TestNewChecksTheSecret(t *testing.T) {
	for _, bad := range []string{"", "a\nb", "über", strings.Repeat("x", 1025)} {
		if _, err := hostapi.New(hostapi.Config{BaseURL: "https://hosting.example", Secret: secret.Text(bad)}); err == nil {
			t.Errorf("%.20q was accepted", bad)
		}
	}
}

func TestEveryCallIsObserved(t *testing.T) {
	var calls []hostapi.Call
	status := http.StatusOK
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, `{"ok":true}`)
	}, func(c *hostapi.Config) { c.Observe = func(call hostapi.Call) { calls = append(calls, call) } })

	if _, err := client.Start(t.Context(), "u", "s"); err != nil {
		t.Fatal(err)
	}
	status = http.StatusConflict
	_, _ = client.Stop(t.Context(), "u", "s")
	_, _ = client.Get(t.Context(), "u", "")
	status = http.StatusServiceUnavailable
	_, _ = client.List(t.Context(), "u")
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, _ = client.List(canceled, "u")

	var got []string
	for _, call := range calls {
		got = append(got, fmt.Sprintf("%s:%s:%d:%v", call.Op, call.Code, call.Attempts, call.Duration > 0))
	}
	if want := "start::1:true stop:conflict:1:true get:internal:0:true list:unavailable:3:true list:canceled:0:true"; strings.Join(got, " ") != want {
		t.Errorf("observed %v, want %s", got, want)
	}
}
