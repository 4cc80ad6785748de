package alerts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hostbot/bot/discord/message"
	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/store/record"
)

// ErrLater says that Discord lets the bot open no direct messages for now, or does not answer.
// It may in a few minutes.
var ErrLater = errors.New("alerts: no direct message can be opened for now")

const (
	// openBurst is how many DMs are opened at once, by all processes together, before each
	// further one waits for Timing.Opening. A few dozen at once are refused
	// (DasWolke/SnowTransfer#43), and Discord blocks bots that open too many
	// (https://discord.com/developers/docs/resources/user#create-dm).
	openBurst = 5
	// openPatience is for how long somebody who turns alerts on is made to wait.
	openPatience = 10 * time.Second
)

// Recipient is somebody who turns alerts on.
type Recipient struct {
	CustomerID, Locale string
	// DM is the channel of the direct messages with the bot, where the caller knows it.
	DM string
	// First is the message by which somebody new sees that alerts arrive. It has a content.
	First interaction.Message
}

// first is the first message to somebody, beside its text.
type first struct {
	name  string        // as message.Wanted has it
	known message.State // of an earlier try
	keep  func(context.Context, message.State) error
}

// introduce opens the DM with somebody, sends the first message, and returns the channel.
func (a *Alerts) introduce(ctx context.Context, to Recipient, f first) (channel string, err error) {
	try, err := a.mayIntroduce(ctx)
	if err != nil {
		return "", err
	}
	channel, err = a.openDM(ctx, to.CustomerID)
	if err == nil {
		err = a.sendFirst(ctx, to, channel, f)
	}
	if _, ok := errors.AsType[*rest.Error](err); err != nil && !ok { // Redis fails
		return "", err
	}
	switch about := rest.About(err); {
	case err == nil, rest.LacksEmbeds(err): // it is there
		if try {
			a.release(ctx, newHold)
		}
		return channel, nil
	case about == rest.AboutRecipient:
		return "", fmt.Errorf("%w: %w", ErrClosed, err)
	case about == rest.AboutUs:
		a.hold(ctx, newHold, "", err)
		return "", fmt.Errorf("%w: %w", ErrLater, err)
	case about == rest.Temporary:
		return "", fmt.Errorf("%w: %w", ErrLater, err)
	}
	return "", err
}

// firstAlert is the first message to a customer who turns alerts on. What is known of it is kept with
// the settings. Alerts have other names.
func (a *Alerts) firstAlert(customerID string, known message.State) first {
	return first{name: customerID, known: known, keep: func(ctx context.Context, s message.State) error {
		_, err := a.update(ctx, customerID, func(c *customer) { c.First = s })
		return err
	}}
}

// sendFirst sends somebody's first message, unless it is there already.
func (a *Alerts) sendFirst(ctx context.Context, to Recipient, channel string, f first) error {
	known, err := message.Show(ctx, a.Discord, f.known, message.Wanted{ChannelID: channel, Name: f.name, Message: to.First, Save: f.keep})
	if err != nil && (known.Tried == 0 || rest.About(err) == rest.AboutRecipient) { // it is not there
		err = errors.Join(err, f.keep(context.WithoutCancel(ctx), message.State{}))
	}
	return err
}

// openDM opens the DM with a user. Where Discord asks to wait, none is opened until then.
func (a *Alerts) openDM(ctx context.Context, userID string) (channel string, err error) {
	channel, err = a.Discord.OpenDM(ctx, userID)
	if e, ok := errors.AsType[*rest.Error](err); ok && e.RetryAfter > 0 && !e.Global {
		a.putOffOpening(ctx, e.RetryAfter)
	}
	return channel, err
}

// mayIntroduce waits until a DM may be opened, unless that takes too long, and reports whether
// that is a try of whether Discord lets the bot write to new people again. It is none of
// whether Discord takes alerts again.
func (a *Alerts) mayIntroduce(ctx context.Context) (try bool, err error) {
	all, err := a.look(ctx, allHold, 0)
	if err != nil {
		return false, err
	}
	recent, err := a.look(ctx, newHold, a.Timing.Retry)
	if err != nil {
		return false, err
	}
	if all == waits || recent == waits {
		return false, ErrLater
	}
	wait, err := a.brake(ctx, openPatience)
	if err != nil {
		return false, err
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return recent == trying, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// line is the line of those to whom a DM is opened, as Redis has it.
type line struct {
	Next int64 `json:"next"` // when the next DM would be opened were there no burst (Unix ms by Redis's clock)
}

// brake takes the next place in the line of those to whom a DM is opened, and returns for
// how long to wait for it. Where that is longer than patience, the error is ErrLater and no
// place is taken.
func (a *Alerts) brake(ctx context.Context, patience time.Duration) (wait time.Duration, err error) {
	err = a.changeLine(ctx, func(next, now int64) (int64, error) {
		next = max(next, now)
		wait = max(0, time.Duration(next-now)*time.Millisecond-(openBurst-1)*a.Timing.Opening)
		if wait > patience {
			return 0, ErrLater
		}
		return next + a.Timing.Opening.Milliseconds(), nil
	})
	return wait, err
}

// putOffOpening has no DM opened for a time, as Discord asks.
func (a *Alerts) putOffOpening(ctx context.Context, wait time.Duration) {
	after := min(wait, longestLine/2) + (openBurst-1)*a.Timing.Opening
	// Where that fails, Discord says it once more.
	_ = a.changeLine(context.WithoutCancel(ctx), func(next, now int64) (int64, error) {
		return max(next, now+after.Milliseconds()), nil
	})
}

// lineAttempts is how often a change of the line is tried that meets others.
const lineAttempts = 100

// changeLine changes when the next DM would be opened. If somebody else does so at the same time,
// it begins again.
func (a *Alerts) changeLine(ctx context.Context, change func(next, now int64) (int64, error)) error {
	for range lineAttempts {
		r, err := a.line.Get(ctx, lineID, "")
		if err != nil {
			return err
		}
		if r == nil {
			r = a.line.New(lineID, "")
		}
		now, err := a.now(ctx)
		if err != nil {
			return err
		}
		if r.Value.Next, err = change(r.Value.Next, now); err != nil {
			return err
		}
		r.Life = max(time.Millisecond, time.Duration(r.Value.Next-now)*time.Millisecond)
		if err := a.line.Save(ctx, r, record.Never); !errors.Is(err, record.ErrConflict) {
			return err
		}
	}
	return record.ErrConflict
}

// mostRefusals is how often an alert is tried that Discord refuses for its channel, or while
// it takes others. The pauses double from Timing.Hold on: with the usual timing it is given
// up after 17 hours. Discord was seen to refuse DMs during an outage
// (discord-api-docs#7275), and some for good (#7666).
const mostRefusals = 10

// channelRefused opens a customer's DM anew, once for an alert, as that may be another channel
// or work then. Where it does not help, the alert is tried again with growing pauses.
func (a *Alerts) channelRefused(ctx context.Context, r *record.Record[delivery], failure error) error {
	if r.Value.Refused == 0 {
		return a.reopen(ctx, r)
	}
	a.tryLess(ctx, r, failure)
	return nil
}

// tryLess counts that an alert could not reach its channel, and has it tried again after a pause
// that grows with that, or gives it up.
func (a *Alerts) tryLess(ctx context.Context, r *record.Record[delivery], failure error) {
	r.Value.Refused++
	times := r.Value.Refused
	if times > mostRefusals {
		a.Log.Warn().Err(failure).Msg("discord refuses the channel of an alert, which is given up")
		_ = a.drop(ctx, r)
		return
	}
	a.Log.Warn().Err(failure).Msg("discord refuses the channel of an alert, which is tried again")
	a.putOff(ctx, r, a.Timing.Hold<<max(times-2, 0)) // times is 1 where the DM could not be opened
}

// reopen opens a customer's DM anew and has the alert tried again. Where Discord refuses that
// for whatever reason, it is not asked once more for this alert.
func (a *Alerts) reopen(ctx context.Context, r *record.Record[delivery]) error {
	left, err := a.left(ctx, newHold)
	if err != nil {
		return err
	}
	if left > 0 {
		a.putOff(ctx, r, left)
		return nil
	}
	wait, err := a.brake(ctx, 0)
	if errors.Is(err, ErrLater) {
		a.putOff(ctx, r, wait)
		return nil
	}
	if err != nil {
		return err
	}
	channel, err := a.openDM(ctx, r.Owner)
	switch about := rest.About(err); {
	case err == nil:
	case about == rest.Temporary:
		return err
	case about == rest.AboutRecipient:
		return a.refuse(ctx, r.Owner)
	case about == rest.AboutUs:
		a.hold(ctx, newHold, "", err)
		fallthrough
	default:
		a.tryLess(ctx, r, err)
		return nil
	}
	_, err = a.update(ctx, r.Owner, func(c *customer) {
		if c.Any() {
			c.Channel = channel
		}
	})
	r.Value.Refused++
	a.putOff(ctx, r, 0)
	return err
}
