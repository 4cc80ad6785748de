package alerts

import (
	"context"
	"slices"
	"time"

	"hostbot/bot/interaction"
	"hostbot/bot/store/record"
	"hostbot/bot/watch/notify"
)

// next returns what is to be said of an alert now.
func (a *Alerts) next(ctx context.Context, r *record.Record[delivery]) (*notify.Wanted[delivery], time.Duration, error) {
	d := &r.Value
	d.CustomerID = r.Owner
	settings, err := a.Settings(ctx, r.Owner)
	if err != nil {
		return nil, 0, err
	}
	if !d.Sent { // nobody is notified late of what a later alert tells, or of what is off by now
		d.Bots = slices.DeleteFunc(d.Bots, func(o Outage) bool { return o.Elsewhere || !settings.For(o.ServerID) })
	}
	if !slices.ContainsFunc(d.Bots, func(o Outage) bool { return settings.For(o.ServerID) }) {
		return nil, notify.Drop, nil
	}
	repost := d.repost(settings, time.Now())
	drawn := slices.Clone(d.Bots)
	return &notify.Wanted[delivery]{
		UserID: r.Owner, Name: d.ID, Mark: d.Mark(), Repost: repost,
		Draw: func(locale string) interaction.Message {
			d.Locale = locale
			return a.Draw(d.Alert)
		},
		Notified: func(d *delivery) { d.notified(drawn) },
		Again:    func(d *delivery) time.Duration { return d.again(time.Now()) },
	}, 0, nil
}

// repost reports whether the message must be posted again, as only an edit tells of a fall: an edit
// notifies nobody. No message is to tell of a bot any more that is muted by now.
func (d *delivery) repost(s Settings, now time.Time) (repost bool) {
	for i := range d.Bots {
		o := &d.Bots[i]
		if !s.For(o.ServerID) || !s.MutedUntil(o.ServerID, now).IsZero() {
			o.Notify = time.Time{}
		}
		left, ok := o.waits(now)
		repost = repost || ok && left == 0
	}
	return repost && d.Sent
}

// notified notes that a message has notified the customer of the falls that it shows.
func (d *delivery) notified(drawn []Outage) {
	for i := range d.Bots {
		o := &d.Bots[i]
		if slices.ContainsFunc(drawn, func(shown Outage) bool { return shown.Last == o.Last }) {
			o.Notify, o.Quiet = time.Time{}, o.Keeps()
		}
	}
}

// again returns after which time an alert is due again as another message is to tell of a fall.
func (d *delivery) again(now time.Time) time.Duration {
	after := record.Never
	for _, o := range d.Bots {
		if left, ok := o.waits(now); ok && (after == record.Never || left < after) {
			after = left
		}
	}
	return after
}
