package panel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hostbot/bot/discord/message"
	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/leader"
	"hostbot/bot/store/record"
	"hostbot/bot/watch/watcher"
)

// mostAtOnce is how many panels are delivered at once: customers come first, and
// Discord takes 50 requests a second of everybody together.
const mostAtOnce = 8

// passes reports whether Discord may take the message of a panel later, though nobody changes anything. In a new
// post of a forum it takes none before the post's author has sent the first (discord-api-docs#6340).
func (p Panel) passes(err error) bool {
	return rest.VerdictOf(err).Passes() || p.InThread && rest.CodeOf(err) == rest.CodeNeedsThread
}

// afterTrouble is when a panel is tried again that Discord does not let be changed.
// Its owner reads of it with the next /panel, which tries it at once.
const afterTrouble = 24 * time.Hour

// Work is what the leader does: it keeps panels true.
func (p *Panels) Work() leader.Kind {
	return leader.Kind{
		Name: kind, Due: p.records.DueKey(), AtOnce: mostAtOnce, Limit: p.cfg.Timing.Work, Reconcile: p.reconcile,
	}
}

// reconcile makes a panel's message show what is true, if it is due.
func (p *Panels) reconcile(ctx context.Context, id string) (again time.Duration, err error) {
	r, again, err := p.records.Take(ctx, id, p.cfg.Timing.Work)
	if r == nil {
		return again, err
	}
	t := &taken{Record: r, kept: r.Value.Message}
	_ = p.deliver(ctx, t) // what failed is in the record, and logged
	return t.Again(), nil
}

// errUndrawn says that it is not known what a panel is to show. Nothing was sent then.
var errUndrawn = errors.New("panel: it cannot be drawn")

// deliver makes the message of a panel show what is true. Its error is errUndrawn, or
// Discord's, where that did not take the message.
func (p *Panels) deliver(ctx context.Context, t *taken) error {
	known := t.Value.Message.ID
	next, err := p.update(ctx, t)
	after := context.WithoutCancel(ctx)
	switch e := p.keep(after, t, next); {
	case errors.Is(e, record.ErrConflict):
		if !p.adopt(after, t) && t.Value.Message.ID != known { // otherwise whoever was faster knows of the message
			p.overtaken(after, t)
		}
	case e != nil:
		p.cfg.Log.Debug().Err(e).Msg("redis does not take what became of a panel")
	}
	return err
}

// adopt notes what became of a panel's message if its owner has changed the panel meanwhile, and nobody
// else has posted or edited the message. It reports whether it did.
func (p *Panels) adopt(ctx context.Context, t *taken) bool {
	r, err := p.records.Update(ctx, t.ID, t.Value.OwnerID, 0, func(panel *Panel) bool { // it is yet to show the change
		if m := panel.Message; m.ID != t.kept.ID || m.Posts != t.kept.Posts || m.Tried != t.kept.Tried || m.Stale != t.kept.Stale {
			return false
		}
		panel.Message, panel.Edited, panel.Trouble, panel.TroubleCode = t.Value.Message, t.Value.Edited, t.Value.Trouble, t.Value.TroubleCode
		return true
	})
	if r == nil || err != nil {
		return false
	}
	t.Record = r
	return true
}

// overtaken is called if a panel was removed, or saved by another process, while this one posted
// a message of it. A message that no record knows of is deleted.
func (p *Panels) overtaken(ctx context.Context, t *taken) {
	now, err := p.Get(ctx, t.Value.OwnerID, t.ID)
	if err != nil {
		p.cfg.Log.Debug().Err(err).Msg("redis does not tell what became of a panel")
	} else if now == nil || now.Message.ID != t.Value.Message.ID {
		_, _ = p.delete(ctx, t.Value.ChannelID, t.Value.Message.ID, t.Value.Message.Stale) // it is logged, and nobody waits for it
	}
}

// update draws a panel and sends it, unless that need not be, or not yet. It returns when
// the panel is due again.
func (p *Panels) update(ctx context.Context, t *taken) (next time.Duration, err error) {
	timing, age := p.cfg.Timing, time.Duration(t.Read-t.Value.Edited)*time.Millisecond
	if age < timing.Between {
		return timing.Between - age, nil
	}
	m, err := p.cfg.Draw(ctx, t.Value)
	if err != nil {
		p.cfg.Log.Debug().Err(err).Str("panel", t.ID).Msg("a panel cannot be drawn")
		return timing.Retry, fmt.Errorf("%w: %w", errUndrawn, err)
	}
	if s := t.Value.Message; s.ID != "" && s.Tried == 0 && s.Stale == "" && s.Hash == message.Hash(m) && age < timing.Beat {
		return min(timing.Check, timing.Beat-age), nil
	}
	if age >= timing.Beat { // Redis may have lost it
		if err := p.cfg.Watching.Watch(ctx, t.Value.OwnerID, watcher.Panel); err != nil {
			p.cfg.Log.Debug().Err(err).Msg("redis does not take that an account is watched")
		}
	}
	if err := p.show(ctx, t, m); err != nil {
		return p.failed(ctx, t, err), err
	}
	t.Value.Edited, t.Value.Trouble, t.Value.TroubleCode = t.Read, "", 0
	return timing.Check, nil
}

// show makes the message of a panel show what is true.
func (p *Panels) show(ctx context.Context, t *taken, m interaction.Message) (err error) {
	t.Value.Message, err = message.Show(ctx, p.cfg.Discord, t.Value.Message, message.Wanted{
		ChannelID: t.Value.ChannelID, Name: t.ID, Message: m, Bare: func() interaction.Message { return p.cfg.Bare(t.Value) },
		Save: func(ctx context.Context, s message.State) error {
			if t.added { // its record says so
				return nil
			}
			t.Value.Message = s
			return p.keep(ctx, t, record.Keep)
		},
	})
	return err
}

// failed returns when a panel is due again whose message Discord did not take. A panel
// is forgotten whose message or channel somebody has deleted.
func (p *Panels) failed(ctx context.Context, t *taken, err error) (next time.Duration) {
	switch v := rest.VerdictOf(err); {
	case leader.Ended(ctx): // another one leads now
		return 0
	case v == rest.Gone:
		p.cfg.Log.Info().Err(err).Str("panel", t.ID).Msg("a panel was deleted on Discord and is forgotten")
		if _, err := p.forget(ctx, t.Value); err != nil {
			p.cfg.Log.Warn().Err(err).Str("panel", t.ID).Msg("a panel could not be forgotten")
			return p.cfg.Timing.Retry // with its message: otherwise it would be posted again
		}
		t.Value.Message.ID = ""
		return p.cfg.Timing.Retry
	case v == rest.Limited:
		return max(rest.RetryAfter(err), time.Second)
	case v == rest.Later: // Redis's failure as well, and that the panel was removed
		return p.cfg.Timing.Retry
	case t.Value.passes(err):
		return p.cfg.Timing.Check
	}
	t.Value.Trouble, t.Value.TroubleCode = err.Error(), rest.CodeOf(err)
	p.cfg.Log.Info().Err(err).Str("panel", t.ID).Msg("discord does not let a panel be changed")
	return afterTrouble
}
