// Package schedule has the leader restart bots at times that their owners choose: once a day, or every few hours.
//
// Each schedule is a record that is due at its next restart, so it needs no polls. A restart that the leader misses, as no
// process ran or the hosting service failed, is made up within CatchUp, and later not at all.
package schedule

import (
	"context"
	"crypto/sha256"
	"errors"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
	"golang.org/x/time/rate"

	"hostbot/bot/leader"
	"hostbot/bot/store/keyspace"
	"hostbot/bot/store/record"
	"hostbot/bot/watch/notify"
)

const (
	kind, format = "schedules", 1

	// Most is how many bots of an account have a schedule.
	Most = 10
	// MostHours is the longest time between two restarts that are so many hours apart.
	MostHours = 168
	// CatchUp is for how long a restart is made up that was missed. After that it would come as a surprise.
	CatchUp = 10 * time.Minute

	restartsAtOnce = 10
	restartLimit   = 10 * time.Second // how long a restart may take to begin, and after which the next leader goes on
	retryPause     = 10 * time.Second
	idLength       = 20
)

// ErrTooMany says that Most bots of the account have a schedule.
var ErrTooMany = record.ErrTooMany

// Schedule is when a bot is restarted.
type Schedule struct {
	ServerID string `json:"server"`
	Hours    int    `json:"hours,omitempty"` // between two restarts, counted from when that was chosen; 0 for once a day
	At       int    `json:"at,omitempty"`    // of once a day, in minutes after midnight
	Zone     string `json:"zone,omitempty"`  // likewise, as notify.ParseZone returns it
	// Next is the next restart. It begins up to a minute later.
	Next time.Time `json:"next"`
}

// after returns the first restart after a time. There is one a day also if a time of day is left out or comes twice, as clocks are
// changed.
func (s Schedule) after(t time.Time) time.Time {
	if s.Hours > 0 {
		every := time.Duration(s.Hours) * time.Hour
		if s.Next.IsZero() {
			return t.Add(every)
		}
		return s.Next.Add(max(0, t.Sub(s.Next))/every*every + every)
	}
	there := t.In(notify.Location(s.Zone))
	for day := there.Day(); ; day++ {
		if at := time.Date(there.Year(), there.Month(), day, s.At/60, s.At%60, 0, 0, there.Location()); at.After(t) {
			return at
		}
	}
}

// Config is what Schedules need.
type Config struct {
	Redis redis.UniversalClient
	Space keyspace.Space
	// Rate is how many restarts begin in a second.
	Rate float64
	// Restart has a bot restarted if it runs, and does not wait until it runs again. It reports whether the attempt was made, by
	// whichever process; otherwise it makes no sense. After an error another attempt may be made. The ID is equal for whichever
	// process makes the attempt.
	Restart func(ctx context.Context, id, customerID, serverID string) (made bool, err error)
	// Count counts what has become of a restart: "restarted", "skipped" (the bot does not run, or there is maintenance) or "missed".
	Count func(what string)
	Log   zerolog.Logger
	Now   func() time.Time
}

// Schedules have the leader restart bots by the clock.
type Schedules struct {
	cfg     Config
	pace    *rate.Limiter
	records *record.Kind[Schedule] // ID CUSTOMER/HASH; the owner is the customer
}

// New returns schedules. The leader restarts the bots (Work).
func New(c Config) *Schedules {
	return &Schedules{c, rate.NewLimiter(rate.Limit(c.Rate), 1), &record.Kind[Schedule]{Redis: c.Redis, Space: c.Space, Name: kind, Format: format, Life: record.ForEver}}
}

// recordID names the record of a bot, whose own ID may contain anything.
func recordID(customerID, serverID string) string {
	return customerID + "/" + keyspace.Hash(serverID, idLength)
}

// begins returns how long until the next restart of a record begins. Those of one minute are spread over it.
func (s *Schedules) begins(id string, next time.Time) time.Duration {
	sum := sha256.Sum256([]byte(id))
	return max(0, next.Add(time.Duration(sum[0])*time.Minute/256).Sub(s.cfg.Now()))
}

// Set has a bot be restarted by a schedule from now on, whatever its Next. The error may be ErrTooMany.
func (s *Schedules) Set(ctx context.Context, customerID string, wanted Schedule) error {
	id := recordID(customerID, wanted.ServerID)
	wanted.Next = time.Time{}
	wanted.Next = wanted.after(s.cfg.Now())
	due := s.begins(id, wanted.Next)
	_, err := s.records.Add(ctx, id, customerID, wanted, due, Most)
	if errors.Is(err, record.ErrExists) {
		_, err = s.records.Update(ctx, id, customerID, due, func(known *Schedule) bool { *known = wanted; return true })
	}
	return err
}

// Remove has a bot be restarted by no schedule any more.
func (s *Schedules) Remove(ctx context.Context, customerID, serverID string) error {
	_, _, err := s.records.Remove(ctx, recordID(customerID, serverID), customerID)
	return err
}

// Forget removes all schedules of a customer, and reports whether there were some.
func (s *Schedules) Forget(ctx context.Context, customerID string) (known bool, err error) {
	n, err := s.records.RemoveAll(ctx, customerID)
	return n > 0, err
}

// Bots returns how many bots have a schedule, of all customers.
func (s *Schedules) Bots(ctx context.Context) (int, error) { return s.records.Waiting(ctx) }

// Of returns how many bots of a customer have a schedule.
func (s *Schedules) Of(ctx context.Context, customerID string) (int, error) {
	own, err := s.records.Of(ctx, customerID)
	return len(own), err
}

// Get returns the schedule of a bot; nil if it has none.
func (s *Schedules) Get(ctx context.Context, customerID, serverID string) (*Schedule, error) {
	r, err := s.records.Get(ctx, recordID(customerID, serverID), customerID)
	if err != nil || r == nil {
		return nil, err
	}
	return &r.Value, nil
}

// Work returns the leader's work: to restart the bots.
func (s *Schedules) Work() leader.Kind {
	return leader.Kind{Name: kind, Due: s.records.DueKey(), AtOnce: restartsAtOnce, Admit: s.pace.Allow, Limit: restartLimit, Reconcile: s.reconcile}
}

func (s *Schedules) reconcile(ctx context.Context, id string) (again time.Duration, err error) {
	return s.records.Work(ctx, id, restartLimit, func(r *record.Record[Schedule]) time.Duration { return s.restart(ctx, r) })
}

// restart restarts a bot if it is time, and returns how long until it is looked at again.
func (s *Schedules) restart(ctx context.Context, r *record.Record[Schedule]) time.Duration {
	v, now := &r.Value, s.cfg.Now()
	for latest := v.after(v.Next); !latest.After(now); latest = v.after(latest) { // of several that were missed
		v.Next = latest
	}
	result := "missed"
	switch late := now.Sub(v.Next); {
	case late < 0:
		return s.begins(r.ID, v.Next)
	case late <= CatchUp:
		made, err := s.cfg.Restart(ctx, keyspace.Hash(r.ID+"/"+strconv.FormatInt(v.Next.Unix(), 10), idLength), r.Owner, v.ServerID)
		switch result = "skipped"; {
		case leader.Ended(ctx): // the next leader makes the same attempt, under the same ID
			return 0
		case err != nil:
			s.cfg.Log.Info().Err(err).Str("user", r.Owner).Str("server", v.ServerID).Msg("a bot is not restarted by its schedule yet")
			return retryPause
		case made:
			result = "restarted"
		}
	}
	s.cfg.Count(result)
	v.Next = v.after(now)
	return s.begins(r.ID, v.Next)
}
