package responder

import (
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
)

const (
	// mostDelay is as much of a delay as leaves time for an answer.
	mostDelay = 1400 * time.Millisecond
	// mostSkew is by how much this machine's clock and Discord's may differ; an ID
	// of another time says nothing.
	mostSkew = time.Minute
	// trustClocks is for how long the difference between the two is taken to be
	// the same. One of them may be set.
	trustClocks = 10 * time.Minute
)

// lateness finds out how late events arrive. A gateway that resumes delivers what
// came meanwhile, while Discord's clock for an answer runs on. An ID tells when its
// interaction began, by Discord's clock. The quickest event shows how far that
// clock is from this machine's.
type lateness struct {
	mu    sync.Mutex
	until time.Time     // what is known holds
	least time.Duration // from the time in an ID to an arrival
}

// of returns by how much an event that arrives now is later than it may be.
func (l *lateness) of(snowflake string, now time.Time) time.Duration {
	began, err := discordgo.SnowflakeTimestamp(snowflake)
	if err != nil {
		return 0
	}
	took := now.Sub(began)
	if took.Abs() > mostSkew {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.After(l.until) {
		l.until, l.least = now.Add(trustClocks), took
	}
	l.least = min(l.least, took)
	return min(took-l.least, mostDelay)
}
