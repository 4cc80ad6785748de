package discordtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"hostbot/hostapi/testclock"
)

// Environment variables that name the files described in the package comment.
const (
	EnvOpenAPI     = "DISCORD_OPENAPI"
	EnvEventSchema = "DISCORD_EVENT_SCHEMA"
)

// guildLocale is the guild's preferred locale.
const guildLocale = "en-US"

// Config is how a server is to be. The zero value is right for tests.
type Config struct {
	// Token of the bot; one in the form of Discord's where it is empty.
	Token string
	// Clock by which the server judges: the 3 s for a first response, the 15 min of a
	// token, the age of messages, rate limits and delays. The real one where it is nil.
	Clock testclock.Clock
	// HeartbeatInterval is what HELLO says; 41.25 s where it is 0, which is
	// Discord's (twilight-gateway src/compression/zstd.rs). Under half a second
	// the heartbeats alone soon exceed the 120 frames a minute (4008).
	HeartbeatInterval time.Duration
	// MaxConcurrency is how many shards may identify at once, each in a bucket of its
	// own (docs:events/gateway#sharding-max-concurrency); 1 where it is 0.
	MaxConcurrency int
	// StrictUserAgent refuses requests without Discord's User-Agent also at the
	// gateway and where an interaction is answered. Discord lets the websockets of discordgo and disgo in, which call
	// themselves Go-http-client, and those of discord.js, which send no User-Agent;
	// but it has turned clients away there (#2500).
	StrictUserAgent bool
	// NoRateLimits switches Discord's rate limits off, and the ban after too many invalid
	// requests. Faults still give a 429.
	NoRateLimits bool
	// NewDMsADay is how many DMs the bot may open in a day that it has not opened before: one more
	// puts it into quarantine. 0 is for any number, as the figures that were seen go from 20 to 1,000
	// (17teen/Discord-Mass-DM-Tool#11 and #14, DiscordPHP#467).
	NewDMsADay int
	// DMsAtOnce is how many DMs the bot may open within dmWindow, also without rate limits;
	// 24 where it is 0, and any number where it is negative. See postDM.
	DMsAtOnce int
	// Lean keeps no history of calls and messages and checks no schema: for
	// benchmarks, together with NoRateLimits and Reply.Forget.
	Lean bool
}

// Server is a Discord with one bot, one guild and any number of people. It is
// safe for concurrent use.
type Server struct {
	cfg      Config
	clock    testclock.Clock
	ids      *snowflakes
	listener net.Listener
	resumes  net.Listener // where sessions are to be resumed
	http     *http.Server
	app      application
	guildID  string

	schemas  *schemas
	recorder *recorder
	faults   *faults
	limits   *limiter
	invalid  *invalidRequests
	commands *commandStore
	gateway  *gateway
	// Where interactions are sent over HTTP.
	endpoints endpoints

	token          atomic.Pointer[string] // the bot's, which is empty after too many IDENTIFYs
	zonelessEmbeds atomic.Bool
	quarantined    atomic.Bool // see Quarantine
	uploadsLimited atomic.Bool // see LimitUploads

	done     chan struct{} // closed by Close
	close    sync.Once
	handlers sync.WaitGroup

	mu           sync.Mutex // guards what follows, and what it points to
	users        map[string]*profile
	channels     map[string]*channel
	channelOrder []string
	roles        []*Role // in the order they were added
	messages     map[string]*message
	nonces       nonces
	interactions map[string]*interaction // by token
	byID         map[string]*interaction
}

// application is the bot's own identity.
type application struct {
	id    string // also the bot user's
	user  wireUser
	owner wireUser // who made it, and the guild
}

// Start returns a server that is running; Close ends it. It has one guild
// with the text channel "general".
func Start(cfg Config) (*Server, error) {
	cfg = cfg.withDefaults()
	checks, err := loadSchemas(cfg)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("discordtest: %w", err)
	}
	resumes, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		_ = listener.Close()
		return nil, fmt.Errorf("discordtest: %w", err)
	}
	s := &Server{
		cfg:          cfg,
		clock:        cfg.Clock,
		ids:          &snowflakes{clock: cfg.Clock},
		listener:     listener,
		resumes:      resumes,
		schemas:      checks,
		recorder:     newRecorder(cfg.Lean),
		done:         make(chan struct{}),
		users:        map[string]*profile{},
		channels:     map[string]*channel{},
		messages:     map[string]*message{},
		interactions: map[string]*interaction{},
		byID:         map[string]*interaction{},
	}
	s.app.id = s.ids.next()
	if s.cfg.Token == "" {
		s.cfg.Token = newBotToken(s.app.id)
	}
	s.token.Store(&s.cfg.Token)
	s.app.user = wireUser{ID: s.app.id, Username: "hostbot", Discriminator: "0000", Bot: true}
	s.app.owner = wireUser{ID: s.ids.next(), Username: "owner", Discriminator: "0"}
	s.guildID = s.ids.next()
	s.faults = &faults{}
	s.limits = newLimiter(cfg.Clock)
	s.invalid = &invalidRequests{clock: cfg.Clock}
	s.commands = newCommandStore(s)
	s.gateway = newGateway(s)
	s.endpoints = newEndpoints()
	s.AddChannel("general")

	s.http = &http.Server{Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second, ConnState: s.countConnection}
	s.handlers.Go(func() { _ = s.http.Serve(listener) })
	s.handlers.Go(func() { _ = s.http.Serve(resumes) })
	return s, nil
}

func (c Config) withDefaults() Config {
	if c.Clock == nil {
		c.Clock = testclock.Real{}
	}
	if c.HeartbeatInterval <= 0 {
		c.HeartbeatInterval = 41250 * time.Millisecond
	}
	c.MaxConcurrency = max(c.MaxConcurrency, 1)
	if c.DMsAtOnce == 0 {
		c.DMsAtOnce = usualDMsAtOnce
	}
	return c
}

func loadSchemas(cfg Config) (*schemas, error) {
	if cfg.Lean {
		return &schemas{}, nil
	}
	return readSchemas(os.Getenv(EnvOpenAPI), os.Getenv(EnvEventSchema))
}

// URL is the address of the REST API, version included: http://…/api/v10. v9
// is served beside it.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/api/v10" }

// GatewayURL is the address of the gateway, as GET /gateway gives it.
func (s *Server) GatewayURL() string { return "ws://" + s.listener.Addr().String() }

// ResumeURL is the address where sessions are to be resumed, as READY gives it. It is
// another than the general one, as Discord's is (#5282).
func (s *Server) ResumeURL() string { return "ws://" + s.resumes.Addr().String() }

// Token is the bot's token, before any ResetToken.
func (s *Server) Token() string { return s.cfg.Token }

// ApplicationID is the bot's application, and also its user.
func (s *Server) ApplicationID() string { return s.app.id }

// GuildID is the one guild's.
func (s *Server) GuildID() string { return s.guildID }

// Close ends the connections and waits until nothing of the server runs.
func (s *Server) Close() error {
	var err error
	s.close.Do(func() {
		close(s.done)
		s.gateway.end()
		err = s.http.Close()
		s.endpoints.client.CloseIdleConnections()
		s.handlers.Wait()
		s.stopTimers()
		s.recorder.end()
	})
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// countConnection counts a connection from when it is accepted, which is while
// Serve is still counted: so no handler begins after Close has waited.
func (s *Server) countConnection(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.handlers.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.handlers.Done()
	}
}

// stopTimers ends the waits for first responses.
func (s *Server) stopTimers() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, in := range s.interactions {
		in.stopTimer()
	}
}

// notifier wakes those that wait for a change. Its owner's lock guards it.
type notifier struct{ waiting chan struct{} }

// next returns a channel that is closed at the next change.
func (n *notifier) next() <-chan struct{} {
	if n.waiting == nil {
		n.waiting = make(chan struct{})
	}
	return n.waiting
}

func (n *notifier) notify() {
	if n.waiting != nil {
		close(n.waiting)
		n.waiting = nil
	}
}

// await returns nil once enough says so, which is asked again after each change
// that n is told of. lock guards n, and is not held while enough is asked.
func (s *Server) await(ctx context.Context, lock sync.Locker, n *notifier, enough func() bool) error {
	for {
		lock.Lock()
		changed := n.next()
		lock.Unlock()
		if enough() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-s.done:
			return errClosed
		}
	}
}

// awaitOne waits for one of a list that wanted is content with, as await does.
func awaitOne[T any](ctx context.Context, s *Server, lock sync.Locker, n *notifier, list func() []T, wanted func(T) bool) (found T, err error) {
	err = s.await(ctx, lock, n, func() bool {
		all := list()
		i := slices.IndexFunc(all, wanted)
		if i >= 0 {
			found = all[i]
		}
		return i >= 0
	})
	return found, err
}

// pause waits for d on the server's clock and reports whether it passed before
// ctx was done or the server closed.
func (s *Server) pause(ctx context.Context, d time.Duration) bool {
	passed := make(chan struct{})
	stop := s.clock.AfterFunc(d, func() { close(passed) })
	defer stop()
	select {
	case <-passed:
		return true
	case <-ctx.Done():
	case <-s.done:
	}
	return false
}
