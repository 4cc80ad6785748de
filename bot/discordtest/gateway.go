package discordtest

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Opcodes of the gateway.
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
)

// frame is what goes over the websocket.
type frame struct {
	Op       int             `json:"op"`
	Data     json.RawMessage `json:"d"`
	Sequence int64           `json:"s,omitempty"`
	Type     string          `json:"t,omitempty"`
}

// maxStarts is how many sessions a bot may start in a day.
const maxStarts = 1000

// identifyWindow is how long a bucket of shards waits between IDENTIFYs.
const identifyWindow = 5 * time.Second

// maxSessions bounds the sessions that are kept for resuming.
const maxSessions = 64

// GatewayStats counts what happened at the gateway.
type GatewayStats struct {
	Connections int // websockets that were opened
	Refused     int // connections that were cut in place of that
	Open        int // that are open now
	Identifies  int // IDENTIFYs that were accepted
	Resumes     int // RESUMEs that were accepted
	Heartbeats  int
}

// gateway keeps the sessions and the connections.
type gateway struct {
	server *Server

	mu       sync.Mutex
	sessions []*session // oldest first
	links    map[*link]struct{}
	stats    GatewayStats
	// identified says when each bucket of shards last did.
	identified map[int]time.Time
	readies    int // READYs and RESUMEDs that were sent
	changed    notifier

	refusing  bool
	ignoring  int       // so many IDENTIFYs and RESUMEs are not answered
	closing   int       // the code with which IDENTIFYs and RESUMEs are closed; 0 for none
	exhausted time.Time // until when no session may be started
	silent    bool
	awake     chan struct{} // closed when the silence ends
	ended     bool
	reconnect int // so many READYs are replaced by op 7
}

func newGateway(s *Server) *gateway {
	return &gateway{server: s, links: map[*link]struct{}{}, identified: map[int]time.Time{}, awake: make(chan struct{})}
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
	if g.server.cfg.StrictUpgrade && g.server.blocked(w, &call{r: r, route: "websocket"}) {
		return
	}
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // answered by the upgrader
	}
	l := newLink(g, conn)
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
	query := r.URL.Query()
	if l.version, _ = strconv.Atoi(query.Get("v")); l.version < 9 || l.version > 10 || query.Get("encoding") != "json" {
		l.closeWith(closeVersion)
		return
	}
	if silence != nil {
		// Somebody has to read, or the end of the connection goes unseen.
		go l.helloAfter(silence)
	} else {
		l.hello()
	}
	l.read()
}

// silence returns a channel that is closed when the silence ends, or nil.
func (g *gateway) silence() <-chan struct{} {
	if !g.silent {
		return nil
	}
	return g.awake
}

// dispatch sends an event to every session whose shard serves the guild, and
// keeps it for those that are away.
func (g *gateway) dispatch(guildID, name string, data json.RawMessage) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, session := range g.sessions {
		if session.shard == shardOf(guildID, session.shards) {
			session.append(name, data)
		}
	}
}

// start makes a session for a connection.
func (g *gateway) start(l *link, shard, shards int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.tooSoon(shard) {
		l.send(frame{Op: opInvalidSession, Data: encode(false)})
		return
	}
	g.stats.Identifies++
	g.changed.notify()
	if g.ignoring > 0 {
		g.ignoring--
		return
	}
	if g.reconnect > 0 {
		g.reconnect--
		l.send(frame{Op: opReconnect})
		return
	}
	s := &session{gateway: g, id: newSessionID(), shard: shard, shards: shards, link: l}
	l.session = s
	g.sessions = append(g.sessions, s)
	if len(g.sessions) > maxSessions {
		g.sessions = slices.Delete(g.sessions, 0, 1)
	}
	s.append("READY", g.ready(s, l.version))
	g.countReady()
}

// tooSoon tells whether a shard identifies within 5 s of another of its bucket.
func (g *gateway) tooSoon(shard int) bool {
	if !g.server.cfg.LimitIdentifies {
		return false
	}
	bucket, now := shard%g.server.cfg.MaxConcurrency, g.server.clock.Now()
	if last, ok := g.identified[bucket]; ok && now.Sub(last) < identifyWindow {
		return true
	}
	g.identified[bucket] = now
	return false
}

func (g *gateway) ready(s *session, version int) json.RawMessage {
	guilds := []map[string]any{}
	if s.shard == shardOf(g.server.guildID, s.shards) {
		guilds = append(guilds, map[string]any{"id": g.server.guildID, "unavailable": true})
	}
	return encode(map[string]any{
		"v": version, "user": g.server.app.user, "guilds": guilds, "session_id": s.id,
		"resume_gateway_url": g.server.GatewayURL(), "session_type": "normal",
		"shard":            []int{s.shard, s.shards},
		"application":      map[string]any{"id": g.server.app.id, "flags": 0},
		"private_channels": []any{}, "relationships": []any{},
	})
}

// resume gives a session to a connection and replays what it missed. It tells
// whether it could.
func (g *gateway) resume(l *link, id string, sequence int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ignoring > 0 {
		g.ignoring--
		return true
	}
	i := slices.IndexFunc(g.sessions, func(s *session) bool { return s.id == id })
	if i < 0 || !g.sessions[i].holds(sequence) {
		return false
	}
	s := g.sessions[i]
	if s.link != nil {
		s.link.session = nil
		s.link.closeWith(closeReplaced)
	}
	s.link, l.session = l, s
	s.sent = sequence
	s.flush()
	s.append("RESUMED", encode(map[string]any{}))
	g.stats.Resumes++
	g.countReady()
	return true
}

func (g *gateway) countReady() {
	g.readies++
	g.changed.notify()
}

// endSession forgets a session; it can not be resumed.
func (g *gateway) endSession(s *session) {
	g.sessions = slices.DeleteFunc(g.sessions, func(other *session) bool { return other == s })
}

// starts returns how many sessions may still be started, and when that is
// counted anew.
func (g *gateway) starts() (left int, reset time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if wait := g.exhausted.Sub(g.server.clock.Now()); wait > 0 {
		return 0, wait
	}
	return max(maxStarts-g.stats.Identifies, 0), 24 * time.Hour
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

// wait returns nil once enough says so, which is asked under the lock after
// each change.
func (g *gateway) wait(ctx context.Context, enough func() bool) error {
	for {
		g.mu.Lock()
		done, changed := enough(), g.changed.next()
		g.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-g.server.done:
			return errClosed
		}
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
