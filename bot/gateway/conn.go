package gateway

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// conn is the connection under discordgo's websocket. It reads the frames that
// Discord sends before the library does and acts on those that the library
// ignores or mishandles; what the library sends passes heartbeat.go.
//
// Once the connection is over, for whatever reason, nothing more is written to
// it: the library would close with code 1000, which ends the session for good
// where it could have been resumed.
type conn struct {
	net.Conn
	noted func(sessionEvent)

	// Used by the reading goroutine alone.
	in       *bufio.Reader
	upgraded bool
	pending  []byte        // read and looked at, still to be handed on
	passing  int64         // bytes of the current frame to hand on unseen
	interval time.Duration // between heartbeats, as HELLO names it

	ready   atomic.Bool // Discord delivers events over this connection
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

func newConn(raw net.Conn, noted func(sessionEvent)) *conn {
	c := &conn{Conn: raw, noted: noted, in: bufio.NewReaderSize(raw, 4096), over: make(chan struct{})}
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

// end cuts the connection; the first reason counts.
func (c *conn) end(why error) {
	c.ending.Do(func() {
		c.why = why
		c.ready.Store(false)
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
	if !c.interesting(head) {
		c.pending, c.passing = head.raw, head.length
		return nil
	}
	payload := make([]byte, head.length)
	if _, err := io.ReadFull(c.in, payload); err != nil {
		return err
	}
	if head.opcode == frameClose {
		return parseClose(payload)
	}
	err = c.inspect(payload)
	if errors.Is(err, errUnwanted) {
		return nil
	}
	c.pending = append(head.raw, payload...)
	return err
}

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

// Frames that speak of the session are small, except READY.
const (
	maxSmall = 1 << 10
	maxReady = 4 << 20
)

func (c *conn) interesting(head frameHead) bool {
	switch head.opcode {
	case frameClose:
		return head.length <= maxControl
	case frameText:
		return head.length <= maxSmall || !c.ready.Load() && head.length <= maxReady
	default:
		return false
	}
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

// errUnwanted is a frame that the library must not see.
var errUnwanted = errors.New("unwanted")

func (c *conn) inspect(payload []byte) error {
	var e struct {
		Op   int             `json:"op"`
		Type string          `json:"t"`
		Data json.RawMessage `json:"d"`
	}
	if string(payload) == "null" {
		return errNonsense // on which the library panics
	}
	if json.Unmarshal(payload, &e) != nil {
		return nil // the library drops it
	}
	switch e.Op {
	case opHello:
		return c.hello(e.Data)
	case opHeartbeat:
		c.beats.asked.Store(true)
	case opAcknowledged:
		if !c.ready.Load() {
			return errUnwanted // its Open would take a lock that it holds
		}
		c.latency.acknowledged()
		c.extend()
	case opReconnect:
		return errReconnect // its Open would close under a lock that it holds
	case opInvalidSession:
		// The library would identify anew whatever the session is worth, at
		// once, and as often as it is told.
		if string(e.Data) == "true" {
			return errResumable
		}
		return errInvalid
	case opDispatch:
		c.dispatched(e.Type, e.Data)
	}
	return nil
}

// maxInterval is the longest heartbeat interval that is believed.
const maxInterval = time.Hour

func (c *conn) hello(data json.RawMessage) error {
	var hello struct {
		Interval int64 `json:"heartbeat_interval"` // milliseconds
	}
	err := json.Unmarshal(data, &hello)
	if err != nil || hello.Interval <= 0 || hello.Interval > maxInterval.Milliseconds() {
		return errNonsense // on which the library panics
	}
	c.interval = time.Duration(hello.Interval) * time.Millisecond
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

// dispatched looks at an event. Until the session stands, events are the signs
// of life: one that never comes to stand is as dead as a silent one.
func (c *conn) dispatched(event string, data json.RawMessage) {
	if !c.ready.Load() {
		c.extend()
	}
	switch event {
	case "READY":
		var ready struct {
			ResumeURL   string `json:"resume_gateway_url"`
			Application struct {
				ID string `json:"id"`
			} `json:"application"`
		}
		if json.Unmarshal(data, &ready) == nil {
			c.ready.Store(true)
			c.noted(sessionEvent{applicationID: ready.Application.ID, resumeURL: ready.ResumeURL})
		}
	case "RESUMED":
		c.ready.Store(true)
		c.noted(sessionEvent{resumed: true})
	}
}
