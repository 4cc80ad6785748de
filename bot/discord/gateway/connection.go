package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/valyala/fastjson"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
)

// Opcodes of the gateway:
// https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-opcodes
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opIdentify       = 2
	opResume         = 6
	opReconnect      = 7
	opInvalidSession = 9
	opHello          = 10
	opHeartbeatACK   = 11
)

const (
	// maxMessage bounds a message of Discord's, in bytes. One about an
	// interaction has kilobytes.
	maxMessage = 16 << 20
	// writeLimit bounds one write.
	writeLimit = 10 * time.Second
	// closeLimit bounds the wait for Discord's answer to a close frame.
	closeLimit = 2 * time.Second
	// closeKeeping is a close code after which Discord keeps the session.
	closeKeeping websocket.StatusCode = 4000
	// maxInterval is the longest interval between heartbeats that is believed.
	maxInterval = time.Hour
	// How long to wait for READY and for RESUMED, in heartbeat intervals; Discord's is 41.25 s. In an outage
	// Discord acknowledges heartbeats and sends READY late
	// (https://discord.com/developers/docs/events/gateway#identifying). Another IDENTIFY would count towards the
	// day's 1,000, whereas a RESUME is free.
	readyLimit  = 15
	resumeLimit = 2
)

// connection is one websocket. A session is begun or resumed over it.
type connection struct {
	gateway *Gateway
	ws      *websocket.Conn

	ctx context.Context // done when the connection is over; its cause says why
	end context.CancelCauseFunc

	heartbeatAt    atomic.Int64 // when the last heartbeat was sent, in Unix nanoseconds
	unacknowledged atomic.Bool  // the last regular heartbeat is

	handshakeTimer *time.Timer // ends the connection if it is not established in time

	// Used by run alone.
	state  state
	buffer bytes.Buffer
	parser fastjson.Parser
}

// state is how far a connection has come.
type state int

const (
	connecting  state = iota // up to HELLO
	identifying              // up to READY, including the wait for the shard's turn
	resuming                 // up to RESUMED, while Discord replays missed events
	established              // Discord sends new events
)

// dial connects to the gateway.
func (g *Gateway) dial(ctx context.Context, address string) (*websocket.Conn, error) {
	at, err := url.Parse(address)
	if err != nil || at.Host == "" || at.Scheme != "wss" && (at.Scheme != "ws" || !g.cfg.AllowPlain) {
		return nil, errMalformed
	}
	// Each address needs the version and the encoding, even the one for resuming (discord-api-docs#5725).
	at.RawQuery = url.Values{"v": {strconv.Itoa(g.cfg.Version)}, "encoding": {"json"}}.Encode()
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	ws, _, err := websocket.Dial(ctx, at.String(), &websocket.DialOptions{ //nolint:bodyclose // the library reads and closes it
		HTTPClient: &http.Client{
			Transport:     g.cfg.Transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		HTTPHeader: http.Header{"User-Agent": {rest.UserAgent}},
	})
	if err != nil {
		if request, ok := errors.AsType[*url.Error](err); ok { // without the address
			err = request.Err
		}
		return nil, fmt.Errorf("connect to the gateway: %w", err)
	}
	ws.SetReadLimit(maxMessage)
	return ws, nil
}

// run serves the session over a websocket until the connection ends. It returns how far the connection came,
// and why it ended. If ctx is done, it closes the connection.
func (g *Gateway) run(ctx context.Context, ws *websocket.Conn) (reached state, reason error) {
	c := &connection{gateway: g, ws: ws}
	c.ctx, c.end = context.WithCancelCause(context.WithoutCancel(ctx))
	// Without a close frame: Discord keeps the session for a while.
	defer func() { _ = ws.CloseNow() }()
	defer c.end(nil)
	defer context.AfterFunc(ctx, func() { c.leave(context.Cause(ctx)) })()
	c.handshakeTimer = time.AfterFunc(connectLimit, func() { c.end(errHandshakeTimeout) })
	defer c.handshakeTimer.Stop()
	for c.ctx.Err() == nil {
		message, err := c.read()
		if err == nil {
			err = c.handle(message)
		}
		if err != nil {
			c.end(err)
		}
	}
	return c.state, context.Cause(c.ctx)
}

// leave closes the connection. Code 1000 tells Discord that the session ends. After
// codes other than 1000 and 1001 Discord keeps it for some minutes:
// https://discord.com/developers/docs/events/gateway#initiating-a-disconnect
func (c *connection) leave(cause error) {
	limit := time.AfterFunc(closeLimit, func() { c.end(context.Canceled) })
	defer limit.Stop()
	code := websocket.StatusNormalClosure
	if errors.Is(cause, ErrHandOver) {
		code = closeKeeping
	}
	_ = c.ws.Close(code, "")
	c.end(context.Canceled)
}

// read returns the next message. It is valid until read is called again.
func (c *connection) read() (*fastjson.Value, error) {
	_, reader, err := c.ws.Reader(c.ctx)
	if err == nil {
		c.buffer.Reset()
		_, err = c.buffer.ReadFrom(reader)
	}
	if frame, ok := errors.AsType[websocket.CloseError](err); ok {
		return nil, closeError(frame)
	}
	if err != nil {
		return nil, err
	}
	message, err := c.parser.ParseBytes(c.buffer.Bytes())
	if err != nil || message.Get("op") == nil {
		return nil, errMalformed
	}
	return message, nil
}

// handle acts on a message. An error ends the connection.
func (c *connection) handle(message *fastjson.Value) error {
	data := message.Get("d")
	switch message.GetInt("op") {
	case opHello:
		return c.hello(time.Duration(data.GetInt64("heartbeat_interval")) * time.Millisecond)
	case opHeartbeat:
		return c.heartbeat()
	case opHeartbeatACK:
		c.unacknowledged.Store(false)
		c.gateway.latency.Store(time.Now().UnixNano() - c.heartbeatAt.Load())
	case opReconnect:
		return errReconnect
	case opInvalidSession:
		if message.GetBool("d") { // it can be resumed
			return errReconnect
		}
		return errInvalidSession
	case opDispatch:
		c.dispatch(string(message.GetStringBytes("t")), data)
		c.gateway.update(func(s *Session) { s.Sequence = max(s.Sequence, message.GetInt64("s")) })
	}
	return nil
}

// hello begins the heartbeats, and then begins or resumes the session.
func (c *connection) hello(interval time.Duration) error {
	if interval <= 0 || interval > maxInterval {
		return errMalformed
	}
	go c.keepAlive(interval)
	g, session := c.gateway, c.gateway.Session()
	if session.ID != "" {
		c.state = resuming
		c.handshakeTimer.Reset(resumeLimit * interval)
		return c.send(opResume, map[string]any{"token": g.cfg.Token.Reveal(), "session_id": session.ID, "seq": session.Sequence})
	}
	c.state = identifying
	c.handshakeTimer.Stop()
	bucket := g.bucket
	go func() { // so that heartbeats are acknowledged during the wait
		if err := c.identify(bucket, interval); err != nil {
			c.end(err)
		}
	}()
	return nil
}

// identify begins a session once it is the turn of the shard's bucket.
func (c *connection) identify(bucket int, interval time.Duration) error {
	g := c.gateway
	if err := g.cfg.Identifies.wait(c.ctx, bucket); err != nil {
		return err
	}
	g.cfg.Identifies.taken.Add(1)
	g.cfg.Discovery.spend()
	c.handshakeTimer.Reset(readyLimit * interval)
	g.begun.Store(time.Now().UnixNano())
	return c.send(opIdentify, map[string]any{
		"token":      g.cfg.Token.Reveal(),
		"intents":    0, // interactions need none
		"shard":      [2]int{g.cfg.Shard.ID, g.cfg.Shard.Count},
		"properties": map[string]string{"os": runtime.GOOS, "browser": "hostbot", "device": "hostbot"},
	})
}

// dispatch acts on an event.
func (c *connection) dispatch(name string, data *fastjson.Value) {
	g := c.gateway
	switch name {
	case "READY":
		g.update(func(s *Session) {
			s.ID = string(data.GetStringBytes("session_id"))
			s.ResumeURL = string(data.GetStringBytes("resume_gateway_url"))
			s.ApplicationID = string(data.GetStringBytes("application", "id"))
			s.Version = g.cfg.Version
		})
		c.establish()
		g.cfg.OnReady()
	case "RESUMED":
		c.establish()
		g.cfg.OnResumed()
	case "INTERACTION_CREATE":
		event := interaction.ReadEvent(data)
		event.Replayed, event.Shard = c.state == resuming, strconv.Itoa(g.cfg.Shard.ID)
		g.cfg.OnInteraction(event)
	}
}

// establish notes that Discord delivers events from now on.
func (c *connection) establish() {
	c.state = established
	c.handshakeTimer.Stop()
	c.gateway.failedResumes, c.gateway.had = 0, true
	c.gateway.ready.Store(true)
}

// keepAlive sends heartbeats until the connection is over. The first is sent after a random part of the interval,
// so that clients that Discord cut off together do not send in step. If a heartbeat is not acknowledged by the
// time of the next, the connection is dead:
// https://discord.com/developers/docs/events/gateway#sending-heartbeats
func (c *connection) keepAlive(interval time.Duration) {
	for pause := rand.N(interval); ; pause = interval {
		sleep(c.ctx, pause)
		if c.ctx.Err() != nil {
			return
		}
		if c.unacknowledged.Swap(true) {
			c.end(errUnacknowledged)
			return
		}
		if err := c.heartbeat(); err != nil {
			c.end(err)
		}
	}
}

// heartbeat sends a heartbeat.
func (c *connection) heartbeat() error {
	c.heartbeatAt.Store(time.Now().UnixNano())
	var last any // null until there was an event
	if sequence := c.gateway.Session().Sequence; sequence > 0 {
		last = sequence
	}
	return c.send(opHeartbeat, last)
}

// send writes a message.
func (c *connection) send(opcode int, data any) error {
	message, err := json.Marshal(map[string]any{"op": opcode, "d": data})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.ctx, writeLimit)
	defer cancel()
	return c.ws.Write(ctx, websocket.MessageText, message)
}
