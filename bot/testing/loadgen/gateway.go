package loadgen

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/gorilla/websocket"
)

// gateway is the connections over which a bot is sent events, one for each shard. What
// comes while a shard has lost its connection waits until the session is resumed.
type gateway struct {
	shards int

	mu      sync.Mutex
	conns   map[int]*connection // by shard; nil for one whose connection was lost
	waiting map[int][][]byte    // by shard
}

type connection struct {
	mu sync.Mutex // of writing
	ws *websocket.Conn
}

// errNotConnected says that nobody is there to be sent a shard's events.
var errNotConnected = errors.New("loadgen: the shard is not connected")

// Opcodes of the gateway.
const (
	opHeartbeat = 1
	opIdentify  = 2
	opResume    = 6
)

// Frames as Discord writes them (twilight-gateway src/compression/zstd.rs,
// discord-userdoccers pages/gateway/gateway-events.mdx).
const (
	hello = `{"t":null,"s":null,"op":10,"d":{"heartbeat_interval":41250,` +
		`"_trace":["[\"gateway-prd-us-east1-c-7s4x\",{\"micros\":0.0}]"]}}`
	acknowledged = `{"t":null,"s":null,"op":11,"d":null}`
	resumed      = `{"t":"RESUMED","s":2,"op":0,"d":{"_trace":[]}}`
)

// serve lets a bot in and answers it until the connection ends.
func (g *gateway) serve(w http.ResponseWriter, r *http.Request) {
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	conn, shard := &connection{ws: ws}, -1
	defer func() {
		_ = ws.Close()
		g.leave(shard, conn)
	}()
	_ = conn.send([]byte(hello)) // reading tells where writing fails
	for {
		var frame struct {
			Op   int `json:"op"`
			Data any `json:"d"`
		}
		_, data, err := ws.ReadMessage()
		if err != nil || json.Unmarshal(data, &frame) != nil {
			return
		}
		about, _ := frame.Data.(map[string]any)
		switch frame.Op {
		case opHeartbeat:
			_ = conn.send([]byte(acknowledged))
		case opIdentify:
			shard = 0
			if of, sharded := about["shard"].([]any); sharded && len(of) == 2 {
				number, _ := of[0].(float64)
				shard = int(number)
			}
			g.enter(shard, conn)
			_ = conn.send(readyEvent(r.Host, shard, g.shards))
		case opResume:
			_, _ = fmt.Sscanf(fmt.Sprint(about["session_id"]), sessionID, &shard) // it is one of readyEvent's
			for _, event := range append(g.enter(shard, conn), []byte(resumed)) {
				_ = conn.send(event)
			}
		}
	}
}

// enter makes a connection that of a shard, and returns what waited for one.
func (g *gateway) enter(shard int, c *connection) (waited [][]byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.conns[shard] = c
	waited = g.waiting[shard]
	delete(g.waiting, shard)
	return waited
}

// leave notes that a shard lost its connection, unless it has another one already.
func (g *gateway) leave(shard int, c *connection) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.conns[shard] == c {
		g.conns[shard] = nil
	}
}

// send sends an event of a guild's to its shard
// (docs:events/gateway#sharding-sharding-formula).
func (g *gateway) send(guild int, text []byte) error {
	shard := guild >> 22 % g.shards
	g.mu.Lock()
	c, known := g.conns[shard]
	g.mu.Unlock()
	if !known {
		return errNotConnected
	}
	if c == nil || c.send(text) != nil {
		g.mu.Lock()
		g.waiting[shard] = append(g.waiting[shard], text)
		g.mu.Unlock()
	}
	return nil
}

func (c *connection) send(text []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ws.WriteMessage(websocket.TextMessage, text)
}

func (g *gateway) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.conns {
		if c != nil {
			_ = c.ws.Close()
		}
	}
}

// sessionID is a session's ID, with its shard.
const sessionID = "load-%d"

func readyEvent(host string, shard, shards int) []byte {
	event, _ := json.Marshal(map[string]any{ // of strings and numbers: it cannot fail
		"op": 0, "t": "READY", "s": 1, "d": map[string]any{
			"v": 10, "user": botUser(), "guilds": []any{}, "session_id": fmt.Sprintf(sessionID, shard), "session_type": "normal",
			"resume_gateway_url": "ws://" + host, "shard": []int{shard, shards},
			"application":      map[string]any{"id": applicationID, "flags": 0},
			"private_channels": []any{}, "relationships": []any{},
		},
	})
	return event
}
