package gateway

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fastjson"

	"hostbot/bot/interaction"
)

// conn is the connection under discordgo's websocket. It reads the messages that
// Discord sends before the library does. Interactions it passes on itself, and
// it acts on what the library ignores or mishandles; what the library sends
// passes heartbeat.go.
//
// Once the connection is over, for whatever reason, nothing more is written to
// it: the library would close with code 1000, which ends the session for good
// where it could have been resumed.
type conn struct {
	net.Conn
	noted         func(sessionEvent)
	onInteraction func(*interaction.Event)

	// Used by the reading goroutine alone.
	in       *bufio.Reader
	upgraded bool
	message  []byte // as far as it is read
	parser   fastjson.Parser
	pending  []byte        // read and looked at, still to be handed on
	passing  int64         // bytes of the current frame to hand on unseen
	interval time.Duration // between heartbeats, as HELLO names it

	ready   atomic.Bool // Discord has begun to deliver events; see delivers
	leaving atomic.Bool // the library may close the session for good
	beats   heartbeats
	latency latency

	alive  *time.Timer // ends the connection unless a sign of life puts it off
	over   chan struct{}
	ending sync.Once
	why    error // set before over is closed
}

// sessionEvent is what Discord says of the session: READY or RESUMED.
type sessionEvent struct {
	resumed       bool
	applicationID string
	resumeURL     string
}

func newConn(raw net.Conn, noted func(sessionEvent), onInteraction func(*interaction.Event)) *conn {
	c := &conn{
		Conn: raw, noted: noted, onInteraction: onInteraction,
		in: bufio.NewReaderSize(raw, 16<<10), over: make(chan struct{}), // several interactions, which come together under load
	}
	// Not a deadline for reading: the library may have stopped doing that.
	c.alive = time.AfterFunc(connectLimit, func() { c.end(errSilent) })
	return c
}

// reason returns why the connection is over, or nil while it is not.
func (c *conn) reason() error {
	select {
	case <-c.over:
		return c.why
	default:
		return nil
	}
}

// delivers tells whether Discord delivers events over this connection. That it
// begins to may be read when the connection is over.
func (c *conn) delivers() bool { return c.ready.Load() && c.reason() == nil }

// end cuts the connection; the first reason counts.
func (c *conn) end(why error) {
	c.ending.Do(func() {
		c.why = why
		close(c.over)
		_ = c.Conn.Close()
	})
}

// Close is called by the library when it gives the connection up.
func (c *conn) Close() error {
	c.end(errGivenUp)
	return nil
}

func (c *conn) Read(p []byte) (int, error) {
	n, err := c.read(p)
	if err != nil {
		c.end(err)
		return 0, c.why
	}
	return n, nil
}

func (c *conn) read(p []byte) (int, error) {
	for len(c.pending) == 0 && c.passing == 0 {
		if err := c.next(); err != nil {
			return 0, err
		}
	}
	if len(c.pending) > 0 {
		n := copy(p, c.pending)
		c.pending = c.pending[n:]
		return n, nil
	}
	if int64(len(p)) > c.passing {
		p = p[:c.passing]
	}
	n, err := c.in.Read(p)
	c.passing -= int64(n)
	return n, err
}

// next reads the upgrade's answer or the next frame's head, and the whole
// frame where it can be of interest.
func (c *conn) next() error {
	if !c.upgraded {
		return c.passUpgrade()
	}
	head, err := readFrameHead(c.in)
	if err != nil {
		return err
	}
	switch head.opcode {
	case frameText, frameContinuation:
		return c.readText(head)
	case frameClose:
		payload := make([]byte, min(head.length, maxControl))
		if _, err := io.ReadFull(c.in, payload); err != nil {
			return err
		}
		return parseClose(payload)
	case frameBinary:
		return errNonsense // compressed, which was not asked for, and would pass unseen
	default:
		c.pending, c.passing = head.raw, head.length
		return nil
	}
}

// readText reads a frame of a text message and, once that is complete, hands on
// what the library is to see of it, in one frame.
func (c *conn) readText(head frameHead) error {
	seen := len(c.message)
	if seen+int(head.length) > maxPayload {
		return errFrame
	}
	c.message = slices.Grow(c.message, int(head.length))[:seen+int(head.length)]
	if _, err := io.ReadFull(c.in, c.message[seen:]); err != nil || !head.final {
		return err
	}
	message, err := c.inspect(c.message)
	if len(message) > 0 {
		c.pending = appendFrame(nil, message)
	}
	if c.message = c.message[:0]; cap(c.message) > maxKept {
		c.message, c.parser = nil, fastjson.Parser{}
	}
	return err
}

// maxKept is the largest room for messages, in bytes, that is used again.
const maxKept = 64 << 10

// passUpgrade hands on a line of the HTTP answer; an empty one is the last.
func (c *conn) passUpgrade() error {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return err
	}
	c.pending = append([]byte(nil), line...)
	c.upgraded = len(line) <= 2
	return nil
}

// Opcodes of the gateway.
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opReconnect      = 7
	opInvalidSession = 9
	opHello          = 10
	opAcknowledged   = 11
)

// inspect acts on a message and returns what the library is to see in its
// place, if anything.
func (c *conn) inspect(message []byte) (seen []byte, err error) {
	if string(message) == "null" {
		return nil, errNonsense // on which the library panics
	}
	p, err := c.parser.ParseBytes(message)
	if err != nil {
		return message, nil // the library drops it
	}
	data := p.Get("d")
	switch p.GetInt("op") {
	case opHello:
		return message, c.hello(data.GetInt64("heartbeat_interval"))
	case opHeartbeat:
		c.beats.asked.Store(true)
	case opAcknowledged:
		if !c.ready.Load() {
			return nil, nil // the library's Open would take a lock that it holds
		}
		c.latency.acknowledged()
		c.extend()
	case opReconnect:
		return nil, errReconnect // the library's Open would close under a lock that it holds
	case opInvalidSession:
		// The library would identify anew whatever the session is worth, at
		// once, and as often as it is told.
		if p.GetBool("d") {
			return nil, errResumable
		}
		return nil, errInvalid
	case opDispatch:
		return c.dispatched(p, message), nil
	}
	return message, nil
}

// maxInterval is the longest heartbeat interval that is believed.
const maxInterval = time.Hour

func (c *conn) hello(milliseconds int64) error {
	if milliseconds <= 0 || milliseconds > maxInterval.Milliseconds() {
		return errNonsense // on which the library panics
	}
	c.interval = time.Duration(milliseconds) * time.Millisecond
	c.beats.begin(c.interval)
	c.extend()
	return nil
}

// extend allows the time in which the next heartbeat must have been sent and
// acknowledged: within two intervals a dead connection is noticed.
func (c *conn) extend() {
	if c.interval > 0 {
		c.alive.Reset(c.interval * 7 / 4)
	}
}

// dispatched acts on an event and returns what the library is to see in its
// place. Until the session stands, events are the signs of life: one that never
// comes to stand is as dead as a silent one.
func (c *conn) dispatched(p *fastjson.Value, message []byte) []byte {
	if !c.ready.Load() {
		c.extend()
	}
	data := p.Get("d")
	switch string(p.GetStringBytes("t")) {
	case "READY":
		c.ready.Store(true)
		c.noted(sessionEvent{
			applicationID: string(data.GetStringBytes("application", "id")),
			resumeURL:     string(data.GetStringBytes("resume_gateway_url")),
		})
	case "RESUMED":
		c.ready.Store(true)
		c.noted(sessionEvent{resumed: true})
	case "INTERACTION_CREATE":
		c.onInteraction(interaction.ReadEvent(data))
		// The library counts events, to say at which to resume; one that it does
		// not know costs it nothing more.
		return fmt.Appendf(nil, `{"t":"SERVED","s":%d}`, p.GetInt64("s"))
	}
	return message
}
