// Package gateway keeps a session with Discord's gateway, over which
// interactions arrive.
//
// A session is begun with IDENTIFY and lasts over any number of connections:
// each further one takes it up again with RESUME, and Discord then sends what
// was missed. Run connects, and connects again whenever the connection is lost.
// connection.go holds what is said over one connection.
//
// The protocol is that of https://discord.com/developers/docs/events/gateway.
package gateway

import (
	"context"
	"errors"
	"net/http"
	"net/url"
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

// REST asks Discord where the gateway is, and how many sessions may be begun.
// Errors are *rest.Error.
type REST interface {
	GatewayBot(context.Context) (*discordgo.GatewayBotResponse, error)
}

// Config is what a Gateway needs. The functions are called from one goroutine
// and must return at once.
type Config struct {
	Token     secret.Text
	UserAgent string
	Version   int // of the gateway's protocol: 9 or 10
	Shard     Shard
	REST      REST
	// Identifies is shared by the shards of a process.
	Identifies *IdentifyLimiter
	// AllowPlain lets the gateway be reached without TLS, as one for tests is.
	AllowPlain bool
	// Proxy returns the proxy to connect through, or nil; a nil Proxy means none.
	Proxy func(*http.Request) (*url.URL, error)

	OnInteraction func(*interaction.Event)
	OnReady       func(applicationID string) // a new session
	OnResumed     func()                     // the former session goes on, and nothing was lost
	OnLost        func(reason error)         // the connection, which is being restored
}

// Session is what must be known of a session to take it up again.
type Session struct {
	ID        string
	ResumeURL string // where Discord wants it to be taken up
	Sequence  int64  // of the last event
}

// Gateway is one shard's session.
type Gateway struct {
	cfg       Config
	transport *http.Transport

	ready   atomic.Bool
	latency atomic.Int64 // a time.Duration
	limits  atomic.Pointer[discordgo.GatewayBotResponse]

	// Used by Run alone.
	session       Session  // without an ID: none
	home          *url.URL // where Discord says that the gateway is; nil while not known
	useResumeURL  bool     // the next connection goes to the session's own address
	failedResumes int      // in a row
}

const (
	// connectLimit bounds dialing, TLS and the upgrade, and then the wait for HELLO.
	connectLimit = 15 * time.Second
	// The pauses between attempts double from minPause to maxPause, with
	// jitter, until a connection has stood for maxPause.
	minPause = 200 * time.Millisecond
	maxPause = time.Minute
	// maxFailedResumes is how often RESUME may fail before a new session is
	// begun. A session was seen to which Discord answered each RESUME by closing
	// the connection while IDENTIFY worked (discord-api-docs#1619).
	maxFailedResumes = 5
)

// New returns a gateway that is not connected yet.
func New(cfg Config) *Gateway {
	return &Gateway{cfg: cfg, transport: &http.Transport{
		Proxy:               cfg.Proxy,
		TLSHandshakeTimeout: connectLimit,
		Protocols:           http1(),
	}}
}

// http1 is HTTP/1.1 alone, which the upgrade to a websocket needs.
func http1() *http.Protocols {
	p := &http.Protocols{}
	p.SetHTTP1(true)
	return p
}

// Ready tells whether Discord delivers events right now.
func (g *Gateway) Ready() bool { return g.ready.Load() }

// Latency is how long Discord took to acknowledge the last heartbeat of this
// connection; 0 until it has acknowledged one.
func (g *Gateway) Latency() time.Duration { return time.Duration(g.latency.Load()) }

// Limits is what Discord last said of the gateway: how many shards it recommends
// and how many sessions may be begun. It is nil until Discord was asked.
func (g *Gateway) Limits() *discordgo.GatewayBotResponse { return g.limits.Load() }

// Run keeps the session until ctx is done, then ends it with Discord and returns
// nil. It returns a *FinalError where Discord says that trying again is no use.
// It is called once.
func (g *Gateway) Run(ctx context.Context) error {
	defer g.transport.CloseIdleConnections()
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval, pauses.Multiplier, pauses.RandomizationFactor = minPause, maxPause, 2, 0.5
	for {
		started := time.Now()
		reason := g.connect(ctx)
		g.ready.Store(false)
		g.latency.Store(0)
		if ctx.Err() != nil {
			return nil
		}
		if final := finalError(reason); final != nil {
			return final
		}
		if endsSession(reason) || g.failedResumes >= maxFailedResumes {
			g.session, g.failedResumes = Session{}, 0
		}
		g.cfg.OnLost(reason)
		if time.Since(started) > maxPause {
			pauses.Reset()
		}
		sleep(ctx, max(pauses.NextBackOff(), delayOf(reason)))
	}
}

// connect makes a connection, serves the session over it, and returns why that
// ended.
func (g *Gateway) connect(ctx context.Context) error {
	resuming := g.session.ID != ""
	var at *url.URL
	var err error
	if resuming {
		at, err = g.resumeAddress(ctx)
	} else {
		at, err = g.startAddress(ctx)
	}
	if err != nil {
		return err
	}
	ws, raw, err := g.dial(ctx, at)
	if err != nil {
		g.home = nil // it may have moved
		return err
	}
	c := newConnection(ctx, g, ws, raw, resuming)
	reason := c.run()
	g.session.Sequence = c.sequence.Load()
	// Where Discord asks to resume again, the session is good.
	if resuming && c.began && !c.stood && !errors.Is(reason, errReconnect) && !errors.Is(reason, errResumable) {
		g.failedResumes++
	}
	return reason
}

// startAddress returns where to begin a session, once Discord allows that.
func (g *Gateway) startAddress(ctx context.Context) (*url.URL, error) {
	g.session.Sequence = 0
	if err := g.discover(ctx); err != nil {
		return nil, err
	}
	return g.home, g.cfg.Identifies.wait(ctx, g.cfg.Shard, g.limits.Load().SessionStartLimit)
}

// resumeAddress returns where to take the session up. The address that Discord
// named for that counts for one attempt: if it fails, the next one goes to the
// general address, where any session can be resumed (discord-api-docs#5725).
func (g *Gateway) resumeAddress(ctx context.Context) (*url.URL, error) {
	if g.useResumeURL {
		g.useResumeURL = false
		if at, err := g.parseAddress(g.session.ResumeURL); err == nil {
			return at, nil
		}
	}
	if g.home == nil {
		if err := g.discover(ctx); err != nil {
			return nil, err
		}
	}
	return g.home, nil
}

// discover asks Discord where the gateway is.
func (g *Gateway) discover(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	answer, err := g.cfg.REST.GatewayBot(ctx)
	if err != nil {
		return &discoveryError{err}
	}
	if g.home, err = g.parseAddress(answer.URL); err != nil {
		return err
	}
	g.limits.Store(answer)
	return nil
}

func (g *Gateway) parseAddress(text string) (*url.URL, error) {
	at, err := url.Parse(text)
	if err != nil || at.Host == "" || at.Scheme != "wss" && (at.Scheme != "ws" || !g.cfg.AllowPlain) {
		return nil, errMalformed
	}
	return at, nil
}

// sleep waits for d or until ctx is done.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
