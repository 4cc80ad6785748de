package gateway

import (
	"context"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

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

// at is a discovery that always answers with the same address.
func at(address string) *discovery {
	return &discovery{answer: func(int) (*discordgo.GatewayBotResponse, error) {
		return &discordgo.GatewayBotResponse{URL: "wss://" + address}, nil
	}}
}

func TestASessionIsResumedOverTLSWhereDiscordWantsIt(t *testing.T) {
	asked := make(chan string, 8)
	second := secureGateway(t, `{"op":0,"t":"RESUMED","s":2,"d":{}}`, 4004, asked)
	first := secureGateway(t, `{"op":0,"t":"READY","s":1,"d":{"session_id":"s","resume_gateway_url":"wss://`+second+
		`/?x=1","application":{"id":"7"}}}`, 4000, asked)

	told := make(chan string, 8)
	g := New(Config{
		Token: "token", REST: at(first), Identifies: new(IdentifyLimiter),
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
	discord := &discovery{answer: func(n int) (*discordgo.GatewayBotResponse, error) {
		if n == 1 {
			return &discordgo.GatewayBotResponse{URL: "wss://" + first}, nil
		}
		none := discordgo.SessionInformation{Total: 1000, ResetAfter: 600_000}
		return &discordgo.GatewayBotResponse{URL: "wss://" + second, SessionStartLimit: none}, nil
	}}

	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	g := New(Config{
		Token: "token", REST: discord, Identifies: new(IdentifyLimiter),
		OnInteraction: func(*interaction.Event) {}, OnReady: func(string) {}, OnResumed: func() {},
		OnLost: func(reason error) {
			if strings.Contains(reason.Error(), "sessions that discord allows") {
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
	g := New(Config{
		Token: "token", REST: at("localhost:" + port), Identifies: new(IdentifyLimiter), // for which it has no certificate
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
