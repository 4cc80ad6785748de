// Package gateway keeps the connection to Discord's gateway over which
// interactions arrive.
//
// The websocket and what is said over it are discordgo's, watched from below:
// the net.Conn that it is given reads what Discord says of the session before
// the library does (see conn.go). There the library's gaps are closed: a silent
// gateway is noticed, nothing can wedge Open, an invalid session is told from
// one that can be resumed, close codes are known, heartbeats do not all come in
// step. Where to connect and when is decided here; the library's own
// reconnecting is off. Run does it, and ends where Discord's word is final.
package gateway

import (
	"context"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"

	"hostbot/bot/interaction"
	"hostbot/configs/secret"
)

// Config is what a Gateway needs. The functions are called from more than one
// goroutine and must return at once.
type Config struct {
	Token secret.Text
	// HTTP asks Discord where the gateway is. It must follow no redirects.
	HTTP *http.Client
	// AllowPlain lets the gateway be reached without TLS, as one for tests is.
	AllowPlain bool
	// Proxy returns the HTTP proxy to connect through, or nil; nil for none.
	Proxy func(*http.Request) (*url.URL, error)

	OnInteraction func(*interaction.Event)
	OnReady       func(applicationID string) // a new session
	OnResumed     func()                     // the former session goes on, nothing was lost
	OnLost        func(reason error)         // the connection, which is being restored
}

// Gateway is a connection that is restored whenever it is lost.
type Gateway struct {
	cfg  Config
	conn atomic.Pointer[conn] // the newest one

	// Used by Run alone.
	session    *session
	home       *url.URL  // where Discord says that the gateway is; nil while not known
	identified time.Time // when the newest session was begun
}

const (
	// connectLimit bounds dialing, TLS and the upgrade, and then the wait for
	// Discord to name its heartbeat interval.
	connectLimit = 15 * time.Second
	// The pauses between attempts double from minPause to maxPause, with
	// jitter, until a connection has stood for maxPause.
	minPause = 200 * time.Millisecond
	maxPause = time.Minute
	// identifyPause is between two sessions' beginnings.
	identifyPause = 5 * time.Second
)

// New returns a gateway that is not connected yet.
func New(cfg Config) *Gateway { return &Gateway{cfg: cfg} }

// Ready tells whether Discord delivers events right now.
func (g *Gateway) Ready() bool {
	c := g.conn.Load()
	return c != nil && c.delivers()
}

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
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval, pauses.Multiplier, pauses.RandomizationFactor = minPause, maxPause, 2, 0.5

	for {
		started := time.Now()
		reason := g.connectAndWait(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if final := finalError(reason); final != nil {
			return final
		}
		if endsSession(reason) {
			g.session = nil
		}
		g.cfg.OnLost(reason)
		if time.Since(started) > maxPause {
			pauses.Reset()
		}
		sleep(ctx, max(pauses.NextBackOff(), delayOf(reason)))
	}
}

// connectAndWait returns why a connection was not made or did not last. Where
// ctx is done, that ended it.
func (g *Gateway) connectAndWait(ctx context.Context) error {
	if g.session == nil || !g.session.begun.Load() {
		if err := g.prepareSession(ctx); err != nil {
			return err
		}
	}
	at, err := g.whereTo(ctx)
	if err != nil {
		return err
	}
	raw, err := g.dial(ctx, at)
	if err != nil {
		g.home = nil // it may have moved
		return err
	}
	if !g.session.begun.Load() {
		g.identified = time.Now()
	}
	c := newConn(raw, g.session.noted, g.cfg.OnInteraction)
	g.conn.Store(c)
	return g.session.run(ctx, c, at)
}

// prepareSession makes a session that is still to be begun, once Discord allows
// another.
func (g *Gateway) prepareSession(ctx context.Context) error {
	sleep(ctx, time.Until(g.identified.Add(identifyPause)))
	home, limit, err := g.address(ctx)
	if err != nil {
		return err
	}
	if limit != nil {
		return limit
	}
	g.home = home
	g.session, err = newSession(g.cfg)
	return err
}

// whereTo returns where to connect. The address that Discord named for resuming
// counts for one attempt: if that fails, the next one goes to the general
// address, where any session can be resumed.
func (g *Gateway) whereTo(ctx context.Context) (*url.URL, error) {
	if g.session.stood.Swap(false) {
		if at := g.session.resumeURL.Load(); at != nil {
			return at, nil
		}
	}
	if g.home == nil {
		home, _, err := g.address(ctx) // no session is begun
		if err != nil {
			return nil, err
		}
		g.home = home
	}
	return g.home, nil
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
