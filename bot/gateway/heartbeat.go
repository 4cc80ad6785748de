package gateway

import (
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// heartbeats is what is known of a connection's heartbeats.
type heartbeats struct {
	asked   chan struct{} // Discord wants one at once
	pending atomic.Bool   // the last regular one is not acknowledged
	sent    atomic.Int64  // when the last one was, in Unix nanoseconds
}

// ask has a heartbeat sent at once.
func (b *heartbeats) ask() {
	select {
	case b.asked <- struct{}{}:
	default: // one is about to be sent
	}
}

// acknowledged notes Discord's acknowledgement, and returns how long that took.
func (b *heartbeats) acknowledged() time.Duration {
	b.pending.Store(false)
	return time.Duration(time.Now().UnixNano() - b.sent.Load())
}

// heartbeat sends heartbeats until the connection is over. The first comes
// after a random part of the interval, as Discord asks: otherwise all clients that
// it cut off together would come back in step. Where one is not acknowledged by
// the time of the next, the connection is dead:
// https://discord.com/developers/docs/events/gateway#sending-heartbeats
func (c *connection) heartbeat(interval time.Duration) {
	regular := time.NewTimer(rand.N(interval))
	defer regular.Stop()
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-c.beats.asked:
		case <-regular.C:
			if c.beats.pending.Swap(true) {
				c.end(errUnacknowledged)
				return
			}
			regular.Reset(interval)
		}
		c.beats.sent.Store(time.Now().UnixNano())
		var last any // null until there was an event
		if sequence := c.sequence.Load(); sequence > 0 {
			last = sequence
		}
		if err := c.send(opHeartbeat, last); err != nil {
			c.end(err)
			return
		}
	}
}
