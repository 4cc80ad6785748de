// Package patience has tests wait for what must come, for as long as a slow machine may take.
package patience

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"
)

// Limit is how long a test waits for what should come at once: much longer than that takes on
// a slow machine, as a test that is waiting costs nothing.
const Limit = 2 * time.Minute

// Log is a process log that can be waited upon.
type Log struct {
	mu      sync.Mutex
	text    bytes.Buffer
	written chan struct{} // closed with the next line; nil where nobody waits
}

// Write appends to the log.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.written != nil {
		close(l.written)
		l.written = nil
	}
	return l.text.Write(p)
}

// String returns all of the log.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Count returns how often the log says text.
func (l *Log) Count(text string) int { return strings.Count(l.String(), text) }

// WaitFor waits until the log says text.
func (l *Log) WaitFor(t testing.TB, text string) {
	t.Helper()
	l.WaitForTimes(t, text, 1)
}

// WaitForTimes waits until the log says text n times.
func (l *Log) WaitForTimes(t testing.TB, text string, n int) {
	t.Helper()
	timeout := time.After(Limit)
	for {
		next := l.next()
		if l.Count(text) >= n {
			return
		}
		select {
		case <-next:
		case <-timeout:
			t.Fatalf("the log does not say %q %d times:\n%s", text, n, l)
		}
	}
}

// next returns a channel that is closed with the next line.
func (l *Log) next() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.written == nil {
		l.written = make(chan struct{})
	}
	return l.written
}

// firstPause and longestPause are between two looks at what is waited for: what comes at once is
// seen at once, and what takes long is not looked at all the time.
const (
	firstPause   = time.Millisecond
	longestPause = 50 * time.Millisecond
)

// Eventually waits until something is so, and returns false where ctx is done
// before that.
func Eventually(ctx context.Context, yes func() bool) bool {
	for pause := firstPause; !yes(); pause = min(2*pause, longestPause) {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// Until is Eventually for what must come within Limit: otherwise the test fails, and ends.
func Until(t testing.TB, what string, yes func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Limit)
	defer cancel()
	if !Eventually(ctx, yes) {
		t.Fatalf("it did not come about that %s", what)
	}
}

// Run runs something beside a test. end ends its context and waits until it has returned; it may be called again.
func Run(run func(context.Context)) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); run(ctx) }()
	return func() { cancel(); <-ended }
}
