package recent

import (
	"sync"
	"time"
)

// Outcomes is a Counter of calls to a dependency that also remembers the last ones.
type Outcomes struct {
	Counter

	mu   sync.Mutex
	last Last
}

// Last is when calls to a dependency succeeded and failed last.
type Last struct {
	Succeeded time.Time // zero if none did
	Failed    time.Time // zero if none did
	Reason    string    // of the last failure, in a few words
	// FailedSince is when the failures began of which Failed is the last. Calls may have succeeded between, but not
	// for so long that Summary.Failing was false. Recovered is when a call first succeeded after Failed; zero if
	// none has.
	FailedSince, Recovered time.Time
}

// Note counts a call. reason says why it failed; "" if it succeeded.
func (o *Outcomes) Note(now time.Time, reason string) {
	o.Add(now, reason != "")
	o.mu.Lock()
	defer o.mu.Unlock()
	l := &o.last
	if reason == "" {
		l.Succeeded = now
		if !l.Failed.IsZero() && l.Recovered.IsZero() {
			l.Recovered = now
		}
		return
	}
	if l.Failed.IsZero() || !l.Recovered.IsZero() && now.Sub(l.Failed) >= settled {
		l.FailedSince = now
	}
	l.Failed, l.Reason, l.Recovered = now, reason, time.Time{}
}

// Called reports whether there was a call.
func (o *Outcomes) Called() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.last.Succeeded.IsZero() || !o.last.Failed.IsZero()
}

// Summary is how calls to a dependency have fared lately.
type Summary struct {
	Last
	Calls, Fails int // within the window
}

// Summary returns how calls have fared within Window before now.
func (o *Outcomes) Summary(now time.Time) Summary {
	calls, fails := o.Sum(now)
	o.mu.Lock()
	defer o.mu.Unlock()
	return Summary{o.last, calls, fails}
}

// settled is how long a dependency still counts as failing after its last failure, although calls succeed.
const settled = 15 * time.Second

// Failing reports whether calls fail now: the last one did, or one did less than settled ago.
func (s Summary) Failing(now time.Time) bool {
	if s.Fails == 0 {
		return false
	}
	return s.Recovered.IsZero() || now.Sub(s.Failed) < settled
}
