// Package gateway keeps the connection to Discord's gateway over which
// interactions arrive.
//
// The connection is discordgo's, watched from below: a net.Conn under its
// websocket reads what Discord says of the session before the library does
// (see conn.go). There the library's gaps are closed: a silent gateway is
// noticed, "reconnect" can not wedge Open, an invalid session is told from one
// that can be resumed, the address for resuming is used, and close codes are
// known. The library's own reconnecting is off; Run does it, and ends where
// Discord's word is final.
package gateway

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/cenkalti/backoff/v5"

	"hostbot/configs/secret"
)

// Config is what a Gateway needs. The functions are called from the reading
// goroutine, one at a time, and must return at once; OnInteraction is called
// in a goroutine of its own for each event.
type Config struct {
	Token secret.Text
	// HTTP asks Discord where the gateway is.
	HTTP *http.Client

	OnInteraction func(*discordgo.Interaction)
	OnReady       func(applicationID string) // a new session
	OnResumed     func()                     // the former session goes on, nothing was lost
	OnLost        func(reason error)         // the connection, which is being restored
}

// Gateway is a connection that is restored whenever it is lost.
type Gateway struct {
	cfg          Config
	session      *discordgo.Session
	conn         atomic.Pointer[conn]
	resumeHost   atomic.Pointer[string] // where Discord wants the session resumed
	useResume    atomic.Bool            // the next connection goes there
	ready        atomic.Bool
	disconnected chan struct{}
}

const (
	// addressLimit bounds the question where the gateway is.
	addressLimit = 5 * time.Second
	// connectLimit bounds dialing, TLS and the upgrade, and then each wait for
	// what Discord says until it has named its heartbeat interval.
	connectLimit = 15 * time.Second
	// The pauses between attempts grow from minPause to maxPause, with jitter.
	minPause = 500 * time.Millisecond
	maxPause = time.Minute
)

// New returns a gateway that is not connected yet.
func New(cfg Config) (*Gateway, error) {
	session, err := discordgo.New("Bot " + cfg.Token.Reveal())
	if err != nil {
		return nil, err
	}
	client := *cfg.HTTP
	client.Timeout = addressLimit
	session.Client = &client
	session.Identify.Intents = discordgo.IntentsNone // interactions need none
	session.ShouldReconnectOnError = false           // Run does it
	session.ShouldReconnectVoiceOnSessionError = false
	session.ShouldRetryOnRateLimit = false // it sleeps where no context reaches it
	session.MaxRestRetries = 0
	session.StateEnabled = false // State keeps everything and evicts nothing
	session.SyncEvents = false   // true would let a handler hold up the reader
	session.Compress = false     // zlib costs 42 KB an event against 1.5 KB
	session.LogLevel = -1        // its lines can hold the token; Run reports

	g := &Gateway{cfg: cfg, session: session, disconnected: make(chan struct{}, 1)}
	session.AddHandler(func(_ *discordgo.Session, e *discordgo.InteractionCreate) { cfg.OnInteraction(e.Interaction) })
	session.AddHandler(func(*discordgo.Session, *discordgo.Disconnect) {
		select {
		case g.disconnected <- struct{}{}:
		default:
		}
	})
	return g, nil
}

// Ready tells whether Discord delivers events right now.
func (g *Gateway) Ready() bool { return g.ready.Load() }

// Latency is how long Discord took to acknowledge the last heartbeat of this
// connection; 0 until it has acknowledged one.
func (g *Gateway) Latency() time.Duration {
	c := g.conn.Load()
	if c == nil {
		return 0
	}
	return time.Duration(c.latency.last.Load())
}

// Run keeps the connection until ctx is done, and then ends the session with
// Discord and returns nil; or until Discord says that trying again is no use,
// and then returns a *FinalError. It is called once.
func (g *Gateway) Run(ctx context.Context) error {
	g.session.Dialer = g.dialer(ctx)
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval, pauses.RandomizationFactor = minPause, maxPause, 0.5

	for ctx.Err() == nil {
		reason := g.connectAndWait(ctx)
		if g.ready.Swap(false) {
			pauses.Reset()
		}
		if ctx.Err() != nil {
			break
		}
		if final := finalError(reason); final != nil {
			return final
		}
		g.cfg.OnLost(reason)
		sleep(ctx, max(pauses.NextBackOff(), delayOf(reason)))
	}
	_ = g.session.Close() // with code 1000: the session is not to be resumed
	return nil
}

// connectAndWait returns why the connection was not made or did not last, or
// nil where ctx is done.
func (g *Gateway) connectAndWait(ctx context.Context) error {
	err := g.open(ctx)
	for errors.Is(err, discordgo.ErrWSAlreadyOpen) {
		// The library has yet to close the connection before. It may tell of
		// one loss twice, so that it was taken to have done so.
		if !g.waitDisconnected(ctx) {
			return nil
		}
		err = g.open(ctx)
	}
	c := g.conn.Load()
	if err != nil {
		if c != nil && c.reason() != nil && !errors.Is(c.reason(), net.ErrClosed) {
			return c.reason() // which says more than the library does
		}
		return connectError(err)
	}
	select {
	case <-ctx.Done():
		return nil
	case <-c.over:
	}
	g.waitDisconnected(ctx)
	return c.reason()
}

// open makes a connection and waits until Discord has let the bot in.
func (g *Gateway) open(ctx context.Context) error {
	g.conn.Store(nil)
	stop := context.AfterFunc(ctx, func() {
		if c := g.conn.Load(); c != nil {
			c.end(ctx.Err()) // Open waits without a context
		}
	})
	defer stop()
	return g.session.Open()
}

// waitDisconnected waits until the library has given a connection up, and tells
// whether ctx lasted that long.
func (g *Gateway) waitDisconnected(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-g.disconnected:
		return true
	}
}

// noted is told what Discord says of the session.
func (g *Gateway) noted(e sessionEvent) {
	if e.invalid {
		g.ready.Store(false)
		return
	}
	if e.resumeURL != "" {
		g.setResumeHost(e.resumeURL)
	}
	g.useResume.Store(true)
	g.ready.Store(true)
	if e.resumed {
		g.cfg.OnResumed()
	} else {
		g.cfg.OnReady(e.applicationID)
	}
}

// sleep waits for d or until ctx is done.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
