package commands

import (
	"context"
	"time"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
	"hostbot/locale"
)

// action is something that is done to a bot. Its name is part of the keys of
// its texts.
type action struct {
	name      string
	meanwhile string // the bot's status while it is being done
	do        func(ctx context.Context, h Hosting, userID, serverID string) (status string, err error)
}

// restart restarts a bot's container.
func restart() action {
	return action{"restart", "RESTARTING", func(ctx context.Context, h Hosting, userID, serverID string) (string, error) {
		return h.Restart(ctx, userID, serverID)
	}}
}

// reinstall installs a bot's dependencies anew; the service names no status.
func reinstall() action {
	return action{"reinstall", "INSTALLING", func(ctx context.Context, h Hosting, userID, serverID string) (string, error) {
		return "", h.Reinstall(ctx, userID, serverID)
	}}
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

// carryOut does it and says how it ended.
func (c *Commands) carryOut(ctx context.Context, r *interaction.Request, a action, server hostapi.Server) interaction.Response {
	started := time.Now()
	status, err := a.do(ctx, c.hosting, r.UserID, server.ID)
	took := time.Since(started)

	p := c.page(r)
	p.running = func(string) (running, bool) { return running{}, false } // it has ended
	result := interaction.Action{Name: a.name, BotID: server.ID, BotName: server.Name, Duration: took}
	switch {
	case err == nil:
		result.Outcome = interaction.Done
		p.notice = p.done(a, server, status) + "\n⏱ " + p.t.Format("action.took", args{"Duration": p.t.Duration(took)})
		if status != "" {
			server.Status = status
			c.accounts.SetStatus(ctx, r.UserID, server.ID, status)
		}
	case hostapi.IsUncertain(err):
		result.Outcome = interaction.Unconfirmed
		p.color = orange
		p.notice = "⚠️ " + p.t.Format("action."+a.name+".unconfirmed", args{"Bot": name(server)}) + "\n" + p.reference()
		c.accounts.Expire(ctx, r.UserID)
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
func (p *page) done(a action, s hostapi.Server, status string) string {
	if status == "" {
		return "✅ " + p.t.Format("action."+a.name+".done", args{"Bot": name(s)})
	}
	condition := conditionOf(status)
	return "✅ " + p.t.Format("action."+a.name+".done_status", args{
		"Bot": name(s), "Status": condition.emoji + " " + condition.word(p.t, status),
	})
}

// notice says that the action is running, since when.
func (r running) notice(t *locale.Texts, s hostapi.Server) string {
	return "⏳ " + t.Format("action."+r.action.name+".running", args{"Bot": name(s), "Since": relative(r.since)})
}
