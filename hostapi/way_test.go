package hostapi_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hostbot/hostapi"
)

// TestAnActionThatNeverLeftIsNotUncertain fails before anything of the request
// is written.
func TestAnActionThatNeverLeftIsNotUncertain(t *testing.T) {
	nobody := listen(t)
	_ = nobody.Close()
	silent := listen(t) // takes connections, and never speaks
	untrusted := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the action arrived")
	}))
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	t.Cleanup(untrusted.Close)

	for _, test := range []struct {
		name, url, detail string
		timeout           time.Duration
	}{
		{"nobody listens", "http://" + nobody.Addr().String(), "refused", 20 * time.Second},
		{"not trusted", untrusted.URL, "certificate", 20 * time.Second},
		{"no handshake", "https://" + silent.Addr().String(), "no answer within", 200 * time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			var call hostapi.Call
			client := newClient(t, test.url, func(c *hostapi.Config) {
				c.Timeout = test.timeout
				c.Observe = func(observed hostapi.Call) { call = observed }
			})
			_, err := client.Restart(t.Context(), "42", "s")
			var failure *hostapi.Error
			if !errors.As(err, &failure) || failure.Code != hostapi.CodeUnavailable || failure.Uncertain || !strings.Contains(failure.Detail, test.detail) {
				t.Errorf("%v, uncertain %v", err, hostapi.IsUncertain(err))
			}
			if call.Attempts != 3 {
				t.Errorf("%d attempts, want 3", call.Attempts)
			}
		})
	}
}

// TestAnActionThatLeftIsUncertain has the service read the action and say
// nothing, over a connection that is new and over one that was in use.
func TestAnActionThatLeftIsUncertain(t *testing.T) {
	for name, warm := range map[string]bool{"new connection": false, "used connection": true} {
		t.Run(name, func(t *testing.T) {
			var actions atomic.Int32
			arrived := make(chan struct{}, 8)
			client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					_, _ = io.WriteString(w, `{"servers":[],"account":{}}`)
					return
				}
				_, _ = io.Copy(io.Discard, r.Body)
				actions.Add(1)
				arrived <- struct{}{}
				<-r.Context().Done()
			})
			if warm {
				if _, err := client.List(t.Context(), "42"); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				<-arrived
				cancel()
			}()
			err := client.Delete(ctx, "42", "s")
			if hostapi.CodeOf(err) != hostapi.CodeCanceled || !hostapi.IsUncertain(err) || actions.Load() != 1 {
				t.Errorf("%v, uncertain %v, arrived %d times", err, hostapi.IsUncertain(err), actions.Load())
			}
		})
	}
}

// listen returns a listener of which nobody accepts connections.
func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}
