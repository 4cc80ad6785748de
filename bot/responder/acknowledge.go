package responder

import (
	"context"
	"time"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
)

const (
	// Discord grants 3 s for a first response. Both values are chosen to fit into that.
	//
	// tryPause follows the first failed try. The pauses double, so five tries that fail at once spread over
	// 2.55 s.
	tryPause = 170 * time.Millisecond
	// tryPatience is how long a try goes on alone. Then another one is sent beside it.
	tryPatience = 700 * time.Millisecond
)

// firstResponse is the state of an interaction's first response.
type firstResponse int

const (
	// notSent: this process has sent none.
	notSent firstResponse = iota
	// deferred: Discord has taken a deferral that is not replaced yet.
	deferred
	// sent: Discord has taken a response.
	sent
	// unknown: no answer came in time, or Discord has one that may be another process's.
	unknown
	// refused: Discord has taken none.
	refused
)

// taken reports whether Discord has taken a first response.
func (f firstResponse) taken() bool { return f == deferred || f == sent }

// sentAs returns the state once Discord has taken the first response.
func (rep *reply) sentAs() firstResponse {
	if rep.deferral {
		return deferred
	}
	return sent
}

// sendFirst sends a first response once.
type sendFirst func(context.Context, rest.Callback) error

// respond sends a response as the first one. If the interaction came in an HTTP request, the response goes into
// its answer, with three exceptions. If it promises work, Discord must first say that it has taken it. If it has
// files, the answer is not documented to take them (disgoorg/disgo#122 sends them so). If it is late, only a call
// returns that the interaction has expired after 3 s
// (https://discord.com/developers/docs/interactions/receiving-and-responding).
//
// If the answer may be lost, the response is sent in a call as well. Discord refuses a second first response with
// 40060 (https://discord.com/developers/docs/topics/opcodes-and-status-codes#json). Should it take the call after
// an answer, the same text is shown, and nothing is done twice, as the response promises no work.
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

// acknowledge sends a first response until Discord has taken or refused it, or until firstBy. It sets rep.first
// and rep.firstTook. A repetition is safe: Discord takes one first response and refuses others with 40060
// (https://discord.com/developers/docs/topics/opcodes-and-status-codes#json), or with 10062 (JDA,
// InteractionCallbackImpl.java), which counts as a failure here.
//
// A try that Discord refuses for now, or whose connection breaks, is repeated. If no answer comes, Discord may be
// slow or the connection dead: the try goes on, and another is sent beside it over a new connection. The first to
// succeed ends the other.
func (rep *reply) acknowledge(ctx context.Context, send sendFirst) error {
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), rep.req.ReceivedAt.Add(firstBy)) // a cancelled interaction is still answered
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

// try sends once and, after tryPatience without an answer, once more beside it. If both fail, it returns the error
// that is not worth repeating, if either is. It calls cancel, which ends ctx and so the first try, if the second
// succeeds.
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
	return other // may be nil
}

// once sends once. A panic becomes an error.
func (rep *reply) once(ctx context.Context, to rest.Callback, send sendFirst) error {
	err := interaction.Guard(func() error { return send(ctx, to) })
	if rest.IsUncertain(err) {
		rep.unheard.Store(true)
	}
	return err
}

// deferNow defers the interaction.
func (rep *reply) deferNow(ctx context.Context) error {
	form := interaction.FormReply
	switch {
	case rep.req.OfMenu(): // a deferred update would not reset the menu
		form = interaction.FormKeep
	case rep.req.InMessage():
		form = interaction.FormUpdate
	}
	rep.deferral = true
	return rep.acknowledge(ctx, func(ctx context.Context, to rest.Callback) error {
		return rep.responder.cfg.Discord.Defer(ctx, to, form)
	})
}

// deferLater defers the interaction if the handler is not done in time. Suggestions cannot be deferred.
// Interactions that are not served must not be, as another process may answer them.
//
// outcome is called when the handler is done. If the interaction is deferred or being deferred by then, it returns
// the error of that.
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
