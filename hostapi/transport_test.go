package hostapi_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"hostbot/hostapi"
)

func TestRedirectsToAnotherOriginAreRefused(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s reached another origin, with Authorization %q", r.Method, r.RequestURI, r.Header.Get("Authorization"))
	}))
	t.Cleanup(elsewhere.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, op := range operations() {
			// 127.0.0.1 at another port is another origin, as is another name
			// for the same machine.
			client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, elsewhere.URL+"/secret-path", status)
			})
			_, err := op.call(t.Context(), client)
			var failure *hostapi.Error
			if !errors.As(err, &failure) || failure.Code != hostapi.CodeInternal || failure.Status != status {
				t.Fatalf("%d, %s: %v", status, op.name, err)
			}
			if want := "redirect not followed: to " + elsewhere.URL; failure.Detail != want {
				t.Errorf("%d, %s: detail %q, want %q", status, op.name, failure.Detail, want)
			}
		}
	}
}

func TestRedirectsWithinTheOrigin(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, op := range operations() {
			var followed atomic.Int32
			client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasPrefix(r.URL.Path, "/moved") {
					http.Redirect(w, r, "/moved"+r.URL.Path, status)
					return
				}
				followed.Add(1)
				if r.Method != http.MethodGet || r.Header.Get("Authorization") != "Bearer "+theSecret {
					t.Errorf("%d, %s: followed with %s, Authorization %q", status, op.name, r.Method, r.Header.Get("Authorization"))
				}
				_, _ = io.WriteString(w, op.answer)
			})
			_, err := op.call(t.Context(), client)
			reads := op.method == http.MethodGet
			if reads && (err != nil || followed.Load() != 1) {
				t.Errorf("%d, %s: %v", status, op.name, err)
			}
			if !reads && (err == nil || followed.Load() != 0) {
				t.Errorf("%d, %s: an action was redirected: %v", status, op.name, err)
			}
			if want := !reads && (status == 302 || status == 303); hostapi.IsUncertain(err) != want {
				t.Errorf("%d, %s: uncertain %v, want %v", status, op.name, !want, want)
			}
		}
	}
}

func TestARedirectInCirclesEnds(t *testing.T) {
	var requests atomic.Int32
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		http.Redirect(w, r, r.RequestURI, http.StatusFound)
	})
	if _, err := client.List(t.Context(), "42"); hostapi.CodeOf(err) != hostapi.CodeInternal || requests.Load() != 4 {
		t.Errorf("%v after %d requests", err, requests.Load())
	}
}

// TestConnectionsAreUsedAgain proves that answers are read to their end,
// failures too.
func TestConnectionsAreUsedAgain(t *testing.T) {
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/stop") {
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, strings.Repeat("busy ", 100_000))
			return
		}
		_, _ = io.WriteString(w, `{"ok":true}`+strings.Repeat(" ", 100_000))
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	client := newClient(t, server.URL)
	for range 5 {
		if _, err := client.Start(t.Context(), "42", "s"); err != nil {
			t.Fatal(err)
		}
		if _, err := client.Stop(t.Context(), "42", "s"); hostapi.CodeOf(err) != hostapi.CodeConflict {
			t.Fatal(err)
		}
	}
	if connections.Load() != 1 {
		t.Errorf("%d connections for calls one after another", connections.Load())
	}
}
