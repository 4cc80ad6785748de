package responder

import (
	"context"
	"sync/atomic"
	"time"

	"hostbot/bot/rest"
)

// Discord grants 3 s for a first response
// (https://discord.com/developers/docs/interactions/receiving-and-responding).
const (
	// maxTries is how often a first response is sent at most: more would only add
	// to what Discord has trouble with.
	maxTries = 5
	// tryPause is after the first try that failed. Each further pause is twice as
	// long, so that five tries which fail at once are spread over 2.55 s.
	tryPause = 170 * time.Millisecond
	// tryPatience is how long the first try is awaited alone. Then another one is
	// sent beside it, which is awaited alone for twice as long, and so on.
	tryPatience = 700 * time.Millisecond
)

// acknowledgement is the sending of one first response, until Discord has accepted
// or refused it or the time for it is over.
//
// A try that Discord refuses for now, or whose connection breaks, is repeated. One
// to which no answer comes may be on its way or lost for good. It is awaited as
// long as there is time, as Discord may just be slow, and another is sent beside it
// over a new connection, as the old one may be dead. Whichever Discord accepts ends
// the others.
type acknowledgement struct {
	send      func(context.Context, rest.Callback) error
	tries     atomic.Int32
	uncertain atomic.Bool // Discord may have taken a try that counts as failed
}

// acknowledge sends a first response. It notes in the exchange when Discord's
// word on that came, and whether Discord may have taken what counts as failed.
func (x *exchange) acknowledge(ctx context.Context, send func(context.Context, rest.Callback) error) error {
	// What is cancelled may still be said.
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), x.req.ReceivedAt.Add(x.responder.cfg.Timing.First))
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
		err := a.try(ctx, to, tryPatience)
		if a.uncertain.Load() && rest.CodeOf(err) == rest.CodeAlreadyAcknowledged {
			return nil // by a try whose answer was lost
		}
		wait, again := retry(err, pause)
		if !again || a.tries.Load() >= maxTries || time.Until(deadline) <= wait {
			return err
		}
		to.NewConnection = isUnanswered(err)
		sleep(ctx, wait)
	}
}

// try sends once and, where no answer comes while it is awaited alone, tries again
// beside that. Of two that fail the one that is not worth repeating counts.
func (a *acknowledgement) try(ctx context.Context, to rest.Callback, patience time.Duration) error {
	if a.tries.Add(1) >= maxTries {
		return a.once(ctx, to)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	another, beside := to, make(chan error, 1)
	another.NewConnection = true
	second := time.AfterFunc(patience, func() {
		err := a.try(ctx, another, 2*patience)
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

// once sends once, and turns a panic into an error.
func (a *acknowledgement) once(ctx context.Context, to rest.Callback) error {
	err := guarded(func() error { return a.send(ctx, to) })
	if isUncertain(err) {
		a.uncertain.Store(true)
	}
	return err
}
