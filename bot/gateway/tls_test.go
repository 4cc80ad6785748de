package gateway_test

import (
	"context"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"hostbot/bot/gateway"
	"hostbot/bot/interaction"
)

// secureGateway is a gateway with TLS. It tells which of IDENTIFY and RESUME it
// was sent, answers it, and after the first heartbeat closes with code.
func secureGateway(t *testing.T, answer string, code int, asked chan<- string) (address string) {
	t.Helper()
	upgrader := websocket.Upgrader{}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = ws.Close() }()
		_ = ws.WriteMessage(websocket.TextMessage, []byte(`{"op":10,"d":{"heartbeat_interval":1000}}`))
		_, first, _ := ws.ReadMessage()
		op := "identify"
		if strings.Contains(string(first), `"op":6`) {
			op = "resume"
		}
		asked <- op + " at " + r.Host
		_ = ws.WriteMessage(websocket.TextMessage, []byte(answer))
		_, _, _ = ws.ReadMessage() // a heartbeat
		_ = ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Second))
		_, _, _ = ws.ReadMessage() // until the other end is gone
	}))
	t.Cleanup(server.Close)
	trust(t, server)
	return strings.TrimPrefix(server.URL, "https://")
}

// trust makes a server's certificate one of the system's roots, by which the
// gateway is verified. The roots are read once in a process, and all these
// servers have the same certificate.
func trust(t *testing.T, server *httptest.Server) {
	t.Helper()
	roots := filepath.Join(t.TempDir(), "roots.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(roots, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SSL_CERT_FILE", roots)
}

// address answers every request with the gateway's address.
type address string

func (a address) RoundTrip(*http.Request) (*http.Response, error) {
	body := io.NopCloser(strings.NewReader(`{"url":"wss://` + string(a) + `"}`))
	return &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Header: http.Header{}, Body: body}, nil
}

func TestASessionIsResumedOverTLSWhereDiscordWantsIt(t *testing.T) {
	asked := make(chan string, 8)
	second := secureGateway(t, `{"op":0,"t":"RESUMED","s":2,"d":{}}`, 4004, asked)
	first := secureGateway(t, `{"op":0,"t":"READY","s":1,"d":{"session_id":"s","resume_gateway_url":"wss://`+second+
		`/?x=1","application":{"id":"7"}}}`, 4000, asked)

	told := make(chan string, 8)
	g := gateway.New(gateway.Config{
		Token: "token", HTTP: &http.Client{Transport: address(first)},
		OnInteraction: func(*interaction.Event) {},
		OnReady:       func(id string) { told <- "ready " + id },
		OnResumed:     func() { told <- "resumed" },
		OnLost:        func(reason error) { told <- "lost: " + reason.Error() },
	})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	err := g.Run(ctx) // until the second gateway's final word
	if err == nil || !strings.Contains(err.Error(), "4004") {
		t.Errorf("Run returned %v", err)
	}
	close(asked)
	close(told)
	want(t, asked, "identify at "+first, "resume at "+second)
	want(t, told, "ready 7", `lost: discord closed the connection with code 4000 ""`, "resumed")
}

// TestASessionIsResumedWhereNoneMayBeBegun: what Discord limits are new sessions.
func TestASessionIsResumedWhereNoneMayBeBegun(t *testing.T) {
	nobody := httptest.NewServer(http.NotFoundHandler())
	nobody.Close()
	heard := make(chan string, 8)
	first := secureGateway(t, `{"op":0,"t":"READY","s":1,"d":{"session_id":"s","resume_gateway_url":"wss://`+
		nobody.Listener.Addr().String()+`","application":{"id":"7"}}}`, 4000, heard)
	second := secureGateway(t, `{"op":0,"t":"RESUMED","s":2,"d":{}}`, 4004, heard)
	discord := &asked{answer: func(n int) (int, string) {
		if n == 1 {
			return http.StatusOK, `{"url":"wss://` + first + `","session_start_limit":{"remaining":1,"reset_after":600000}}`
		}
		return http.StatusOK, `{"url":"wss://` + second + `","session_start_limit":{"remaining":0,"reset_after":600000}}`
	}}

	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	g := gateway.New(gateway.Config{
		Token: "token", HTTP: &http.Client{Transport: discord},
		OnInteraction: func(*interaction.Event) {}, OnReady: func(string) {}, OnResumed: func() {},
		OnLost: func(reason error) {
			if strings.Contains(reason.Error(), "no further session") {
				t.Error("it waits until a session may be begun")
				cancel()
			}
		},
	})
	err := g.Run(ctx) // until the second gateway's final word
	if err == nil || !strings.Contains(err.Error(), "4004") {
		t.Errorf("Run returned %v", err)
	}
	close(heard)
	want(t, heard, "identify at "+first, "resume at "+second)
}

func TestTheGatewayMustProveWhoItIs(t *testing.T) {
	asked := make(chan string, 1)
	_, port, err := net.SplitHostPort(secureGateway(t, `{"op":0,"t":"READY"}`, 4004, asked))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var lost string
	g := gateway.New(gateway.Config{
		Token: "token", HTTP: &http.Client{Transport: address("localhost:" + port)}, // for which it has no certificate
		OnInteraction: func(*interaction.Event) {}, OnReady: func(string) {}, OnResumed: func() {},
		OnLost: func(reason error) {
			lost = reason.Error()
			cancel()
		},
	})
	if err := g.Run(ctx); err != nil || !strings.Contains(lost, "certificate") {
		t.Errorf("lost: %s; Run returned %v", lost, err)
	}
	if len(asked) > 0 {
		t.Error("it was sent the token")
	}
}

func want(t *testing.T, got <-chan string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		if g := <-got; g != w {
			t.Errorf("got %q, want %q", g, w)
		}
	}
	for g := range got {
		t.Errorf("got %q besides", g)
	}
}
