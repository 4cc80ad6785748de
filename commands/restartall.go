package commands

import (
	"context"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// The custom IDs of a restart of all bots that have crashed, or of those of an alert. They name no bots: those are
// meant that have crashed when the button is pressed.
const (
	idRestartCrashed = "restartcrashed" // asks
	alertInID        = "/of/"           // + the ID of an alert, for its bots alone
	restartNow       = "/now"           // at the end: does not ask
)

// idRestart returns the custom ID that asks about all bots that have crashed, or about those of an alert.
func idRestart(alertID string) string {
	if alertID == "" {
		return idRestartCrashed
	}
	return idRestartCrashed + alertInID + alertID
}

// namedInQuestion is how many bots are named where somebody is asked about many.
const namedInQuestion = 10

// restartCrashedButton restarts all bots that have crashed, of which so many are known, once it has
// asked. The key is that of its label.
func (v view) restartCrashedButton(key, customID string, n int) discordgo.Button {
	button := v.button(discordgo.PrimaryButton, key, customID, false)
	button.Label = v.t.Format(key, args{"N": n})
	return button
}

// restartButton restarts one bot, and names it. Its custom ID is the prefix and the bot's key.
func (v view) restartButton(prefix string, s hostapi.Server) discordgo.Button {
	button := v.button(discordgo.PrimaryButton, "button.restart_bot", prefix+botKey(s.ID), false)
	button.Label = v.t.Format("button.restart_bot", args{"Bot": plainName(s, labelNameLimit)})
	return button
}

// crashedIn returns the bots that are down although nobody wanted it. All of them can be restarted.
func crashedIn(bots []listed) []hostapi.Server {
	return serversOf(those(bots, func(b listed) bool { return b.state == broken }))
}

// botsMeant returns the IDs of the bots that a request means: those of an alert, or nil for all. It reports false if
// nobody knows of which the alert told.
func (c *Commands) botsMeant(ctx context.Context, r *interaction.Request) (meant []string, known bool) {
	alertID := r.Params["alert"]
	if alertID == "" {
		return nil, true
	}
	meant, err := c.watch.Alerts.BotsOf(ctx, r.CustomerID, alertID)
	return meant, err == nil && len(meant) > 0
}

// crashedOf returns the bots that have crashed of those that are meant.
func (c *Commands) crashedOf(r *interaction.Request, s accounts.Snapshot, meant []string) []hostapi.Server {
	crashed := crashedIn(listOf(c.nowOf(r, s)))
	if meant == nil {
		return crashed
	}
	return slices.DeleteFunc(crashed, func(s hostapi.Server) bool { return !slices.Contains(meant, s.ID) })
}

// askRestartCrashed asks whether the bots that have crashed are to be restarted. If it is not known which an alert is
// about, it asks about all.
func (c *Commands) askRestartCrashed(ctx context.Context, r *interaction.Request, s accounts.Snapshot) (interaction.Response, error) {
	v, alertID, pace := c.view(r), r.Params["alert"], ""
	meant, known := c.botsMeant(ctx, r)
	if !known {
		alertID, meant = "", nil
	}
	crashed := c.crashedOf(r, s, meant)
	if len(crashed) == 0 {
		return c.noneCrashed(r, s, meant), nil
	}
	if len(crashed) > actions.PerWindow {
		pace = v.t.Format("restart_all.pace", args{"N": actions.PerWindow})
	}
	return c.askMeant(ctx, r, s, ofCrashed(alertID), crashed, idRestart(alertID)+restartNow, idListWith, v.names(crashed, namedInQuestion), pace), nil
}

// askMeant asks whether an action is to be carried out on bots. now and cancel are the custom IDs of the answers.
func (c *Commands) askMeant(ctx context.Context, r *interaction.Request, s accounts.Snapshot, means meant, servers []hostapi.Server, now, cancel string, below ...string) interaction.Response {
	v, many := c.view(r), c.fellWithMany(ctx, r, s, servers...)
	yes := v.button(discordgo.PrimaryButton, means.title, now, false)
	yes.Label = v.t.Count(means.now, len(servers), nil)
	rows := []discordgo.MessageComponent{row(yes, v.button(discordgo.SecondaryButton, "button.cancel", cancel, false))}
	if many {
		rows = v.statusFirst(rows)
	}
	said := []string{v.companySays(many, servers...), v.heading(s, v.t.Count(means.ask, len(servers), nil))}
	embed := &discordgo.MessageEmbed{Title: v.t.Text(means.title), Description: paragraphs(append(said, below...)...), Color: yellow}
	return v.drawOf(s, means.subject, embed, rows...)
}

// names lists bots, so many at most, and how many more there are.
func (v view) names(servers []hostapi.Server, most int) string {
	return strings.Join(firstOf(v, servers, most, "… +", func(s hostapi.Server) string {
		return "**" + nameAmong(s, min(len(servers), most)) + "**"
	}), " · ")
}

// noneCrashed is the list of bots, of which none that is meant has crashed any more.
func (c *Commands) noneCrashed(r *interaction.Request, s accounts.Snapshot, meant []string) interaction.Response {
	list := c.botList(r, s)
	key := "restart_all.none"
	if meant != nil {
		key = "restart_all.none_of_these"
	}
	list.notice = "ℹ️ " + list.t.Text(key)
	return list.draw()
}

// restartCrashed restarts the bots that have crashed. The service is asked for them: what is
// cached may be older, and a bot that runs again is left alone.
func (c *Commands) restartCrashed(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	restart, _ := actionNamed("restart")
	meant, known := c.botsMeant(ctx, r)
	if !known { // the customer confirms which are
		return c.refreshed(c.askRestartCrashed)(ctx, r)
	}
	now, err := c.askedNow(ctx, r, restart)
	if err != nil {
		return interaction.Response{}, err
	}
	switch crashed := c.crashedOf(r, now, meant); len(crashed) {
	case 0:
		return c.noneCrashed(r, now, meant), nil
	case 1:
		return c.begin(ctx, r, restart, bot{crashed[0], now})
	default:
		return c.newBatch(r, restart, ofCrashed(r.Params["alert"]), crashed, now).start(), nil
	}
}

// ofCrashed is a batch of the bots that have crashed, or of those of an alert. Asked again, it is about those that are
// down then.
func ofCrashed(alertID string) meant {
	return meant{
		in: setOf(broken), texts: "restart_all", ask: "restart_all.ask", acted: "restart_all.restarted", up: "restart_all.up", fell: "restart_all.again",
		title: "restart_all.title", now: "button.restart_now", subject: idRestartCrashed,
		pace: "restart_all.pace", unsure: "restart_all.unconfirmed",
		again: func([]hostapi.Server) string { return idRestart(alertID) },
	}
}

// askedNow asks the service for the account to act on bots, if the action is turned on, and takes nothing older for an
// answer.
func (c *Commands) askedNow(ctx context.Context, r *interaction.Request, a action) (accounts.Snapshot, error) {
	if !c.hosting.Offers(a.op) {
		return accounts.Snapshot{}, &hostapi.Error{Op: a.op, Code: hostapi.CodeNotOffered}
	}
	known, err := c.accounts.Ask(ctx, r.CustomerID, "", r.AnswerBy)
	if err == nil && known.Update != nil {
		known, err = known.Update(ctx)
	}
	if err == nil && known.Failure != nil {
		err = known.Failure
	}
	return known, err
}
