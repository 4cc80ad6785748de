package alerts

import (
	"cmp"
	"context"
	"slices"
	"time"

	"hostbot/bot/interaction"
	"hostbot/bot/store/record"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/notify"
)

// next returns what is to be said of an alert now.
func (t *teller) next(ctx context.Context, r *record.Record[delivery]) (*notify.Wanted[delivery], time.Duration, error) {
	d := &r.Value
	to, err := t.told(ctx, r.Owner)
	if err != nil {
		return nil, 0, err
	}
	settings := to.Settings
	if !d.Sent { // nobody is notified late of what a later alert tells, or of what is off by now
		late := func(o Outage) bool {
			return o.Elsewhere || !settings.For(o.ServerID) || !d.begun() && settings.brief(o)
		}
		d.Bots = slices.DeleteFunc(d.Bots, late)
	}
	if !slices.ContainsFunc(d.Bots, func(o Outage) bool { return settings.For(o.ServerID) }) {
		return nil, notify.Drop, nil
	}
	if wait := t.awaitMaintenance(d, time.Now()); wait > 0 || len(d.Bots) == 0 {
		return nil, cmp.Or(wait, notify.Drop), nil
	}
	if t.cfg.Restarts != nil {
		if err = t.cfg.Restarts.mark(ctx, r.Owner, d, time.Now()); err != nil {
			return nil, 0, err
		}
	}
	if left := max(time.Until(d.due(settings)), d.awaitRestarts()); !d.begun() && left > 0 {
		return nil, left, nil
	}
	repost, silent := d.repost(settings, time.Now())
	drawn := slices.Clone(d.Bots)
	return &notify.Wanted[delivery]{
		UserID: to.userID, ChannelID: to.channelID, Name: d.ID, Mark: d.Mark(), Repost: repost,
		Draw: func(locale string) interaction.Message {
			m := to.draw(d.Alert, locale)
			m.Silent = silent
			return m
		},
		Notified: func(d *delivery) { d.notified(drawn) },
		Again:    func(d *delivery) time.Duration { return d.again(settings, time.Now()) },
	}, 0, nil
}

// awaitMaintenance has no message notify the customer of falls during maintenance, and returns for how long an alert waits of which
// nobody has read, as it tells of such bots alone: those that are back by then are not told of.
func (t *teller) awaitMaintenance(d *delivery, now time.Time) (wait time.Duration) {
	unread, free := !d.begun(), false
	d.Bots = slices.DeleteFunc(d.Bots, func(o Outage) bool { return unread && o.Over() && t.cfg.Held(o.ServerID, o.Name) > 0 })
	for i := range d.Bots {
		o := &d.Bots[i]
		left := t.cfg.Held(o.ServerID, o.Name)
		free = free || left == 0
		wait = max(wait, left)
		if left > 0 && !o.Over() && !o.Notify.IsZero() {
			o.Notify = history.Later(o.Notify, now.Add(left))
		}
	}
	if !unread || free {
		return 0
	}
	return wait
}

// repost reports whether the message must be posted again, as only an edit tells of a fall or a recovery: an edit
// notifies nobody. It is silent if it tells of recoveries alone that came soon. No message is to tell of a bot any
// more that is muted by now.
func (d *delivery) repost(s Settings, now time.Time) (repost, silent bool) {
	silent = true
	for i := range d.Bots {
		o := &d.Bots[i]
		if !s.For(o.ServerID) || !s.MutedUntil(o.ServerID, now).IsZero() {
			o.Notify = time.Time{}
		}
		if left, ok := d.waits(s, *o, now); ok && left == 0 {
			repost, silent = true, silent && !o.RecoveredAt.IsZero() && (o.short() || o.quietly())
		}
	}
	if !d.Sent { // nobody need be disturbed by what the program has mended
		return false, !slices.ContainsFunc(d.Bots, func(o Outage) bool { return !o.quietly() })
	}
	return repost, repost && silent
}

// awaitRestarts returns for how long the first message of an alert waits for restarts: until then, the customer need know of none of its
// bots.
func (d *delivery) awaitRestarts() (wait time.Duration) {
	for _, o := range d.Bots {
		if o.RecoveredAt.IsZero() && o.Pending == 0 {
			return 0
		}
		wait = max(wait, o.Pending)
	}
	return wait
}

// notified notes that a message has notified the customer of the falls and the recoveries that it shows.
func (d *delivery) notified(drawn []Outage) {
	for i := range d.Bots {
		o := &d.Bots[i]
		was := slices.IndexFunc(drawn, func(was Outage) bool { return was.Last == o.Last })
		if was < 0 {
			continue
		}
		o.Quiet = o.Keeps()
		if drawn[was].RecoveredAt.Equal(o.RecoveredAt) { // otherwise it is back since
			o.Notify = time.Time{}
		}
	}
}

// again returns after which time an alert is due again as another message is to tell of a fall.
func (d *delivery) again(s Settings, now time.Time) time.Duration {
	after := record.Never
	for _, o := range d.Bots {
		if left, ok := d.waits(s, o, now); ok && (after == record.Never || left < after) {
			after = left
		}
	}
	return after
}
