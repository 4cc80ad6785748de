package actions

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/leader"
	"hostbot/bot/store/record"
)

// Run renews the actions of this process until ctx is done.
func (a *Actions) Run(ctx context.Context) {
	if a.cfg.Redis == nil {
		return
	}
	ticker := time.NewTicker(a.cfg.Timing.Renew)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			_ = a.renew() // the next time
		}
	}
}

// How many actions are reported at once, and how long one report may take.
const (
	reportsAtOnce = 10
	reportLimit   = 30 * time.Second
)

// Work is what the leader does: it reports actions whose process died. Their index has them by
// when they count as abandoned.
func (a *Actions) Work() leader.Kind {
	return leader.Kind{
		Name: "actions", Due: a.store.index(), AtOnce: reportsAtOnce, Limit: reportLimit, Reconcile: a.reconcile,
	}
}

// reconcile reports an action if nobody renews it any more, and this process could reach Redis
// for as long as that takes: after an outage no action looks renewed, and every process that lives
// has the time to renew its own. It returns after which time the action is to be looked at again;
// 0 if that is not known.
func (a *Actions) reconcile(ctx context.Context, name string) (again time.Duration, err error) {
	if wait := a.cfg.Timing.Abandoned - a.cfg.Reached(); wait > 0 {
		return wait, nil
	}
	if a.owns(name) { // it was handed over, and nobody else leads
		return a.cfg.Timing.Abandoned, nil
	}
	left, err := a.store.left(ctx, name)
	if err != nil || left > 0 {
		return left, err
	}
	if err := a.store.hold(ctx, name); err != nil { // it is due again if this process dies
		return 0, err
	}
	return a.report(ctx, name)
}

// report reports an action that nobody renews any more.
func (a *Actions) report(ctx context.Context, name string) (again time.Duration, err error) {
	e, ok := parseEntry(name)
	if !ok {
		return 0, a.store.unlist(ctx, name)
	}
	report, err := a.store.takeOver(ctx, e)
	switch {
	case errors.Is(err, errNone): // it has ended
		return 0, a.store.remove(e)
	case errors.Is(err, record.ErrUnreadable): // nobody can report it, and its bot is free
		if failed := a.store.remove(e); failed != nil {
			return 0, failed
		}
		return 0, err
	case err != nil:
		a.cfg.Log.Warn().Err(err).Msg("the action of a process that died cannot be reported")
		return a.cfg.Timing.Abandoned, err
	}
	a.cfg.Log.Warn().Str("interaction", report.Request.ID).Str("action", report.Action.Name).Msg("an action is reported whose process has died or is cut off from discord")
	a.setReporting(e, true)
	defer a.setReporting(e, false)
	a.cfg.Report(report)
	if err := a.store.remove(e); err != nil {
		return a.cfg.Timing.Abandoned, err
	}
	a.remember(e)
	return 0, nil
}

// owns reports whether an action is one of this process.
func (a *Actions) owns(name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for l := range a.own {
		if l.entry.String() == name {
			return true
		}
	}
	return false
}

// setReporting has an action not count as abandoned while this process reports it.
func (a *Actions) setReporting(e entry, yes bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if yes {
		a.reporting[e] = struct{}{}
	} else {
		delete(a.reporting, e)
	}
}

// renew has Redis know what is true of the actions of this process. An error says that Redis
// could not be reached.
func (a *Actions) renew() error {
	if err := a.removeAgain(); err != nil {
		return err
	}
	a.mu.Lock()
	own, held := slices.Collect(maps.Keys(a.own)), make([]string, 0, len(a.own)+len(a.reporting))
	for e := range a.reporting {
		held = append(held, e.String())
	}
	a.mu.Unlock()
	cutOff := a.cfg.CutOff != nil && a.cfg.CutOff()
	own = slices.DeleteFunc(own, func(l *Lock) bool { return l.handOver(cutOff) })
	for _, l := range own {
		held = append(held, l.entry.String())
	}
	if len(held) == 0 {
		return nil
	}
	if err := a.store.hold(context.Background(), held...); err != nil {
		return err
	}
	var failed error
	for _, l := range own {
		err := l.renew()
		if _, answered := errors.AsType[redis.Error](err); err != nil && !answered {
			return err
		}
		failed = cmp.Or(failed, err) // of what Redis has of one action, which keeps no other back
	}
	return failed
}

// removeAgain removes the actions again that were removed within the time after which they count
// as abandoned, or since Redis could be reached last.
func (a *Actions) removeAgain() error {
	now := time.Now()
	a.mu.Lock()
	removed := slices.Collect(maps.Keys(a.removed))
	a.mu.Unlock()
	if len(removed) == 0 {
		return nil
	}
	if err := a.store.remove(removed...); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.DeleteFunc(a.removed, func(_ entry, at time.Time) bool { return now.Sub(at) > a.cfg.Timing.Abandoned })
	return nil
}
