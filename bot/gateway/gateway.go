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
	"fmt"
	"net/http"
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
	Token   secret.Text
	Version int // of the gateway's protocol: 9 or 10
	Shard   Shard
	REST    REST
	// Identifies is shared by the shards of a process.
	Identifies *IdentifyLimiter
	// AllowPlain lets the gateway be reached without TLS, as one for tests is.
	AllowPlain bool

	OnInteraction func(*interaction.Event)
	OnReady       func(applicationID string) // a new session
	OnResumed     func()                     // the former session goes on, and nothing was lost
	OnLost        func(reason error)         // the connection, which is being restored
}

// Gateway is one shard's session.
type Gateway struct {
	cfg       Config
	transport *http.Transport

	ready   atomic.Bool
	latency atomic.Int64 // a time.Duration
	limits  atomic.Pointer[discordgo.GatewayBotResponse]

	// What must be known of a session to take it up again. But for the sequence,
	// Run alone uses it.
	sessionID string       // empty: there is none
	resumeURL string       // where Discord wants it to be taken up; empty where that failed
	sequence  atomic.Int64 // of the last event

	failedResumes int // in a row; used by Run alone
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
	http1 := new(http.Protocols) // which the upgrade to a websocket needs
	http1.SetHTTP1(true)
	return &Gateway{cfg: cfg, transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: connectLimit, Protocols: http1,
	}}
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
			g.sessionID, g.failedResumes = "", 0
			g.sequence.Store(0)
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
	resuming := g.sessionID != ""
	address, err := g.address(ctx)
	if err != nil {
		return err
	}
	ws, err := g.dial(ctx, address)
	if err != nil {
		g.resumeURL = ""
		return err
	}
	stood, reason := g.run(ctx, ws)
	if resuming && !stood {
		g.resumeURL = ""
		if !errors.Is(reason, errReconnect) { // after which the session is good
			g.failedResumes++
		}
	}
	return reason
}

// address returns where to take the session up or, once Discord allows that, to
// begin one. Where the address that Discord named for resuming has failed, the
// general one takes its place, where any session can be resumed
// (discord-api-docs#5725).
func (g *Gateway) address(ctx context.Context) (string, error) {
	if g.sessionID != "" && g.resumeURL != "" {
		return g.resumeURL, nil
	}
	answer, err := g.cfg.REST.GatewayBot(ctx)
	if err != nil {
		return "", fmt.Errorf("ask where the gateway is: %w", err)
	}
	g.limits.Store(answer)
	if g.sessionID != "" {
		return answer.URL, nil
	}
	return answer.URL, g.cfg.Identifies.wait(ctx, g.cfg.Shard, answer.SessionStartLimit)
}

// sleep waits for d or until ctx is done.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
