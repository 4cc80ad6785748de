package hostapi_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/hostapi"
)

// script is a transport that does one thing after another, the last one again
// and again, and notes when.
type script struct {
	steps []func(*http.Request) (*http.Response, error)
	times []time.Time
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	step := s.steps[min(len(s.times), len(s.steps)-1)]
	s.times = append(s.times, time.Now())
	return step(r)
}

// answers returns a step that answers with a status and, if not 0, a Retry-After.
func answers(status int, retryAfter string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		header := http.Header{}
		if retryAfter != "" {
			header.Set("Retry-After", retryAfter)
		}
		body := `{"ok":true,"servers":[],"account":{}}`
		if status != http.StatusOK {
			body = ""
		}
		return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	}
}

// says returns a step that answers with a status and a body.
func says(status int, body string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	}
}

func fails(err error) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

// hangs answers nothing until the request is given up.
func hangs(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

var (
	errRefused = &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	errBroken  = &net.OpError{Op: "read", Net: "tcp", Err: errors.New("connection reset by peer")}
)

func TestTries(t *testing.T) {
	type steps = []func(*http.Request) (*http.Response, error)
	list := func(ctx context.Context, c *hostapi.Client) error { _, err := c.List(ctx, "42"); return err }
	restart := func(ctx context.Context, c *hostapi.Client) error { _, err := c.Restart(ctx, "42", "s"); return err }
	remove := func(ctx context.Context, c *hostapi.Client) error { return c.Delete(ctx, "42", "s") }
	const ok = http.StatusOK
	for _, test := range []struct {
		name      string
		call      func(context.Context, *hostapi.Client) error
		steps     steps
		deadline  time.Duration // 0: none
		tries     int
		code      hostapi.Code
		uncertain bool
	}{
		{"a read is repeated after 503", list, steps{answers(503, ""), answers(ok, "")}, 0, 2, "", false},
		{"a read is repeated after a broken connection", list, steps{fails(errBroken), fails(io.ErrUnexpectedEOF), answers(ok, "")}, 0, 3, "", false},
		{"a read is given up", list, steps{answers(500, "")}, 0, 3, hostapi.CodeUnavailable, false},
		{"a read is not repeated after 404", list, steps{answers(404, "")}, 0, 1, hostapi.CodeNotFound, false},
		{"a read is not repeated after 501", list, steps{answers(501, "")}, 0, 1, hostapi.CodeUnavailable, false},
		{"a read is repeated after 429", list, steps{answers(429, "2"), answers(ok, "")}, 5 * time.Second, 2, "", false},
		{"not where the wait does not fit the deadline", list, steps{answers(429, "10")}, 5 * time.Second, 1, hostapi.CodeRateLimited, false},
		{"not where the wait is endless", list, steps{answers(503, "3600")}, 0, 1, hostapi.CodeUnavailable, false},
		{"a read that hangs is repeated", list, steps{hangs, answers(ok, "")}, 0, 2, "", false},
		{"a read that hangs ends with its deadline", list, steps{hangs}, 5 * time.Second, 1, hostapi.CodeUnavailable, false},
		{"an action is repeated where there is no connection", restart, steps{fails(errRefused), fails(errRefused), answers(ok, "")}, 0, 3, "", false},
		{"an action is given up where there is no connection", restart, steps{fails(errRefused)}, 0, 3, hostapi.CodeUnavailable, false},
		{"an action is not repeated after a broken connection", restart, steps{fails(errBroken)}, 0, 1, hostapi.CodeUnavailable, true},
		{"nor after EOF", remove, steps{fails(io.EOF)}, 0, 1, hostapi.CodeUnavailable, true},
		{"nor after 503", restart, steps{answers(503, "1")}, 0, 1, hostapi.CodeUnavailable, true},
		{"nor after 429", remove, steps{answers(429, "1")}, 0, 1, hostapi.CodeRateLimited, false},
		{"nor after 502", remove, steps{answers(502, "")}, 0, 1, hostapi.CodeUnavailable, true},
		{"nor where it hangs", restart, steps{hangs}, 0, 1, hostapi.CodeUnavailable, true},
		{"nor where its deadline ends", restart, steps{hangs}, time.Second, 1, hostapi.CodeUnavailable, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{steps: test.steps}
				client := newClient(t, "https://hosting.example", func(c *hostapi.Config) { c.Transport = s })
				ctx := t.Context()
				if test.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, test.deadline)
					defer cancel()
				}
				err := test.call(ctx, client)
				if hostapi.CodeOf(err) != test.code || hostapi.IsUncertain(err) != test.uncertain {
					t.Errorf("%v, uncertain %v; want %q, %v", err, hostapi.IsUncertain(err), test.code, test.uncertain)
				}
				if len(s.times) != test.tries {
					t.Errorf("%d tries, want %d", len(s.times), test.tries)
				}
			})
		})
	}
}

func TestPausesBetweenTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{steps: []func(*http.Request) (*http.Response, error){answers(503, ""), answers(429, "7"), answers(200, "")}}
		client := newClient(t, "https://hosting.example", func(c *hostapi.Config) { c.Transport = s })
		if _, err := client.List(t.Context(), "42"); err != nil {
			t.Fatal(err)
		}
		if first := s.times[1].Sub(s.times[0]); first < 50*time.Millisecond || first > 151*time.Millisecond {
			t.Errorf("the first pause is %v", first)
		}
		if second := s.times[2].Sub(s.times[1]); second != 7*time.Second {
			t.Errorf("the second pause is %v, and the service asked for 7s", second)
		}
	})
}

func TestARequestIsBoundedByTheTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newClient(t, "https://hosting.example", func(c *hostapi.Config) {
			c.Transport = &script{steps: []func(*http.Request) (*http.Response, error){hangs}}
			c.Timeout = 3 * time.Second
		})
		started := time.Now()
		err := client.Reinstall(t.Context(), "42", "s")
		if took := time.Since(started); took != 3*time.Second {
			t.Errorf("took %v", took)
		}
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no answer within 3s") {
			t.Error(err)
		}
	})
}

func TestCanceled(t *testing.T) {
	errStop := errors.New("the program stops")
	for name, test := range map[string]struct {
		step      func(context.CancelCauseFunc) func(*http.Request) (*http.Response, error)
		uncertain bool
	}{
		"under way": {func(cancel context.CancelCauseFunc) func(*http.Request) (*http.Response, error) {
			return func(r *http.Request) (*http.Response, error) {
				cancel(errStop)
				return hangs(r)
			}
		}, true},
		"between two tries": {func(cancel context.CancelCauseFunc) func(*http.Request) (*http.Response, error) {
			return func(*http.Request) (*http.Response, error) {
				time.AfterFunc(time.Millisecond, func() { cancel(errStop) })
				return nil, errRefused
			}
		}, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			s := &script{steps: []func(*http.Request) (*http.Response, error){test.step(cancel)}}
			client := newClient(t, "https://hosting.example", func(c *hostapi.Config) { c.Transport = s })
			_, err := client.Restart(ctx, "42", "s")
			if hostapi.CodeOf(err) != hostapi.CodeCanceled || hostapi.IsUncertain(err) != test.uncertain || !errors.Is(err, errStop) || len(s.times) != 1 {
				t.Errorf("%s: %v, uncertain %v, %d tries", name, err, hostapi.IsUncertain(err), len(s.times))
			}
			if _, err := client.Restart(ctx, "42", "s"); hostapi.IsUncertain(err) || len(s.times) != 1 {
				t.Errorf("%s: sent although it was canceled before: %v", name, err)
			}
		})
	}
}

// TestActionsAreNotSentAgainByTheTransport has the service break off a
// connection that was in use before, after it has read the whole request. That
// is where net/http sends again what it takes to be harmless.
func TestActionsAreNotSentAgainByTheTransport(t *testing.T) {
	for _, op := range operations() {
		if op.method == http.MethodGet {
			continue
		}
		t.Run(op.name, func(t *testing.T) {
			var requests, connections atomic.Int32
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if r.Method == http.MethodGet {
					_, _ = io.WriteString(w, `{"servers":[],"account":{}}`)
					return
				}
				requests.Add(1)
				conn, _, err := w.(http.Hijacker).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				_ = conn.Close()
			}))
			server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
				if state == http.StateNew {
					connections.Add(1)
				}
			}
			server.Start()
			t.Cleanup(server.Close)
			client := newClient(t, server.URL)
			if _, err := client.List(t.Context(), "42"); err != nil {
				t.Fatal(err)
			}
			_, err := op.call(t.Context(), client)
			if hostapi.CodeOf(err) != hostapi.CodeUnavailable || !hostapi.IsUncertain(err) {
				t.Errorf("error %v, uncertain %v", err, hostapi.IsUncertain(err))
			}
			if requests.Load() != 1 || connections.Load() != 1 {
				t.Errorf("%d requests over %d connections, want one over the one that was in use", requests.Load(), connections.Load())
			}
		})
	}
}

func TestABodyThatEndsEarly(t *testing.T) {
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, out, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.Close() }()
		writeShort(out)
	})
	_, err := client.Restart(t.Context(), "42", "s")
	var failure *hostapi.Error
	if !errors.As(err, &failure) || failure.Code != hostapi.CodeUnavailable || failure.Status != 200 || !failure.Uncertain {
		t.Errorf("%v", err)
	}
}

func writeShort(out *bufio.ReadWriter) {
	_, _ = out.WriteString("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"ok\":true")
	_ = out.Flush()
}
