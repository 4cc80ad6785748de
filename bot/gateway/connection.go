package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/valyala/fastjson"

	"hostbot/bot/interaction"
	"hostbot/bot/rest"
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
	// maxKept is the largest buffer, in bytes, that is used again.
	maxKept = 64 << 10
	// writeLimit bounds one write.
	writeLimit = 10 * time.Second
	// closeLimit bounds the wait for Discord's answer to a close frame.
	closeLimit = 2 * time.Second
	// maxInterval is the longest interval between heartbeats that is believed.
	maxInterval = time.Hour
	// In an outage Discord acknowledges heartbeats and sends READY later
	// (https://discord.com/developers/docs/events/gateway#identifying). A further
	// IDENTIFY would count towards the day's 1,000, where a RESUME is free. So
	// READY is waited for much longer than RESUMED. Both limits are in heartbeat
	// intervals, and start over with each event; Discord's interval is 41.25 s.
	readyLimit  = 15
	resumeLimit = 2
)

// connection is one websocket, over which a session is begun or resumed.
type connection struct {
	gateway  *Gateway
	raw      net.Conn // under ws
	ws       *websocket.Conn
	resuming bool

	ctx context.Context // done when the connection is over; its cause says why
	end context.CancelCauseFunc

	sequence atomic.Int64 // of the last event
	beats    heartbeats

	// Used by run alone.
	buffer   bytes.Buffer
	parser   fastjson.Parser
	began    bool          // IDENTIFY or RESUME was sent
	stood    bool          // READY or RESUMED was received
	patience time.Duration // for the next event, until the session stands
	waiting  *time.Timer   // ends the connection when patience is over
}

// dial connects to the gateway. It returns the websocket and the connection under
// it, which can be closed and given deadlines at any time.
func (g *Gateway) dial(ctx context.Context, at *url.URL) (ws *websocket.Conn, raw net.Conn, err error) {
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) { raw = info.Conn },
	})
	// The version and the encoding are to be added to each address, also to
	// the one for resuming (discord-api-docs#5725).
	address := *at
	address.RawQuery = url.Values{"v": {strconv.Itoa(g.cfg.Version)}, "encoding": {"json"}}.Encode()
	options := &websocket.DialOptions{
		HTTPClient: &http.Client{
			Transport:     g.transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		HTTPHeader: http.Header{"User-Agent": {g.cfg.UserAgent}},
	}
	ws, res, err := websocket.Dial(ctx, address.String(), options) //nolint:bodyclose // the library reads and closes it
	switch {
	case err == nil:
		ws.SetReadLimit(maxMessage)
		return ws, raw, nil
	case res != nil && res.StatusCode != http.StatusSwitchingProtocols:
		return nil, nil, fmt.Errorf("connect to the gateway: %w", rest.Refusal(res))
	default:
		var request *url.Error // names the address, which says nothing
		if errors.As(err, &request) {
			err = request.Err
		}
		return nil, nil, fmt.Errorf("connect to the gateway: %w", err)
	}
}

// newConnection returns a connection that ends when run returns. Where ctx is done
// before, it ends the session with Discord.
func newConnection(ctx context.Context, g *Gateway, ws *websocket.Conn, raw net.Conn, resuming bool) *connection {
	c := &connection{gateway: g, ws: ws, raw: raw, resuming: resuming}
	c.sequence.Store(g.session.Sequence)
	c.beats.asked = make(chan struct{}, 1)
	c.ctx, c.end = context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, c.leave)
	context.AfterFunc(c.ctx, func() {
		stop()
		// Without a close frame: Discord keeps the session for a while.
		_ = c.raw.Close()
		_ = c.ws.CloseNow()
	})
	return c
}

// leave ends the session: code 1000 tells Discord that it will not be resumed.
func (c *connection) leave() {
	_ = c.raw.SetDeadline(time.Now().Add(closeLimit))
	_ = c.ws.Close(websocket.StatusNormalClosure, "")
	c.end(context.Canceled)
}

// run reads what Discord sends until the connection is over, and returns why.
func (c *connection) run() error {
	defer c.end(nil)
	c.waiting = time.AfterFunc(connectLimit, func() { c.end(errNoHello) })
	defer func() { c.waiting.Stop() }()
	for {
		message, err := c.read()
		if err == nil {
			err = c.handle(message)
		}
		if err != nil {
			c.end(err)
		}
		if c.ctx.Err() != nil {
			return context.Cause(c.ctx)
		}
	}
}

// read returns the next message, which is valid until read is called again.
func (c *connection) read() (*fastjson.Value, error) {
	// Not with the connection's context, which would cost an event 300 bytes:
	// whoever ends the connection closes it.
	kind, reader, err := c.ws.Reader(context.Background())
	if err != nil {
		return nil, closed(err)
	}
	if c.buffer.Cap() > maxKept {
		c.buffer, c.parser = bytes.Buffer{}, fastjson.Parser{}
	}
	c.buffer.Reset()
	if _, err := c.buffer.ReadFrom(reader); err != nil {
		return nil, closed(err)
	}
	message, err := c.parser.ParseBytes(c.buffer.Bytes())
	if err != nil || kind != websocket.MessageText || message.Get("op") == nil {
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
		c.beats.ask()
	case opHeartbeatACK:
		c.gateway.latency.Store(int64(c.beats.acknowledged()))
	case opReconnect:
		return errReconnect
	case opInvalidSession:
		if message.GetBool("d") {
			return errResumable
		}
		return errInvalidSession
	case opDispatch:
		c.dispatch(string(message.GetStringBytes("t")), data)
		c.sequence.Store(max(c.sequence.Load(), message.GetInt64("s")))
	}
	return nil
}

// hello begins the heartbeats, and then begins or resumes the session.
func (c *connection) hello(interval time.Duration) error {
	if interval <= 0 || interval > maxInterval {
		return errMalformed
	}
	if c.began {
		return nil
	}
	c.began = true
	go c.heartbeat(interval)
	c.patience = readyLimit * interval
	if c.resuming {
		c.patience = resumeLimit * interval
	}
	c.waiting.Stop()
	c.waiting = time.AfterFunc(c.patience, func() { c.end(errNoSession) })
	if c.resuming {
		return c.resume()
	}
	return c.identify()
}

func (c *connection) identify() error {
	shard := c.gateway.cfg.Shard
	return c.send(opIdentify, map[string]any{
		"token":      c.gateway.cfg.Token.Reveal(),
		"intents":    0, // interactions need none
		"shard":      [2]int{shard.ID, shard.Count},
		"properties": map[string]string{"os": runtime.GOOS, "browser": "hostbot", "device": "hostbot"},
	})
}

func (c *connection) resume() error {
	return c.send(opResume, map[string]any{
		"token":      c.gateway.cfg.Token.Reveal(),
		"session_id": c.gateway.session.ID,
		"seq":        c.sequence.Load(),
	})
}

// dispatch acts on an event. Each that comes before the session stands is a sign
// that it will.
func (c *connection) dispatch(name string, data *fastjson.Value) {
	if !c.stood {
		c.waiting.Reset(c.patience)
	}
	switch name {
	case "READY":
		c.gateway.session.ID = string(data.GetStringBytes("session_id"))
		c.gateway.session.ResumeURL = string(data.GetStringBytes("resume_gateway_url"))
		c.stand()
		c.gateway.cfg.OnReady(string(data.GetStringBytes("application", "id")))
	case "RESUMED":
		c.stand()
		c.gateway.cfg.OnResumed()
	case "INTERACTION_CREATE":
		event := interaction.ReadEvent(data)
		event.Replayed = !c.stood // which only a resumed session sends before RESUMED
		c.gateway.cfg.OnInteraction(event)
	}
}

// stand notes that Discord delivers events from now on.
func (c *connection) stand() {
	c.stood = true
	c.waiting.Stop()
	c.gateway.failedResumes, c.gateway.useResumeURL = 0, true
	c.gateway.ready.Store(c.ctx.Err() == nil)
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
