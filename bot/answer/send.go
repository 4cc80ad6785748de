package answer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"

	"hostbot/bot/interaction"
	"hostbot/bot/rest"
)

const (
	// attemptLimit bounds one attempt at the first response, so that there is
	// time for another.
	attemptLimit = 700 * time.Millisecond
	// attemptPause is between two attempts at the first response.
	attemptPause = 100 * time.Millisecond
	// editLimit bounds one attempt at a later response, editPatience all of
	// them: long enough for Discord to come back from a short outage.
	editLimit    = 10 * time.Second
	editPatience = 2 * time.Minute
	// lastLimit bounds a later response once the program has stopped waiting.
	lastLimit = 2 * time.Second
)

// orExplained sends a response and returns what was sent: what Discord finds
// malformed is replaced by an explanation, so that the caller is not left with
// nothing.
func (c *conversation) orExplained(r interaction.Response, send func(interaction.Response) error) (interaction.Response, error) {
	err := send(r)
	if rest.CodeOf(err) == rest.CodeInvalidForm {
		if r.Action != nil { // it was carried out, so nobody should be told to try again
			err = fmt.Errorf("%w: %w", interaction.ErrUnshown, err)
		}
		r = c.explained(err)
		err = send(r)
	}
	return r, err
}

// respond sends the first response and returns what was sent.
func (c *conversation) respond(ctx context.Context, r interaction.Response) (interaction.Response, error) {
	return c.orExplained(r, func(r interaction.Response) error {
		return c.acknowledge(ctx, func(ctx context.Context) error { return c.server.cfg.Discord.Respond(ctx, c.to, r) })
	})
}

// acknowledge sends a first response until Discord has accepted or refused it
// or the time for it is over.
func (c *conversation) acknowledge(ctx context.Context, send func(context.Context) error) error {
	ctx = context.WithoutCancel(ctx) // also what is cancelled may still be said
	deadline := c.req.ReceivedAt.Add(c.server.cfg.Timing.First)
	defer func() { c.first = time.Since(c.req.ReceivedAt) }()

	for {
		err := c.attempt(ctx, earlier(deadline, time.Now().Add(attemptLimit)), send)
		if c.uncertain && rest.CodeOf(err) == rest.CodeAlreadyAcknowledged {
			err = nil // by an earlier attempt whose answer was lost
		}
		if err == nil {
			c.uncertain = false
			return nil
		}
		c.uncertain = c.uncertain || isUncertain(err)
		pause, again := retry(err, attemptPause)
		if !again || time.Until(deadline) <= pause {
			return err
		}
		sleep(ctx, pause)
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// attempt sends once, by a deadline, and turns a panic into an error.
func (c *conversation) attempt(ctx context.Context, deadline time.Time, send func(context.Context) error) (err error) {
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", interaction.ErrPanic, p)
		}
	}()
	return send(ctx)
}

// replace puts a response in the place of the first one, or of the deferral,
// and returns what was put there.
func (c *conversation) replace(ctx context.Context, r interaction.Response) (interaction.Response, error) {
	if r.Form == interaction.FormOpen {
		r = c.explained(interaction.ErrTooSlow)
	}
	return c.orExplained(r, func(r interaction.Response) error { return c.edit(ctx, r) })
}

func (c *conversation) edit(ctx context.Context, r interaction.Response) error {
	if r.Form == interaction.FormReply && c.deferred && !c.edited && c.req.InMessage() {
		// The original is the message with the component, which is to stay.
		return c.followUp(ctx, r.Message)
	}
	err := c.persist(ctx, func(ctx context.Context) error { return c.server.cfg.Discord.EditOriginal(ctx, c.to, r.Message) })
	c.edited = c.edited || err == nil
	return err
}

// followUp sends a message of its own. Unlike an edit it would show twice if it
// were repeated after Discord had taken it.
func (c *conversation) followUp(ctx context.Context, m interaction.Message) error {
	var uncertain error
	err := c.persist(ctx, func(ctx context.Context) error {
		err := c.server.cfg.Discord.FollowUp(ctx, c.to, m)
		if isUncertain(err) {
			uncertain = err
			return nil
		}
		return err
	})
	return cmp.Or(err, uncertain)
}

// persist repeats a later response with growing pauses.
func (c *conversation) persist(ctx context.Context, send func(context.Context) error) error {
	// What ran until the program stops may still say how it ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), editPatience)
	defer cancel()
	defer context.AfterFunc(c.server.ctx, func() { time.AfterFunc(lastLimit, cancel) })()
	pauses := backoff.NewExponentialBackOff()
	for {
		last := c.server.ctx.Err() != nil
		err := c.attempt(ctx, time.Now().Add(editLimit), send)
		pause, again := retry(err, pauses.NextBackOff())
		if deadline, _ := ctx.Deadline(); !again || last || time.Until(deadline) <= pause {
			return err
		}
		sleep(c.server.ctx, pause)
	}
}

// retry tells whether and after what pause to send again.
func retry(err error, pause time.Duration) (time.Duration, bool) {
	var e *rest.Error
	if !errors.As(err, &e) || !e.Temporary() {
		return 0, false
	}
	return max(pause, e.RetryAfter), true
}

func isUncertain(err error) bool {
	var e *rest.Error
	return errors.As(err, &e) && e.Uncertain
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
