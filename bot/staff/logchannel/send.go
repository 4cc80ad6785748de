package logchannel

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/discord/message"
	"hostbot/bot/discord/rest"
	"hostbot/bot/store/lease"
	"hostbot/bot/store/record"
)

// verdict is what Discord's answer to a request means. The last two say that the
// channel is in trouble.
type verdict int

const (
	taken         verdict = iota
	deleted               // the message was there and is not any more
	malformed             // what was sent is at fault, and the channel may take another
	busy                  // wait as long as Discord asks
	away                  // Discord may take the same later
	misconfigured         // somebody has to mend something about the channel
)

func judge(err error) verdict {
	e, ok := errors.AsType[*rest.Error](err)
	switch {
	case err == nil:
		return taken
	case !ok:
		return away
	case rest.IsUnknownMessage(e):
		return deleted
	case e.Status == http.StatusTooManyRequests:
		return busy
	case e.Temporary():
		return away
	case rest.RefusesContent(e):
		return malformed
	default:
		return misconfigured
	}
}

// forbids reports whether an error says that the bot lacks a permission.
func forbids(err error) bool {
	code := rest.CodeOf(err)
	return code == rest.CodeMissingAccess || code == rest.CodeMissingPermissions
}

// source is where entries wait: in Redis or, if that is away, in the outbox.
type source interface {
	// head returns what waits first.
	head(ctx context.Context) ([]kept, error)
	// save keeps the state of the turn. The channel is due again after a time.
	save(ctx context.Context, after time.Duration) error
	// done takes entries out that Discord has.
	done(ctx context.Context, ids []string) error
}

// turn is one request to a channel. Its methods return errors of the source only: those of Discord
// are in the state.
type turn struct {
	*channel
	source
	state *state
}

// take sends what is planned or, if nothing is, plans it for what waits first. It reports whether
// nothing waits.
func (t *turn) take(ctx context.Context) (idle bool, err error) {
	s := t.state
	if s.Plan == nil {
		waiting, err := t.head(ctx)
		if err != nil || len(waiting) == 0 {
			return true, err
		}
		s.Plan = t.plan(s, waiting, time.Now())
		if s.Plan.Edits != "" { // a message is saved right before it is posted
			if err := t.save(ctx, record.Keep); err != nil {
				return false, err
			}
		}
	}
	saveErr, failure := t.send(ctx)
	switch {
	case saveErr != nil:
		return false, saveErr
	case lease.Check(ctx) != nil && failure != nil: // another leads
		return true, nil
	case errors.Is(ctx.Err(), context.Canceled) && failure != nil: // the program ends
		return false, t.save(context.WithoutCancel(ctx), 0)
	}
	return false, t.settle(context.WithoutCancel(ctx), failure)
}

// send sends the plan. It returns what the source or Discord says to that.
func (t *turn) send(ctx context.Context) (saveErr, failure error) {
	ctx, cancel := context.WithTimeout(ctx, t.Timing.Send)
	defer cancel()
	p := t.state.Plan
	content := t.message(p.Slots)
	shown, failure := message.Show(ctx, t.Discord, p.Message, message.Wanted{
		ChannelID: t.id, Name: p.Name, Message: content,
		Is: func(m rest.Posted) bool { return equal(m, content) || bare(m, content) },
		Save: func(ctx context.Context, s message.State) error {
			p.Message = s
			saveErr = t.save(ctx, record.Keep)
			return saveErr
		},
	})
	p.Message = shown
	return saveErr, failure
}

// settle notes what became of the plan.
func (t *turn) settle(ctx context.Context, failure error) error {
	s, p, v := t.state, t.state.Plan, judge(failure)
	p.Bare = p.Bare || rest.LacksEmbeds(failure)
	switch {
	case v == taken, v == deleted && p.Edits == "" && !p.Bare: // by staff, after it was posted
		return t.delivered(ctx, v == deleted)
	case p.Bare && (v == deleted || p.Edits != "" && v == malformed):
		// Nobody sees the embeds, nor those that an edit has cleared.
		t.deleteBare(ctx)
		s.anew()
		return t.save(ctx, t.pause(t.Timing.RetryMost))
	case p.Edits != "" && (v == deleted || v == malformed): // the errors go into a new message
		s.abandon()
	case v == malformed && len(p.Slots) > 1: // the one that is at fault is found by itself
		t.deleteBare(ctx)
		s.abandon()
		s.Single = true
	case v == malformed && !p.Stub:
		t.log.Error().Err(failure).Interface("entry", p.Slots[0]).Msg("discord refuses a log channel entry")
		stub := &plan{Stub: true, Message: p.Message, Bare: p.Bare, Covers: p.Covers, Slots: []slot{{Entry: Entry{Embed: refused(p.Slots[0], t.Texts)}}}}
		s.Plan = stub.namedFor(t.id)
	default:
		return t.postpone(ctx, v, failure)
	}
	return t.save(ctx, t.next())
}

// next returns the pause before the next request to the channel.
func (t *turn) next() time.Duration {
	if t.hurry.Load() {
		return 0
	}
	return t.Timing.Turn
}

// pause returns the pause before a request is repeated.
func (t *turn) pause(longest time.Duration) time.Duration {
	t.state.Failures++
	wait := t.Timing.RetryFirst
	for i := 1; i < t.state.Failures && wait < longest; i++ {
		wait *= 2
	}
	return min(wait, longest)
}

// deleteBare deletes the message of the plan if it is there without its embeds: it says nothing.
// If Discord does not delete it, it stays.
func (t *turn) deleteBare(ctx context.Context) {
	if p := t.state.Plan; p.Bare {
		_, _ = message.Delete(ctx, t.Discord, t.id, p.Message.ID)
	}
}

// delivered forgets the entries that the plan covers, now that Discord has them. They are done
// before the plan is: otherwise a death in between would have them planned once more.
func (t *turn) delivered(ctx context.Context, gone bool) error {
	s, before := t.state, t.state.Trouble
	if gone {
		s.Plan.Message.ID = ""
	}
	t.noteSent(true)
	t.outbox.forget(s.Plan.Covers)
	if err := t.done(ctx, s.Plan.Covers); err != nil {
		return err
	}
	s.carriedOut(time.Now())
	t.noteTrouble(nil)
	if before != nil {
		t.log.Info().Msg("discord takes log channel entries again")
	}
	if before.lasts() {
		t.announce(t.id, "healed", before, before.healed(t.id, t.Texts, time.Now()))
	}
	return t.save(ctx, t.next())
}

// postpone has the plan sent later, and says why, once: what somebody has to mend also in the
// other channels.
func (t *turn) postpone(ctx context.Context, v verdict, failure error) error {
	t.noteSent(false)
	if e, ok := errors.AsType[*rest.Error](failure); ok && v == busy {
		return t.save(ctx, min(cmp.Or(e.RetryAfter, t.Timing.RetryFirst), t.queue.idle))
	}
	level, passing := zerolog.ErrorLevel, v == away
	if passing {
		level = zerolog.WarnLevel
	}
	after, before := t.pause(t.Timing.RetryMost), t.state.Trouble
	if before != nil && (passing || before.lasts()) { // it is said already
		return t.save(ctx, after)
	}
	now := &trouble{Since: time.Now(), Reason: failure.Error(), Forbidden: forbids(failure), Passing: passing}
	t.state.Trouble = now
	t.noteTrouble(now)
	if now.lasts() { // before it is saved: afterwards it is said already
		t.announce(t.id, "failing", now, now.failing(t.id, t.Texts))
	}
	err := t.save(ctx, after)
	event := t.log.WithLevel(level) // after it is saved: who reads the log then asks for the status
	if forbids(failure) {           // the other channels may not be there to be told
		event = event.Str("cure", t.Texts.Text("log.channel.permissions"))
	}
	event.Err(failure).Msg("discord does not take log channel entries; they wait and are tried again")
	return err
}
