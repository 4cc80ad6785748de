package gateway

import (
	"context"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"hostbot/bot/interaction"
)

// proxy is an HTTP proxy that knows CONNECT. It tells what it was asked.
func proxy(t *testing.T, asked chan<- string, status int) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.Host + " " + r.Header.Get("Proxy-Authorization")
		if status != http.StatusOK {
			w.WriteHeader(status)
			return
		}
		target, err := net.Dial("tcp", r.Host)
		if err != nil {
			return
		}
		client, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
		go func() {
			_, _ = io.Copy(target, client)
			_ = target.Close()
		}()
		_, _ = io.Copy(client, target)
		_ = client.Close()
	}))
	t.Cleanup(server.Close)
	return server
}

// through runs a gateway behind a proxy until Discord's final word or for a
// while, and returns what it ended with and why the connection was lost first.
func through(t *testing.T, proxy, discord string) (lost, final string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	g := New(Config{
		Token: "token", REST: at(discord), Identifies: new(IdentifyLimiter),
		Proxy: func(r *http.Request) (*url.URL, error) {
			if r.URL.Scheme != "https" || r.URL.Host != discord {
				t.Errorf("the proxy for %s was asked for", r.URL)
			}
			return url.Parse(proxy)
		},
		OnInteraction: func(*interaction.Event) {}, OnReady: func(string) {}, OnResumed: func() {},
		OnLost: func(reason error) {
			lost = reason.Error()
			cancel()
		},
	})
	if err := g.Run(ctx); err != nil {
		final = err.Error()
	}
	return lost, final
}

func TestTheGatewayIsReachedThroughAProxy(t *testing.T) {
	answers, asked := make(chan string, 8), make(chan string, 8)
	discord := secureGateway(t, `{"op":0,"t":"READY","s":1,"d":{"session_id":"s","application":{"id":"7"}}}`, 4004, answers)
	p := proxy(t, asked, http.StatusOK)
	lost, final := through(t, strings.Replace(p.URL, "http://", "http://me:secret@", 1), discord)
	if lost != "" || !strings.Contains(final, "4004") {
		t.Errorf("lost %q, final %q", lost, final)
	}
	close(answers)
	close(asked)
	want(t, answers, "identify at "+discord)
	want(t, asked, "CONNECT "+discord+" Basic "+base64.StdEncoding.EncodeToString([]byte("me:secret")))
}

func TestAProxyThatDoesNotConnect(t *testing.T) {
	asked := make(chan string, 8)
	refusing := proxy(t, asked, http.StatusProxyAuthRequired)
	talking := func(answer string) string {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = listener.Close() })
		go func() {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 1024))
			_, _ = io.WriteString(conn, answer)
			_ = conn.Close()
		}()
		return "http://" + listener.Addr().String()
	}
	for name, test := range map[string]struct{ proxy, want string }{
		"refuses":           {strings.Replace(refusing.URL, "http://", "http://me:secret@", 1), "Proxy Authentication Required"},
		"does not end":      {talking("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20)), "unexpected EOF"},
		"is no HTTP server": {talking("220 smtp.example\r\n"), "malformed HTTP"},
	} {
		t.Run(name, func(t *testing.T) {
			lost, final := through(t, test.proxy, "gateway.example")
			if !strings.Contains(lost, test.want) || final != "" {
				t.Errorf("lost %q, final %q", lost, final)
			}
			if strings.Contains(lost, "secret") {
				t.Errorf("the proxy's password is told: %q", lost)
			}
		})
	}
}
