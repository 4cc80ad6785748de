// Package gateway keeps a session with Discord's gateway, over which
// interactions arrive.
//
// A session is begun with IDENTIFY and lasts over any number of connections:
// each further one takes it up again with RESUME, and Discord then sends what
// was missed. Run connects, and connects again whenever the connection is lost.
// connection.go holds what is said over one connection. A session is data, so that
// another process can take it up where this one left it.
//
// The protocol is that of https://discord.com/developers/docs/events/gateway.
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

// Session is what must be known of a session to take it up again.
type Session struct {
	ID            string `json:"id"`  // empty: there is none
	ResumeURL     string `json:"url"` // where Discord wants it to be taken up; empty where that failed
	Sequence      int64  `json:"seq"` // of the last event
	ApplicationID string `json:"app"`
	Version       int    `json:"v"` // of the protocol; it is resumed with no other
}

// ErrHandOver is the cause with which Run's context is cancelled where the session
// is to be taken up again, by whichever process.
var ErrHandOver = errors.New("the session is handed over")

// REST asks Discord where the gateway is, and how many sessions may be begun.
// Errors are *rest.Error.
type REST interface {
	GatewayBot(context.Context) (*discordgo.GatewayBotResponse, error)
}

// Config is what a Gateway needs. The functions are called from one goroutine
// and must return at once.
type Config struct {
	Token   secret.Text
	Version int // of the gateway's protocol: 9 or 10
	Shard   Shard
	Session Session // to take up; the zero value begins a new one
	// Discovery, Identifies and Transport are shared by the shards of a process.
	Discovery  *Discovery
	Identifies *IdentifyLimiter
	Transport  *http.Transport
	// AllowPlain lets the gateway be reached without TLS, as one for tests is.
	AllowPlain bool
	// InvalidPause is the shortest pause after Discord has given up the session; 0 for the second that
	// Discord wants. The longest one is five times that.
	InvalidPause time.Duration

	OnInteraction func(*interaction.Event)
	OnReady       func()             // a new session
	OnResumed     func()             // the former session goes on, and nothing was lost
	OnLost        func(reason error) // the connection, which is being restored
	// OnPause is told for how long no connection is tried now; it may be nil.
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
	bucket        int                         // in which this shard waits for its turn to begin a session
	had           bool                        // there was a session, which the next one replaces
	again         *backoff.ExponentialBackOff // pauses before a connection
	anew          *backoff.ExponentialBackOff // pauses before a session that replaces one
	brief         bool                        // the last connection was established, but for less than minCycle
}

const (
	// connectLimit bounds dialing, TLS and the upgrade, and then the wait for HELLO.
	connectLimit = 15 * time.Second
	// maxFailedResumes is how often RESUME may fail before a new session is
	// begun. A session was seen to which Discord answered each RESUME by closing
	// the connection while IDENTIFY worked (discord-api-docs#1619).
	maxFailedResumes = 5
	// maxPutOffs is how often in a row Discord may ask to resume, with op 7 or a
	// resumable op 9, before a new session is begun: in place of RESUMED, or right
	// after it. In an outage Discord asks several times for a session that
	// is good, whose events are replayed then. In place of RESUMED these take ten minutes or more
	// with the pauses between them, and Discord keeps a session for "a few minutes"
	// (https://discord.com/developers/docs/events/gateway#initiating-a-disconnect). Right after
	// it they take about 25 s (see minCycle).
	maxPutOffs = 20
)

// NewTransport returns a transport for the gateways of a process.
func NewTransport() *http.Transport {
	http1 := new(http.Protocols) // which the upgrade to a websocket needs
	http1.SetHTTP1(true)
	return &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: connectLimit, Protocols: http1}
}

// New returns a gateway that is not connected yet.
func New(cfg Config) *Gateway {
	g := &Gateway{cfg: cfg, session: cfg.Session, had: cfg.Session.ID != "", again: newPauses(maxPause), anew: newPauses(earlyEnd)}
	// https://discord.com/developers/docs/events/gateway#preparing-to-resume
	if g.session.Version != cfg.Version {
		g.session = Session{}
	}
	return g
}

// Ready reports whether Discord delivers events right now.
func (g *Gateway) Ready() bool { return g.ready.Load() }

// Latency is how long Discord took to acknowledge the last heartbeat of this
// connection; 0 until it has acknowledged one.
func (g *Gateway) Latency() time.Duration { return time.Duration(g.latency.Load()) }

// Session is the session as it is now. Once Run has returned, it does not change.
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

// Run keeps the session until ctx is done and returns nil. It ends the session with
// Discord then, unless the cause is ErrHandOver. It returns a *FinalError where
// Discord says that trying again is no use. It is called once.
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

// countPutOff counts how often in a row Discord has asked to resume the session in place
// of serving it, over a connection that lasted for some time.
func (g *Gateway) countPutOff(reached state, lasted time.Duration, reason error) {
	switch {
	case reached == established && lasted >= minCycle:
		g.putOffs = 0
	case errors.Is(reason, errReconnect) && g.Session().ID != "":
		g.putOffs++
	}
}

// connect makes a connection and serves the session over it. It returns how far the
// connection came, and why it is over.
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
	if !resumes || reached == established || ctx.Err() != nil { // who is told to leave has not failed
		return reached, reason
	}
	g.update(func(s *Session) { s.ResumeURL = "" })
	if err == nil && !errors.Is(reason, errReconnect) { // after which the session is good
		g.failedResumes++
	}
	return reached, reason
}

// address returns where to take the session up or, once Discord allows that, to
// begin one. Where the address that Discord named for resuming has failed, or may not be
// Discord's, the general one takes its place, where any session can be resumed
// (discord-api-docs#5725).
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
	if resumable && g.cfg.Discovery.isDiscords(session.ResumeURL) { // as is known now
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

// reserved returns where to begin one of the sessions that are kept for shards that lose
// theirs. Such shards ask Discord one after another: if they all did at once, each would
// count on the same few.
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
