package hostapi_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"hostbot/bot/relaytest"
	"hostbot/hostapi"
)

// secureService runs a service of which a list is asked, behind a name and a
// certificate.
func secureService(t *testing.T) *relaytest.Relay {
	t.Helper()
	n, err := network()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+theSecret {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `{"servers":[],"account":{}}`)
	}))
	t.Cleanup(server.Close)
	return n.RunT(t, server.Listener.Addr().String())
}

// proxy is an HTTP proxy that notes all that it can read.
type proxy struct {
	*httptest.Server
	status int // of its answer to CONNECT

	mu   sync.Mutex
	seen bytes.Buffer
}

func runProxy(t *testing.T, status int) *proxy {
	t.Helper()
	p := &proxy{status: status}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	_ = r.Write(&p.seen)
	p.mu.Unlock()
	if p.status != http.StatusOK {
		w.WriteHeader(p.status)
		return
	}
	target, err := net.Dial("tcp", r.Host)
	if err != nil {
		return
	}
	client, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	_, _ = io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
	var answers sync.WaitGroup
	answers.Go(func() {
		_, _ = io.Copy(client, target)
		_ = client.Close()
	})
	_, _ = io.Copy(io.MultiWriter(target, p), buffered)
	_ = target.Close()
	answers.Wait()
}

// Write notes what passes to the service.
func (p *proxy) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen.Write(data)
}

func (p *proxy) read() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen.String()
}

// via makes a client use a proxy, with a password for it.
func (p *proxy) via() func(*hostapi.Config) {
	return func(c *hostapi.Config) {
		c.Proxy = func(*http.Request) (*url.URL, error) {
			return url.Parse(strings.Replace(p.URL, "http://", "http://me:hunter2@", 1))
		}
	}
}

func TestAProxyDoesNotReadTheSecret(t *testing.T) {
	service, p := secureService(t), runProxy(t, http.StatusOK)
	client := newClient(t, "https://"+service.Addr(), p.via())
	if _, err := client.List(t.Context(), "42"); err != nil {
		t.Fatal(err)
	}
	seen := p.read()
	if !strings.HasPrefix(seen, "CONNECT "+service.Addr()+" ") {
		t.Errorf("the proxy was asked %.100q", seen)
	}
	for _, never := range []string{theSecret, "Bearer", "chatUserId"} {
		if strings.Contains(seen, never) {
			t.Errorf("the proxy reads %q", never)
		}
	}
}

func TestPlainHTTPGoesToNoProxy(t *testing.T) {
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"servers":[],"account":{}}`) },
		func(c *hostapi.Config) {
			c.Proxy = func(r *http.Request) (*url.URL, error) {
				t.Errorf("a proxy is asked for, with Authorization %q", r.Header.Get("Authorization"))
				return nil, nil
			}
		})
	if _, err := client.List(t.Context(), "42"); err != nil {
		t.Error(err)
	}
}

func TestAProxyThatRefuses(t *testing.T) {
	service := secureService(t)
	for _, status := range []int{http.StatusProxyAuthRequired, http.StatusForbidden, http.StatusBadGateway} {
		p := runProxy(t, status)
		client := newClient(t, "https://"+service.Addr(), p.via())
		_, err := client.Restart(t.Context(), "42", "s")
		var failure *hostapi.Error
		if !errors.As(err, &failure) || failure.Code != hostapi.CodeUnavailable || failure.Uncertain || failure.Detail != http.StatusText(status) {
			t.Errorf("%d: %#v", status, err)
		}
		if strings.Contains(p.read(), theSecret) {
			t.Errorf("%d: the proxy reads the secret", status)
		}
	}
}

// The certificate must be trusted and the host's own.
func TestCertificatesAreVerified(t *testing.T) {
	service := secureService(t)
	name := "https://" + service.Addr()
	_, port, err := net.SplitHostPort(service.Addr())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := newClient(t, name).List(t.Context(), "42"); err != nil {
		t.Fatal(err)
	}
	check := func(base string) {
		t.Helper()
		client := newClient(t, base, func(c *hostapi.Config) { c.Timeout = 10 * time.Second })
		_, err := client.Restart(t.Context(), "42", "s")
		if hostapi.CodeOf(err) != hostapi.CodeUnavailable || hostapi.IsUncertain(err) || !strings.Contains(err.Error(), "certificate") {
			t.Errorf("%s: %v", base, err)
		}
	}
	check("https://127.0.0.1:" + port) // a host that the certificate does not name
	service.Set(relaytest.Untrusted)
	check(name)
}
