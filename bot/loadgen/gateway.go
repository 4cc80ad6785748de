package loadgen

import (
	"encoding/json"
	"errors"
	"net/http"
	"sync"

	"github.com/gorilla/websocket"
)

// gateway is the connection over which a bot is sent events. There is one at a
// time, and nothing is resumed.
type gateway struct {
	mu   sync.Mutex // also of writing
	conn *websocket.Conn
}

// errNotConnected says that there is no bot to be sent events.
var errNotConnected = errors.New("loadgen: no bot is connected")

// Opcodes of the gateway.
const (
	opHeartbeat = 1
	opIdentify  = 2
)

// Frames as Discord writes them (twilight-gateway src/compression/zstd.rs,
// discord-userdoccers pages/gateway/gateway-events.mdx).
const (
	hello = `{"t":null,"s":null,"op":10,"d":{"heartbeat_interval":41250,` +
		`"_trace":["[\"gateway-prd-us-east1-c-7s4x\",{\"micros\":0.0}]"]}}`
	acknowledged = `{"t":null,"s":null,"op":11,"d":null}`
)

// serve lets a bot in and answers it until the connection ends.
func (g *gateway) serve(w http.ResponseWriter, r *http.Request) {
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	defer func() { _ = conn.Close() }()
	g.mu.Lock()
	g.conn = conn
	g.mu.Unlock()
	_ = g.send([]byte(hello)) // reading tells where writing fails
	for {
		var frame struct {
			Op int `json:"op"`
		}
		_, data, err := conn.ReadMessage()
		if err != nil || json.Unmarshal(data, &frame) != nil {
			return
		}
		switch frame.Op {
		case opHeartbeat:
			_ = g.send([]byte(acknowledged))
		case opIdentify:
			_ = g.send(readyEvent(r.Host))
		}
	}
}

func (g *gateway) send(text []byte) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.conn == nil {
		return errNotConnected
	}
	return g.conn.WriteMessage(websocket.TextMessage, text)
}

func (g *gateway) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.conn != nil {
		_ = g.conn.Close()
	}
}

func readyEvent(host string) []byte {
	event, _ := json.Marshal(map[string]any{ // of strings and numbers: it cannot fail
		"op": 0, "t": "READY", "s": 1, "d": map[string]any{
			"v": 10, "user": botUser(), "guilds": []any{}, "session_id": "load", "session_type": "normal",
			"resume_gateway_url": "ws://" + host, "shard": []int{0, 1},
			"application":      map[string]any{"id": applicationID, "flags": 0},
			"private_channels": []any{}, "relationships": []any{},
		},
	})
	return event
}
