package hostapi_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hostbot/hostapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const theSecret = "s3cr3t-of-the-service"

// newClient returns a client of the service at url, changed by edits.
func newClient(t testing.TB, url string, edits ...func(*hostapi.Config)) *hostapi.Client {
	t.Helper()
	config := hostapi.Config{
		BaseURL: url, Secret: theSecret, Timeout: 20 * time.Second,
		Observe: func(hostapi.Call) {}, OnDown: func(error) {}, OnUp: func(time.Duration) {},
	}
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

// saying answers every request with a body.
func saying(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

// asError returns the client's error in err, which must be one.
func asError(t testing.TB, err error) *hostapi.Error {
	t.Helper()
	var failure *hostapi.Error
	if !errors.As(err, &failure) {
		t.Fatalf("no error of the client's: %v", err)
	}
	return failure
}

func TestNewReportsEveryMistake(t *testing.T) {
	_, err := hostapi.New(hostapi.Config{
		BaseURL: "https://user:hunter2@hosting.example",
		Secret:  "two words",
		Operations: map[hostapi.Operation]hostapi.Override{
			"reboot":            {Enabled: new(false)},
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
		"url: must not hold a user name or password",
		"secret: holds white space",
		"operations: an operation is not known",
		"operations.list.path: has a segment :id",
		"operations.get: is a GET, which has no body",
		"operations.restart.method: is none of POST, PUT, PATCH, DELETE",
		"operations.restart.path: is not a path",
		"operations.restart.chat_user_id: is neither query nor body",
		"operations.reinstall.path: must have one segment :id",
		"operations.stop.path: is not a path",
		"operations.start.path: is not a path",
		"operations.delete.path: has a colon",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in:\n%v", want, err)
		}
	}
	for _, never := range []string{"hunter2", "two words", "reboot", "header", "force", "users"} {
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
