package actions

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

// Run renews the actions of this process, and reports those of processes that died, until ctx is
// done and the last Report has returned.
func (a *Actions) Run(ctx context.Context) {
	if a.cfg.Redis == nil {
		return
	}
	var reporting sync.WaitGroup
	defer reporting.Wait()
	ticker := time.NewTicker(a.cfg.Timing.Renew)
	defer ticker.Stop()
	// After an outage of Redis no action looks renewed. Every process that lives has the time
	// to renew its own before another reports them.
	reached := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if a.renew() != nil {
			reached = time.Now().Add(a.cfg.Timing.Renew)
		}
		if time.Since(reached) < a.cfg.Timing.Abandoned {
			continue
		}
		abandoned, err := a.Abandoned(ctx)
		if err != nil {
			reached = time.Now().Add(a.cfg.Timing.Renew)
		}
		for _, name := range abandoned {
			reporting.Go(func() { _, _ = a.Reconcile(ctx, name) })
		}
	}
}

// Abandoned returns names of actions that nobody renews any more, for Reconcile. Whoever asks must
// have reached Redis for as long as Timing.Abandoned. A name is returned again after that time,
// unless the action was reported by then.
func (a *Actions) Abandoned(ctx context.Context) ([]string, error) { return a.store.hold(ctx) }

// Reconcile reports an action that nobody renews any more. After an error it is to be called
// again after a time.
func (a *Actions) Reconcile(ctx context.Context, name string) (again time.Duration, err error) {
	e, ok := parseEntry(name)
	if !ok {
		return 0, a.store.unlist(ctx, name)
	}
	report, err := a.store.takeOver(ctx, e)
	switch {
	case errors.Is(err, errNone): // it has ended
		return 0, a.store.remove(e)
	case err != nil:
		a.cfg.Log.Warn().Err(err).Msg("the action of a process that died cannot be reported")
		return a.cfg.Timing.Abandoned, err
	}
	a.cfg.Log.Warn().Str("interaction", report.Request.ID).Str("action", report.Action.Name).Msg("a process died while it ran an action")
	a.setReporting(e, true)
	defer a.setReporting(e, false)
	a.cfg.Report(report)
	if err := a.store.remove(e); err != nil {
		return a.cfg.Timing.Abandoned, err
	}
	a.remember(e)
	return 0, nil
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
	for _, l := range own {
		held = append(held, l.entry.String())
	}
	for e := range a.reporting {
		held = append(held, e.String())
	}
	a.mu.Unlock()
	if len(held) == 0 {
		return a.store.ping()
	}
	if _, err := a.store.hold(context.Background(), held...); err != nil {
		return err
	}
	for _, l := range own {
		if err := l.renew(); err != nil {
			return err
		}
	}
	return nil
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
