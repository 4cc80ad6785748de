package logchannel

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/rest"
)

// verdict is what Discord's answer to a request means. The last two say that the
// channel is in trouble.
type verdict int

const (
	taken         verdict = iota
	deleted               // the message was there and is not any more
	malformed             // what was sent is at fault
	busy                  // wait as long as Discord asks
	away                  // Discord may take the same later
	misconfigured         // somebody has to mend something about the channel
)

func judge(err error) verdict {
	var e *rest.Error
	switch {
	case err == nil:
		return taken
	case !errors.As(err, &e):
		return away
	case rest.IsUnknownMessage(e):
		return deleted
	case e.Status == http.StatusTooManyRequests:
		return busy
	case e.Temporary():
		return away
	case e.Code == rest.CodeNotTextChannel, e.Code == rest.CodeArchivedThread:
		return misconfigured
	case e.Status == http.StatusBadRequest, e.Status == http.StatusRequestEntityTooLarge:
		return malformed
	default:
		return misconfigured
	}
}

// forbids tells whether a code of Discord's says that the bot lacks a permission.
func forbids(code int) bool {
	return code == rest.CodeMissingAccess || code == rest.CodeMissingPermissions
}

// latest is how many messages are looked at to find one that may be there.
const latest = 100

// send sends a plan, and returns the ID of the message. Discord knows a nonce for
// a few minutes. A plan that is older is first looked for in the channel.
// https://discord.com/developers/docs/resources/message#create-message
func (d *deliverer) send(ctx context.Context, p *plan) (message string, err error) {
	ctx, cancel := context.WithTimeout(ctx, d.Timing.Send)
	defer cancel()
	content := embeds(p.Slots, d.Texts)
	if p.Edits != "" {
		return p.Edits, d.Discord.EditMessage(ctx, d.id, p.Edits, content)
	}
	if time.Since(p.At) > d.Timing.TrustNonce {
		posted, err := d.Discord.LatestMessages(ctx, d.id, latest)
		if v := judge(err); v == busy || v == away {
			return "", err
		}
		for _, m := range posted { // none, where they may not be read
			if equal(m.Embeds, content) {
				return m.ID, nil
			}
		}
	}
	return d.Discord.CreateMessage(ctx, d.id, p.Nonce, content)
}

// settle notes the outcome of the state's plan.
func (d *deliverer) settle(ctx context.Context, q queue, s state, message string, err error) error {
	p, v := s.Plan, judge(err)
	switch {
	case v == deleted && p.Edits == "": // by staff, after it was posted
		return d.done(ctx, q, s, "")
	case v == taken:
		return d.done(ctx, q, s, message)
	case v == deleted, v == malformed && p.Edits != "": // the errors go into a new message
		return q.save(ctx, s.abandoned(), nil)
	case v == malformed && len(p.Slots) > 1: // the one that is at fault is found by itself
		d.single = true
		return q.save(ctx, s.abandoned(), nil)
	case v == malformed && !p.Stub:
		d.log.Error().Err(err).Interface("entry", p.Slots[0].Embed).Msg("discord refuses a log channel entry")
		s.Plan = d.planner.stub(p, time.Now())
		return q.save(ctx, s, nil)
	default:
		return d.postpone(ctx, q, s, v, err)
	}
}

// done forgets the records that the state's plan covers, now that Discord has
// them.
func (d *deliverer) done(ctx context.Context, q queue, s state, message string) error {
	if d.said != taken {
		d.log.Info().Msg("discord takes log channel entries again")
	}
	d.said, d.single, d.retryAt = taken, false, time.Time{}
	d.pauses.Reset()
	d.figures.took(s.Plan.Grouped)
	d.delivered.add(s.Plan.Covers)
	d.outbox.reconcile(idsOf(s.Plan.Covers), nil)
	err := q.save(ctx, s.carriedOut(message), s.Plan.Covers)
	if errors.Is(err, errNotHolder) {
		return err // the other process finds the message there
	}
	if s.Trouble != nil {
		d.announce(s.Trouble.healed(d.id, d.Texts, time.Now()))
	}
	return err
}

// postpone arranges for a plan to be sent later, and says why: what lasts also in
// the other channels, once.
func (d *deliverer) postpone(ctx context.Context, q queue, s state, v verdict, err error) error {
	d.figures.failed(v, err)
	var e *rest.Error
	if v == busy && errors.As(err, &e) {
		d.retryAt = time.Now().Add(cmp.Or(e.RetryAfter, d.Timing.RetryFirst))
		return nil
	}
	longest, level := d.Timing.RetryMost, zerolog.WarnLevel
	if v != away {
		v, longest, level = misconfigured, d.Timing.RetryFail, zerolog.ErrorLevel
		if q == d.outbox && len(s.Plan.Covers) > 0 { // Discord does not have them, and Redis may
			s.Plan = nil
			_ = q.save(ctx, s, nil)
		}
	}
	d.retryAt = time.Now().Add(min(d.pauses.NextBackOff(), longest))
	if d.said < v {
		d.said = v
		event := d.log.WithLevel(level)
		if forbids(rest.CodeOf(err)) { // the other channels may not be there to be told
			event = event.Str("cure", d.Texts.Text("log.channel.permissions"))
		}
		event.Err(err).Msg("discord does not take log channel entries; they wait and are tried again")
	}
	if v == misconfigured && s.Trouble == nil {
		s.Trouble = &trouble{Since: time.Now(), Reason: err.Error(), Code: rest.CodeOf(err)}
		if err := q.save(ctx, s, nil); err != nil {
			return err
		}
		d.announce(s.Trouble.failing(d.id, d.Texts))
	}
	return nil
}
