package hostapi_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hostbot/hostapi"
	"hostbot/hostapi/redistest"
)

// Words of these tests:
//
//	serve    runs a service of a test's own, over the network
//	script   takes the place of the network: each request ends as its next step says
//	guarded  is a client of a script, with what it says of the service (breaker_test.go)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, redistest.Dialing()) }

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

// step is how a request ends.
type step = func(*http.Request) (*http.Response, error)

// script is a transport on which each request ends as the next step says, and
// those after the last step as that one.
type script struct {
	mu    sync.Mutex
	steps []step
	times []time.Time // of the requests
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	next := s.steps[0]
	if len(s.steps) > 1 {
		s.steps = s.steps[1:]
	}
	s.times = append(s.times, time.Now())
	s.mu.Unlock()
	return next(r)
}

// becomes replaces the steps that are left.
func (s *script) becomes(steps ...step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = steps
}

// sent returns how many requests there were since it was called last.
func (s *script) sent() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.times)
	s.times = nil
	return n
}

// with makes a client use the script.
func (s *script) with(c *hostapi.Config) { c.Transport = s }

// answers is a step that answers with a status, a body, and a Retry-After where
// that is not empty.
func answers(status int, body, retryAfter string) step {
	return func(r *http.Request) (*http.Response, error) {
		header := http.Header{}
		if retryAfter != "" {
			header.Set("Retry-After", retryAfter)
		}
		return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	}
}

// works is a step that answers every operation which needs no record.
func works(r *http.Request) (*http.Response, error) {
	return answers(http.StatusOK, `{"ok":true,"servers":[],"account":{}}`, "")(r)
}

// refuses is a step in which there is no connection to be had.
func refuses(*http.Request) (*http.Response, error) {
	return nil, errors.New("dial tcp: connection refused")
}

// breaksOff is a step in which the connection is lost after the request was sent.
func breaksOff(r *http.Request) (*http.Response, error) {
	httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
	return nil, &net.OpError{Op: "read", Net: "tcp", Err: errors.New("connection reset by peer")}
}

// hangs is a step that ends, after the request was sent, only when it is given up.
func hangs(r *http.Request) (*http.Response, error) {
	httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
	<-r.Context().Done()
	return nil, r.Context().Err()
}
