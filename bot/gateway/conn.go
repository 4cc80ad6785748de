package gateway

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"time"
)

// conn is the connection under discordgo's websocket. It reads the frames that
// Discord sends before the library does and acts on those that the library
// ignores or mishandles.
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
	ready    bool
	pending  []byte        // read and looked at, still to be handed on
	passing  int64         // bytes of the current frame to hand on unseen
	deadline time.Time     // for the next sign of life
	interval time.Duration // between heartbeats, as HELLO names it

	latency latency
	over    chan struct{}
	ending  sync.Once
	why     error // set before over is closed
}

// sessionEvent is what Discord says of the session: READY, RESUMED, or that it
// is not valid and another will be begun.
type sessionEvent struct {
	resumed       bool
	invalid       bool
	applicationID string
	resumeURL     string
}

func newConn(raw net.Conn, noted func(sessionEvent)) *conn {
	return &conn{
		Conn:     raw,
		noted:    noted,
		in:       bufio.NewReaderSize(raw, 4096),
		deadline: time.Now().Add(connectLimit),
		over:     make(chan struct{}),
	}
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
		close(c.over)
		_ = c.Conn.Close()
	})
}

// Close is called by the library when it gives the connection up.
func (c *conn) Close() error {
	c.end(net.ErrClosed)
	return nil
}

func (c *conn) Write(p []byte) (int, error) {
	if why := c.reason(); why != nil {
		return 0, why
	}
	c.latency.wrote(p)
	return c.Conn.Write(p)
}

func (c *conn) Read(p []byte) (int, error) {
	n, err := c.read(p)
	if err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = errSilent
		}
		c.end(err)
		return 0, c.why
	}
	return n, nil
}

func (c *conn) read(p []byte) (int, error) {
	if len(c.pending) == 0 && c.passing == 0 {
		_ = c.Conn.SetReadDeadline(c.deadline) // fails only where reading does
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
	c.pending = head.raw
	if !c.interesting(head) {
		c.passing = head.length
		return nil
	}
	payload := make([]byte, head.length)
	if _, err := io.ReadFull(c.in, payload); err != nil {
		return err
	}
	c.pending = append(c.pending, payload...)
	if head.opcode == frameClose {
		return parseClose(payload)
	}
	return c.inspect(payload)
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
		return head.length <= maxSmall || !c.ready && head.length <= maxReady
	default:
		return false
	}
}

// Opcodes of the gateway.
const (
	opDispatch       = 0
	opReconnect      = 7
	opInvalidSession = 9
	opHello          = 10
	opAcknowledged   = 11
)

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
	case opAcknowledged:
		c.latency.acknowledged()
		c.extend()
	case opReconnect:
		// The library would close under a lock that its Open holds.
		return errReconnect
	case opInvalidSession:
		return c.invalidSession(string(e.Data) == "true")
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
	c.extend()
	return nil
}

// extend allows the time in which the next heartbeat must have been sent and
// acknowledged: within two intervals a dead connection is noticed.
func (c *conn) extend() {
	if c.interval == 0 {
		return
	}
	c.deadline = time.Now().Add(c.interval * 7 / 4)
}

// invalidSession ends the connection where the session can be resumed. Where
// it can not, the library identifies anew as soon as it is told, so it is told
// after the 1 to 5 s that Discord asks for.
func (c *conn) invalidSession(resumable bool) error {
	if resumable {
		return errResumable
	}
	c.ready = false // another READY will come
	c.noted(sessionEvent{invalid: true})
	pause := time.Second + rand.N(4*time.Second)
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-c.over:
		return c.why
	case <-timer.C:
		c.deadline = c.deadline.Add(pause)
		return nil
	}
}

func (c *conn) dispatched(event string, data json.RawMessage) {
	switch event {
	case "READY":
		var ready struct {
			ResumeURL   string `json:"resume_gateway_url"`
			Application struct {
				ID string `json:"id"`
			} `json:"application"`
		}
		if json.Unmarshal(data, &ready) == nil {
			c.ready = true
			c.noted(sessionEvent{applicationID: ready.Application.ID, resumeURL: ready.ResumeURL})
		}
	case "RESUMED":
		c.ready = true
		c.noted(sessionEvent{resumed: true})
	}
}
