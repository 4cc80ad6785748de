package hostapi_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"hostbot/hostapi"
)

// TestRedirectsAreNotFollowed redirects within the service and to elsewhere, where
// nothing may arrive.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s reached another origin, with Authorization %q", r.Method, r.RequestURI, r.Header.Get("Authorization"))
	}))
	t.Cleanup(elsewhere.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, op := range operations() {
			for _, to := range []string{"", elsewhere.URL} { // the same host at another port is another origin
				requests := 0
				client := serve(t, func(w http.ResponseWriter, r *http.Request) {
					requests++
					http.Redirect(w, r, to+"/secret-path", status)
				})
				_, err := op.call(t.Context(), client)
				failure := asError(t, err)
				if failure.Code != hostapi.CodeUnavailable || failure.Status != status || requests != 1 ||
					!strings.HasPrefix(failure.Detail, "redirect not followed: to "+to) || strings.Contains(failure.Detail, "secret-path") {
					t.Errorf("%d, %s, to %q: %v after %d requests", status, op.name, to, err, requests)
				}
				if want := op.method != http.MethodGet && (status == 302 || status == 303); failure.Uncertain != want {
					t.Errorf("%d, %s: uncertain %v, want %v", status, op.name, !want, want)
				}
			}
		}
	}
}

// counting is serve, and counts the connections to the service.
func counting(t *testing.T, handler http.HandlerFunc) (client *hostapi.Client, connections *atomic.Int32) {
	t.Helper()
	connections = new(atomic.Int32)
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	return newClient(t, server.URL), connections
}

// TestConnectionsAreUsedAgain proves that answers are read to their end,
// failures too.
func TestConnectionsAreUsedAgain(t *testing.T) {
	t.Parallel()
	client, connections := counting(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/stop") {
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, strings.Repeat("busy ", 100_000))
			return
		}
		_, _ = io.WriteString(w, `{"ok":true}`+strings.Repeat(" ", 100_000))
	})
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

// TestActionsAreNotSentAgainByTheTransport has the service break off a
// connection that was in use before, after it has read the whole request. That
// is where net/http sends again what it takes to be harmless.
func TestActionsAreNotSentAgainByTheTransport(t *testing.T) {
	t.Parallel()
	for _, op := range operations() {
		if op.method == http.MethodGet {
			continue
		}
		var requests atomic.Int32
		client, connections := counting(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if r.Method == http.MethodGet {
				_, _ = io.WriteString(w, `{"servers":[],"account":{}}`)
				return
			}
			requests.Add(1)
			panic(http.ErrAbortHandler) // breaks the connection off
		})
		if _, err := client.List(t.Context(), "42"); err != nil {
			t.Fatal(err)
		}
		_, err := op.call(t.Context(), client)
		if hostapi.CodeOf(err) != hostapi.CodeUnavailable || !hostapi.IsUncertain(err) {
			t.Errorf("%s: error %v, uncertain %v", op.name, err, hostapi.IsUncertain(err))
		}
		if requests.Load() != 1 || connections.Load() != 1 {
			t.Errorf("%s: %d requests over %d connections, want one over the one that was in use", op.name, requests.Load(), connections.Load())
		}
	}
}

// secureService runs a service with a certificate for 127.0.0.1 that only
// trusting trusts.
func secureService(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(saying(`{"servers":[],"account":{}}`))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// trusting has a client trust the service's certificate, and use a proxy.
func trusting(service *httptest.Server, proxy func(*http.Request) (*url.URL, error)) func(*hostapi.Config) {
	return func(c *hostapi.Config) {
		transport := hostapi.NewTransport(proxy)
		transport.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool()}
		transport.TLSClientConfig.RootCAs.AddCert(service.Certificate())
		c.Transport = transport
	}
}

// TestProxyCannotReadTheSecret uses a proxy that records what it is asked, and
// refuses it.
func TestProxyCannotReadTheSecret(t *testing.T) {
	t.Parallel()
	service := secureService(t)
	for _, status := range []int{http.StatusProxyAuthRequired, http.StatusForbidden, http.StatusBadGateway} {
		var seen bytes.Buffer
		proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_ = r.Write(&seen)
			w.WriteHeader(status)
		}))
		t.Cleanup(proxy.Close)
		toProxy := func(*http.Request) (*url.URL, error) {
			return url.Parse(strings.Replace(proxy.URL, "http://", "http://me:hunter2@", 1))
		}
		_, err := newClient(t, service.URL, trusting(service, toProxy)).Restart(t.Context(), "42", "s")
		if failure := asError(t, err); failure.Code != hostapi.CodeUnavailable || failure.Uncertain || failure.Detail != http.StatusText(status) {
			t.Errorf("%d: %#v", status, err)
		}
		asked := seen.String()
		if !strings.HasPrefix(asked, "CONNECT "+strings.TrimPrefix(service.URL, "https://")+" ") || strings.Contains(asked, theSecret) {
			t.Errorf("the proxy was asked %q", asked)
		}
		plain := serve(t, saying(`{"servers":[],"account":{}}`), func(c *hostapi.Config) { c.Transport = hostapi.NewTransport(toProxy) })
		if _, err := plain.List(t.Context(), "42"); err != nil || seen.String() != asked {
			t.Errorf("plain http went to the proxy: %v", err)
		}
	}
}
