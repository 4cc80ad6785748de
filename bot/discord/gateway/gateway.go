// Package gateway keeps a session with Discord's gateway and receives interactions over it.
//
// A session begins with IDENTIFY and may outlast its connection: the next one resumes it with RESUME, and
// Discord then replays the missed events. Run connects, and reconnects whenever the connection is lost.
// connection.go has the protocol of one connection. A session is plain data, so that another process can resume
// it.
//
// discordgo's gateway can deadlock while it connects, ignores resume addresses and close codes, and ends the
// process when a handler panics.
//
// The protocol is documented at https://discord.com/developers/docs/events/gateway.
package gateway

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/cenkalti/backoff/v5"

	"hostbot/bot/interaction"
	"hostbot/hostapi/secret"
)

// Shard is the part of the bot's guilds that a session serves: those for which
// (guild ID >> 22) % Count is ID. Direct messages belong to shard 0.
type Shard struct{ ID, Count int }

// Session is what it takes to resume a session.
type Session struct {
	ID            string `json:"id"`  // empty if there is no session
	ResumeURL     string `json:"url"` // the address for resuming; empty after it failed
	Sequence      int64  `json:"seq"` // of the last event
	ApplicationID string `json:"app"`
	Version       int    `json:"v"` // of the protocol, which cannot change during a session
}

// ErrHandOver is the cause to cancel Run's context with if the session is to be resumed, by any process.
var ErrHandOver = errors.New("the session is handed over")

// REST sends GET /gateway/bot. Errors are *rest.Error.
type REST interface {
	GatewayBot(context.Context) (*discordgo.GatewayBotResponse, error)
}

// Config is what a Gateway needs. The functions are called from one goroutine
// and must return at once.
type Config struct {
	Token   secret.Text
	Version int // of the gateway's protocol: 9 or 10
	Shard   Shard
	Session Session // to resume; the zero value begins a new one
	// Discovery, Identifies and Transport are shared by the shards of a process.
	Discovery  *Discovery
	Identifies *IdentifyLimiter
	Transport  *http.Transport
	// AllowPlain allows a gateway without TLS, for tests.
	AllowPlain bool
	// InvalidPause is the shortest pause after Discord has ended the session; 0 for a second, as Discord asks.
	// The longest is five times that.
	InvalidPause time.Duration

	OnInteraction func(*interaction.Event)
	OnReady       func()             // a new session has begun
	OnResumed     func()             // the former session goes on, and no event was lost
	OnLost        func(reason error) // the connection is lost; Run restores it
	// OnPause is called with the pause before the next connection. It may be nil.
	OnPause func(time.Duration)
}

// Gateway is one shard's session.
type Gateway struct {
	cfg     Config
	ready   atomic.Bool
	latency atomic.Int64 // a time.Duration
	begun   atomic.Int64 // when the last IDENTIFY was sent, in Unix nanoseconds; 0 once its session has ended

	mu      sync.Mutex
	session Session

	// Used by the goroutine of Run alone.
	failedResumes int                         // in a row
	putOffs       int                         // in a row, see maxPutOffs
	bucket        int                         // of IDENTIFYs, see IdentifyLimiter
	had           bool                        // a session has been established before
	reconnects    *backoff.ExponentialBackOff // pauses before a connection
	restarts      *backoff.ExponentialBackOff // pauses before a session that replaces another
	brief         bool                        // the last connection was established, but for less than minCycle
}

const (
	// connectLimit bounds dialing, TLS and the upgrade, and then the wait for HELLO.
	connectLimit = 15 * time.Second
	// maxFailedResumes is how often RESUME may fail before a new session is begun. Discord was seen to close
	// the connection on every RESUME of a session while IDENTIFY worked (discord-api-docs#1619).
	maxFailedResumes = 5
	// maxPutOffs is how often in a row Discord may ask to reconnect and resume (op 7, or a resumable op 9)
	// before a new session is begun. In an outage it asks several times although the session is good. In place
	// of RESUMED so many take ten minutes or more, with their pauses, and Discord keeps a session for "a few
	// minutes" (https://discord.com/developers/docs/events/gateway#initiating-a-disconnect). Right after
	// RESUMED they take about 25 s (see minCycle).
	maxPutOffs = 20
)

// NewTransport returns a transport for the gateways of a process.
func NewTransport() *http.Transport {
	http1 := new(http.Protocols) // a websocket needs HTTP/1
	http1.SetHTTP1(true)
	return &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: connectLimit, Protocols: http1}
}

// New returns a gateway that is not connected yet.
func New(cfg Config) *Gateway {
	g := &Gateway{cfg: cfg, session: cfg.Session, had: cfg.Session.ID != "", reconnects: newPauses(maxPause), restarts: newPauses(earlyEnd)}
	// https://discord.com/developers/docs/events/gateway#preparing-to-resume
	if g.session.Version != cfg.Version {
		g.session = Session{}
	}
	return g
}

// Ready reports whether Discord delivers events right now.
func (g *Gateway) Ready() bool { return g.ready.Load() }

// Latency returns how long Discord took to acknowledge the last heartbeat of this connection; 0 before the first.
func (g *Gateway) Latency() time.Duration { return time.Duration(g.latency.Load()) }

// Session returns the session as it is now. It does not change after Run has returned.
func (g *Gateway) Session() Session {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.session
}

func (g *Gateway) update(change func(*Session)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(&g.session)
}

// Run keeps the session until ctx is done, and returns nil. It then ends the session with Discord, unless ctx's
// cause is ErrHandOver. It returns a *FinalError if connecting again is of no use. It is called once.
func (g *Gateway) Run(ctx context.Context) error {
	for {
		started := time.Now()
		reached, reason := g.connect(ctx)
		g.ready.Store(false)
		g.latency.Store(0)
		if ctx.Err() != nil {
			return nil
		}
		if final := finalError(reason); final != nil {
			return final
		}
		g.countPutOff(reached, time.Since(started), reason)
		if endsSession(reason) || g.failedResumes >= maxFailedResumes || g.putOffs >= maxPutOffs {
			g.failedResumes, g.putOffs = 0, 0
			g.update(func(s *Session) { *s = Session{} })
		}
		g.cfg.OnLost(reason)
		pause := g.pause(started, reached, reason)
		if g.cfg.OnPause != nil {
			g.cfg.OnPause(pause)
		}
		sleep(ctx, pause)
	}
}

// countPutOff counts how often in a row Discord has asked to reconnect and resume. A connection that was
// established for minCycle ends the row.
func (g *Gateway) countPutOff(reached state, lasted time.Duration, reason error) {
	switch {
	case reached == established && lasted >= minCycle:
		g.putOffs = 0
	case errors.Is(reason, errReconnect) && g.Session().ID != "":
		g.putOffs++
	}
}

// connect connects and serves the session. It returns how far the connection came, and why it ended.
func (g *Gateway) connect(ctx context.Context) (reached state, reason error) {
	resumes := g.Session().ID != ""
	address, err := g.address(ctx)
	if err != nil {
		return connecting, err
	}
	reached = connecting
	ws, err := g.dial(ctx, address)
	if reason = err; err == nil {
		reached, reason = g.run(ctx, ws)
	}
	if !resumes || reached == established || ctx.Err() != nil { // a cancelled resume has not failed
		return reached, reason
	}
	g.update(func(s *Session) { s.ResumeURL = "" })
	if err == nil && !errors.Is(reason, errReconnect) { // that says that the session is good
		g.failedResumes++
	}
	return reached, reason
}

// address returns the address to resume the session at or, if Discord allows another, to begin one. If the
// address for resuming has failed, or may not be Discord's, the general address takes its place: any session can
// be resumed there (discord-api-docs#5725).
func (g *Gateway) address(ctx context.Context) (string, error) {
	session := g.Session()
	resumable := session.ID != "" && session.ResumeURL != ""
	if resumable && g.cfg.Discovery.isDiscords(session.ResumeURL) {
		return session.ResumeURL, nil
	}
	answer, err := g.cfg.Discovery.GatewayBot(ctx)
	if err != nil {
		return "", err
	}
	if resumable && g.cfg.Discovery.isDiscords(session.ResumeURL) { // the answer may have shown that
		return session.ResumeURL, nil
	}
	if session.ID != "" {
		return answer.URL, nil
	}
	g.bucket = g.cfg.Shard.ID % max(answer.SessionStartLimit.MaxConcurrency, 1)
	if err = enoughLeft(answer.SessionStartLimit, g.cfg.Shard.Count); err != nil && g.had {
		return g.reserved(ctx)
	}
	return answer.URL, err
}

// reserved returns the address to begin one of the sessions that are reserved for shards that lose theirs. Such
// shards ask Discord one after another: at once, each would count on the same few.
func (g *Gateway) reserved(ctx context.Context) (string, error) {
	if err := g.cfg.Identifies.wait(ctx, reserveTurn); err != nil {
		return "", err
	}
	g.cfg.Discovery.Forget()
	answer, err := g.cfg.Discovery.GatewayBot(ctx)
	if err != nil {
		return "", err
	}
	return answer.URL, enoughLeft(answer.SessionStartLimit, 0)
}

// sleep waits for d or until ctx is done.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
