package responder

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"hostbot/bot/interaction"
	"hostbot/bot/rest"
)

const (
	// tryPause is after the first try that failed. Each further pause is twice as
	// long, so that five tries which fail at once are spread over 2.55 s.
	tryPause = 170 * time.Millisecond
	// tryPatience is how long a try is awaited alone. Then another one is sent
	// beside it.
	tryPatience = 700 * time.Millisecond
)

// acknowledgement is the sending of one first response, until Discord has accepted
// or refused it or the time for it is over.
//
// A try that Discord refuses for now, or whose connection breaks, is repeated. One
// to which no answer comes may be on its way or lost for good. It is awaited as
// long as there is time, as Discord may just be slow, and another is sent beside it
// over a new connection, as the old one may be dead. Whichever Discord accepts ends
// the other.
type acknowledgement struct {
	send      func(context.Context, rest.Callback) error
	uncertain atomic.Bool // Discord may have taken a try that counts as failed
}

// respond sends the first response.
func (x *exchange) respond(ctx context.Context, r interaction.Response) error {
	return x.acknowledge(ctx, func(ctx context.Context, to rest.Callback) error { return x.responder.cfg.Discord.Respond(ctx, to, r) })
}

// acknowledge sends a first response. It notes in the exchange when Discord's
// word on that came, and whether Discord may have taken what counts as failed.
func (x *exchange) acknowledge(ctx context.Context, send func(context.Context, rest.Callback) error) error {
	// What is cancelled may still be said.
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), x.req.ReceivedAt.Add(firstBy))
	defer cancel()
	a := acknowledgement{send: send}
	err := a.run(ctx, x.to)
	x.first = time.Since(x.req.ReceivedAt)
	x.acknowledged = err == nil
	x.uncertain = err != nil && a.uncertain.Load()
	return err
}

func (a *acknowledgement) run(ctx context.Context, to rest.Callback) error {
	deadline, _ := ctx.Deadline()
	for pause := tryPause; ; pause *= 2 {
		err := a.try(ctx, to)
		if a.uncertain.Load() && rest.CodeOf(err) == rest.CodeAlreadyAcknowledged {
			return nil // by a try whose answer was lost
		}
		wait, again := retry(err, pause)
		if !again || time.Until(deadline) <= wait {
			return err
		}
		to.NewConnection = isUnanswered(err)
		sleep(ctx, wait)
	}
}

// try sends once and, where no answer comes while that is awaited alone, once more
// beside it. Of two that fail the one that is not worth repeating counts.
func (a *acknowledgement) try(ctx context.Context, to rest.Callback) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	another, beside := to, make(chan error, 1)
	another.NewConnection = true
	second := time.AfterFunc(tryPatience, func() {
		err := a.once(ctx, another)
		if err == nil {
			cancel()
		}
		beside <- err
	})
	err := a.once(ctx, to)
	if second.Stop() || err == nil {
		return err
	}
	if other := <-beside; other == nil || !isTemporary(other) {
		return other
	}
	return err
}

// once sends once. A panic, in whichever goroutine, becomes an error.
func (a *acknowledgement) once(ctx context.Context, to rest.Callback) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", interaction.ErrPanic, p)
		}
	}()
	err = a.send(ctx, to)
	if isUncertain(err) {
		a.uncertain.Store(true)
	}
	return err
}

// deferral is a deferred first response that is sent by a timer.
type deferral struct {
	timer *time.Timer
	sent  chan error
}

// deferLater arranges for the interaction to be deferred where the handler is
// not done in time. Suggestions cannot be deferred, and what is refused need
// not be: Discord would take that for the answer to come from here.
func (x *exchange) deferLater(ctx context.Context) deferral {
	if x.req.Kind == interaction.Autocomplete || x.refused {
		return deferral{}
	}
	form := interaction.FormReply
	if x.req.InMessage() {
		form = interaction.FormUpdate
	}
	sent := make(chan error, 1)
	return deferral{sent: sent, timer: time.AfterFunc(time.Until(x.req.ReceivedAt.Add(deferAfter)), func() {
		sent <- x.acknowledge(ctx, func(ctx context.Context, to rest.Callback) error { return x.responder.cfg.Discord.Defer(ctx, to, form) })
	})}
}

// outcome stops the timer. Where that has deferred the interaction already, or
// is about to, it waits for Discord's word on that.
func (d deferral) outcome() (deferred bool, refusal error) {
	if d.timer == nil || d.timer.Stop() {
		return false, nil
	}
	return true, <-d.sent
}
