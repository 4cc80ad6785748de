package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/coder/websocket"

	"hostbot/bot/interaction"
)

// Words of these tests:
//
//	link    Discord's end of one connection
//	script  what Discord does on each link
//	play    to run a gateway against a script in a bubble's time
//	told    what the gateway said through its functions

// fakeGateway is Discord's gateway without a network, so that time can be a
// synctest bubble's. Each connection is served by script, which says what Discord
// does; it counts connections from 1.
type fakeGateway struct {
	script func(n int, link *fakeLink)
	// discover answers when Discord is asked for the nth time where the gateway is.
	discover func(n int) (*discordgo.GatewayBotResponse, error)

	scripts sync.WaitGroup
	mu      sync.Mutex
	links   int
	asked   []time.Time // when Discord was asked where the gateway is
}

// fakeLink is Discord's end of one connection.
type fakeLink struct {
	ws       *websocket.Conn
	upgrade  *http.Request
	received chan fakeMessage // closed at the connection's end
	closed   error            // why, set before that
}

type fakeMessage struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	at   time.Time
}

func (f *fakeGateway) GatewayBot(context.Context) (*discordgo.GatewayBotResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, time.Now())
	if f.discover != nil {
		return f.discover(len(f.asked))
	}
	return &discordgo.GatewayBotResponse{URL: "ws://gateway.discord.gg", Shards: 1}, nil
}

// dial is a transport's DialContext.
func (f *fakeGateway) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	listener := &oneConn{conn: theirs, accepted: make(chan struct{})}
	f.scripts.Add(1)
	go func() { _ = (&http.Server{Handler: http.HandlerFunc(f.serve)}).Serve(listener) }()
	return ours, nil
}

func (f *fakeGateway) serve(w http.ResponseWriter, r *http.Request) {
	defer f.scripts.Done()
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	f.mu.Lock()
	f.links++
	n := f.links
	f.mu.Unlock()
	link := &fakeLink{ws: ws, upgrade: r, received: make(chan fakeMessage, 1000)}
	go link.read()
	f.script(n, link)
	_ = ws.CloseNow()
	for range link.received { // until reading has ended
	}
}

func (l *fakeLink) read() {
	defer close(l.received)
	for {
		_, data, err := l.ws.Read(context.Background())
		if err != nil {
			l.closed = err
			return
		}
		message := fakeMessage{at: time.Now()}
		if json.Unmarshal(data, &message) == nil {
			l.received <- message
		}
	}
}

// send writes text as a message.
func (l *fakeLink) send(format string, args ...any) {
	_ = l.ws.Write(context.Background(), websocket.MessageText, fmt.Appendf(nil, format, args...))
}

// hello begins a connection with an interval of 10 s and returns the client's
// IDENTIFY or RESUME.
func (l *fakeLink) hello() fakeMessage {
	l.send(`{"t":null,"s":null,"op":10,"d":{"heartbeat_interval":10000,"_trace":["gateway"]}}`)
	for message := range l.received {
		if message.Op != opHeartbeat {
			return message
		}
		l.acknowledge()
	}
	return fakeMessage{}
}

func (l *fakeLink) ready() {
	l.send(`{"t":"READY","s":1,"op":0,"d":{"session_id":"session","resume_gateway_url":"ws://gateway-us-east1-b.discord.gg/?x=1","application":{"id":"7"}}}`)
}

func (l *fakeLink) acknowledge() { l.send(`{"t":null,"s":null,"op":11,"d":null}`) }

// acknowledgeAll acknowledges heartbeats until the connection ends.
func (l *fakeLink) acknowledgeAll() {
	for message := range l.received {
		if message.Op == opHeartbeat {
			l.acknowledge()
		}
	}
}

// newTestGateway returns a gateway that connects to the fake. told is what it
// said through its functions.
func newTestGateway(f *fakeGateway) (g *Gateway, told *[]string) {
	told = new([]string)
	tell := func(text string) { *told = append(*told, text) }
	g = New(Config{
		Token: "token-of-the-test", Version: 10, Shard: Shard{ID: 1, Count: 3}, Discovery: &Discovery{REST: f},
		Identifies: new(IdentifyLimiter), Transport: NewTransport(), AllowPlain: true,
		OnInteraction: func(e *interaction.Event) {
			if e.Replayed {
				tell("replayed")
			}
			tell("interaction " + e.ID)
		},
		OnReady:   func() { tell("ready " + g.Session().ApplicationID) },
		OnResumed: func() { tell("resumed") },
		OnLost:    func(reason error) { tell("lost: " + reason.Error()) },
	})
	g.cfg.Transport.Proxy, g.cfg.Transport.DialContext = nil, f.dial
	return g, told
}

// run runs a gateway against the fake for some of a bubble's time, and returns what
// it told and what it ended with.
func (f *fakeGateway) run(t *testing.T, d time.Duration) ([]string, error) {
	t.Helper()
	g, told := newTestGateway(f)
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	err := g.Run(ctx)
	if g.Ready() {
		t.Error("the gateway is ready without a connection")
	}
	f.scripts.Wait()
	synctest.Wait() // for a question that began in the moment in which it ended
	return *told, err
}

// play runs a gateway against a script for some time, in a bubble of its own, and
// returns what it told.
func play(t *testing.T, d time.Duration, script func(n int, link *fakeLink)) (told []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		if told, err = (&fakeGateway{script: script}).run(t, d); err != nil {
			t.Errorf("Run() = %v", err)
		}
	})
	return told
}

// oneConn is a listener with one connection.
type oneConn struct {
	conn     net.Conn
	once     sync.Once
	accepted chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	var conn net.Conn
	l.once.Do(func() { conn = l.conn })
	if conn == nil {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (l *oneConn) Close() error   { return nil }
func (l *oneConn) Addr() net.Addr { return l.conn.LocalAddr() }
