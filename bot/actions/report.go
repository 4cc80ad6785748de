package actions

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/interaction"
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
			interaction.Try(a.renew, func(p *interaction.PanicError) {
				a.cfg.Log.Error().Str("panic", p.Value).Bytes("stack", p.Stack).Msg("a panic: actions are not renewed")
			})
		}
	}
}

// renew renews the actions of this process, until Redis does not answer for one.
func (a *Actions) renew() {
	a.mu.Lock()
	own := slices.Collect(maps.Keys(a.own))
	a.mu.Unlock()
	cutOff := a.cfg.CutOff()
	for _, l := range own {
		err := l.renew(cutOff)
		if _, answered := errors.AsType[redis.Error](err); err != nil && !answered && !errors.Is(err, interaction.ErrUnsent) {
			return // the next tick tries again
		}
	}
}

// reportsAtOnce is how many actions are reported at the same time, and reportLimit how long one report may take.
const (
	reportsAtOnce = 10
	reportLimit   = 30 * time.Second
)

// Work returns the leader's work: to report the actions whose process died.
func (a *Actions) Work() leader.Kind {
	return leader.Kind{
		Name: "actions", Due: a.index(), AtOnce: reportsAtOnce, Limit: reportLimit, Reconcile: a.reconcile,
	}
}

// reconcile reports an action if nobody renews it any more. It returns when to look again; 0 for never. Right
// after an outage of Redis no action looks renewed, so it first waits until Redis has answered for as long as a
// living process takes to renew its own.
func (a *Actions) reconcile(ctx context.Context, name string) (again time.Duration, err error) {
	if wait := a.cfg.Timing.Abandoned - a.cfg.Reached(); wait > 0 {
		return wait, nil
	}
	e := entryOf(name)
	found, again, err := a.take(ctx, e)
	switch {
	case errors.Is(err, record.ErrUnreadable): // it becomes a dead letter
		_ = a.save(&Lock{entry: e, state: gone}) // frees the bot
		return 0, err
	case err != nil || again > 0:
		return again, err
	case found == nil: // it has ended
		return 0, a.cfg.Redis.ZRem(ctx, a.index(), name).Err()
	}
	return 0, a.report(ctx, e, found)
}

// report reports an action in the place of the process that began it, and renews it until then.
func (a *Actions) report(ctx context.Context, e entry, found *taken) error {
	a.cfg.Log.Warn().Str("interaction", found.Request.ID).Str("action", found.Action.Name).Str("state", string(found.state)).
		Msg("an action is reported whose process has died or is cut off from discord")
	l := &Lock{
		all: a, request: found.Request, action: found.Action, entry: e, name: found.Action.Name, since: found.Request.ReceivedAt,
		state: ended, logged: found.logged, freeLocal: func(release) {},
	}
	if l.action.Outcome == "" {
		l.action.Outcome, l.action.Interrupted, l.action.Duration = interaction.Unconfirmed, true, time.Since(l.since)
		l.pause = found.lockLeft + Pause
		if found.state == locked {
			l.action.Outcome, l.pause, l.unsent = interaction.Failed, 0, true
		}
	}
	a.keep(l)
	l.mu.Lock()
	err := l.save()
	l.mu.Unlock()
	if err == nil {
		err = a.cfg.Report(ctx, Report{Request: l.request, Action: l.action, Known: l.logged, Lock: l})
	}
	if err != nil {
		a.forget(l)
		return err
	}
	l.Close()
	return nil
}
