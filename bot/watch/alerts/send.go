package alerts

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"hostbot/bot/discord/message"
	"hostbot/bot/discord/rest"
	"hostbot/bot/leader"
	"hostbot/bot/store/record"
)

// atOnce is how many alerts are sent at once, of the fifty requests a second that Discord takes
// from a bot (documentation, "Rate Limits: Global Rate Limit").
const atOnce = 10

// Work is what the leader does: it sends alerts. Those of a customer take turns with those of
// others.
func (a *Alerts) Work() leader.Kind {
	return leader.Kind{
		Name: kind, Due: a.records.DueKey(), AtOnce: atOnce, Limit: a.Timing.Work, Reconcile: a.reconcile,
		Line: func(id string) string { customerID, _, _ := strings.Cut(id, "/"); return customerID },
	}
}

// reconcile makes the message of an alert say what is true, unless all alerts are held.
func (a *Alerts) reconcile(ctx context.Context, id string) (again time.Duration, err error) {
	r, again, err := a.records.Take(ctx, id, a.Timing.Work)
	if r == nil {
		return again, err
	}
	state, err := a.look(ctx, allHold, a.Timing.Retry)
	if err != nil {
		return 0, err
	}
	if state == waits {
		left, err := a.left(ctx, allHold)
		if err != nil {
			return 0, err
		}
		a.putOff(ctx, r, left)
		return r.Again(), nil
	}
	if err := a.send(ctx, r, state == trying); err != nil {
		a.later(ctx, r, err)
	}
	return r.Again(), nil
}

// send sends an alert as it is now. An error says that it is to be tried again. Of a try
// all alerts depend that are held.
func (a *Alerts) send(ctx context.Context, r *record.Record[delivery], try bool) error {
	e := &r.Value
	e.CustomerID = r.Owner
	owner, err := a.customer(ctx, e.CustomerID)
	if err != nil {
		return err
	}
	if !e.Sent { // nobody is told late of what a later alert tells, or of what is off by now
		e.Bots = slices.DeleteFunc(e.Bots, func(o Outage) bool { return o.Elsewhere || !owner.For(o.ServerID) })
	}
	if !slices.ContainsFunc(e.Bots, func(o Outage) bool { return owner.For(o.ServerID) }) {
		return a.drop(ctx, r)
	}
	e.Locale = owner.Locale
	anew := e.anew(owner.Settings, time.Now())
	posts := e.Message.Posts
	shown, err := a.show(ctx, owner.Channel, r, anew)
	if errors.Is(err, record.ErrConflict) { // it has changed, and is due again
		return nil
	}
	e.Message = shown
	drawn := slices.Clone(e.Bots)
	notified := shown.Posts > posts && (anew || !e.Sent)
	if notified {
		e.told(drawn)
	}
	if err != nil && !rest.LacksEmbeds(err) { // in a DM nobody could grant anything: it is not sent again
		return a.refused(ctx, r, try, err)
	}
	if try {
		a.release(ctx, allHold)
	}
	if !notified {
		drawn = nil
	}
	return a.sent(ctx, r, drawn)
}

// anew reports whether another message takes the place of the one that is there, as that has told of a
// fall only by an edit. No message is to tell of a bot any more that is muted by now.
func (d *delivery) anew(s Settings, now time.Time) (anew bool) {
	for i := range d.Bots {
		o := &d.Bots[i]
		if !s.For(o.ServerID) || !s.MutedUntil(o.ServerID, now).IsZero() {
			o.Notify = time.Time{}
		}
		left, ok := o.waits(now)
		anew = anew || ok && left == 0
	}
	return anew && d.Sent
}

// told notes that a message has notified the customer of the falls that it shows.
func (d *delivery) told(drawn []Outage) {
	for i := range d.Bots {
		o := &d.Bots[i]
		if slices.ContainsFunc(drawn, func(shown Outage) bool { return shown.Last == o.Last }) {
			o.Notify, o.Quiet = time.Time{}, o.Keeps()
		}
	}
}

// next returns after which time an alert is due again as another message is to tell of a fall.
func (d *delivery) next(now time.Time) time.Duration {
	after := record.Never
	for _, o := range d.Bots {
		if left, ok := o.waits(now); ok && (after == record.Never || left < after) {
			after = left
		}
	}
	return after
}

// sent notes that Discord has an alert's message, and of which falls that has notified the customer.
// If the alert has changed meanwhile, it stays due.
func (a *Alerts) sent(ctx context.Context, r *record.Record[delivery], told []Outage) error {
	shown, after := r.Value.Message, r.Value.next(time.Now())
	for {
		if !r.Value.Sent {
			r.Count = sentCount
		}
		r.Value.Message, r.Value.Sent = shown, true
		r.Value.told(told)
		err := a.records.Save(ctx, r, after)
		if !errors.Is(err, record.ErrConflict) {
			return err
		}
		if r, err = a.records.Get(ctx, r.ID, r.Owner); err != nil || r == nil {
			return err
		}
		after = 0
	}
}

// refused does what there is to do about an alert that Discord did not take. An error says
// that it is to be tried again.
func (a *Alerts) refused(ctx context.Context, r *record.Record[delivery], try bool, failure error) error {
	switch rest.About(failure) {
	case rest.AboutRecipient:
		return a.refuse(ctx, r.Owner)
	case rest.AboutMessage: // where it was deleted, there is nothing to be kept true any more
		if !rest.IsUnknownMessage(failure) {
			a.Log.Error().Err(failure).Msg("discord refuses an alert")
		}
		return a.drop(ctx, r)
	case rest.AboutChannel:
		return a.channelRefused(ctx, r, failure)
	case rest.AboutUs:
		return a.holdAll(ctx, r, try, failure)
	default:
		return failure
	}
}

// show makes an alert's message show it as it is now, and returns what is known of it then.
// If anew is set, that is another message in the place of the one that is there.
func (a *Alerts) show(ctx context.Context, channel string, r *record.Record[delivery], anew bool) (message.State, error) {
	e := &r.Value
	return message.Show(ctx, a.Discord, e.Message, message.Wanted{
		ChannelID: channel, Name: e.ID, Message: a.Draw(e.Alert), Anew: anew,
		Is: func(m rest.Posted) bool { return message.HasMark(m, e.Mark()) },
		Save: func(ctx context.Context, s message.State) error {
			e.Message = s
			return a.records.Save(ctx, r, record.Keep)
		},
	})
}

// later has an alert tried again, without holding others up.
func (a *Alerts) later(ctx context.Context, r *record.Record[delivery], failure error) {
	wait := a.Timing.Retry
	switch e, ok := errors.AsType[*rest.Error](failure); {
	case leader.Ended(ctx): // another one leads now
		wait = 0
	case ok && e.Global: // all requests wait, and each alert keeps its place
		wait = e.RetryAfter
	case ok:
		wait = max(wait, e.RetryAfter)
	}
	a.Log.Debug().Err(failure).Msg("an alert was not sent and is tried again")
	a.putOff(ctx, r, wait)
}

// putOff has an alert wait. Where that fails, it waits for a.Timing.Work.
func (a *Alerts) putOff(ctx context.Context, r *record.Record[delivery], wait time.Duration) {
	_ = a.records.Save(context.WithoutCancel(ctx), r, wait)
}

// drop gives an alert up, unless it has changed meanwhile.
func (a *Alerts) drop(ctx context.Context, r *record.Record[delivery]) error {
	if err := a.records.Drop(ctx, r); !errors.Is(err, record.ErrConflict) {
		return err
	}
	return nil
}
