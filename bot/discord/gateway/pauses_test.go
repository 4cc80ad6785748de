package gateway

import (
	"testing"
	"time"
)

// TestPausesBeginAnewOnceAConnectionWasEstablished has Discord drop what was, at once or a
// moment later.
func TestPausesBeginAnewOnceAConnectionWasEstablished(t *testing.T) {
	const failing, atOnce, later = 8, 8, 8
	var began, dropped []time.Time
	told := play(t, time.Hour, func(n int, link *fakeLink) {
		began = append(began, time.Now())
		defer func() { dropped = append(dropped, time.Now()) }()
		if n <= failing {
			return // without HELLO
		}
		if message := link.hello(); message.Op == opResume {
			link.send(`{"t":"RESUMED","s":2,"op":0,"d":{}}`)
		} else {
			link.ready()
		}
		if n > failing+atOnce {
			<-time.After(2 * time.Second) // of the bubble's time
		}
		if n > failing+atOnce+later {
			link.acknowledgeAll()
		}
	})
	if len(began) < failing+atOnce+later+1 {
		t.Fatalf("%d connections; told %q", len(began), told)
	}
	for i := failing; i < failing+atOnce; i++ {
		least, most := time.Second, 2*time.Second
		if i == failing {
			least, most = minPause/2, 2*minPause
		}
		if cycle := began[i+1].Sub(began[i]); cycle < least || cycle > most {
			t.Errorf("connection %d, which was dropped at once: the next one came %v after it", i+1, cycle)
		}
	}
	for i := failing + atOnce; i < failing+atOnce+later; i++ {
		if pause := began[i+1].Sub(dropped[i]); pause < minPause/2 || pause > 2*minPause {
			t.Errorf("connection %d, which lasted for 2 s: a pause of %v after it", i+1, pause)
		}
	}
}

// TestDiscordIsFoundSoonAfterAnOutage, however long that was.
func TestDiscordIsFoundSoonAfterAnOutage(t *testing.T) {
	var began []time.Time
	play(t, 10*time.Minute, func(int, *fakeLink) { began = append(began, time.Now()) }) // without HELLO
	if len(began) < 10 {
		t.Fatalf("%d connections", len(began))
	}
	for i, at := range began[1:] {
		if pause := at.Sub(began[i]); pause > 15*time.Second || i > 10 && pause < time.Second {
			t.Errorf("a pause of %v after connection %d", pause, i+1)
		}
	}
}

// TestSessionsThatEndEarlyDoNotUseUpTheDays has Discord give up each session soon after
// READY, for a day: in place of an event, or in answer to RESUME.
func TestSessionsThatEndEarlyDoNotUseUpTheDays(t *testing.T) {
	const giveUp = `{"op":9,"d":false}`
	for name, drop := range map[string]bool{"given up": false, "dropped, and not resumed": true} {
		identifies := 0
		play(t, 24*time.Hour, func(_ int, link *fakeLink) {
			if link.hello().Op == opResume {
				link.send(giveUp)
				return
			}
			identifies++
			link.ready()
			if !drop {
				link.send(giveUp)
			}
		})
		if identifies > 1000-reservedStarts || identifies < 100 {
			t.Errorf("%s: %d IDENTIFYs in a day", name, identifies)
		}
	}
}

// TestSessionThatLastedIsReplacedSoon has Discord give sessions up after some minutes.
func TestSessionThatLastedIsReplacedSoon(t *testing.T) {
	var began, ended []time.Time
	play(t, 2*time.Hour, func(_ int, link *fakeLink) {
		link.hello()
		began = append(began, time.Now())
		link.ready()
		defer time.AfterFunc(5*time.Minute, func() {
			ended = append(ended, time.Now())
			link.send(`{"op":9,"d":false}`)
		}).Stop()
		link.acknowledgeAll()
	})
	if len(began) < 20 {
		t.Fatalf("%d sessions", len(began))
	}
	for i, at := range began[1:] {
		if pause := at.Sub(ended[i]); pause > 6*time.Second {
			t.Errorf("session %d began %v after the last one ended", i+2, pause)
		}
	}
}
