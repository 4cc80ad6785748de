package answer

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"hostbot/bot/interaction"
	"hostbot/bot/rest"
)

const (
	// attemptLimit bounds one attempt at the first response, so that there is
	// time for another.
	attemptLimit = 1200 * time.Millisecond
	// attemptPause is between two attempts at the first response.
	attemptPause = 100 * time.Millisecond
	// editLimit bounds one attempt at a later response, editPatience all of
	// them: long enough for Discord to come back from a short outage.
	editLimit    = 10 * time.Second
	editPatience = 2 * time.Minute
)

// respond sends the first response and returns what was sent: what Discord
// finds malformed is replaced by an explanation, so that the caller is not left
// with nothing.
func (c *conversation) respond(ctx context.Context, r interaction.Response) (interaction.Response, error) {
	send := func(r interaction.Response) error {
		return c.acknowledge(ctx, func(ctx context.Context) error { return c.server.cfg.Discord.Respond(ctx, c.to, r) })
	}
	err := send(r)
	if rest.CodeOf(err) == rest.CodeInvalidForm {
		r = c.explained(err)
		err = send(r)
	}
	return r, err
}

// acknowledge sends a first response until Discord has accepted or refused it
// or the time for it is over.
func (c *conversation) acknowledge(ctx context.Context, send func(context.Context) error) error {
	deadline := c.req.ReceivedAt.Add(c.server.cfg.Timing.First)
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	defer func() { c.first = time.Since(c.req.ReceivedAt) }()

	uncertain := false
	for {
		attempt, done := context.WithTimeout(ctx, attemptLimit)
		err := send(attempt)
		done()
		if uncertain && rest.CodeOf(err) == rest.CodeAlreadyAcknowledged {
			return nil // by an earlier attempt whose answer was lost
		}
		pause, again := retry(err, attemptPause)
		if !again || time.Until(deadline) <= pause {
			return err
		}
		uncertain = uncertain || isUncertain(err)
		sleep(ctx, pause)
	}
}

// replace puts a response in the place of the first one, or of the deferral,
// and returns what was put there.
func (c *conversation) replace(ctx context.Context, r interaction.Response) (interaction.Response, error) {
	if r.Form == interaction.FormOpen {
		r = c.explained(interaction.ErrTooSlow)
	}
	err := c.edit(ctx, r)
	if rest.CodeOf(err) == rest.CodeInvalidForm {
		r = c.explained(err)
		err = c.edit(ctx, r)
	}
	return r, err
}

func (c *conversation) edit(ctx context.Context, r interaction.Response) error {
	deliver := c.server.cfg.Discord.EditOriginal
	if r.Form == interaction.FormReply && c.deferred && c.req.Kind == interaction.Component {
		// The original is the message with the component, which is to stay.
		deliver = c.server.cfg.Discord.FollowUp
	}
	return c.persist(ctx, func(ctx context.Context) error { return deliver(ctx, c.to, r.Message) })
}

// persist repeats a later response with growing pauses.
func (c *conversation) persist(ctx context.Context, send func(context.Context) error) error {
	// What ran until the program stops may still say how it ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), editPatience)
	defer cancel()
	pauses := backoff.NewExponentialBackOff()
	for {
		attempt, done := context.WithTimeout(ctx, editLimit)
		err := send(attempt)
		done()
		pause, again := retry(err, pauses.NextBackOff())
		if !again || ctx.Err() != nil || c.server.ctx.Err() != nil {
			return err
		}
		sleep(ctx, pause)
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
