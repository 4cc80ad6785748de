package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"hostbot/bot/discord/message"
	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/store/record"
)

// keptFor is how long a contact is kept that no topic needs.
const keptFor = 30 * 24 * time.Hour

// contact is how to reach a person, and in which time zone they live.
type contact struct {
	Topics  []string `json:"topics,omitempty"` // that need it
	Locale  string   `json:"locale,omitempty"`
	Zone    string   `json:"zone,omitempty"`    // as ParseZone returns it; "" until the person has named one
	Channel string   `json:"channel,omitempty"` // of the DM; "" until it is open
	Written bool     `json:"written,omitempty"` // Discord has taken a message there
	// First is the state of the first message while it is not known to be there.
	First message.State `json:"first,omitzero"`
	// Greeting is the text of the first message if the leader is to send it.
	Greeting string `json:"greeting,omitempty"`
	// Refused is when the person ceased to take messages, Next when one is tried again, and Refusals the number of
	// tries; all zero while the person takes messages.
	Refused  time.Time `json:"refused,omitzero"`
	Next     time.Time `json:"next,omitzero"`
	Refusals int       `json:"refusals,omitempty"`
	// Reopen has the leader open the DM once more, as Discord refuses the channel. There may be another channel by
	// then, or the same may work (discord-api-docs#7666, #7275).
	Reopen bool `json:"reopen,omitempty"`
}

// opening reports whether the leader has yet to open the DM.
func (c *contact) opening() bool { return c.Greeting != "" || c.Reopen }

// retries returns the pauses between messages to a person who takes none. Refusals may pass: the bot was kicked and is
// invited again, or DMs were closed for an hour (discord-api-docs#8244, #1236).
func retries() []time.Duration {
	const day = 24 * time.Hour
	return []time.Duration{time.Hour, 6 * time.Hour, day, 3 * day, 7 * day}
}

// refuse notes that the person takes no messages, and reports whether all retries are used up.
func (c *contact) refuse(now time.Time) (over bool) {
	if c.Refusals == len(retries()) {
		return true
	}
	if c.Refused.IsZero() {
		c.Refused = now
	}
	c.Next = now.Add(retries()[c.Refusals])
	c.Refusals++
	return false
}

// need notes that a topic needs the contact, if there is one.
func (c *contact) need(topic string) {
	if topic != "" && !slices.Contains(c.Topics, topic) {
		c.Topics = append(c.Topics, topic)
	}
}

// Recipient is a person to write to from now on.
type Recipient struct {
	UserID, Locale string
	// DM is the channel of the person's DM with the bot; "" if the caller does not know it.
	DM string
	// Greeting is the text of the first message to a new recipient. It shows that messages arrive. If it is empty, the
	// DM is only opened: the topic's own message is the first, and shows that.
	Greeting string
	// Stranger says that the person may be no customer. First messages to strangers have a budget.
	Stranger bool
}

// Reached is the outcome of Reach.
type Reached int

// Outcomes of Reach.
const (
	Known    Reached = iota // no first message was needed
	Greeted                 // the first message was sent
	OnItsWay                // the leader sends it soon
)

// Reach makes sure that the bot can write to a person about a topic. It sends a first message to a new recipient: only
// one, even if several processes do so at a time, or if Discord's answer was lost. After an error only the state of that
// message is kept. The error is ErrClosed with Discord's reason, ErrLater, ErrBudget, or that of Redis. Without a topic
// the contact is kept for 30 days.
func (n *Notifier) Reach(ctx context.Context, topic string, to Recipient) (Reached, error) {
	known, err := n.contacts.Value(ctx, to.UserID, to.UserID)
	if err != nil {
		return 0, err
	}
	wait, err := n.pauses.Value(ctx, pauseID, "")
	if err != nil {
		return 0, err
	}
	keep := func(c *contact) { c.need(topic); c.Locale = to.Locale }
	// In quarantine Discord may refuse messages to a DM in which the bot has not written.
	doubted := !known.Written && wait.New.Code == rest.CodeQuarantined && !wait.New.Until.IsZero()
	switch channel := cmp.Or(to.DM, known.Channel); {
	case known.Greeting != "":
		return OnItsWay, n.change(ctx, to.UserID, record.Keep, keep)
	case channel != "" && !doubted && known.Refused.IsZero():
		return Known, n.change(ctx, to.UserID, record.Keep, func(c *contact) { keep(c); c.Channel = channel })
	case wait.New.left() > 0 || wait.All.left() > 0:
		return 0, ErrLater
	}
	if to.Stranger {
		if err := n.spend(ctx); err != nil {
			return 0, err
		}
	}
	at, err := n.count(ctx, windowKey, n.cfg.Timing.Window)
	if err != nil {
		return 0, err
	}
	if at > windowOpenings {
		err = n.change(ctx, to.UserID, 0, func(c *contact) { keep(c); c.Greeting, c.Reopen = to.Greeting, to.Greeting == "" })
		n.cfg.Wake(ctx, contactKind, to.UserID)
		return OnItsWay, err
	}
	channel, err := n.greet(ctx, to.UserID, to.Greeting, known.First, func(ctx context.Context, s message.State) error {
		return n.change(ctx, to.UserID, record.Keep, func(c *contact) { c.First = s })
	})
	if err != nil || to.Greeting != "" { // opening a DM alone does not show that messages are taken
		err = n.judge(ctx, wait, err)
	}
	if err != nil {
		return 0, err
	}
	return Greeted, n.change(ctx, to.UserID, record.Keep, func(c *contact) { keep(c); c.open(channel, to.Greeting != "") })
}

// open notes that the DM is open, and whether the first message is there.
func (c *contact) open(channel string, greeted bool) {
	if c.Channel = channel; greeted {
		c.First, c.Greeting = message.State{}, ""
		c.take()
	}
}

// take notes that Discord has taken a message.
func (c *contact) take() {
	c.Written, c.Refused, c.Next, c.Refusals = true, time.Time{}, time.Time{}, 0
}

// greet opens the DM with a person, sends the first message, if there is one and it is not there already, and returns
// the channel. known is the message's state; save saves it.
func (n *Notifier) greet(ctx context.Context, userID, greeting string, known message.State, save func(context.Context, message.State) error) (channel string, err error) {
	if channel, err = n.cfg.Discord.OpenDM(ctx, userID); err != nil || greeting == "" {
		return channel, err
	}
	shown, err := message.Show(ctx, n.cfg.Discord, known, message.Wanted{ChannelID: channel, Name: userID, Message: interaction.Message{Content: greeting}, Save: save})
	if err != nil && (shown.Tried == 0 || rest.VerdictOf(err) == rest.Closed) { // it is not there
		err = errors.Join(err, save(context.WithoutCancel(ctx), message.State{}))
	}
	return channel, err
}

// judge turns the error of a first message into one of Reach's. It begins or ends the pause for new recipients.
func (n *Notifier) judge(ctx context.Context, wait pauses, err error) error {
	_, answered := errors.AsType[*rest.Error](err)
	switch v := rest.VerdictOf(err); {
	case err == nil, rest.LacksEmbeds(err): // it is there
		if !wait.New.Until.IsZero() {
			n.resume(ctx, true)
		}
		return nil
	case !answered: // Redis fails
		return err
	case v == rest.Closed:
		return fmt.Errorf("%w: %w", ErrClosed, err)
	case v == rest.Quarantined:
		n.pause(ctx, true, err)
		return fmt.Errorf("%w: %w", ErrLater, err)
	case v.Passes():
		return fmt.Errorf("%w: %w", ErrLater, err)
	}
	return err
}

// change changes or makes a contact, and makes it due after a time. A contact without content is removed.
func (n *Notifier) change(ctx context.Context, userID string, after time.Duration, change func(*contact)) error {
	r, err := n.contacts.Upsert(ctx, userID, userID, after, func(r *record.Record[contact]) bool {
		change(&r.Value)
		if r.Life = keptFor; len(r.Value.Topics) > 0 {
			r.Life = record.ForEver
		}
		return true
	})
	if err == nil && len(r.Value.Topics) == 0 && r.Value.Channel == "" && r.Value.Zone == "" && r.Value.First.Tried == 0 && !r.Value.opening() {
		if err = n.contacts.Drop(ctx, r); errors.Is(err, record.ErrConflict) { // somebody needs it by now
			err = nil
		}
	}
	return err
}

// Release says that a topic does not need a contact any more. If no other topic does, the contact is removed or, with
// keep, kept for 30 days, so that a person who comes back is not greeted again.
func (n *Notifier) Release(ctx context.Context, topic, userID string, keep bool) error {
	known, err := n.contacts.Value(ctx, userID, userID)
	if err != nil || len(known.Topics) == 0 && known.Channel == "" && known.Zone == "" {
		return err
	}
	return n.change(ctx, userID, record.Keep, func(c *contact) {
		c.Topics = slices.DeleteFunc(c.Topics, func(t string) bool { return t == topic })
		if !keep && len(c.Topics) == 0 {
			*c = contact{}
		}
	})
}

// Contact returns the channel and language of a person's DM; "" for what is not known.
func (n *Notifier) Contact(ctx context.Context, userID string) (channelID, locale string, err error) {
	c, err := n.contacts.Value(ctx, userID, userID)
	return c.Channel, c.Locale, err
}

// Refused returns since when a person takes no messages from the bot; zero if they do. After pauses that grow to a week,
// the leader tries the next message, and in the end ends all topics.
func (n *Notifier) Refused(ctx context.Context, userID string) (since time.Time, err error) {
	c, err := n.contacts.Value(ctx, userID, userID)
	return c.Refused, err
}

// Forget removes a person's contact, and reports whether there was one.
func (n *Notifier) Forget(ctx context.Context, userID string) (known bool, err error) {
	last, _, err := n.contacts.Remove(ctx, userID, userID)
	return last != nil, err
}

// refused notes that a person takes no messages. If all retries are used up, or the user does not exist, it ends all
// topics.
func (n *Notifier) refused(ctx context.Context, userID string, refusal error) error {
	var first bool
	over := rest.IsUnknownUser(refusal)
	_, err := n.contacts.Update(context.WithoutCancel(ctx), userID, userID, record.Keep, func(c *contact) bool {
		first = c.Refused.IsZero()
		c.Greeting, c.Reopen = "", false
		over = over || c.refuse(time.Now())
		return !over
	})
	if first {
		err = errors.Join(err, n.cfg.Redis.HIncrBy(context.WithoutCancel(ctx), n.countsKey(contactKind), refusedCount, 1).Err())
	}
	if over {
		err = errors.Join(err, n.end(ctx, userID))
	}
	n.cfg.Log.Info().Err(err).Str("user", userID).Bool("over", over).Msg("somebody takes no direct messages")
	return err
}

// end ends all topics for a person and removes the contact.
func (n *Notifier) end(ctx context.Context, userID string) (err error) {
	ctx = context.WithoutCancel(ctx)
	for _, end := range n.ends {
		_, failed := end(ctx, userID)
		err = errors.Join(err, failed)
	}
	_, failed := n.Forget(ctx, userID)
	return errors.Join(err, failed)
}
