package gateway

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// heartbeats puts off the library's heartbeats, which begin at once, by one
// random part of the interval: Discord asks for that, lest all that it cut off
// together come back in step.
type heartbeats struct {
	shift atomic.Int64 // a time.Duration
	asked atomic.Bool  // Discord waits for one, which is not put off
}

// begin draws by how much heartbeats of an interval are put off.
func (h *heartbeats) begin(interval time.Duration) { h.shift.Store(int64(rand.N(interval))) }

// delay returns by how much the next heartbeat is put off.
func (h *heartbeats) delay() time.Duration {
	if h.asked.Swap(false) {
		return 0
	}
	return time.Duration(h.shift.Load())
}

// Write takes what the library sends, which is a whole frame once the
// connection is a websocket.
func (c *conn) Write(p []byte) (int, error) {
	if why := c.reason(); why != nil {
		return 0, why
	}
	opcode, payload := readClientFrame(p)
	switch {
	case opcode == frameClose && !c.leaving.Load():
		// The library closes with code 1000, also the next connection in place
		// of the one that it lost.
		c.end(errGivenUp)
		return 0, c.why
	case opcode == frameText && isHeartbeat(payload):
		late := bytes.Clone(p) // the library uses p again
		time.AfterFunc(c.beats.delay(), func() {
			if c.reason() == nil {
				c.latency.sending()
				_, _ = c.Conn.Write(late) // where it fails, reading does
			}
		})
		return len(p), nil
	}
	return c.Conn.Write(p)
}

func isHeartbeat(payload []byte) bool {
	var e struct {
		Op *int `json:"op"`
	}
	return len(payload) > 0 && json.Unmarshal(payload, &e) == nil && e.Op != nil && *e.Op == opHeartbeat
}
