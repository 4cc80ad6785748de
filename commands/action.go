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
	// meanwhile is the bot's status while it is being done; "" where the action
	// changes no status.
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

// known is a bot as far as it is known, and the account by which it is.
type known struct {
	server  hostapi.Server
	account accounts.Snapshot
}

// act does something to one of the caller's bots.
func (c *Commands) act(a action) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		bot, err := c.chosen(ctx, r)
		if err != nil {
			return interaction.Response{}, err
		}
		return c.begin(ctx, r, a, bot)
	}
}

// chosen returns the bot of the caller's that a request is about.
func (c *Commands) chosen(ctx context.Context, r *interaction.Request) (known, error) {
	var bot known
	err := c.read(ctx, r, func(snapshot accounts.Snapshot) error {
		server, err := choose(r, snapshot.List.Servers)
		bot = known{server, snapshot}
		return err
	})
	return bot, err
}

// begin says on the bot's card that something is being done to it, does it once
// the customer was told, and says how it ended.
func (c *Commands) begin(ctx context.Context, r *interaction.Request, a action, bot known) (interaction.Response, error) {
	end, err := c.turn(ctx, r, a, bot.server)
	if err != nil {
		return interaction.Response{}, err
	}

	p := c.page(r)
	p.age(bot.account)
	response := p.respond(p.card(bot.server))
	response.Then = func(ctx context.Context) (interaction.Response, error) {
		defer end()
		return c.carryOut(ctx, r, a, bot), nil
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
		if s.ID == "" {
			return nil, &busyError{turn: busy.Turn}
		}
		return nil, &busyError{botName: name(s), turn: busy.Turn}
	case errors.Is(err, turns.ErrTaken):
		return nil, interaction.ErrElsewhere
	case err != nil:
		return nil, err
	}
	context.AfterFunc(ctx, end)
	return end, nil
}

// busyError says that another action is running on the bot, or that another bot
// is being made.
type busyError struct {
	botName string // empty: another is being made
	turn    turns.Turn
}

func (e *busyError) Error() string { return "another action is running: " + e.turn.Action }

// carryOut does it, follows the bot until it has come to rest, and says how it
// ended.
func (c *Commands) carryOut(ctx context.Context, r *interaction.Request, a action, bot known) interaction.Response {
	started := time.Now()
	after, status, err := a.do(ctx, c.hosting, r.CustomerID, bot.server)
	if err == nil {
		bot.server = after
	}
	if err == nil && a.meanwhile != "" {
		if status != "" {
			c.accounts.SetStatus(ctx, r.CustomerID, bot.server.ID, status)
		}
		bot.server.Status = status
		bot, err = c.follow(ctx, r.CustomerID, bot)
	}
	took := time.Since(started)
	if err != nil || a.outdates {
		c.accounts.Expire(ctx, r.CustomerID)
	}
	server := bot.server
	err = c.missing(ctx, r.CustomerID, server.ID, a.op, err)

	p := c.page(r)
	p.age(bot.account)
	p.running = func(string) (turns.Turn, bool) { return turns.Turn{}, false } // it has ended
	result := interaction.Action{Name: a.name, BotID: server.ID, BotName: server.Name, Duration: took, Outcome: outcome(err)}
	p.notice = p.ending(a, server, took, err)
	if result.Outcome != interaction.Done { // whose colour is that of the bot's status
		p.color = outcomeColor(result.Outcome)
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
func (p *page) ending(a action, s hostapi.Server, took time.Duration, err error) string {
	switch {
	case err == nil:
		return p.done(a, s) + "\n⏱ " + p.t.Format("action.took", args{"Duration": p.t.Duration(took)})
	case errors.Is(err, errUnsettled):
		return "⚠️ " + p.t.Format("action.unsettled", args{"Bot": name(s), "Status": p.status(s)}) + "\n" + p.reference()
	case outcome(err) == interaction.Unconfirmed:
		return "⚠️ " + p.t.Format("action."+a.name+".unconfirmed", args{"Bot": name(s)}) + "\n" + p.reference()
	default:
		why, _ := p.sentence(err)
		return "❌ " + p.t.Format("action."+a.name+".failed", args{"Bot": name(s)}) + " " + why + "\n" + p.reference()
	}
}

// done says that an action succeeded, and what the bot's status has become by it
// where that is known.
func (p *page) done(a action, s hostapi.Server) string {
	if a.meanwhile == "" || s.Status == "" {
		return "✅ " + p.t.Format("action."+a.name+".done", args{"Bot": name(s)})
	}
	sign := "✅ "
	if conditionOf(s.Status).state == broken { // it was done, and did no good
		sign = "⚠️ "
	}
	return sign + p.t.Format("action."+a.name+".done_status", args{"Bot": name(s), "Status": p.status(s)})
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
