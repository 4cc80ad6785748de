package faultmatrix_test

import (
	"sync/atomic"
	"testing"
	"time"
)

// pulse notices when the machine is too busy to judge by it how long something
// takes: what waits for a moment is woken up late.
type pulse struct{ worst atomic.Int64 }

const (
	beat = 10 * time.Millisecond
	// tooLate is how late a beat is where the bot cannot be expected to keep to
	// limits of some hundred milliseconds: a dozen goroutines of it come one after
	// the other.
	tooLate = 80 * time.Millisecond
)

// startPulse starts a pulse that ends with the test.
func startPulse(t *testing.T) *pulse {
	p := &pulse{}
	go func() {
		ticker := time.NewTicker(beat)
		defer ticker.Stop()
		for last := time.Now(); ; {
			select {
			case <-t.Context().Done():
				return
			case <-ticker.C:
			}
			now := time.Now()
			p.worst.Store(max(p.worst.Load(), int64(now.Sub(last)-beat)))
			last = now
		}
	}()
	return p
}

// missed tells whether a beat came too late so far.
func (p *pulse) missed() bool { return time.Duration(p.worst.Load()) > tooLate }
