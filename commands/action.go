package commands

import (
	"context"
	"errors"
	"time"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
	"hostbot/locale"
)

// action is something that is done to a bot. Its name is part of the keys of
// its texts and of its custom IDs.
type action struct {
	name      string
	meanwhile string // the bot's status while it is being done
	do        func(h Hosting, ctx context.Context, userID, serverID string) (status string, err error)
}

// customID returns what a button for the action on a bot carries.
func (a action) customID(handle string) string { return a.name + "/" + handle }

// actions are what can be done to a bot, as the buttons on its card are ordered.
func actions() []action {
	return []action{
		{"start", "STARTING", Hosting.Start},
		{"restart", "RESTARTING", Hosting.Restart},
		{"stop", "STOPPING", Hosting.Stop},
		{"reinstall", "INSTALLING", reinstall},
	}
}

// reinstall installs a bot's dependencies anew; the service names no status.
func reinstall(h Hosting, ctx context.Context, userID, serverID string) (string, error) {
	return "", h.Reinstall(ctx, userID, serverID)
}

// act does something to one of the caller's bots: its card says at once that it
// is being done, and later how it ended.
func (c *Commands) act(a action) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		snapshot, err := c.accounts.Account(ctx, r.UserID, r.AnswerBy)
		if err != nil {
			return interaction.Response{}, err
		}
		server, err := chosen(r, snapshot.List.Servers)
		if err != nil {
			return interaction.Response{}, err
		}
		end, err := c.running.begin(r.UserID, server.ID, name(server), a)
		if err != nil {
			return interaction.Response{}, err
		}
		// Whether or not it comes to the action, it is over with ctx.
		context.AfterFunc(ctx, end)

		p := c.page(r)
		p.age(snapshot)
		response := p.respond(p.card(server)) // which shows what is running
		response.Then = func(ctx context.Context) (interaction.Response, error) {
			defer end()
			return c.carryOut(ctx, r, a, server), nil
		}
		return response, nil
	}
}

// carryOut does it, follows the bot until it has come to rest, and says how it
// ended.
func (c *Commands) carryOut(ctx context.Context, r *interaction.Request, a action, server hostapi.Server) interaction.Response {
	started := time.Now()
	status, err := a.do(c.hosting, ctx, r.UserID, server.ID)
	if err == nil && status != "" {
		server.Status = status
		c.accounts.SetStatus(ctx, r.UserID, server.ID, status)
		server, err = c.follow(ctx, r.UserID, server)
	}
	took := time.Since(started)
	if err != nil {
		c.accounts.Expire(ctx, r.UserID) // what was known of the bot may be wrong
	}

	p := c.page(r)
	p.running = func(string) (running, bool) { return running{}, false } // it has ended
	result := interaction.Action{Name: a.name, BotID: server.ID, BotName: server.Name, Duration: took}
	switch {
	case err == nil:
		result.Outcome = interaction.Done
		p.notice = p.done(a, server, status) + "\n⏱ " + p.t.Format("action.took", args{"Duration": p.t.Duration(took)})
	case errors.Is(err, errUnsettled):
		result.Outcome = interaction.Unconfirmed
		p.color = orange
		p.notice = "⚠️ " + p.t.Format("action.unsettled", args{"Bot": name(server), "Status": p.status(server)}) + "\n" + p.reference()
	case hostapi.IsUncertain(err):
		result.Outcome = interaction.Unconfirmed
		p.color = orange
		p.notice = "⚠️ " + p.t.Format("action."+a.name+".unconfirmed", args{"Bot": name(server)}) + "\n" + p.reference()
	default:
		result.Outcome = interaction.Failed
		p.color = red
		sentence, _ := sentence(p.t, err)
		p.notice = "❌ " + p.t.Format("action."+a.name+".failed", args{"Bot": name(server)}) + " " + sentence + "\n" + p.reference()
	}
	response := p.respond(p.card(server))
	response.Action, response.Failure = &result, err
	return response
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

// notice says that the action is running, since when.
func (r running) notice(t *locale.Texts, s hostapi.Server) string {
	return "⏳ " + t.Format("action."+r.action.name+".running", args{"Bot": name(s), "Since": relative(r.since)})
}
