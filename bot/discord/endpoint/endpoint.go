// Package endpoint receives interactions as HTTP requests: at the Interactions
// Endpoint URL, which Discord posts them to where an application has one.
//
// An Endpoint accepts what Discord has signed and passes it on as an event, as the
// gateway does. The request is answered with the first response where that comes
// as the event's Inline; with 503 where it is declined; otherwise with 202 and no body once
// the first response was sent to Discord's callback endpoint:
// https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-callback
//
// It speaks plain HTTP, for a load balancer or a reverse proxy before it that has TLS.
// Discord's documents have https addresses alone; none says that it refuses another, which
// would show the tokens of interactions to whoever listens.
package endpoint

import (
	"context"
	"crypto/ed25519"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/net/netutil"

	"hostbot/bot/interaction"
	"hostbot/bot/seldom"
)

// Path is where interactions are posted to.
const Path = "/interactions"

const (
	// maxBody bounds one request's body, in bytes. Discord documents no limit. The press of
	// a button has the whole message in it: 2,000 characters, 6,000 in embeds
	// (https://discord.com/developers/docs/resources/message#embed-object-embed-limits) and
	// 300 in each of 25 options of five menus (OpenAPI, StringSelectOptionForRequest), and a
	// form has five texts of 4,000 (TextInputComponentForModalRequest). A character that is
	// not ASCII arrives as six bytes (DSharpPlus, WeakEquals.cs): that makes 273 KB.
	maxBody = 512 << 10

	// largeBody is from how many bytes a body is large, of which maxLarge arrive at once: whoever
	// sends anything else than Discord does not fill the memory. A further one is declined.
	largeBody, maxLarge = 16 << 10, 32

	// headerLimit bounds the arrival of a request's header, from the opening of its connection
	// or its first byte, and requestLimit that of the whole request. Discord, and a proxy that
	// keeps a request until it is whole, send all at once. The limit holds while the request is
	// answered as well: an answer takes answerLimit after the header.
	headerLimit  = 2 * time.Second
	requestLimit = headerLimit + answerLimit
	// answerLimit is by when a request is answered, whatever becomes of it.
	answerLimit = 3 * time.Second
	// writeLimit bounds the writing of an answer.
	writeLimit = time.Second
	// idleLimit is how long a connection may be idle. A proxy must close it first: otherwise
	// it may send a request at the moment at which the connection is closed.
	idleLimit = time.Minute
	// maxHeader bounds a request's header, in bytes.
	maxHeader = 16 << 10
	// maxConnections bounds the connections, each of which takes about 20 KB: stacks, and two
	// buffers of 4 KB.
	maxConnections = 2000
)

// Config is what an Endpoint needs.
type Config struct {
	PublicKey ed25519.PublicKey // the application's
	// OnInteraction is called for each event from the goroutine of its request, and
	// must return at once. The event has Inline.
	OnInteraction func(*interaction.Event)
	Log           zerolog.Logger
}

// Endpoint serves the Interactions Endpoint URL.
type Endpoint struct {
	cfg       Config
	server    *http.Server
	clockOff  seldom.Line // that a timestamp is too far from this machine's time
	listening atomic.Bool
	foreign   atomic.Bool   // the key is another application's
	leaving   atomic.Bool   // no connection is kept
	large     chan struct{} // holds one for each large body that arrives
}

// New returns an endpoint that does not listen yet.
func New(cfg Config) *Endpoint {
	e := &Endpoint{cfg: cfg, large: make(chan struct{}, maxLarge)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+Path, e.receive)
	e.server = &http.Server{
		Handler:           closing(mux),
		ReadHeaderTimeout: headerLimit, ReadTimeout: requestLimit, WriteTimeout: requestLimit + writeLimit, IdleTimeout: idleLimit,
		MaxHeaderBytes: maxHeader,
		ErrorLog:       log.New(io.Discard, "", 0), // of clients' mistakes
	}
	return e
}

// closing has each connection be closed after the answer to a request, unless the request's
// signature is found to be Discord's: nobody else keeps one of the maxConnections.
func closing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		next.ServeHTTP(w, r)
	})
}

// keep undoes what closing does. An endpoint that leaves still closes the connection after the answer.
func (e *Endpoint) keep(w http.ResponseWriter) {
	if !e.leaving.Load() {
		w.Header().Del("Connection")
	}
}

// Ready reports whether interactions are received.
func (e *Endpoint) Ready() bool { return e.listening.Load() && !e.foreign.Load() }

// RefuseAll has all requests be refused from now on, as the key turned out to be another
// application's: what is signed with it is not from Discord, or not for this bot.
func (e *Endpoint) RefuseAll() { e.foreign.Store(true) }

// Leave has each connection be closed after its next answer, as Run is about to end. A proxy that
// kept connections could otherwise send a request over one while that is being closed.
func (e *Endpoint) Leave() { e.leaving.Store(true) }

// Run receives interactions until ctx is done. Then it closes the listener, waits
// until those requests are answered that have arrived, and returns nil. An error is
// why it could not go on. It is called once.
func (e *Endpoint) Run(ctx context.Context, listener net.Listener) error {
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		last, cancel := context.WithTimeout(context.Background(), answerLimit+writeLimit)
		defer cancel()
		if e.server.Shutdown(last) != nil {
			_ = e.server.Close()
		}
	})
	e.listening.Store(true)
	defer e.listening.Store(false)
	if err := e.server.Serve(netutil.LimitListener(listener, maxConnections)); !errors.Is(err, http.ErrServerClosed) {
		stop()
		return err
	}
	<-stopped
	return nil
}
