// Package endpoint receives interactions as HTTP requests, at the application's Interactions Endpoint URL.
//
// An Endpoint verifies Discord's signature and passes the interaction on as an event, as package gateway does.
// The request is answered with the first response if that is given through the event's Inline; with 503 if it
// is declined; and with 202 and no body if the first response is sent to Discord's callback endpoint:
// https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-callback
//
// It speaks plain HTTP, behind a load balancer or reverse proxy with TLS. Without TLS the tokens of interactions
// could be read on the way.
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

// Path is where Discord posts interactions.
const Path = "/interactions"

const (
	// maxBody bounds one request's body, in bytes. Discord documents no limit. An interaction with a button
	// contains the whole message: 2,000 characters, 6,000 in embeds
	// (https://discord.com/developers/docs/resources/message#embed-object-embed-limits), and 300 in each of 25
	// options of five menus (OpenAPI, StringSelectOptionForRequest). A form has five texts of 4,000
	// (TextInputComponentForModalRequest). A non-ASCII character may take six bytes (DSharpPlus,
	// WeakEquals.cs), which makes 273 KB.
	maxBody = 512 << 10

	// largeBody is the size from which a body counts as large, in bytes. At most maxLarge of these are read at
	// once, and others are declined, so that strangers cannot fill the memory.
	largeBody, maxLarge = 16 << 10, 32

	// headerLimit bounds the reading of a request's header, and requestLimit the whole request up to its
	// answer. Discord, and a proxy that buffers requests, send all at once.
	headerLimit  = 2 * time.Second
	requestLimit = headerLimit + answerLimit
	// answerLimit is how long after its header a request is answered at the latest.
	answerLimit = 3 * time.Second
	// writeLimit bounds the writing of an answer.
	writeLimit = time.Second
	// idleLimit is how long a connection may be idle. A proxy must close it earlier: otherwise it may send a
	// request just when the connection is closed.
	idleLimit = time.Minute
	// maxHeader bounds a request's header, in bytes.
	maxHeader = 16 << 10
	// maxConnections bounds the connections. Each takes about 20 KB: stacks, and two buffers of 4 KB.
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
	clockOff  seldom.Line // logs a timestamp that is too far from this machine's time
	listening atomic.Bool
	foreign   atomic.Bool   // the key is another application's
	leaving   atomic.Bool   // no connection is kept alive
	large     chan struct{} // has one value for each large body that is being read
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
		ErrorLog:       log.New(io.Discard, "", 0), // it would have clients' mistakes
	}
	return e
}

// closing closes a connection after each answer, unless keep is called: only Discord may keep one of the
// maxConnections alive.
func closing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		next.ServeHTTP(w, r)
	})
}

// keep keeps a connection alive after the answer, unless the endpoint is leaving.
func (e *Endpoint) keep(w http.ResponseWriter) {
	if !e.leaving.Load() {
		w.Header().Del("Connection")
	}
}

// Ready reports whether interactions are received.
func (e *Endpoint) Ready() bool { return e.listening.Load() && !e.foreign.Load() }

// RefuseAll refuses all requests from now on. It is called if the key is another application's: what is signed
// with it is not for this bot.
func (e *Endpoint) RefuseAll() { e.foreign.Store(true) }

// Leave closes each connection after its next answer. It is called some time before Run's end: otherwise a proxy
// could send a request over a connection that is just being closed.
func (e *Endpoint) Leave() { e.leaving.Store(true) }

// Run receives interactions until ctx is done. It then closes the listener, waits until the requests that have
// arrived are answered, and returns nil. It is called once.
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
