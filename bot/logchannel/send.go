package logchannel

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"hostbot/bot/rest"
)

// verdict is what Discord's answer to a request means.
type verdict int

const (
	taken     verdict = iota
	deleted           // the message was there and is not any more
	malformed         // what was sent is at fault
	busy              // wait as long as Discord asks
	away              // Discord may take the same later
	barred            // somebody has to mend something about the channel
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
		return barred
	case e.Status == http.StatusBadRequest, e.Status == http.StatusRequestEntityTooLarge:
		return malformed
	default:
		return barred
	}
}

// forbids tells whether a code of Discord's says that the bot lacks a permission.
func forbids(code int) bool {
	return code == rest.CodeMissingAccess || code == rest.CodeMissingPermissions
}

// severity is how long a trouble may last.
type severity int

const (
	none severity = iota
	passing
	lasting
)

// latest is how many messages are looked at to find one that may be there.
const latest = 100

// send sends what a plan says, unless Discord has it already, and returns the ID
// of the message.
func (d *deliverer) send(ctx context.Context, p *plan) (message string, err error) {
	if d.accepted.nonce == p.Nonce {
		return d.accepted.message, nil
	}
	ctx, cancel := context.WithTimeout(ctx, d.timing.Send)
	defer cancel()
	content := embeds(p.Slots, d.planner.texts)
	if p.Edits != "" {
		return p.Edits, d.discord.EditMessage(ctx, d.channel.id, p.Edits, content)
	}
	unsure := d.made != p.Nonce || d.doubtful == p.Nonce
	if unsure && time.Since(p.At) > d.timing.TrustNonce {
		posted, err := d.discord.LatestMessages(ctx, d.channel.id, latest)
		if v := judge(err); v == busy || v == away {
			return "", err
		}
		for _, m := range posted { // none, where they may not be read
			if equal(m.Embeds, content) {
				return m.ID, nil
			}
		}
	}
	message, err = d.discord.CreateMessage(ctx, d.channel.id, p.Nonce, content)
	var e *rest.Error
	if errors.As(err, &e) && e.Uncertain {
		d.doubtful = p.Nonce
	}
	return message, err
}

// settle notes the outcome of a plan.
func (d *deliverer) settle(ctx context.Context, q queue, s state, p *plan, message string, err error) error {
	v := judge(err)
	switch {
	case v == deleted && p.Edits == "": // by staff, after it was posted
		return d.done(ctx, q, s, p, "")
	case v == taken:
		return d.done(ctx, q, s, p, message)
	case v == deleted, v == malformed && p.Edits != "": // what is to be counted goes into a new message
		return q.commit(ctx, s.without(p.Edits), nil, true)
	case v == malformed && len(p.Slots) > 1: // the one that is at fault is found by itself
		d.single = true
		return q.commit(ctx, s, nil, true)
	case v == malformed && !p.Stub:
		d.log.Error().Err(err).Interface("entry", p.Slots[0].Embed).Msg("discord refuses a log channel entry")
		stub := d.planner.stub(p, time.Now())
		d.made = stub.Nonce
		return q.keep(ctx, stub)
	default:
		return d.postpone(ctx, q, s, v, err)
	}
}

// done forgets what a plan covers, now that Discord has it.
func (d *deliverer) done(ctx context.Context, q queue, s state, p *plan, message string) error {
	first := d.accepted.nonce != p.Nonce
	d.accepted = accepted{p.Nonce, message}
	d.single, d.retryAt = false, time.Time{}
	d.pauses.Reset()
	if first {
		d.channel.figures.took()
		d.channel.figures.fold(counted(p.Slots) - counted(s.slots(p.Edits)))
	}
	if err := q.commit(ctx, s.carriedOut(p, message, time.Now()), p.Covers, true); err != nil {
		return err
	}
	if d.said != none {
		d.said = none
		d.log.Info().Msg("discord takes log channel entries again")
	}
	if s.Trouble != nil {
		d.channel.announce(s.Trouble.healed(d.channel.id, d.planner.texts, time.Now()))
	}
	return nil
}

// counted returns how many errors slots tell of by their count alone.
func counted(slots []slot) int {
	n := 0
	for _, s := range slots {
		n += max(0, s.Tally.Count-1)
	}
	return n
}

// postpone arranges for a plan to be carried out later, and says why: what lasts
// also in the other channels, once.
func (d *deliverer) postpone(ctx context.Context, q queue, s state, v verdict, err error) error {
	d.channel.figures.failed(v, err)
	var e *rest.Error
	if v == busy && errors.As(err, &e) {
		d.retryAt = time.Now().Add(cmp.Or(e.RetryAfter, d.timing.RetryFirst))
		return nil
	}
	found, longest := passing, d.timing.RetryMost
	if v != away {
		found, longest = lasting, d.timing.RetryFail
	}
	d.retryAt = time.Now().Add(min(d.pauses.NextBackOff(), longest))
	if d.said < found {
		d.said = found
		event := d.log.Warn()
		if found == lasting {
			event = d.log.Error()
		}
		if forbids(rest.CodeOf(err)) { // the other channels may not be there to be told
			event = event.Str("cure", d.planner.texts.Text("log.channel.permissions"))
		}
		event.Err(err).Msg("discord does not take log channel entries; they wait and are tried again")
	}
	if found == lasting && s.Trouble == nil {
		s.Trouble = &trouble{Since: time.Now(), Reason: err.Error(), Code: rest.CodeOf(err)}
		if err := q.commit(ctx, s, nil, false); err != nil {
			return err
		}
		d.channel.announce(s.Trouble.failing(d.channel.id, d.planner.texts))
	}
	return nil
}
