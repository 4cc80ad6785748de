package commands

import (
	"context"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// action is something that is done to a bot. Its name is part of the keys of its
// texts: action.<name>.running, .ended, .done, .failed and .unconfirmed, and
// log.action.title.<name>.
type action struct {
	name string
	op   hostapi.Operation
	// transitional is the bot's status while the action is running; "" for an action that
	// changes no status.
	transitional string
	// in lists the states of a bot in which the action makes sense. In others its button is
	// disabled, and whoever asks for it all the same is told why not.
	in states
	// to is the state to which the action brings a bot, where it does nothing to one
	// that is in it. Such an action has a text .already as well.
	to state
	// leadsTo lists the states of which a card says that the action led to them.
	leadsTo states
	do      deed
	style   discordgo.ButtonStyle
	// starts says that the bot is started afterwards.
	starts bool
}

// deed is what an action does. It returns the bot as it is afterwards: its status is "" where the action changed it and the
// service did not say to which.
type deed func(ctx context.Context, h Hosting, userID string, s hostapi.Server) (hostapi.Server, error)

// actionList lists the actions that have a command and a button on a bot's card (in this
// order), and that staff can choose. Start stands between Restart and Stop: it is disabled while
// the bot runs, so that a thumb beside Restart does not stop it. Each action has the texts
// button.<name>, which.<name> and card.since.<name>.
//
// A list of bots looks into it for each of them, so it is made of constants and functions that
// capture nothing: no memory is taken for it.
func actionList() [4]action {
	return [...]action{
		{
			name: "restart", op: hostapi.OpRestart, transitional: "RESTARTING", in: setOf(unknown, up, broken), leadsTo: setOf(up, broken),
			do: restart, style: discordgo.PrimaryButton,
		},
		{
			name: "start", op: hostapi.OpStart, transitional: "STARTING", in: setOf(unknown, down, broken), to: up, leadsTo: setOf(up, broken),
			do: start, style: discordgo.SuccessButton,
		},
		{
			name: "stop", op: hostapi.OpStop, transitional: "STOPPING", in: setOf(unknown, up, starting), to: down, leadsTo: setOf(down),
			do: stop, style: discordgo.SecondaryButton,
		},
		{
			name: "reinstall", op: hostapi.OpReinstall, transitional: "INSTALLING", in: setOf(unknown, up, down, broken), leadsTo: setOf(up, down, broken),
			do: reinstall, style: discordgo.SecondaryButton,
		},
	}
}

// settles reports whether a bot is followed after the action until its status has settled. Such an
// action has a text .ended_in as well.
func (a action) settles() bool { return a.transitional != "" || a.op == hostapi.OpCreate }

// actionNamed returns an action of the list.
func actionNamed(name string) (a action, found bool) {
	for _, a := range actionList() {
		if a.name == name {
			return a, true
		}
	}
	return action{}, false
}

func restart(ctx context.Context, h Hosting, userID string, s hostapi.Server) (_ hostapi.Server, err error) {
	s.Status, err = h.Restart(ctx, userID, s.ID)
	return s, err
}

func stop(ctx context.Context, h Hosting, userID string, s hostapi.Server) (_ hostapi.Server, err error) {
	s.Status, err = h.Stop(ctx, userID, s.ID)
	return s, err
}

func start(ctx context.Context, h Hosting, userID string, s hostapi.Server) (_ hostapi.Server, err error) {
	s.Status, err = h.Start(ctx, userID, s.ID)
	return s, err
}

func reinstall(ctx context.Context, h Hosting, userID string, s hostapi.Server) (hostapi.Server, error) {
	s.Status = "" // the service names none
	return s, h.Reinstall(ctx, userID, s.ID)
}

// act does something to one of the caller's bots.
func (c *Commands) act(a action) interaction.Handler {
	return c.onBot(func(ctx context.Context, r *interaction.Request, b bot) (interaction.Response, error) {
		return c.actOn(ctx, r, a, b)
	})
}

// actOn does something to a bot if that makes sense.
func (c *Commands) actOn(ctx context.Context, r *interaction.Request, a action, b bot) (interaction.Response, error) {
	if card, senseless := c.senseless(ctx, r, a, &b); senseless {
		return card.draw(), nil
	}
	return c.begin(ctx, r, a, b)
}

// allowed reports whether an action makes sense on a bot as it is.
func (a action) allowed(s hostapi.Server) bool {
	return a.in.has(conditionOf(s).state)
}

// senseless reports whether an action makes no sense on a bot as it is now, and returns the
// card that says why. What is cached may be older, so the service is asked before anything is
// refused, and b becomes the bot as it is. If the service does not tell, nothing is refused: it
// decides itself.
func (c *Commands) senseless(ctx context.Context, r *interaction.Request, a action, b *bot) (why card, senseless bool) {
	if a.allowed(b.server) || !c.seeAnew(ctx, r.CustomerID, b) || a.allowed(b.server) || c.mayStop(ctx, r, a, *b) {
		return card{}, false
	}
	why = c.card(ctx, r, *b, c.view(r).whyNot(a, b.server))
	return why, !why.busy // otherwise another action is about to change that
}

// seeAnew asks the service for a bot, and reports whether b is as the service says now.
func (c *Commands) seeAnew(ctx context.Context, userID string, b *bot) bool {
	seen, err := c.look(ctx, userID, b.server.ID, lookLimit)
	if err == nil {
		seen.known.Beside = b.known.Beside
		*b = seen
	}
	return err == nil
}

// whyNot says why an action makes no sense on a bot as it is. Of a bot that the host has
// suspended the card says it by itself.
func (v view) whyNot(a action, s hostapi.Server) string {
	switch now := conditionOf(s).state; {
	case now == locked:
		return ""
	case now == a.to:
		return v.already(a, s)
	case now.moving():
		return "ℹ️ " + v.t.Text("error.conflict")
	}
	return "ℹ️ " + v.t.Format("action.not_running", args{"Bot": name(s)})
}

// already says that there is nothing to do for an action.
func (v view) already(a action, s hostapi.Server) string {
	return "ℹ️ " + v.t.Format("action."+a.name+".already", args{"Bot": name(s)})
}

// pressed is act, but that it asks before a reinstallation.
func (c *Commands) pressed(a action) interaction.Handler {
	if a.op == hostapi.OpReinstall {
		return c.reinstall(a)
	}
	return c.act(a)
}

// named serves the action that a custom ID names.
func named(act func(action) interaction.Handler) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		a, ok := actionNamed(r.Params["action"])
		if !ok {
			return interaction.Response{}, interaction.ErrNoRoute
		}
		return act(a)(ctx, r)
	}
}

// onBot makes a handler of a function of the caller's bot that a request is about.
func (c *Commands) onBot(handle func(context.Context, *interaction.Request, bot) (interaction.Response, error)) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		b, err := read(ctx, c, r, func(s accounts.Snapshot) (bot, error) {
			server, err := choose(r, s.List)
			s.Update = nil // which nobody waits for
			return bot{server, s}, err
		})
		if err != nil {
			return interaction.Response{}, err
		}
		return handle(ctx, r, b)
	}
}

// reinstall asks first where the bot runs, or may: it may stop until that is done.
func (c *Commands) reinstall(a action) interaction.Handler {
	return c.onBot(func(ctx context.Context, r *interaction.Request, b bot) (interaction.Response, error) {
		if card, senseless := c.senseless(ctx, r, a, &b); senseless {
			return card.draw(), nil
		}
		server, running := c.atThisMoment(r.CustomerID, b.server, b.known)
		if now := conditionOf(server).state; running == nil && (now == up || now == unknown || now.moving()) {
			return c.view(r).askReinstall(b), nil
		}
		return c.begin(ctx, r, a, b)
	})
}

// askReinstall asks whether a bot's packages are to be reinstalled while it runs.
func (v view) askReinstall(b bot) interaction.Response {
	key, text := botKey(b.server.ID), v.t.Format("reinstall.ask", args{"Bot": name(b.server), "Status": v.status(b.server)})
	embed := &discordgo.MessageEmbed{
		Title:       v.t.Text("reinstall.title"),
		Description: v.heading(b.known, text),
		Color:       yellow,
	}
	return v.drawOf(b.known, idReinstallNow+key, embed, row(
		v.button(discordgo.PrimaryButton, "button.reinstall", idReinstallNow+key, false),
		v.button(discordgo.SecondaryButton, "button.cancel", idShow+key, false),
	))
}
