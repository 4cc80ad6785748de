package discordtest

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Close codes of the gateway
// (docs:topics/opcodes-and-status-codes#gateway-gateway-close-event-codes).
const (
	closeUnknown           = 4000
	closeUnknownOpcode     = 4001
	closeDecode            = 4002
	closeNotAuthenticated  = 4003
	closeAuthentication    = 4004
	closeAlready           = 4005
	closeRateLimited       = 4008
	closeInvalidSequence   = 4007
	closeTimedOut          = 4009
	closeInvalidShard      = 4010
	closeShardingRequired  = 4011
	closeVersion           = 4012
	closeInvalidIntents    = 4013
	closeDisallowedIntents = 4014
)

// Limits of what a client sends (docs:events/gateway#sending-events,
// #rate-limiting, #list-of-intents). The server knows no application with a
// privileged intent. No source says whether a bit between those of the list is
// invalid; here it is not.
const (
	maxFrame       = 4096 // bytes
	maxFrames      = 120  // in frameWindow
	frameWindow    = time.Minute
	privileged     = 1<<1 | 1<<8 | 1<<15 // members, presences, message content
	unknownIntents = ^(1<<26 - 1)
)

// closeLimit is how long a client has to answer a close frame.
const closeLimit = 2 * time.Second

// link is one websocket of a client.
type link struct {
	gateway *gateway
	conn    *websocket.Conn
	version int
	// The connection came to the address for resuming. A session is resumed at the
	// general one as well, with more disconnects
	// (docs:events/gateway#preparing-to-resume, #5282).
	resuming bool
	session  *session // guarded by the gateway's lock

	writing     sync.Mutex
	closing     bool         // guarded by writing: a close frame was sent
	compression *compression // guarded by writing; nil for none

	windowEnds time.Time // of counting frames; used by read alone
	frames     int
}

func newLink(g *gateway, conn *websocket.Conn, compress string) *link {
	conn.SetReadLimit(1 << 20)
	return &link{gateway: g, conn: conn, compression: newCompression(compress)}
}

// send writes a frame, except into a silence or after a close.
func (l *link) send(f frame) {
	l.write(encode(f))
}

func (l *link) write(data []byte) {
	l.writing.Lock()
	defer l.writing.Unlock()
	if l.closing {
		return
	}
	kind := websocket.TextMessage
	if l.compression != nil {
		kind, data = websocket.BinaryMessage, l.compression.pack(data)
	}
	_ = l.conn.SetWriteDeadline(time.Now().Add(writeLimit))
	if err := l.conn.WriteMessage(kind, data); err != nil {
		_ = l.conn.Close() // read notices
	}
}

// closeWith sends a close frame, without a code where that is 1005. The connection
// ends when the client has answered or hung up, or after a while.
func (l *link) closeWith(code int) {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.closing = true
	message := websocket.FormatCloseMessage(code, "")
	_ = l.conn.WriteControl(websocket.CloseMessage, message, time.Now().Add(writeLimit))
	_ = l.conn.SetReadDeadline(time.Now().Add(closeLimit))
}

// cut ends the connection without a word. The gateway's lock is held.
func (l *link) cut() {
	_ = l.conn.Close()
	l.detach()
}

// detach leaves the session waiting to be resumed. The gateway's lock is held.
func (l *link) detach() {
	if l.session != nil {
		l.session.link, l.session.leftAt = nil, l.gateway.server.clock.Now()
		l.session = nil
	}
}

// leave is called when the connection is over.
func (l *link) leave() {
	_ = l.conn.Close()
	l.gateway.mu.Lock()
	defer l.gateway.mu.Unlock()
	l.detach()
	delete(l.gateway.links, l)
	l.gateway.changed.notify()
}

// greet sends HELLO.
func (l *link) greet() {
	l.send(frame{Op: opHello, Data: encode(struct {
		Interval int64    `json:"heartbeat_interval"`
		Trace    []string `json:"_trace"`
	}{l.gateway.server.cfg.HeartbeatInterval.Milliseconds(), []string{trace}})})
}

func (l *link) greetAfter(silence <-chan struct{}) {
	<-silence
	l.greet()
}

// read handles what the client sends until the connection ends.
func (l *link) read() {
	for {
		l.extendDeadline()
		_, data, err := l.conn.ReadMessage()
		// These two codes end the session, any other keeps it
		// (docs:events/gateway#initiating-a-disconnect).
		var closed *websocket.CloseError
		if errors.As(err, &closed) && (closed.Code == websocket.CloseNormalClosure || closed.Code == websocket.CloseGoingAway) {
			l.gateway.mu.Lock()
			if l.session != nil {
				l.gateway.endSession(l.session)
			}
			l.gateway.mu.Unlock()
		}
		if err != nil {
			return
		}
		if code := l.take(data); code != 0 {
			l.fail(code)
		}
	}
}

// extendDeadline ends a connection over which no heartbeat comes any more. No
// source says how long Discord waits, nor with which code it closes.
func (l *link) extendDeadline() {
	l.writing.Lock()
	defer l.writing.Unlock()
	if !l.closing {
		_ = l.conn.SetReadDeadline(time.Now().Add(2*l.gateway.server.cfg.HeartbeatInterval + 10*time.Second))
	}
}

// fail closes the connection with a code: 1005 for a close frame without one, 1006
// for no close frame at all.
func (l *link) fail(code int) {
	l.gateway.mu.Lock()
	if l.session != nil && ends(code) {
		l.gateway.endSession(l.session)
	}
	l.detach()
	if code == websocket.CloseAbnormalClosure {
		l.cut()
	}
	l.gateway.mu.Unlock()
	if code != websocket.CloseAbnormalClosure {
		l.closeWith(code)
	}
}

// ends reports whether a session cannot be resumed after a close code, by the
// explanations of the codes. After all others it can, after 1000 too where it is
// the server that closes (JDA WebSocketClient.java, discord.py client.py).
func ends(code int) bool {
	switch code {
	case closeNotAuthenticated, closeAuthentication, closeInvalidSequence, closeTimedOut, closeInvalidShard,
		closeShardingRequired, closeVersion, closeInvalidIntents, closeDisallowedIntents:
		return true
	}
	return false
}

// take handles a frame and returns the code to close with, or 0.
func (l *link) take(data []byte) int {
	l.writing.Lock()
	closing := l.closing
	l.writing.Unlock()
	if closing {
		return 0
	}
	var f struct {
		Op   *int            `json:"op"`
		Data json.RawMessage `json:"d"`
	}
	if len(data) > maxFrame || json.Unmarshal(data, &f) != nil || f.Op == nil {
		return closeDecode
	}
	now := l.gateway.server.clock.Now()
	if now.After(l.windowEnds) {
		l.windowEnds, l.frames = now.Add(frameWindow), 0
	}
	if l.frames++; l.frames > maxFrames {
		return closeRateLimited
	}
	l.gateway.mu.Lock()
	authenticated := l.session != nil
	l.gateway.mu.Unlock()
	switch *f.Op {
	case opHeartbeat:
		return l.heartbeat(f.Data)
	case opIdentify, opResume:
		if authenticated {
			return closeAlready
		}
		if *f.Op == opIdentify {
			return l.identify(f.Data)
		}
		return l.resume(f.Data)
	case opPresence, opVoice, opMembers, opSoundboard, opChannelInfo:
		if !authenticated {
			return closeNotAuthenticated
		}
		return 0
	}
	return closeUnknownOpcode
}

// heartbeat acknowledges a heartbeat, whenever it comes
// (docs:events/gateway#sending-heartbeats).
func (l *link) heartbeat(data json.RawMessage) int {
	var sequence *int64
	if len(data) > 0 && json.Unmarshal(data, &sequence) != nil {
		return closeDecode
	}
	l.gateway.mu.Lock()
	defer l.gateway.mu.Unlock()
	l.gateway.stats.Heartbeats++
	l.gateway.changed.notify()
	if l.session != nil && sequence != nil {
		l.session.acknowledge(*sequence)
	}
	if !l.gateway.silent {
		l.send(frame{Op: opHeartbeatAck})
	}
	return 0
}

// identify begins a session (docs:events/gateway-events#identify). No source names
// the code for a payload that lacks intents or properties.
func (l *link) identify(data json.RawMessage) int {
	var d struct {
		Token      string         `json:"token"`
		Properties map[string]any `json:"properties"`
		Intents    *int           `json:"intents"`
		Shard      *[2]int        `json:"shard"`
	}
	if json.Unmarshal(data, &d) != nil || d.Intents == nil || d.Properties == nil {
		return closeDecode
	}
	switch {
	case !l.gateway.server.valid(strings.TrimPrefix(d.Token, "Bot ")): // discordgo sends the prefix
		return closeAuthentication
	case d.Shard != nil && (d.Shard[1] < 1 || d.Shard[0] < 0 || d.Shard[0] >= d.Shard[1]):
		return closeInvalidShard
	case l.gateway.tooFew(d.Shard):
		return closeShardingRequired
	case *d.Intents < 0 || *d.Intents&unknownIntents != 0:
		return closeInvalidIntents
	case *d.Intents&privileged != 0:
		return closeDisallowedIntents
	}
	var guild json.RawMessage
	if *d.Intents&intentGuilds != 0 {
		guild = l.gateway.server.guildCreate()
	}
	return l.gateway.start(l, d.Shard, guild)
}

func (l *link) resume(data json.RawMessage) int {
	var d struct {
		Token     string `json:"token"`
		SessionID string `json:"session_id"`
		Sequence  *int64 `json:"seq"`
	}
	if json.Unmarshal(data, &d) != nil || d.Sequence == nil {
		return closeDecode
	}
	if !l.gateway.server.valid(strings.TrimPrefix(d.Token, "Bot ")) {
		return closeAuthentication
	}
	return l.gateway.resume(l, d.SessionID, *d.Sequence)
}
