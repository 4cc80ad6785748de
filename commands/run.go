package commands

import (
	"context"
	"errors"
	"time"

	"hostbot/bot/actionlock"
	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

// begin says on a bot's card that an action is running, runs it once Discord has
// taken that, and says how it ended.
func (c *Commands) begin(ctx context.Context, r *interaction.Request, a action, b bot) (interaction.Response, error) {
	lock, err := c.lock(ctx, r, a, b.server)
	if err != nil {
		return interaction.Response{}, err
	}
	response := c.card(r, b, "").draw()
	response.Then = func(ctx context.Context) (interaction.Response, error) {
		defer lock.Release()
		return c.finish(ctx, r, a, b), nil
	}
	return response, nil
}

// lock acquires the lock of a bot for an action. It is released with ctx at the
// latest, whether or not the action was run.
func (c *Commands) lock(ctx context.Context, r *interaction.Request, a action, s hostapi.Server) (*actionlock.Lock, error) {
	lock, err := c.locks.Acquire(ctx, actionlock.Claim{
		InteractionID: r.ID, UserID: r.UserID, CustomerID: r.CustomerID, ServerID: s.ID, Action: a.name,
	})
	var busy *actionlock.BusyError
	var limit *actionlock.LimitError
	switch {
	case errors.As(err, &busy):
		return nil, busyRefusal(busy.Running, s)
	case errors.As(err, &limit):
		return nil, limitRefusal(limit.Until)
	case errors.Is(err, actionlock.ErrDuplicate):
		return nil, interaction.ErrElsewhere
	case err != nil:
		return nil, err
	}
	context.AfterFunc(ctx, lock.Release)
	return lock, nil
}

// busyRefusal says that another action is running on a bot or, where the bot is to
// be created, that another one is being created.
func busyRefusal(running actionlock.Running, s hostapi.Server) error {
	return &refusal{"another action is running: " + running.Action, func(v view) string {
		if s.ID == "" {
			return "⏳ " + v.t.Format("create.busy", args{"Since": relative(running.Since)})
		}
		return runningLine(v.t, running, name(s)) + "\n" + v.t.Text("action.busy")
	}}
}

func limitRefusal(until time.Time) error {
	return &refusal{"the user has started too many actions", func(v view) string {
		return v.t.Format("action.limit", args{"When": relative(until)})
	}}
}

// finish runs an action, says how it ended, and has staff told.
func (c *Commands) finish(ctx context.Context, r *interaction.Request, a action, b bot) interaction.Response {
	started := time.Now()
	b, err := c.run(ctx, r.CustomerID, a, b)
	took := time.Since(started)
	err = c.unsupportedBy(ctx, r.CustomerID, b.server.ID, a.op, err)
	v := c.view(r)
	end := result{action: a, server: b.server, took: took, err: err}
	drawn := card{view: v, bot: b, notice: v.ending(end)}
	if end.outcome() != interaction.Done {
		drawn.color = outcomeColor(end.outcome())
	}
	response := drawn.draw()
	if a.op == hostapi.OpDelete && err == nil {
		response = v.deleted(b.server, drawn.notice)
	}
	response.Action = &interaction.Action{Name: a.name, BotID: b.server.ID, BotName: b.server.Name, Duration: took, Outcome: end.outcome()}
	response.Failure = err
	if isUnsupported(err) { // staff are told once of each operation
		_, response.AlreadyReported = c.unsupported.LoadOrStore(a.op, true)
	}
	return response
}

// run runs an action and returns the bot as it is afterwards. A bot whose status
// changes is followed until that is settled.
func (c *Commands) run(ctx context.Context, userID string, a action, b bot) (bot, error) {
	after, err := a.do(ctx, c.hosting, userID, b.server)
	if err == nil {
		b.server = after
		switch {
		case a.op == hostapi.OpCreate:
			if b, err = c.follow(ctx, userID, b); errors.Is(err, errGone) {
				err = nil // the bot was created, though it is not listed yet
			}
		case a.transitional != "":
			if after.Status != "" {
				c.accounts.SetStatus(ctx, userID, after.ID, after.Status)
			}
			if b, err = c.follow(ctx, userID, b); err == nil {
				return b, nil // and what is cached of the account is true
			}
		}
	}
	c.accounts.Expire(ctx, userID)
	return b, err
}
