package commands

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

// begin says on a bot's card that an action runs, runs it once Discord has taken that, and
// says how it ended.
func (c *Commands) begin(ctx context.Context, r *interaction.Request, a action, b bot) (interaction.Response, error) {
	lock, err := c.lock(ctx, r, a, b.server)
	if held, ok := errors.AsType[*actions.PausedError](err); ok {
		return c.heldBack(ctx, r, a, b, held.Until), nil
	}
	if err != nil {
		return interaction.Response{}, err
	}
	// If the work is not run, ctx ends the lock.
	unstarted := context.AfterFunc(ctx, lock.Close)
	response := c.card(ctx, r, b, "").draw()
	response.Then = &interaction.Work{Does: interaction.Act{Action: a.on(b.server), Lock: lock}, Run: func(ctx context.Context) (interaction.Response, error) {
		unstarted()
		finished := false
		defer func() {
			if !finished { // it panics
				lock.Close()
			}
		}()
		response := c.finish(ctx, lock, r, a, b)
		finished = true
		lock.End(*response.Action)
		return response, nil
	}}
	return response, nil
}

// on is the action as it is carried out on a bot.
func (a action) on(s hostapi.Server) *interaction.Action {
	return &interaction.Action{Name: a.name, BotID: s.ID, BotName: s.Name}
}

// heldBack says that it is not known yet how the same action has just ended.
func (c *Commands) heldBack(ctx context.Context, r *interaction.Request, a action, b bot, until time.Time) interaction.Response {
	v := c.view(r)
	held := c.card(ctx, r, b, "⚠️ "+v.say("action."+a.name+".unconfirmed", args{"Bot": name(b.server)})+"\n"+v.t.Format("action.held", args{"When": v.at(until)}))
	held.unsure, held.color = true, outcomeColor(interaction.Unconfirmed)
	return held.draw()
}

// lock acquires the lock of a bot for an action.
func (c *Commands) lock(ctx context.Context, r *interaction.Request, a action, s hostapi.Server) (*actions.Lock, error) {
	lock, err := c.actions.Acquire(ctx, actions.Claim{Request: r, Action: *a.on(s)})
	var busy *actions.BusyError
	var limit *actions.LimitError
	switch {
	case errors.As(err, &busy):
		return nil, &refusal{reason: "another action is running: " + busy.Running.Action, decided: true, passes: true, explain: func(v view) string {
			if s.ID == "" { // another bot is being created
				return "⏳ " + v.t.Format("create.busy", args{"Since": relative(busy.Running.Since)})
			}
			return v.runningLine(busy.Running, name(s)) + "\n" + v.t.Text("action.busy")
		}}
	case errors.As(err, &limit):
		return nil, &refusal{reason: "the user has started too many actions", decided: true, passes: true, explain: func(v view) string {
			return v.t.Format("action.limit", args{"When": v.at(limit.Until)})
		}}
	case errors.Is(err, actions.ErrDuplicate):
		return nil, interaction.ErrHandledElsewhere
	}
	return lock, err
}

// finish runs an action, says how it ended, has staff told, and may start the bot then.
func (c *Commands) finish(ctx context.Context, lock *actions.Lock, r *interaction.Request, a action, b bot) interaction.Response {
	end := c.carryOut(ctx, lock, r.CustomerID, a, b)
	if a.starts {
		return c.startCreated(ctx, r, end)
	}
	return c.told(ctx, r, end)
}

// carryOut runs an action and returns how it ended.
func (c *Commands) carryOut(ctx context.Context, lock *actions.Lock, userID string, a action, b bot) result {
	started := time.Now()
	b, err := c.run(ctx, lock, userID, a, b)
	end := result{action: a, bot: b, took: time.Since(started)}
	if a.transitional != "" && isRefusal(err) { // because of a state that was not known here
		c.seeAnew(ctx, userID, &end.bot)
	}
	now := conditionOf(end.server).state
	if end.already = hostapi.CodeOf(err) == hostapi.CodeConflict && a.to != unknown && now == a.to; !end.already {
		end.err = c.unsupportedBy(ctx, userID, b.server.ID, a.op, err)
	}
	return end
}

// told draws how an action ended, and has staff told of it.
func (c *Commands) told(ctx context.Context, r *interaction.Request, end result) interaction.Response {
	v, entered := c.view(r), enteredStartup(r)
	end.story = c.storyOf(ctx, r, end.bot)
	end.note = strings.TrimSpace(end.note + "\n" + v.smartNote(entered))
	response := end.draw(v)
	if end.err == nil || end.action.op == hostapi.OpStart { // otherwise the bot may have another startup
		response = v.offerPlain(response, entered, end.server.ID)
	}
	response.Action, response.Failure = end.forStaff(), end.err
	return response
}

// run runs an action and returns the bot as it is once its status is settled.
func (c *Commands) run(ctx context.Context, lock *actions.Lock, userID string, a action, b bot) (bot, error) {
	// The service may show a bot as stopped for a moment at any action. Of one that stays
	// stopped, the stop that was expected before must not be forgotten.
	stays := a.transitional == "" && b.server.State() == hostapi.StateStopped
	var noting interaction.Beside // of which Redis is told at the same time
	noting.Go(lock.Sent)
	if c.watch.NoteAction != nil && a.op != hostapi.OpCreate && !stays {
		noting.Go(func() error { c.watch.NoteAction(ctx, userID, b.server.ID, a.name); return nil })
	}
	if err := noting.Wait(); err != nil {
		return b, err
	}
	after, err := a.do(ctx, c.hosting, userID, b.server)
	if err == nil {
		b.server = after
		switch {
		case a.transitional != "":
			c.accounts.Acted(ctx, b.known, userID, after.ID, a.name, after.Status)
			b.known = acted(b.known, after, a.name)
		case a.op == hostapi.OpUpdateStartup:
			c.accounts.StartupChanged(ctx, userID, after.ID)
		case a.op == hostapi.OpDelete:
			c.accounts.Deleted(ctx, userID, after.ID)
		case a.op == hostapi.OpCreate:
			b.known.FetchedAt = time.Now()
		}
		if a.settles() {
			b, err = c.follow(ctx, userID, b)
		}
	}
	if a.op == hostapi.OpCreate && errors.Is(err, errGone) {
		err = nil // the bot was created, though it is not listed yet
	}
	if err != nil || a.transitional == "" { // otherwise what is cached of the account is true
		c.accounts.Expire(ctx, userID)
	}
	return b, err
}

// unsupportedBy gives the error of an operation the code hostapi.CodeNotOffered where
// that is what it means. The service's document has no path for most operations, so a
// service may not have them. It then answers 405 or 501; that a gateway answers 404 has passed by
// the next time, as a rule. Where not even the account exists any more, that is the error. serverID is empty
// where there is no bot yet.
func (c *Commands) unsupportedBy(ctx context.Context, userID, serverID string, op hostapi.Operation, err error) error {
	var e *hostapi.Error
	documented := op == hostapi.OpRestart || op == hostapi.OpReinstall
	if documented || !errors.As(err, &e) {
		return err
	}
	switch {
	case e.Status == http.StatusNotImplemented, e.Status == http.StatusMethodNotAllowed && e.Code != hostapi.CodeUnavailable:
	case e.Status == http.StatusMethodNotAllowed: // by a page, which may be a firewall's
		if _, unseen := c.look(ctx, userID, serverID, lookLimit); unseen != nil {
			return err
		}
	case e.Status == http.StatusNotFound:
		if _, unseen := c.look(ctx, userID, serverID, lookLimit); isNoAccount(unseen) {
			return unseen
		}
		return err
	default:
		return err
	}
	notOffered := *e
	notOffered.Code, notOffered.Uncertain = hostapi.CodeNotOffered, false
	return &notOffered
}

const (
	// followLimit is for how long a bot is followed after the service accepted an action.
	followLimit = time.Minute
	// lookLimit bounds a look at a bot for which the action itself need not wait.
	lookLimit = 5 * time.Second
	// The pauses between two looks grow from firstPause to longestPause.
	firstPause   = time.Second
	longestPause = 10 * time.Second
)

// follow looks at a bot, with growing pauses, until its status is settled, at once where
// the service named none. It returns the bot as it was last seen.
func (c *Commands) follow(ctx context.Context, userID string, b bot) (bot, error) {
	deadline := time.Now().Add(followLimit)
	pause, limit := firstPause, followLimit
	if b.server.Status == "" {
		pause, limit = 0, lookLimit
	}
	for pause == 0 || conditionOf(b.server).state.moving() {
		if next := time.Now().Add(pause); next.After(deadline) || !sleepUntil(ctx, next) {
			return b, interaction.ErrUnsettled
		}
		switch seen, err := c.look(ctx, userID, b.server.ID, min(limit, time.Until(deadline))); {
		case err == nil:
			b = seen
		case errors.Is(err, errGone):
			return b, err
		} // otherwise the service may yet answer
		pause, limit = min(max(2*pause, firstPause), longestPause), followLimit
	}
	return b, nil
}

// look asks the service anew for a bot. The error is errGone where the user has no
// such bot, and otherwise interaction.ErrUnsettled or the service's.
func (c *Commands) look(ctx context.Context, userID, serverID string, limit time.Duration) (bot, error) {
	snapshot, err := c.accounts.Ask(ctx, userID, serverID, time.Now().Add(limit))
	switch {
	case err != nil:
		return bot{}, err
	case snapshot.Old:
		return bot{}, interaction.ErrUnsettled
	}
	i := slices.IndexFunc(snapshot.List.Servers, func(s hostapi.Server) bool { return s.ID == serverID })
	if i < 0 {
		return bot{}, errGone
	}
	return bot{snapshot.List.Servers[i], snapshot}, nil
}
