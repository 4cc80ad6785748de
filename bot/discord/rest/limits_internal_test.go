package rest

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// However many panels wait, what is for everybody else is sent at once. No second has
// more than 45 requests.
func TestPanelsLeaveRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		var mu sync.Mutex
		var sent []time.Time
		var working sync.WaitGroup
		admit := func(purpose Purpose) {
			if err := l.admit(t.Context(), purpose, ""); err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			sent = append(sent, time.Now())
		}
		for range 300 {
			working.Go(func() { admit(ForPanels) })
		}
		for range 100 {
			began := time.Now()
			admit(ForAlerts)
			if waited := time.Since(began); waited > 100*time.Millisecond {
				t.Errorf("an alert waited for %v behind panels", waited)
			}
			time.Sleep(80 * time.Millisecond) // of the bubble
		}
		working.Wait()
		for i, at := range sent {
			within := 0
			for _, other := range sent[i:] {
				if other.Sub(at) < time.Second {
					within++
				}
			}
			if within > perSecond+burst {
				t.Fatalf("%d requests within a second", within)
			}
		}
	})
}

// A threshold is told of once, and again after the figure has come down.
func TestThresholdsAreToldOfOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		fail := func(n int) (told []int) {
			for range n {
				if threshold := l.note(403, 0, "").threshold; threshold > 0 {
					told = append(told, threshold)
				}
			}
			return told
		}
		if told := fail(9_000); len(told) != 2 || told[0] != FewerFrom || told[1] != AnswersOnlyFrom {
			t.Errorf("told of %v", told)
		}
		time.Sleep(2 * InvalidWindow)
		if refused := l.paused(ForPanels); refused != nil {
			t.Errorf("held back when it is over: %v", refused)
		}
		if told := fail(6_000); len(told) != 1 || told[0] != FewerFrom {
			t.Errorf("the next time: told of %v", told)
		}
	})
}

// Who cannot wait for room is told when to come again. Nothing is sent in its place.
func TestRequestsWithoutRoomAreHeldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		for range burst {
			if err := l.admit(t.Context(), ForAll, ""); err != nil {
				t.Fatal(err)
			}
		}
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := l.admit(short, ForAll, ""); err == nil || err.Status != http.StatusTooManyRequests || err.RetryAfter != time.Second || err.Uncertain {
			t.Errorf("got %v", err)
		}
		given, up := context.WithCancel(t.Context())
		up()
		if err := l.admit(given, ForAll, ""); err == nil || err.Status != 0 || err.Uncertain {
			t.Errorf("a request that was given up: %v", err)
		}
		time.Sleep(time.Second / perSecond) // of the bubble
		if err := l.admit(t.Context(), ForAll, ""); err != nil {
			t.Errorf("when there is room again: %v", err)
		}
	})
}

// A refusal holds everything for as long as it is heeded. It is told of once while it lasts.
func TestLongPausesAreTriedInBetween(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		if n := l.note(429, longestPause, ""); n.pause != longestPause {
			t.Errorf("a pause of %v begins", n.pause)
		}
		if n := l.note(429, longestPause, ""); n.pause != 0 {
			t.Error("it begins twice")
		}
		for _, purpose := range []Purpose{ForAll, ForAlerts, ForPanels, forGateway} {
			if held := l.paused(purpose); held == nil || held.RetryAfter != longestPause {
				t.Errorf("purpose %d: %v", purpose, held)
			}
		}
		time.Sleep(longestPause)
		if held := l.paused(ForAll); held != nil {
			t.Errorf("nothing is tried: %v", held)
		}
		if n := l.note(429, longestPause, ""); n.pause != longestPause {
			t.Errorf("the next time a pause of %v begins", n.pause)
		}
	})
}
