package alerts

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/leader"
	"hostbot/bot/store/keyspace"
	"hostbot/bot/store/record"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
)

const (
	restartsKind, restartsFormat = "restarts", 1

	// MostRestarts is how many restarts of a bot begin within RestartWindow. After that it stays down.
	MostRestarts  = 3
	RestartWindow = 10 * time.Minute
	// DefaultRestartPause is RestartsConfig.Pause in operation: bots that fall together are seen one after another.
	DefaultRestartPause = 10 * time.Second
	// staleFall is how old a fall may be. A restart after that would come as a surprise.
	staleFall = RestartWindow
	// idle is after which time a bot is due for which there is nothing to do. All are due at some time, so that they are counted.
	idle = 365 * 24 * time.Hour

	restartsAtOnce = 10
	// restartLimit is how long a restart may take to begin, and after which the next leader goes on.
	restartLimit = 10 * time.Second
)

// restartStage is how far the program is with a bot.
type restartStage string

const (
	atRest    restartStage = ""
	fallen    restartStage = "fallen"    // it is to be restarted
	restarted restartStage = "restarted" // and a poll is yet to see how it fares
	givenUp   restartStage = "given_up"  // it fell too often, and stays down
	leftDown  restartStage = "left_down" // many fell, it could not be restarted in time, or it is stopped
)

// restarting is the record of a bot that the program is to restart, ID CUSTOMER/HASH; without one it is not. The
// polls write Fall and At, the leader Tried and Number, both Stage, and the customer Notify.
type restarting struct {
	ServerID string       `json:"server"`
	Notify   bool         `json:"notify,omitempty"` // a restart that helped notifies the customer
	Fall     string       `json:"fall,omitempty"`   // names the last fall
	At       time.Time    `json:"at,omitzero"`      // when a poll saw the bot to be down, the last time that it was to be restarted
	Stage    restartStage `json:"stage,omitempty"`
	Tried    []time.Time  `json:"tried,omitempty"` // within RestartWindow before the last fall
	Number   int          `json:"number,omitempty"`
}

// AutoRestart is how the program restarts a bot whose owner wants that.
type AutoRestart struct {
	Notify    bool          // a restart that helped notifies the owner
	Pending   time.Duration // for how long the bot may yet be restarted, if it is down
	StaysDown bool          // it is down, and was restarted MostRestarts times
	Tried     []time.Time   // when it was restarted lately
}

// RestartsConfig is what Restarts need.
type RestartsConfig struct {
	Redis    redis.UniversalClient // see Config
	Space    keyspace.Space
	Watching Watching
	Pause    time.Duration // between the poll that saw a fall and the restart
	// Steady returns for how long a bot has to run after a restart for that to have helped.
	Steady func() time.Duration
	// Included reports whether a fall at a time is part of an outage of many bots.
	Included func(time.Time) bool
	// ServiceDown reports whether the hosting service is away.
	ServiceDown func() bool
	// Restart has a bot restarted that is still down, and does not wait until it runs. It reports whether the attempt was made,
	// by whichever process; otherwise it makes no sense any more. After an error another attempt may be made. The ID is equal for
	// whichever process makes the attempt: it is the hash of the bot, the fall and the number. The lock of the action is acquired
	// under it, so that no other process makes the attempt again.
	Restart func(ctx context.Context, id, customerID, serverID string) (made bool, err error)
	// Count counts what has become of a fall: "restarted", "given_up" or "left_down".
	Count func(what string)
	Wake  func(ctx context.Context, kind string, ids ...string)
	Log   zerolog.Logger
	Now   func() time.Time
}

// Restarts have the leader restart bots that crashed, for whose owner wants that.
type Restarts struct {
	cfg     RestartsConfig
	records *record.Kind[restarting]
}

// NewRestarts returns restarts. The leader makes them (Work).
func NewRestarts(c RestartsConfig) *Restarts {
	return &Restarts{c, &record.Kind[restarting]{Redis: c.Redis, Space: c.Space, Name: restartsKind, Format: restartsFormat, Life: record.ForEver}}
}

// restartID names the record of a bot, whose own ID may contain anything.
func restartID(customerID, serverID string) string {
	return customerID + "/" + keyspace.Hash(serverID, nonceLength)
}

// TurnOn has a bot be restarted when it crashes, and the customer be notified if that helped, or not.
func (r *Restarts) TurnOn(ctx context.Context, customerID, serverID string, notify bool) error {
	// The account is watched before that is on, so that none is on for nothing.
	if err := r.cfg.Watching.Watch(ctx, customerID, watcher.Restarts); err != nil {
		return err
	}
	_, err := r.records.Upsert(ctx, restartID(customerID, serverID), customerID, idle, func(n *record.Record[restarting]) bool {
		n.Value.ServerID, n.Value.Notify = serverID, notify
		return true
	})
	return err
}

// TurnOff has a bot be restarted no more.
func (r *Restarts) TurnOff(ctx context.Context, customerID, serverID string) error {
	_, left, err := r.records.Remove(ctx, restartID(customerID, serverID), customerID)
	if err != nil || left > 0 {
		return err
	}
	err = r.cfg.Watching.Unwatch(ctx, customerID, watcher.Restarts)
	if own, unread := r.records.Of(ctx, customerID); unread == nil && len(own) > 0 { // turned on at the same time
		err = errors.Join(err, r.cfg.Watching.Watch(ctx, customerID, watcher.Restarts))
	}
	return err
}

// Forget has none of a customer's bots be restarted any more. It reports whether some were.
func (r *Restarts) Forget(ctx context.Context, customerID string) (known bool, err error) {
	bots, err := r.records.RemoveAll(ctx, customerID)
	return bots > 0, errors.Join(err, r.cfg.Watching.Unwatch(ctx, customerID, watcher.Restarts))
}

// Bots returns how many bots are restarted, of all customers.
func (r *Restarts) Bots(ctx context.Context) (int, error) { return r.records.Waiting(ctx) }

// Of returns those of a customer's bots that are restarted, by server ID.
func (r *Restarts) Of(ctx context.Context, customerID string) (map[string]AutoRestart, error) {
	own, err := r.records.Of(ctx, customerID)
	found := make(map[string]AutoRestart, len(own))
	for _, n := range own {
		v := n.Value
		is := AutoRestart{Notify: v.Notify, StaysDown: v.Stage == givenUp, Tried: v.Tried}
		if v.Stage != givenUp && v.Stage != leftDown { // if it is at rest, the alerts are yet to note that it runs
			is.Pending = max(0, v.At.Add(staleFall).Sub(r.cfg.Now()))
		}
		found[v.ServerID] = is
	}
	return found, err
}

// Observe notes the falls and the recoveries of a poll. It may be given a poll twice. A bot that is down again after a restart
// without having been seen to run is to be restarted again.
func (r *Restarts) Observe(ctx context.Context, p watcher.Poll) error {
	broken := func(s hostapi.Server) bool { return s.State().Broken() }
	if len(p.Changes) == 0 && !slices.ContainsFunc(p.List.Servers, broken) { // as nearly always
		return nil
	}
	own, failed := r.records.Of(ctx, p.CustomerID)
	for _, n := range own {
		failed = errors.Join(failed, r.see(ctx, n, p))
	}
	return failed
}

// see notes what a poll shows of one bot.
func (r *Restarts) see(ctx context.Context, n *record.Record[restarting], p watcher.Poll) error {
	var state hostapi.State
	var change watcher.Change
	for _, s := range p.List.Servers {
		if s.ID == n.Value.ServerID {
			state = s.State()
		}
	}
	for _, c := range p.Changes {
		if c.ServerID == n.Value.ServerID {
			change = c
		}
	}
	if change.To == history.Gone {
		return r.TurnOff(ctx, p.CustomerID, n.Value.ServerID)
	}
	changed, err := r.records.Update(ctx, n.ID, p.CustomerID, r.cfg.Pause, func(v *restarting) bool {
		was := v.Stage
		switch name := nameOf(p.CustomerID, change); {
		case change.Unexpected && change.To.Broken() && v.Fall != name:
			v.Fall, v.At, v.Stage = name, change.At, fallen
			return true
		case v.Stage == restarted && state.Broken() && len(v.Tried) > 0 && p.At.After(v.Tried[len(v.Tried)-1]):
			v.At, v.Stage = p.At, fallen
		case state == hostapi.StateRunning:
			v.Stage = atRest
		case state == hostapi.StateStopped:
			v.Stage = leftDown
		}
		return v.Stage != was
	})
	if changed != nil {
		r.cfg.Wake(ctx, restartsKind, n.ID)
	}
	return err
}

// Work returns the leader's work: to restart bots.
func (r *Restarts) Work() leader.Kind {
	return leader.Kind{Name: restartsKind, Due: r.records.DueKey(), AtOnce: restartsAtOnce, Limit: restartLimit, Reconcile: r.reconcile}
}

func (r *Restarts) reconcile(ctx context.Context, id string) (again time.Duration, err error) {
	n, again, err := r.records.Take(ctx, id, restartLimit)
	if n == nil {
		return again, err
	}
	before := n.Value
	wait := r.restart(ctx, n)
	now, ctx := n.Value, context.WithoutCancel(ctx)
	if err = r.records.Save(ctx, n, wait); errors.Is(err, record.ErrConflict) { // a poll has seen the bot meanwhile
		_, err = r.records.Update(ctx, id, n.Owner, 0, func(newer *restarting) bool {
			newer.Tried, newer.Number = now.Tried, now.Number
			if newer.Fall == before.Fall && newer.Stage == before.Stage {
				newer.Stage = now.Stage
			}
			return true
		})
	}
	if now.Stage != before.Stage {
		r.cfg.Count(string(now.Stage))
	}
	return n.Again(), err
}

// restart restarts a bot if it is to be, and returns how long until it is looked at again.
func (r *Restarts) restart(ctx context.Context, n *record.Record[restarting]) time.Duration {
	v, now := &n.Value, r.cfg.Now()
	if v.Stage != fallen {
		return idle
	}
	v.Tried = slices.DeleteFunc(slices.Clone(v.Tried), func(at time.Time) bool { return now.Sub(at) >= RestartWindow })
	switch left := v.At.Add(r.cfg.Pause).Sub(now); {
	case left > 0:
		return left
	case r.cfg.Included(v.At), now.Sub(v.At) > staleFall:
		v.Stage = leftDown
		return idle
	case r.cfg.ServiceDown():
		return r.cfg.Pause
	case len(v.Tried) >= MostRestarts:
		v.Stage = givenUp
		return idle
	}
	id := keyspace.Hash(n.ID+"/"+v.Fall+"/"+strconv.Itoa(v.Number), nonceLength)
	made, err := r.cfg.Restart(ctx, id, n.Owner, v.ServerID)
	if leader.Ended(ctx) { // the next leader makes the same attempt, under the same ID
		return 0
	}
	v.Number++
	switch {
	case err != nil:
		r.cfg.Log.Info().Err(err).Str("user", n.Owner).Str("server", v.ServerID).Msg("a bot that crashed is not restarted yet")
		return r.cfg.Pause
	case made:
		v.Stage, v.Tried = restarted, append(v.Tried, now)
	default:
		v.Stage = leftDown
	}
	return idle
}

// mark notes on a customer's alert how the program restarts its bots by itself.
func (r *Restarts) mark(ctx context.Context, customerID string, d *delivery, now time.Time) error {
	autoRestarts, err := r.Of(ctx, customerID)
	for i := range d.Bots {
		o := &d.Bots[i]
		is, on := autoRestarts[o.ServerID]
		if !on || o.Elsewhere {
			continue
		}
		times, down := 0, o.RecoveredAt.IsZero()
		for _, at := range is.Tried {
			if !at.Before(o.DownAt) && (down || at.Before(o.RecoveredAt)) {
				times++
			}
		}
		if is.StaysDown && !o.StaysDown && !o.Notify.IsZero() {
			o.Notify = now
		}
		o.Restarts, o.Silent, o.StaysDown = max(o.Restarts, times), !is.Notify, is.StaysDown || !down && o.StaysDown
		if down {
			o.Pending = min(is.Pending, r.cfg.Pause/2) // until when that may have changed
		} else if o.quietly() {
			o.Pending = max(0, o.RecoveredAt.Add(r.cfg.Steady()).Sub(now))
		}
	}
	return err
}
