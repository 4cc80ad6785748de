package gateway

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestLatencyIsThatOfTheLastHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l latency
		beat := func(wait time.Duration) {
			l.sending()
			<-time.After(wait)
			l.acknowledged()
		}
		l.acknowledged() // of nothing that was sent
		if got := l.last.Load(); got != 0 {
			t.Errorf("before any heartbeat: %v", time.Duration(got))
		}
		beat(40 * time.Millisecond)
		<-time.After(time.Second)
		l.acknowledged() // once more
		if got := time.Duration(l.last.Load()); got != 40*time.Millisecond {
			t.Errorf("latency %v", got)
		}
		beat(20 * time.Millisecond)
		if got := time.Duration(l.last.Load()); got != 20*time.Millisecond {
			t.Errorf("latency %v", got)
		}
	})
}

func TestLatencyIsCountedFromWhenAHeartbeatIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, arrivals := beating(t, "")
		_, _ = c.Write(clientFrame(frameText, beat)) // which is put off
		<-arrivals
		<-time.After(30 * time.Millisecond)
		c.latency.acknowledged()
		if got := time.Duration(c.latency.last.Load()); got != 30*time.Millisecond {
			t.Errorf("latency %v", got)
		}
	})
}
