package responder

import (
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
)

// clocksWindow is the time over which one smallest age is kept.
const clocksWindow = 30 * time.Minute

// clocks estimates how long an interaction took from Discord to this process. An interaction's ID has the time by
// Discord's clock (https://discord.com/developers/docs/reference#snowflakes).
//
// The age of an interaction at its arrival is that delay plus the offset between the clocks. The smallest age of
// the last 30 to 90 minutes is taken to be the offset. So an estimate is too short by the shortest delay of that
// time, normally some 50 ms; a process that has always been slow looks as if it were not. It is too long by at most
// the clocks' drift in 90 minutes, 0.3 s if nothing corrects this machine's clock. Ages are measured against the
// process's start, so a wrong clock, or setting it, has no effect.
//
// It is safe for concurrent use.
type clocks struct {
	began time.Time

	mu        sync.Mutex
	now, past smallest // of this window and the one before it
}

// smallest is the smallest age in a window.
type smallest struct {
	from time.Time // zero if there was no interaction
	age  time.Duration
}

func newClocks() *clocks { return &clocks{began: time.Now()} }

// onTheWay returns the estimated delay of an interaction that arrived at a time. If there is nothing to compare
// it with, known is false and the delay 0.
func (c *clocks) onTheWay(id string, arrived time.Time) (took time.Duration, known bool) {
	sent, err := discordgo.SnowflakeTimestamp(id)
	if err != nil {
		return 0, false
	}
	// The difference of two times of this process is monotonic.
	age := arrived.Sub(c.began) - sent.Sub(c.began.Round(0))
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.now.from.IsZero() && arrived.Sub(c.now.from) >= clocksWindow {
		c.past, c.now = c.now, smallest{}
	}
	least := age
	if !c.past.from.IsZero() && arrived.Sub(c.past.from) < 3*clocksWindow {
		least, known = min(least, c.past.age), true
	}
	if c.now.from.IsZero() {
		c.now = smallest{arrived, age}
		return age - least, known
	}
	c.now.age = min(c.now.age, age)
	return age - min(least, c.now.age), true
}
