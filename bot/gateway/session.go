package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
)

const (
	// letGoLimit is how long the library may take to give up a connection that
	// is over. It sleeps a second of that.
	letGoLimit = 10 * time.Second
	// leaveLimit is the same where the program ends.
	leaveLimit = 3 * time.Second
)

// session is one session with Discord as the library keeps it: begun once, and
// resumed over any number of connections.
type session struct {
	cfg     Config
	library *discordgo.Session

	begun     atomic.Bool // Discord has said READY, so that it can be resumed
	stood     atomic.Bool // Discord has said READY or RESUMED over the newest connection
	resumeURL atomic.Pointer[url.URL]
}

func newSession(cfg Config) (*session, error) {
	library, err := discordgo.New("Bot " + cfg.Token.Reveal())
	if err != nil {
		return nil, err
	}
	library.Client = &http.Client{Transport: someAddress{}}
	library.Identify.Intents = discordgo.IntentsNone // interactions need none
	library.ShouldReconnectOnError = false           // Run does it
	library.ShouldReconnectVoiceOnSessionError = false
	library.StateEnabled = false // State keeps everything and evicts nothing
	library.SyncEvents = false   // true would let a handler hold up the reader
	library.Compress = false     // zlib costs 42 KB an event against 1.5 KB
	library.LogLevel = -1        // its lines can hold the token; Run reports
	return &session{cfg: cfg, library: library}, nil
}

// someAddress answers the library's question where the gateway is. It is of no
// account, see websocketOver.
type someAddress struct{}

func (someAddress) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Header: http.Header{}, Request: req,
		Body: io.NopCloser(strings.NewReader(`{"url":"wss://gateway"}`)),
	}, nil
}

// noted is told what Discord says of the session.
func (s *session) noted(e sessionEvent) {
	if u, err := url.Parse(e.resumeURL); err == nil && u.Host != "" && (u.Scheme == "wss" || s.cfg.AllowPlain) {
		s.resumeURL.Store(u)
	}
	s.begun.Store(true)
	s.stood.Store(true)
	if e.resumed {
		s.cfg.OnResumed()
	} else {
		s.cfg.OnReady(e.applicationID)
	}
}

// run begins or resumes the session over a connection to the address at, and
// returns why it is over; where ctx is done, after having ended the session.
func (s *session) run(ctx context.Context, c *conn, at *url.URL) error {
	// Open waits without a context.
	waits := context.AfterFunc(ctx, func() { c.end(ctx.Err()) })
	s.library.Dialer = websocketOver(c, at)
	err, done := finish(c.over, letGoLimit, s.library.Open)
	waits()
	switch {
	case !done:
		return fmt.Errorf("%w: %w", errStuck, c.reason())
	case err != nil:
		c.end(err)
		if errors.Is(c.reason(), errGivenUp) {
			return err // for which the library did so
		}
		return c.reason()
	}
	limit := letGoLimit
	select {
	case <-ctx.Done():
		limit = leaveLimit
		// With code 1000, as the session is not to be resumed.
		c.ready.Store(false)
		c.leaving.Store(true)
	case <-c.over:
	}
	// Whoever lost the connection does this as well; but its end must be known.
	_, done = finish(nil, limit, s.library.Close)
	c.end(ctx.Err())
	if !done {
		return fmt.Errorf("%w: %w", errStuck, c.reason())
	}
	return c.reason()
}

// finish calls what is the library's, and tells whether it came to an end: from
// when over is closed, or at once where it is nil, it has limit for that. Beyond
// that it counts as wedged, and is left behind.
func finish(over <-chan struct{}, limit time.Duration, call func() error) (err error, done bool) {
	ended := make(chan error, 1)
	go func() { ended <- call() }()
	if over != nil {
		select {
		case err := <-ended:
			return err, true
		case <-over:
		}
	}
	select {
	case err := <-ended:
		return err, true
	case <-time.After(limit):
		return nil, false
	}
}
