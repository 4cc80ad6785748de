package logchannel

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/discord/rest"
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

// forbids tells whether an error says that the bot lacks a permission.
func forbids(err error) bool {
	code := rest.CodeOf(err)
	return code == rest.CodeMissingAccess || code == rest.CodeMissingPermissions
}

// latest is how many messages are looked at to find one that may be there.
const latest = 100

// send sends a plan, and returns the ID of the message, which may be there without its
// embeds. Discord knows a nonce for a few minutes. A plan that is older is first looked for in
// the channel.
// https://discord.com/developers/docs/resources/message#create-message
func (ch *channel) send(ctx context.Context, p *plan) (message string, err error) {
	ctx, cancel := context.WithTimeout(ctx, ch.Timing.Send)
	defer cancel()
	content := ch.message(p.Slots)
	if message := cmp.Or(p.Edits, p.Posted); message != "" {
		return message, ch.Discord.EditMessage(ctx, ch.id, message, content)
	}
	if time.Since(p.At) > ch.Timing.TrustNonce {
		posted, err := ch.Discord.LatestMessages(ctx, ch.id, latest)
		if v := judge(err); v == busy || v == away {
			return "", err
		}
		for _, m := range posted { // none, where they may not be read
			if equal(m, content) {
				return m.ID, nil
			}
			if bare(m, content) {
				return m.ID, ch.Discord.EditMessage(ctx, ch.id, m.ID, content)
			}
		}
	}
	return ch.Discord.CreateMessage(ctx, ch.id, p.Nonce, content)
}

// settle notes the outcome of the state's plan.
func (ch *channel) settle(ctx context.Context, save saver, s state, message string, err error) error {
	if err != nil && message != "" && s.Plan.Posted == "" && (s.Plan.Edits == "" || rest.LacksEmbeds(err)) {
		s = s.posted(message) // whatever becomes of it
		if err := save(ctx, s, nil); err != nil {
			return err
		}
	}
	p := s.Plan
	ch.last = judge(err)
	archived := rest.CodeOf(err) == rest.CodeArchivedThread // which a new message opens, unless the thread is locked
	switch {
	case p.Posted != "" && (ch.last == deleted || archived || p.Edits != "" && ch.last == malformed):
		// Nobody sees the embeds, nor those that an edit has cleared.
		ch.deleteBare(ctx, p)
		ch.retryAt = time.Now().Add(min(ch.pauses.NextBackOff(), ch.Timing.RetryFail))
		return save(ctx, s.anew(ch.id), nil)
	case ch.last == deleted && p.Edits == "": // by staff, after it was posted
		return ch.done(ctx, save, s, "")
	case ch.last == taken:
		return ch.done(ctx, save, s, message)
	case ch.last == deleted, p.Edits != "" && (ch.last == malformed || archived): // the errors go into a new message
		return save(ctx, s.abandoned(), nil)
	case ch.last == malformed && len(p.Slots) > 1: // the one that is at fault is found by itself
		ch.single = true
		ch.deleteBare(ctx, p)
		return save(ctx, s.abandoned(), nil)
	case ch.last == malformed && !p.Stub:
		ch.log.Error().Err(err).Interface("entry", p.Slots[0]).Msg("discord refuses a log channel entry")
		stub := plan{At: time.Now(), Stub: true, Posted: p.Posted, Covers: p.Covers, Slots: []slot{{Entry: Entry{Embed: refused(p.Slots[0], ch.Texts)}}}}
		s.Plan = stub.namedFor(ch.id)
		return save(ctx, s, nil)
	default:
		return ch.postpone(ctx, save, s, err)
	}
}

// deleteBare deletes the message of a plan that is there without its embeds, if there is
// one: it says nothing. If Discord does not delete it, it stays.
func (ch *channel) deleteBare(ctx context.Context, p *plan) {
	if p.Posted != "" {
		_ = ch.Discord.DeleteMessage(ctx, ch.id, p.Posted)
	}
}

// done forgets the records that the state's plan covers, now that Discord has
// them.
func (ch *channel) done(ctx context.Context, save saver, s state, message string) error {
	ch.single, ch.retryAt = false, time.Time{}
	ch.pauses.Reset()
	ch.updateStatus(func(s *Status) { s.Sent++ })
	ch.outbox.reconcile(fate{delivered: s.Plan.Covers})
	err := save(ctx, s.carriedOut(message), s.Plan.Covers)
	if s.Trouble == nil || err != nil { // another process may have the lease: it finds the message there
		return err
	}
	ch.log.Info().Msg("discord takes log channel entries again")
	if !s.Trouble.Passing {
		ch.announce(s.Trouble.healed(ch.id, ch.Texts, time.Now()))
	}
	return nil
}

// postpone arranges for a plan to be sent later, and says why, once: what somebody
// has to mend also in the other channels.
func (ch *channel) postpone(ctx context.Context, save saver, s state, err error) error {
	ch.updateStatus(func(s *Status) { s.Retried++ })
	if e, ok := errors.AsType[*rest.Error](err); ok && ch.last == busy {
		ch.retryAt = time.Now().Add(cmp.Or(e.RetryAfter, ch.Timing.RetryFirst))
		return nil
	}
	ch.updateStatus(func(s *Status) { s.Trouble, s.Forbidden = err.Error(), forbids(err) })
	longest, level := ch.Timing.RetryMost, zerolog.WarnLevel
	if ch.last != away {
		ch.last, longest, level = misconfigured, ch.Timing.RetryFail, zerolog.ErrorLevel
	}
	ch.retryAt = time.Now().Add(min(ch.pauses.NextBackOff(), longest))
	if s.Trouble != nil && (ch.last == away || !s.Trouble.Passing) {
		return nil // it is said already
	}
	event := ch.log.WithLevel(level)
	if forbids(err) { // the other channels may not be there to be told
		event = event.Str("cure", ch.Texts.Text("log.channel.permissions"))
	}
	event.Err(err).Msg("discord does not take log channel entries; they wait and are tried again")
	s.Trouble = &trouble{Since: time.Now(), Reason: err.Error(), Forbidden: forbids(err), Passing: ch.last == away}
	if err := save(ctx, s, nil); err != nil {
		return err
	}
	if ch.last == misconfigured {
		ch.announce(s.Trouble.failing(ch.id, ch.Texts))
	}
	return nil
}
