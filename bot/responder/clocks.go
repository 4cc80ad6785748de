package responder

import (
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
)

// clocksWindow is for how long the smallest age of an interaction is kept apart from those after it.
const clocksWindow = 30 * time.Minute

// clocks learns by how much Discord's clock and this machine's differ, to tell for how long an interaction
// was on its way: between Discord, which puts the time in its ID
// (https://discord.com/developers/docs/reference#snowflakes), and its arrival. Discord may have been slow,
// or the network, or this process was not run.
//
// The age of an interaction at its arrival is the difference of the clocks and the time on its way. The
// smallest of the last 30 to 90 minutes is taken to be the difference alone. So a time is too short by
// the shortest way in that time, some 50 ms where a process runs as it should, and a process that was never
// run in time since it started looks as if it were. It is too long by no more than what the
// clocks drift apart in 90 minutes, 0.3 s where nothing corrects this machine's. A clock that is wrong, or
// is set, has no effect: ages are counted by the time since the process started.
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

// onTheWay returns for how long an interaction was on its way that arrived at a time by this
// process's clock. known is false if there is nothing to compare it with, and the time 0 then.
func (c *clocks) onTheWay(id string, arrived time.Time) (took time.Duration, known bool) {
	sent, err := discordgo.SnowflakeTimestamp(id)
	if err != nil {
		return 0, false
	}
	// What is between two times of this process does not change when its clock is set.
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
