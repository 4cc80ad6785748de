package gateway

import (
	"bytes"
	"sync/atomic"
	"time"
)

// latency measures how long Discord takes to acknowledge a heartbeat, by what
// passes on the wire: the library's own figure is read without its lock.
type latency struct {
	sent atomic.Int64 // Unix nanoseconds; 0 while no heartbeat is under way
	last atomic.Int64 // nanoseconds; 0 until it is known
}

// heartbeat is how the library's heartbeats begin.
var heartbeat = []byte(`{"op":1,`)

// wrote looks for a heartbeat in what the library writes. A heartbeat is one
// short frame, masked as RFC 6455 wants it of clients.
func (l *latency) wrote(p []byte) {
	const head, mask = 2, 4
	if len(p) < head+mask+len(heartbeat) || p[0]&0x0f != frameText || p[1] < 0x80 || p[1]-0x80 > maxControl {
		return
	}
	var text [8]byte
	for i := range text {
		text[i] = p[head+mask+i] ^ p[head+i%mask]
	}
	if bytes.Equal(text[:], heartbeat) {
		l.sent.Store(time.Now().UnixNano())
	}
}

func (l *latency) acknowledged() {
	if sent := l.sent.Swap(0); sent != 0 {
		l.last.Store(time.Now().UnixNano() - sent)
	}
}
