package discordtest

import (
	"encoding/json"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Opcodes of the gateway
// (docs:topics/opcodes-and-status-codes#gateway-gateway-opcodes).
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opIdentify       = 2
	opPresence       = 3
	opVoice          = 4
	opResume         = 6
	opReconnect      = 7
	opMembers        = 8
	opInvalidSession = 9
	opHello          = 10
	opHeartbeatAck   = 11
	opSoundboard     = 31
	opChannelInfo    = 43
)

// frame is what goes over the websocket. The order of its members, and null for
// those that are not used, are Discord's (twilight-gateway
// src/compression/zstd.rs, userdoccers:gateway/gateway-events#hello).
type frame struct {
	Type     *string         `json:"t"`
	Sequence *int64          `json:"s"`
	Op       int             `json:"op"`
	Data     json.RawMessage `json:"d"`
}

func dispatchFrame(name string, sequence int64, data json.RawMessage) frame {
	return frame{Type: &name, Sequence: &sequence, Op: opDispatch, Data: data}
}

// trace is an entry of _trace in HELLO, READY and RESUMED, by which Discord debugs:
// JSON in a string (userdoccers:gateway/gateway-events, twilight-gateway src/compression/zstd.rs).
const trace = `["gateway-prd-us-east1-c-7s4x",{"micros":0.0}]`

// maxSessions bounds the sessions that are kept.
const maxSessions = 1024

// sessionLife is for how long a session can be resumed to which nobody is connected:
// "a few minutes" (docs:events/gateway#initiating-a-disconnect). Once it was about
// 90 s (#1619).
const sessionLife = 3 * time.Minute

// GatewayStats counts what happened at the gateway.
type GatewayStats struct {
	Connections int // websockets that were opened
	Refused     int // connections that were cut in place of that
	Open        int // that are open now
	Identifies  int // IDENTIFYs that were accepted
	TooSoon     int // IDENTIFYs that came within 5 s of another in their bucket
	Resumes     int // RESUMEs that were accepted
	Astray      int // of these, over connections to the general address
	Heartbeats  int
}

// gateway keeps the sessions and the connections.
type gateway struct {
	server *Server

	mu         sync.Mutex
	sessions   []*session // oldest first
	links      map[*link]struct{}
	stats      GatewayStats
	identified map[int]time.Time // when a shard of a bucket last did
	readies    int               // READYs and RESUMEDs that were sent
	changed    notifier
	starts     startLimit

	recommended int  // shards, by GET /gateway/bot
	required    int  // shards, with fewer of which nobody identifies
	atOnce      bool // see IdentifyAtOnce

	refusing bool
	silent   bool
	awake    chan struct{} // closed when the silence ends
	ended    bool
}

func newGateway(s *Server) *gateway {
	return &gateway{
		server: s, links: map[*link]struct{}{}, awake: make(chan struct{}), starts: startLimit{remaining: startsTotal},
		identified: map[int]time.Time{}, recommended: 1,
	}
}

// serve is the handler of the websocket.
func (g *gateway) serve(w http.ResponseWriter, r *http.Request) {
	g.server.handlers.Add(1)
	defer g.server.handlers.Done()
	g.mu.Lock()
	refusing := g.refusing || g.ended
	if refusing {
		g.stats.Refused++
		g.changed.notify()
	}
	g.mu.Unlock()
	if refusing {
		cut(w)
		return
	}
	if g.server.cfg.StrictUserAgent && g.server.blocked(w, &call{r: r, route: "websocket"}) {
		return
	}
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // answered by the upgrader
	}
	query := r.URL.Query()
	l := newLink(g, conn, query.Get("compress"))
	l.resuming = reached(r, g.server.resumes)
	g.mu.Lock()
	g.links[l] = struct{}{}
	g.stats.Connections++
	g.changed.notify()
	silence := g.silence()
	ended := g.ended
	g.mu.Unlock()
	defer l.leave()
	if ended {
		return
	}
	// Of the versions that Discord still takes, the server speaks two, and of the
	// encodings JSON (docs:reference#api-versioning,
	// docs:events/gateway#connecting). No source says what becomes of another
	// encoding.
	l.version, _ = strconv.Atoi(query.Get("v"))
	if encoding := query.Get("encoding"); l.version < 9 || l.version > 10 || encoding != "" && encoding != "json" {
		l.closeWith(closeVersion)
		return
	}
	if silence != nil {
		// Somebody has to read, or the end of the connection goes unseen.
		go l.greetAfter(silence)
	} else {
		l.greet()
	}
	l.read()
}

// reached reports whether a request came to a listener.
func reached(r *http.Request, listener net.Listener) bool {
	at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && at.String() == listener.Addr().String()
}

// silence returns a channel that is closed when the silence ends, or nil.
func (g *gateway) silence() <-chan struct{} {
	if !g.silent {
		return nil
	}
	return g.awake
}

// dispatch sends an event to every session whose shard serves the guild, and
// keeps it for those that are away. There may be several for one shard
// (docs:events/gateway#sharding). It reports whether one was there.
func (g *gateway) dispatch(guildID, name string, data json.RawMessage) (passed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sweep()
	for _, session := range g.sessions {
		if session.shard == shardOf(guildID, session.shards) {
			session.append(name, data)
			passed = passed || session.link != nil && !g.silent
		}
	}
	return passed
}

// start makes a session for a connection and returns 0, or the code to close the
// connection with. guild is the data of the GUILD_CREATE that follows READY, or nil
// for none.
func (g *gateway) start(l *link, shard *[2]int, guild json.RawMessage) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.starts.take(g.server.clock.Now()) {
		g.resetToken()
		return closeAuthentication
	}
	s := &session{gateway: g, id: newSessionID(), version: l.version, sharded: shard != nil, shards: 1, link: l}
	if s.sharded {
		s.shard, s.shards = shard[0], shard[1]
	}
	if g.tooSoon(s.shard) {
		l.send(frame{Op: opInvalidSession, Data: encode(false)})
		return 0
	}
	g.stats.Identifies++
	g.changed.notify()
	l.session = s
	g.sessions = append(g.sessions, s)
	if len(g.sessions) > maxSessions {
		g.sessions = slices.Delete(g.sessions, 0, 1)
	}
	s.append("READY", g.ready(s, l.version))
	if guild != nil && s.shard == shardOf(g.server.guildID, s.shards) {
		s.append("GUILD_CREATE", guild)
	}
	g.countReady()
	return 0
}

// ready is the data of READY (docs:events/gateway-events#ready). No source says
// which guilds it lists for a bot without the intent for them; here all.
func (g *gateway) ready(s *session, version int) json.RawMessage {
	guilds := []map[string]any{}
	if s.shard == shardOf(g.server.guildID, s.shards) {
		guilds = append(guilds, map[string]any{"id": g.server.guildID, "unavailable": true})
	}
	data := map[string]any{
		"v": version, "user": g.server.app.user, "guilds": guilds, "session_id": s.id,
		"resume_gateway_url": g.server.ResumeURL(), "session_type": "normal",
		"application":      map[string]any{"id": g.server.app.id, "flags": 0},
		"private_channels": []any{}, "relationships": []any{}, "_trace": []string{trace},
	}
	if s.sharded {
		data["shard"] = []int{s.shard, s.shards}
	}
	return encode(data)
}

// resume gives a session to a connection, replays what it missed and returns 0,
// or the code to close the connection with. A RESUME is not counted among the
// day's sessions (docs:events/gateway#identifying).
func (g *gateway) resume(l *link, id string, sequence int64) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sweep()
	i := slices.IndexFunc(g.sessions, func(s *session) bool { return s.id == id })
	if i < 0 || !g.sessions[i].holds(sequence) || g.sessions[i].version != l.version {
		// A sequence that is too high may get 4007 as well, by the table of close
		// codes. The version and the encoding are to be those of the first connection
		// (docs:events/gateway#preparing-to-resume). No source says what
		// becomes of others; here they are refused, an encoding by serve.
		l.send(frame{Op: opInvalidSession, Data: encode(false)})
		return 0
	}
	s := g.sessions[i]
	if s.link != nil {
		// No source says what becomes of the connection that had the session.
		former := s.link
		former.detach()
		former.closeWith(closeUnknown)
	}
	s.link, l.session = l, s
	s.sent = sequence
	s.flush()
	s.append("RESUMED", encode(map[string]any{"_trace": []string{trace}}))
	g.stats.Resumes++
	if !l.resuming {
		g.stats.Astray++
	}
	g.countReady()
	return 0
}

func (g *gateway) countReady() {
	g.readies++
	g.changed.notify()
}

// sweep forgets sessions to which nobody has been connected for too long.
func (g *gateway) sweep() {
	now := g.server.clock.Now()
	g.sessions = slices.DeleteFunc(g.sessions, func(s *session) bool { return s.link == nil && now.Sub(s.leftAt) > sessionLife })
}

// endSession forgets a session; it cannot be resumed.
func (g *gateway) endSession(s *session) {
	g.sessions = slices.DeleteFunc(g.sessions, func(other *session) bool { return other == s })
}

// end cuts all connections for good.
func (g *gateway) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
	for l := range g.links {
		l.cut()
	}
	if g.silent {
		g.silent = false
		close(g.awake)
	}
}

// writeLimit bounds a write to a connection whose other end does not read.
const writeLimit = 5 * time.Second

func encode(value any) json.RawMessage {
	data, err := json.Marshal(value)
	if err != nil {
		return json.RawMessage("null") // unreachable for what the server sends
	}
	return data
}
