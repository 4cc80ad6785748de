// Package outages tells staff when many bots stop running within a minute: most likely it
// is not the customers' doing. One entry tells of such an outage, and is kept up to date
// while it goes on and while the bots come back.
package outages

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/store/keyspace"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
)

const (
	// threshold is how many bots within a window make an outage. It ends when none stops for
	// as long.
	threshold = 10
	// leastWindow is the shortest one. Bots that stop at the same moment are seen to in
	// different polls, which are spread over an interval: the window is as long as that.
	leastWindow = time.Minute
	// keptFor is how long an entry is kept up to date: less than the hour after which
	// edits of a message are limited.
	keptFor = 50 * time.Minute
)

// Outage is one of many bots.
type Outage struct {
	ID        string
	Bots      int       // that stopped
	Customers int       // whose they are
	Recovered int       // of the bots, how many run again
	First     time.Time // when the first of them was seen to have stopped
	Last      time.Time // and when the last of them was
	// Within is the time in which all of them stopped: each was seen to run at most one
	// interval before it was seen to have stopped.
	Within time.Duration
	Plans  map[string]int // bots by plan, as far as the service names it
}

// Config is what Outages need.
type Config struct {
	Redis redis.UniversalClient
	Space keyspace.Space
	// Interval returns at which interval accounts are polled now.
	Interval func() time.Duration
	// Term returns another number, above 0, if another process may have led meanwhile
	// (leader.Leader.Term).
	Term func() uint64
	Tell func(Outage)
}

// Outages count the bots that stop running, where this process leads.
type Outages struct {
	Config

	mu      sync.Mutex
	term    uint64    // in which the following was read; 0 before
	began   time.Time // when the first bot of the outage stopped; zero without one
	bots    map[string]bot
	changed map[string]bool // the bots that Redis does not have as they are
}

// bot is one that stopped lately. Its name is CUSTOMER/BOT.
type bot struct {
	At        time.Time `json:"at"` // when it was seen to have stopped
	Plan      string    `json:"plan,omitempty"`
	Recovered bool      `json:"back,omitempty"` // it runs again
	In        bool      `json:"in,omitempty"`   // it is in the outage
}

// New returns outages.
func New(c Config) *Outages { return &Outages{Config: c} }

// Changed counts changes. It may be told of one twice: then the outage is told of again as
// it is.
func (o *Outages) Changed(ctx context.Context, changes []watcher.Change) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	concerned, interval := false, o.Interval()
	for _, c := range changes {
		stopped, back := c.Unexpected, !c.Unexpected && c.To == hostapi.StateRunning
		if !stopped && !back {
			continue
		}
		if err := o.load(ctx); err != nil {
			return err
		}
		o.expire(c.At)
		name := c.CustomerID + "/" + c.ServerID
		if stopped {
			concerned = o.stopped(name, c, max(leastWindow, interval)) || concerned
		} else {
			concerned = o.back(name) || concerned
		}
	}
	if !concerned && len(o.changed) == 0 {
		return nil
	}
	if err := o.save(ctx); err != nil {
		return err
	}
	if concerned {
		o.Tell(o.outage(interval))
	}
	return nil
}

// stopped notes a bot that stopped. It reports whether that is of an outage.
func (o *Outages) stopped(name string, c watcher.Change, window time.Duration) bool {
	at, newest := c.At, c.At
	if known, ok := o.bots[name]; ok && !known.Recovered { // it is told of again
		at = known.At
	}
	var last time.Time
	for _, b := range o.bots {
		newest = latest(newest, b.At)
		if b.In {
			last = latest(last, b.At)
		}
	}
	in := !o.began.IsZero() && !at.Before(o.began.Add(-window)) && !at.After(last.Add(window))
	recent := newest.Add(-window)
	if !in && at.Before(recent) { // it is told of late
		return false
	}
	for other, b := range o.bots {
		if !b.In && b.At.Before(recent) {
			o.forget(other)
		}
	}
	o.set(name, bot{At: at, Plan: c.Plan, In: in})
	return in || o.begin(recent)
}

// begin begins another outage if enough bots have stopped since a time.
func (o *Outages) begin(since time.Time) bool {
	recent := 0
	for _, b := range o.bots {
		if !b.At.Before(since) {
			recent++
		}
	}
	if recent < threshold {
		return false
	}
	o.began = time.Time{}
	for name, b := range o.bots {
		if b.At.Before(since) {
			o.forget(name)
			continue
		}
		b.In = true
		o.set(name, b)
		if o.began.IsZero() || b.At.Before(o.began) {
			o.began = b.At
		}
	}
	return true
}

// back notes a bot that runs. It reports whether that is of an outage.
func (o *Outages) back(name string) bool {
	b, ok := o.bots[name]
	if ok && !b.Recovered {
		b.Recovered = true
		o.set(name, b)
	}
	return b.In
}

// expire forgets an outage that is not kept up to date any more.
func (o *Outages) expire(now time.Time) {
	if o.began.IsZero() || now.Sub(o.began) < keptFor {
		return
	}
	o.began = time.Time{}
	for name, b := range o.bots {
		if b.In {
			o.forget(name)
		}
	}
}

func (o *Outages) set(name string, b bot) {
	o.bots[name], o.changed[name] = b, true
}

func (o *Outages) forget(name string) {
	delete(o.bots, name)
	o.changed[name] = true
}

// outage returns the outage as it is now.
func (o *Outages) outage(interval time.Duration) Outage {
	now := Outage{ID: strconv.FormatInt(o.began.UnixMilli(), 10), First: o.began, Plans: make(map[string]int)}
	customers := make(map[string]bool)
	for name, b := range o.bots {
		if !b.In {
			continue
		}
		customerID, _, _ := strings.Cut(name, "/")
		customers[customerID] = true
		now.Bots++
		if b.Recovered {
			now.Recovered++
		}
		if b.Plan != "" {
			now.Plans[b.Plan]++
		}
		now.Last = latest(now.Last, b.At)
	}
	now.Customers, now.Within = len(customers), now.Last.Sub(now.First)+interval
	return now
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
