package notify

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"hostbot/bot/discord/message"
	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/leader"
	"hostbot/bot/store/record"
)

// Delivery is the part of a record that describes its message. Only the leader writes it.
type Delivery struct {
	Message message.State `json:"message"`
	Sent    bool          `json:"sent,omitempty"`    // Discord has taken it once
	Refused int           `json:"refused,omitempty"` // how often Discord has refused it while it took others
	Code    int           `json:"code,omitempty"`    // Discord's code of the last refusal; 0 once it has taken it
}

// Topic is a reason to write to people, or in channels. T is the content of its records. Those whose IDs have the same
// beginning, up to the first slash, take turns with others (leader.Kind.Line).
type Topic[T any] struct {
	Name   string // of its records, and in a contact
	Format int    // of T as JSON
	AtOnce int    // how many messages are sent at a time
	// Discord is where the messages go; nil for Config.Discord.
	Discord Discord
	// InChannels says that the messages go to channels of guilds (Wanted.ChannelID). They wait for no pause of direct
	// messages, and a refusal says nothing of other channels.
	InChannels bool
	// Lenient is record.Kind.Lenient: an observer of polls that returns an error stops the account's polls.
	Lenient bool
	// Delivery returns a record's Delivery.
	Delivery func(*T) *Delivery
	// Next returns the message for a record. If w is nil, there is none: the record is due again after a time
	// (record.Never for never), or removed (Drop).
	Next func(ctx context.Context, r *record.Record[T]) (w *Wanted[T], after time.Duration, err error)
	// GiveUp is called if a message is given up, and returns after which time the record is due again: 0 so that Next
	// can say elsewhere what became of it, record.Never, or Drop.
	GiveUp func(*T) (after time.Duration)
	// Life is record.Kind.Life.
	Life time.Duration
	// End ends the topic for a person who takes no messages any more. A topic also ends by the person's command, and
	// when staff remove all that is kept of somebody (forget in bot/watching.go): both call the topic's package. A
	// topic that depends on another one's settings needs no call when those change: its Next asks for them (such as
	// alerts.Alerts.Settings), and returns Drop while they are off. Give its records a Life, so that those of people
	// who are never written to again expire. End is nil if the topic is InChannels, or Next finds that out by itself.
	End func(ctx context.Context, userID string) (known bool, err error)

	// Records are the topic's records. Call Wake after saving one that is due.
	Records *record.Kind[T]
	n       *Notifier
}

// Wanted is a message to show.
type Wanted[T any] struct {
	UserID string // "" if the topic is InChannels
	// ChannelID is where the message goes if the topic is InChannels.
	ChannelID string
	// Name is message.Wanted.Name.
	Name string
	// Mark is the timestamp of the message's first embed, to find it by (message.Mark).
	Mark time.Time
	Draw func(locale string) interaction.Message // locale is the person's
	// Repost is message.Wanted.Repost: unlike an edit, it notifies the person.
	Repost bool
	// Notified is called on a record, perhaps a newer one, when the message has notified the person. An edit does
	// not.
	Notified func(*T)
	// Again returns how long until the record is due again after Discord has taken the message.
	Again func(*T) time.Duration
}

// Drop as a time removes the record.
const Drop time.Duration = -3

const (
	// mostRefusals is how often a message is tried that Discord refuses while it takes others: with the usual timing
	// for 17 hours. Discord was seen to refuse DMs during an outage (discord-api-docs#7275), and some for good
	// (#7666).
	mostRefusals = 10
	// longestRefused is the longest pause between these tries.
	longestRefused = 6 * time.Hour
)

// Add adds a topic. The leader does its Work.
func Add[T any](n *Notifier, t Topic[T]) *Topic[T] {
	t.n, t.Records = n, &record.Kind[T]{Redis: n.cfg.Redis, Space: n.cfg.Space, Name: t.Name, Format: t.Format, Lenient: t.Lenient, Life: t.Life}
	t.Discord = cmp.Or(t.Discord, n.cfg.Discord)
	if t.End != nil {
		n.ends = append(n.ends, t.End)
	}
	return &t
}

// Wake makes the leader work on records that are due.
func (t *Topic[T]) Wake(ctx context.Context, ids ...string) { t.n.cfg.Wake(ctx, t.Name, ids...) }

// Work returns the leader's work: to send the topic's messages.
func (t *Topic[T]) Work() leader.Kind {
	line := func(id string) string { first, _, _ := strings.Cut(id, "/"); return first }
	return leader.Kind{Name: t.Name, Due: t.Records.DueKey(), AtOnce: t.AtOnce, Limit: t.n.cfg.Timing.Work, Reconcile: t.reconcile, Line: line}
}

// reconcile brings the message of a record up to date.
func (t *Topic[T]) reconcile(ctx context.Context, id string) (again time.Duration, err error) {
	r, again, err := t.Records.Take(ctx, id, t.n.cfg.Timing.Work)
	if r == nil {
		return again, err
	}
	note, wait, err := t.deliver(ctx, r)
	switch {
	case errors.Is(err, record.ErrConflict): // it has changed, and is due again
		return 0, nil
	case err != nil:
		t.n.cfg.Log.Debug().Err(err).Str("topic", t.Name).Msg("a direct message was not sent and is tried again")
		wait = t.n.later(ctx, err)
	}
	ctx = context.WithoutCancel(ctx)
	if wait == Drop {
		err = t.Records.Drop(ctx, r)
	} else {
		err = t.Records.Save(ctx, r, wait)
	}
	if errors.Is(err, record.ErrConflict) && note != nil {
		_, err = t.Records.Upsert(ctx, r.ID, r.Owner, 0, func(r *record.Record[T]) bool {
			if !r.IsNew() {
				note(r)
			}
			return !r.IsNew()
		})
	}
	if errors.Is(err, record.ErrConflict) {
		return 0, nil
	}
	return r.Again(), err
}

// later returns how long to wait after a failure.
func (n *Notifier) later(ctx context.Context, failure error) time.Duration {
	switch e, ok := errors.AsType[*rest.Error](failure); {
	case leader.Ended(ctx): // another one leads now
		return 0
	case ok && e.Global: // all requests wait, and each message keeps its place
		return e.RetryAfter
	case ok:
		return max(n.cfg.Timing.Retry, e.RetryAfter)
	default:
		return n.cfg.Timing.Retry
	}
}

// deliver shows the message of a record, and returns how long until the record is due again. The caller saves it. If
// Discord has taken the message, note applies that to a record: this one, or a newer one after a conflict.
func (t *Topic[T]) deliver(ctx context.Context, r *record.Record[T]) (note func(*record.Record[T]), wait time.Duration, err error) {
	n := t.n
	var pauses pauses
	if !t.InChannels {
		pauses, err = n.pauses.Value(ctx, pauseID, "")
		if left := pauses.All.left(); err != nil || left > 0 {
			return nil, left, err
		}
	}
	w, wait, err := t.Next(ctx, r)
	if err != nil || w == nil {
		return nil, wait, err
	}
	c := contact{Channel: w.ChannelID, Written: true}
	if !t.InChannels {
		c, err = n.contacts.Value(ctx, w.UserID, w.UserID)
	}
	switch {
	case err != nil:
		return nil, 0, err
	case time.Now().Before(c.Next): // the next message after that is tried
		return nil, t.GiveUp(&r.Value), nil
	case c.opening():
		return nil, n.cfg.Timing.Retry, nil
	case c.Channel == "": // Redis has lost it
		return nil, n.cfg.Timing.Retry, t.reopen(ctx, w.UserID)
	case !c.Written && pauses.New.left() > 0:
		return nil, pauses.New.left(), nil
	}
	d := t.Delivery(&r.Value)
	posts := d.Message.Posts
	shown, err := message.Show(ctx, t.Discord, d.Message, message.Wanted{
		ChannelID: c.Channel, Name: w.Name, Message: w.Draw(c.Locale), Repost: w.Repost,
		Is: func(m rest.Posted) bool { return message.HasMark(m, w.Mark) },
		Save: func(ctx context.Context, s message.State) error {
			d.Message = s
			return t.Records.Save(ctx, r, record.Keep)
		},
	})
	if errors.Is(err, record.ErrConflict) {
		return nil, 0, err
	}
	d.Message = shown
	notified := shown.Posts > posts && (w.Repost || !d.Sent)
	if err != nil && !rest.LacksEmbeds(err) { // nobody could grant the permission in a DM, and the content says enough
		if notified {
			w.Notified(&r.Value)
		}
		wait, err = t.refused(ctx, r, w.UserID, c, err)
		return nil, wait, err
	}
	note = func(r *record.Record[T]) {
		d := t.Delivery(&r.Value)
		if !d.Sent {
			r.Count = sentCount
		}
		d.Message, d.Sent, d.Code = shown, true, 0
		if notified {
			w.Notified(&r.Value)
		}
	}
	note(r)
	return note, w.Again(&r.Value), n.taken(ctx, w.UserID, c, pauses)
}

// taken notes that Discord has taken a message to a person.
func (n *Notifier) taken(ctx context.Context, userID string, c contact, pauses pauses) error {
	if !pauses.of(!c.Written).Until.IsZero() {
		n.resume(ctx, !c.Written)
	}
	if c.Written && c.Refused.IsZero() {
		return nil
	}
	_, err := n.contacts.Update(context.WithoutCancel(ctx), userID, userID, record.Keep, func(c *contact) bool {
		c.take()
		return true
	})
	return err
}

// refused returns how long until a refused message is tried again.
func (t *Topic[T]) refused(ctx context.Context, r *record.Record[T], userID string, c contact, failure error) (wait time.Duration, err error) {
	d, v := t.Delivery(&r.Value), rest.VerdictOf(failure)
	if v.Passes() {
		return 0, failure
	}
	if rest.IsUnknownMessage(failure) { // it was deleted, so there is nothing to keep up to date
		return t.GiveUp(&r.Value), nil
	}
	d.Code = rest.CodeOf(failure)
	switch {
	case t.InChannels:
		if v == rest.Never { // a filter of that guild, most likely
			d.Refused = mostRefusals
		}
		return t.tryLess(r, failure), nil
	case v == rest.Never:
		t.n.cfg.Log.Error().Err(failure).Str("topic", t.Name).Msg("discord refuses a direct message")
		return t.GiveUp(&r.Value), nil
	case v == rest.Closed:
		return t.GiveUp(&r.Value), t.n.refused(ctx, userID, failure)
	case v == rest.Quarantined:
		left, again := t.n.pause(ctx, !c.Written, failure)
		if left += t.n.cfg.Timing.Retry; again { // it takes no others either
			return left, nil
		}
		if wait = t.tryLess(r, failure); wait > 0 {
			wait = max(wait, left)
		}
		return wait, nil
	case d.Refused == 0:
		d.Refused++
		return t.n.cfg.Timing.Retry, t.reopen(ctx, userID)
	}
	return t.tryLess(r, failure), nil
}

// tryLess counts a refusal of a message while others are taken, and returns the growing pause until the next try.
func (t *Topic[T]) tryLess(r *record.Record[T], failure error) time.Duration {
	d := t.Delivery(&r.Value)
	d.Refused++
	if d.Refused > mostRefusals {
		t.n.cfg.Log.Warn().Err(failure).Str("topic", t.Name).Msg("discord refuses a message, which is given up")
		return t.GiveUp(&r.Value)
	}
	t.n.cfg.Log.Warn().Err(failure).Str("topic", t.Name).Msg("discord refuses a message, which is tried again")
	return min(t.n.cfg.Timing.Refused<<max(d.Refused-2, 0), longestRefused)
}

// reopen makes the leader open a person's DM once more.
func (t *Topic[T]) reopen(ctx context.Context, userID string) error {
	ctx = context.WithoutCancel(ctx)
	err := t.n.change(ctx, userID, 0, func(c *contact) { c.Reopen = true })
	t.n.cfg.Wake(ctx, contactKind, userID)
	return err
}
