package gateway

import (
	"testing"
	"testing/synctest"
	"time"
)

// masked writes a frame as a client does.
func masked(payload string) []byte {
	key := [4]byte{0x12, 0xa3, 0x44, 0xf5}
	out := append([]byte{0x80 | frameText, 0x80 | byte(len(payload))}, key[:]...)
	for i := range len(payload) {
		out = append(out, payload[i]^key[i%4])
	}
	return out
}

func TestLatencyIsThatOfTheLastHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l latency
		beat := func(wait time.Duration) {
			l.wrote(masked(`{"op":1,"d":251}`))
			<-time.After(wait)
			l.acknowledged()
		}
		l.acknowledged() // of nothing that was sent
		if got := l.last.Load(); got != 0 {
			t.Errorf("before any heartbeat: %v", time.Duration(got))
		}
		beat(40 * time.Millisecond)
		l.wrote(masked(`{"op":2,"d":{"token":"x"}}`))
		<-time.After(time.Second)
		l.acknowledged()
		for _, short := range []string{"", "{", `{"op":1`} {
			l.wrote(masked(short))
			l.acknowledged()
		}
		if got := time.Duration(l.last.Load()); got != 40*time.Millisecond {
			t.Errorf("latency %v", got)
		}
		beat(20 * time.Millisecond)
		if got := time.Duration(l.last.Load()); got != 20*time.Millisecond {
			t.Errorf("latency %v", got)
		}
	})
}
