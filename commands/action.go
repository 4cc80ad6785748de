package commands

import (
	"context"
	"errors"
	"time"

	"hostbot/bot/interaction"
	"hostbot/bot/turns"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
	"hostbot/locale"
)

// action is something that is done to a bot. Its name is part of the keys of
// its texts and of its custom IDs.
type action struct {
	name string
	op   hostapi.Operation
	// meanwhile is the bot's status while it is being done; "" where that does
	// not change.
	meanwhile string
	// do returns the bot as it is afterwards, and the status that the service
	// named, or "".
	do func(ctx context.Context, h Hosting, userID string, s hostapi.Server) (after hostapi.Server, status string, err error)
	// outdates says that what is cached of the account is not true afterwards.
	outdates bool
	// removes says that the bot is no more afterwards.
	removes bool
}

// customID returns what a button for the action on a bot carries.
func (a action) customID(handle string) string { return a.name + "/" + handle }

// actions are what can be done to a bot at the press of a button, as the buttons
// on its card are ordered.
func actions() []action {
	return []action{
		{name: "start", op: hostapi.OpStart, meanwhile: "STARTING", do: stated(Hosting.Start)},
		{name: "restart", op: hostapi.OpRestart, meanwhile: "RESTARTING", do: stated(Hosting.Restart)},
		{name: "stop", op: hostapi.OpStop, meanwhile: "STOPPING", do: stated(Hosting.Stop)},
		{name: "reinstall", op: hostapi.OpReinstall, meanwhile: "INSTALLING", do: reinstall},
	}
}

// meanwhile returns a bot's status while an action is being done; "" where that
// does not change it.
func meanwhile(name string) string {
	for _, a := range actions() {
		if a.name == name {
			return a.meanwhile
		}
	}
	return ""
}

// stated makes an action of an operation that returns the bot's new status.
func stated(operation func(h Hosting, ctx context.Context, userID, serverID string) (string, error),
) func(context.Context, Hosting, string, hostapi.Server) (hostapi.Server, string, error) {
	return func(ctx context.Context, h Hosting, userID string, s hostapi.Server) (hostapi.Server, string, error) {
		status, err := operation(h, ctx, userID, s.ID)
		if err == nil && status != "" {
			s.Status = status
		}
		return s, status, err
	}
}

// reinstall installs a bot's dependencies anew; the service names no status.
func reinstall(ctx context.Context, h Hosting, userID string, s hostapi.Server) (hostapi.Server, string, error) {
	return s, "", h.Reinstall(ctx, userID, s.ID)
}

// act does something to one of the caller's bots.
func (c *Commands) act(a action) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		snapshot, server, err := c.chosen(ctx, r)
		if err != nil {
			return interaction.Response{}, err
		}
		return c.begin(ctx, r, a, snapshot, server)
	}
}

// chosen returns the caller's account, and the bot of it that a request is about.
func (c *Commands) chosen(ctx context.Context, r *interaction.Request) (accounts.Snapshot, hostapi.Server, error) {
	snapshot, err := c.accounts.Account(ctx, r.CustomerID, r.AnswerBy)
	if err != nil {
		return accounts.Snapshot{}, hostapi.Server{}, err
	}
	server, err := choose(r, snapshot.List.Servers)
	return snapshot, server, err
}

// begin says on the bot's card that something is being done to it, does it once
// the customer was told, and says how it ended.
func (c *Commands) begin(ctx context.Context, r *interaction.Request, a action, snapshot accounts.Snapshot, s hostapi.Server) (interaction.Response, error) {
	end, err := c.turn(ctx, r, a, s)
	if err != nil {
		return interaction.Response{}, err
	}

	p := c.page(r)
	p.age(snapshot)
	response := p.respond(p.card(s))
	response.Then = func(ctx context.Context) (interaction.Response, error) {
		defer end()
		return c.carryOut(ctx, r, a, s), nil
	}
	return response, nil
}

// turn takes the turn to act on a bot, which is over with ctx at the latest,
// whether or not it comes to the action.
func (c *Commands) turn(ctx context.Context, r *interaction.Request, a action, s hostapi.Server) (end func(), err error) {
	end, err = c.turns.Begin(ctx, turns.Claim{
		InteractionID: r.ID, UserID: r.UserID, CustomerID: r.CustomerID, ServerID: s.ID, Action: a.name,
	})
	var busy *turns.BusyError
	switch {
	case errors.As(err, &busy):
		return nil, &busyError{botName: name(s), turn: busy.Turn}
	case errors.Is(err, turns.ErrTaken):
		return nil, interaction.ErrElsewhere
	case err != nil:
		return nil, err
	}
	context.AfterFunc(ctx, end)
	return end, nil
}

// busyError says that another action is running on the bot.
type busyError struct {
	botName string
	turn    turns.Turn
}

func (e *busyError) Error() string { return "another action is running: " + e.turn.Action }

// carryOut does it, follows the bot until it has come to rest, and says how it
// ended.
func (c *Commands) carryOut(ctx context.Context, r *interaction.Request, a action, before hostapi.Server) interaction.Response {
	started := time.Now()
	server, status, err := a.do(ctx, c.hosting, r.CustomerID, before)
	if err != nil {
		server = before
	}
	if err == nil && status != "" {
		c.accounts.SetStatus(ctx, r.CustomerID, server.ID, status)
		server, err = c.follow(ctx, r.CustomerID, server)
	}
	took := time.Since(started)
	if err != nil || a.outdates {
		c.accounts.Expire(ctx, r.CustomerID)
	}
	err = c.missing(ctx, r.CustomerID, server.ID, a.op, err)

	p := c.page(r)
	p.running = func(string) (turns.Turn, bool) { return turns.Turn{}, false } // it has ended
	result := interaction.Action{Name: a.name, BotID: server.ID, BotName: server.Name, Duration: took, Outcome: outcome(err)}
	p.notice = p.ending(a, server, status, took, err)
	switch result.Outcome {
	case interaction.Failed:
		p.color = red
	case interaction.Unconfirmed:
		p.color = orange
	case interaction.Done:
	}
	message := p.card(server)
	if a.removes && err == nil {
		message = p.removed(server)
	}
	response := p.respond(message)
	response.Action, response.Failure, response.Told = &result, err, c.lacks.again(err)
	return response
}

// outcome returns how an action ended, by its error.
func outcome(err error) interaction.Outcome {
	switch {
	case err == nil:
		return interaction.Done
	case isLacking(err):
		return interaction.Failed
	case errors.Is(err, errUnsettled), hostapi.IsUncertain(err):
		return interaction.Unconfirmed
	default:
		return interaction.Failed
	}
}

// ending says how an action ended.
func (p *page) ending(a action, s hostapi.Server, status string, took time.Duration, err error) string {
	switch {
	case err == nil:
		return p.done(a, s, status) + "\n⏱ " + p.t.Format("action.took", args{"Duration": p.t.Duration(took)})
	case errors.Is(err, errUnsettled):
		return "⚠️ " + p.t.Format("action.unsettled", args{"Bot": name(s), "Status": p.status(s)}) + "\n" + p.reference()
	case outcome(err) == interaction.Unconfirmed:
		return "⚠️ " + p.t.Format("action."+a.name+".unconfirmed", args{"Bot": name(s)}) + "\n" + p.reference()
	default:
		why, _ := sentence(p.t, err)
		return "❌ " + p.t.Format("action."+a.name+".failed", args{"Bot": name(s)}) + " " + why + "\n" + p.reference()
	}
}

// done says that an action succeeded, and the status where the service named one.
func (p *page) done(a action, s hostapi.Server, named string) string {
	if named == "" {
		return "✅ " + p.t.Format("action."+a.name+".done", args{"Bot": name(s)})
	}
	return "✅ " + p.t.Format("action."+a.name+".done_status", args{"Bot": name(s), "Status": p.status(s)})
}

// status says a bot's status as a colour and a word.
func (p *page) status(s hostapi.Server) string {
	condition := conditionOf(s.Status)
	return condition.emoji + " " + condition.word(p.t, s.Status)
}

// underWay says what is being done to a bot, since when.
func underWay(t *locale.Texts, turn turns.Turn, botName string) string {
	return "⏳ " + t.Format("action."+turn.Action+".running", args{"Bot": botName, "Since": relative(turn.Since)})
}
