package responder

import (
	"context"
	"time"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
)

const (
	// How long Discord takes for its word is not documented, nor how long it is not to be
	// had. Both are chosen for the 3 s that there are, and no more depends on them.
	//
	// tryPause is after the first try that failed. Each further pause is twice as
	// long, so that five tries which fail at once are spread over 2.55 s.
	tryPause = 170 * time.Millisecond
	// tryPatience is how long a try is awaited alone. Then another one is sent
	// beside it.
	tryPatience = 700 * time.Millisecond
)

// firstResponse is what Discord has of an interaction's first response.
type firstResponse int

const (
	// notSent: this process has sent none.
	notSent firstResponse = iota
	// deferred: Discord has taken a deferral, and no response is in its place yet.
	deferred
	// sent: Discord has taken a response.
	sent
	// unknown: no answer came in time, or Discord has a first response that may be another
	// process's.
	unknown
	// refused: Discord has taken none.
	refused
)

// taken reports whether Discord has taken a first response.
func (f firstResponse) taken() bool { return f == deferred || f == sent }

// sentAs returns what the first response is if Discord has taken it.
func (rep *reply) sentAs() firstResponse {
	if rep.deferral {
		return deferred
	}
	return sent
}

// sendFirst sends a first response once.
type sendFirst func(context.Context, rest.Callback) error

// respond sends a response as the first one. It goes into the answer to the request
// that brought the interaction, if there is one, unless it promises work, which waits
// for Discord's word, or brings files, which that answer is not documented to take
// (disgoorg/disgo#122 sends them so), or is too late: the interaction is over after 3 s,
// and Discord tells so in the answer to a call alone
// (https://discord.com/developers/docs/interactions/receiving-and-responding).
// Where the answer may be lost, the response is sent in a call as well. An interaction has
// one first response, and 40060 refuses another
// (https://discord.com/developers/docs/topics/opcodes-and-status-codes#json). No source
// says so of a call after an answer that Discord got. Should Discord take that call, the
// same text is shown, and nothing is done twice: what acts is not sent in an answer.
func (rep *reply) respond(ctx context.Context, r interaction.Response) error {
	if r.Form == interaction.FormOpen {
		r.Modal = r.Modal.OpenedBy(rep.req.ID)
	}
	if rep.inline != nil && r.Then == nil && len(r.Message.Files) == 0 && rep.sentAgo() <= firstBy {
		encoded, err := rest.Encode(r)
		if err == nil {
			err = rep.inline.Respond(encoded)
		}
		if err == nil {
			rep.firstTook, rep.first = time.Since(rep.req.ReceivedAt), sent
			return nil
		}
		rep.unheard.Store(true)
	}
	return rep.acknowledge(ctx, func(ctx context.Context, to rest.Callback) error {
		return rep.responder.cfg.Discord.Respond(ctx, to, r)
	})
}

// acknowledge sends a first response until Discord has accepted or refused it or the
// time for it is over. It notes what became of it, and when. To send it again is
// safe: Discord takes one first response and refuses others with 40060
// (https://discord.com/developers/docs/topics/opcodes-and-status-codes#json), or with 10062
// (JDA, InteractionCallbackImpl.java), which counts as a failure here.
//
// A try that Discord refuses for now, or whose connection breaks, is repeated. One
// to which no answer comes may be on its way or lost for good. It is awaited as
// long as there is time, as Discord may just be slow, and another is sent beside it
// over a new connection, as the old one may be dead. Whichever Discord accepts ends
// the other.
func (rep *reply) acknowledge(ctx context.Context, send sendFirst) error {
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), rep.req.ReceivedAt.Add(firstBy)) // what is cancelled may still be said
	defer cancel()
	to, perhapsOurs := rep.to, false
	err := rest.Retry(ctx, rest.Retries{First: tryPause, Exact: true}, func(ctx context.Context) error {
		err := rep.try(ctx, cancel, to, send)
		to.NewConnection = isUnanswered(err)
		// Discord has a first response, and a try of ours has had no answer.
		if perhapsOurs = rep.unheard.Load() && rest.CodeOf(err) == rest.CodeAlreadyAcknowledged; perhapsOurs {
			return nil
		}
		return err
	})
	rep.firstTook = time.Since(rep.req.ReceivedAt)
	switch {
	case perhapsOurs, err != nil && rep.unheard.Load():
		rep.first = unknown
	case err != nil:
		rep.first = refused
	default:
		rep.first = rep.sentAs()
	}
	if rep.inline != nil {
		rep.inline.Leave()
		rep.inline = nil
	}
	return err
}

// try sends once and, where no answer comes while that is awaited alone, once more
// beside it. Of two that fail the one that is not worth repeating counts. cancel ends ctx: the first
// try is not awaited any more once the other one has succeeded.
func (rep *reply) try(ctx context.Context, cancel context.CancelFunc, to rest.Callback, send sendFirst) error {
	another, beside := to, make(chan error, 1)
	another.NewConnection = true
	second := time.AfterFunc(tryPatience, func() {
		err := rep.once(ctx, another, send)
		if err == nil {
			cancel()
		}
		beside <- err
	})
	err := rep.once(ctx, to, send)
	if second.Stop() || err == nil {
		return err
	}
	other := <-beside
	if rest.IsTemporary(other) {
		return err
	}
	return other // which may be a success
}

// once sends once. A panic, in whichever goroutine, becomes an error.
func (rep *reply) once(ctx context.Context, to rest.Callback, send sendFirst) error {
	err := interaction.Guard(func() error { return send(ctx, to) })
	if isUncertain(err) {
		rep.unheard.Store(true)
	}
	return err
}

// deferNow defers the interaction, and returns Discord's word on that.
func (rep *reply) deferNow(ctx context.Context) error {
	form := interaction.FormReply
	switch {
	case rep.req.OfMenu(): // which a deferred update would not reset
		form = interaction.FormKeep
	case rep.req.InMessage():
		form = interaction.FormUpdate
	}
	rep.deferral = true
	return rep.acknowledge(ctx, func(ctx context.Context, to rest.Callback) error {
		return rep.responder.cfg.Discord.Defer(ctx, to, form)
	})
}

// deferLater arranges for the interaction to be deferred where the handler is
// not done in time. Suggestions cannot be deferred, and what is refused need
// not be: Discord would take that for the answer to come from here.
//
// outcome is to be called when the handler is done. If the interaction has been
// deferred by then, or is about to be, it returns Discord's word on that.
func (rep *reply) deferLater(ctx context.Context) (outcome func() (refusal error)) {
	if rep.req.Kind == interaction.Autocomplete || rep.notServed {
		return func() error { return nil }
	}
	done := make(chan error, 1)
	timer := time.AfterFunc(time.Until(rep.req.ReceivedAt.Add(deferAfter)), func() {
		done <- interaction.Guard(func() error { return rep.deferNow(ctx) })
	})
	return func() error {
		if timer.Stop() {
			return nil
		}
		return <-done
	}
}
