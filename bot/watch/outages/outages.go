// Package outages tells staff when many bots stop running within a minute: most likely it
// is not the customers' doing. One entry tells of such an outage, and is kept up to date
// while it goes on and while the bots come back. What customers read of their bots says so as well (Current).
// It also keeps what staff tell customers themselves (Notices).
//
// The leader counts in memory, each bot in the time that one takes. That there is an outage is
// one record in Redis: a new leader counts on from it, and each other process reads it every 5 s,
// with the notices.
package outages

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/store/keyspace"
	"hostbot/bot/store/record"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
)

const (
	// threshold is how many bots within a window make an outage. It goes on until none has
	// stopped for as long.
	threshold = 10
	// leastWindow is the shortest one. Bots that stop at the same moment are seen to in
	// different polls, which are spread over an interval: the window is as long as that.
	leastWindow = time.Minute
	// keptFor is how long an outage is kept up to date: less than the hour after which
	// edits of a message are limited.
	keptFor = 50 * time.Minute
	// syncPause is between two times at which the record is written or read.
	syncPause = 5 * time.Second
)

// Outage is one of many bots; of none if there is none.
type Outage struct {
	ID        string    `json:"id"`
	Bots      int       `json:"bots"`      // that stopped
	Customers int       `json:"customers"` // whose they are
	Recovered int       `json:"back"`      // of the bots, how many run again
	First     time.Time `json:"first"`     // when the first of them was seen to have stopped
	Last      time.Time `json:"last"`      // and when the last of them was
	// Within is the time in which all of them stopped: each was seen to run at most one
	// interval before it was seen to have stopped.
	Within time.Duration  `json:"within"`
	Plans  map[string]int `json:"plans"` // bots by plan, as far as the service names it
}

// Over reports whether half of the bots run again, as staff read when the outage is over.
func (o Outage) Over() bool { return 2*o.Recovered >= o.Bots }

// Includes reports whether a bot that is down and was seen to have stopped at a time most likely is of the outage:
// one that stopped when the others did or, until the outage is over, later. The time is zero if nobody saw the bot stop.
func (o Outage) Includes(at time.Time) bool {
	window := max(leastWindow, o.Within-o.Last.Sub(o.First))
	if o.Bots == 0 || !at.IsZero() && at.Before(o.First.Add(-window)) {
		return false
	}
	return !o.Over() || !at.IsZero() && !at.After(o.Last.Add(window))
}

// isOver reports whether the outage is not kept up to date any more.
func (o *Outage) isOver(now time.Time) bool { return o.Bots == 0 || now.Sub(o.First) >= keptFor }

// Config is what Outages need.
type Config struct {
	Redis redis.UniversalClient
	Space keyspace.Space
	// Interval returns at which interval accounts are polled now.
	Interval func() time.Duration
	// Leading reports whether this process leads (leader.Leader.Leading), and Term returns another
	// number, above 0, if another process may have led meanwhile (leader.Leader.Term).
	Leading func() bool
	Term    func() uint64
	// Tell tells staff of an outage, at first and whenever its figures have changed.
	Tell func(Outage)
	// Began is told whose bots stopped before it was known that an outage has begun. It is called again after an
	// error.
	Began func(ctx context.Context, customerIDs []string) error
}

// Outages count the bots that stop running, where this process leads, and know of the outage everywhere.
type Outages struct {
	config  Config
	begun   chan struct{} // holds one if an outage has begun that is not written
	notices *record.Kind[Notice]
	noticed atomic.Pointer[[]Notice] // as they were read last; not to be changed

	mu     sync.Mutex
	term   uint64  // for which this process counts; 0 for none
	outage Outage  // as the leader counts it, or as it was read
	recent []*fall // of no outage, within a window, oldest first
	// bots are those of the outage by name, CUSTOMER/BOT, and whether they run again. They are without the bots
	// that a former leader has counted, of which unknown do not run again.
	bots            map[string]bool
	customers       map[string]bool
	unknown         int
	unsaved, untold bool
	early           []string // customers of whom Began is yet to be told
}

// fall is a bot that stopped.
type fall struct {
	name, customerID, plan string
	at                     time.Time // when it was seen to have stopped
	recovered              bool
}

// New returns outages.
func New(c Config) *Outages {
	o := &Outages{config: c, begun: make(chan struct{}, 1), notices: &record.Kind[Notice]{Redis: c.Redis, Space: c.Space, Name: noticeKind, Format: noticeFormat}}
	o.noticed.Store(&[]Notice{})
	return o
}

// Current returns the outage that is kept up to date now. Other processes know it up to 5 s after the leader, and
// the leader from its first change or 5 s on.
func (o *Outages) Current() Outage {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.outage.isOver(time.Now()) {
		return Outage{}
	}
	return o.seen()
}

// seen returns a copy of the outage.
func (o *Outages) seen() Outage {
	seen := o.outage
	seen.Plans = maps.Clone(o.outage.Plans)
	return seen
}

// Observe counts the changes of a poll, where this process leads. It may be told of one twice, which counts once, unless a former
// leader has counted it. It fails only if the record of a former leader cannot be read.
func (o *Outages) Observe(ctx context.Context, p watcher.Poll) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.takeOver(ctx); err != nil {
		return err
	}
	for _, c := range p.Changes {
		if o.outage.isOver(c.At) {
			o.start(Outage{})
		}
		switch {
		case c.Unexpected:
			o.stopped(c)
		case c.To == hostapi.StateRunning:
			o.recovered(c)
		}
	}
	return nil
}

// start has the outage take the place of another one.
func (o *Outages) start(outage Outage) {
	o.outage, o.bots, o.customers = outage, make(map[string]bool), make(map[string]bool)
	o.unknown = outage.Bots - outage.Recovered
}

func (o *Outages) stopped(c watcher.Change) {
	window := max(leastWindow, o.config.Interval())
	f := &fall{name: c.CustomerID + "/" + c.ServerID, customerID: c.CustomerID, plan: c.Plan, at: c.At}
	isRecent := func(other *fall) bool { return other.name == f.name && !other.recovered }
	recovered, counted := o.bots[f.name]
	goesOn := o.outage.Recovered < o.outage.Bots // otherwise staff read that all are back: what falls now is another outage
	switch {
	case counted && !recovered, slices.ContainsFunc(o.recent, isRecent): // it is told of again
	case counted && goesOn:
		o.bots[f.name] = false
		o.outage.Recovered--
		o.changed()
	case goesOn && !f.at.Before(o.outage.First.Add(-window)) && !f.at.After(o.outage.Last.Add(window)):
		o.count(f)
	default:
		o.recent = slices.DeleteFunc(o.recent, func(other *fall) bool { return other.name == f.name })
		o.recent = append(o.recent, f)
		slices.SortStableFunc(o.recent, func(a, b *fall) int { return a.at.Compare(b.at) })
		since := o.recent[len(o.recent)-1].at.Add(-window)
		o.recent = slices.DeleteFunc(o.recent, func(other *fall) bool { return other.at.Before(since) })
		if len(o.recent) >= threshold {
			o.begin()
		}
	}
}

// begin makes an outage of the recent falls.
func (o *Outages) begin() {
	first := o.recent[0].at
	o.start(Outage{ID: strconv.FormatInt(first.UnixMilli(), 10), First: first, Plans: make(map[string]int)})
	for _, f := range o.recent {
		o.count(f)
	}
	o.recent, o.early = nil, slices.Collect(maps.Keys(o.customers))
	select {
	case o.begun <- struct{}{}:
	default:
	}
}

// count counts a bot that the outage has not counted.
func (o *Outages) count(f *fall) {
	o.bots[f.name] = f.recovered
	o.outage.Bots++
	if f.recovered {
		o.outage.Recovered++
	}
	if !o.customers[f.customerID] {
		o.customers[f.customerID] = true
		o.outage.Customers++
	}
	if f.plan != "" {
		o.outage.Plans[f.plan]++
	}
	if f.at.After(o.outage.Last) {
		o.outage.Last = f.at
	}
	o.outage.Within = o.outage.Last.Sub(o.outage.First) + o.config.Interval()
	o.changed()
}

// recovered counts a bot that runs. One that nobody has seen to stop in this process is of the outage if a former
// leader has counted bots, and the state that the bot had before began in the outage.
func (o *Outages) recovered(c watcher.Change) {
	name := c.CustomerID + "/" + c.ServerID
	recovered, counted := o.bots[name]
	i := slices.IndexFunc(o.recent, func(f *fall) bool { return f.name == name })
	switch {
	case i >= 0:
		o.recent[i].recovered = true
		return
	case recovered:
		return
	case counted:
	case o.unknown > 0 && !c.Since.Before(o.outage.First.Truncate(time.Second)): // as histories have whole seconds
		o.unknown--
	default:
		return
	}
	o.bots[name] = true
	o.outage.Recovered++
	o.changed()
}

func (o *Outages) changed() { o.unsaved, o.untold = true, true }
