package commands

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

// buttons are the actions on the bot and the ways on. Each has its place, whatever the
// state: what makes no sense now is disabled. Start and Restart share the first place.
func (c card) buttons(condition condition) []discordgo.MessageComponent {
	key, first, refresh := botKey(c.server.ID), c.first(condition), discordgo.SecondaryButton
	if c.unsure {
		refresh = discordgo.PrimaryButton
	}
	var rows, act []discordgo.MessageComponent
	for _, a := range actions() {
		shares := a.op == hostapi.OpStart || a.op == hostapi.OpRestart
		if !c.offers(a.op) || shares && a.name != first {
			continue
		}
		id := a.name + "/" + key
		if shares && c.before != "" && c.before != first {
			id = idNew + strconv.FormatInt(time.Now().UnixMilli(), 36) + "/" + a.name + "/" + digest(c.server.ID)
		}
		style := a.style
		if c.unsure {
			style = discordgo.SecondaryButton
		}
		act = append(act, c.button(style, "button."+a.name, id, c.busy || !slices.Contains(a.in, condition.state)))
	}
	if len(act) > 0 {
		rows = append(rows, row(act...))
	}
	// Only customers themselves change how their bots are started, and delete them.
	var rare []discordgo.MessageComponent
	if !c.asked.ByStaff() && c.offers(hostapi.OpUpdateStartup) {
		rare = append(rare, c.button(discordgo.SecondaryButton, "button.startup", idStartup+key, c.busy))
	}
	if !c.asked.ByStaff() && c.offers(hostapi.OpDelete) {
		rare = append(rare, c.button(discordgo.DangerButton, "button.delete", idDelete+key, c.busy))
	}
	if !c.asked.ByStaff() && c.alertsOffered {
		rare = append(rare,
			c.button(discordgo.SecondaryButton, "button.alerts", idAlertsOf+key, false),
			c.button(discordgo.SecondaryButton, "button.history", idHistory+key, false))
	}
	ways := []discordgo.MessageComponent{
		c.button(refresh, "button.refresh", idShow+key, false),
		c.button(discordgo.SecondaryButton, "button.details", idDetails+key, c.part == details),
	}
	if len(rare) > 0 {
		ways = append(ways, c.button(discordgo.SecondaryButton, "button.more", idMore+key, c.part == more))
	}
	rows = append(rows, row(append(ways, c.button(discordgo.SecondaryButton, "button.back", idListWith+key, false))...))
	if c.part == more && len(rare) > 0 {
		rows = append(rows, row(rare...))
	}
	return rows
}

// first names the action of the first button: Start for a bot that is down or on its
// way up from there, else Restart; the other one where that is turned off.
func (v view) first(c condition) string {
	const start, restart = "start", "restart"
	starts := c.state == down || c.key == "status.starting"
	if starts && v.offers(hostapi.OpStart) || !v.offers(hostapi.OpRestart) {
		return start
	}
	return restart
}

// settleTime is for how long a button does nothing that has taken another one's place.
const settleTime = time.Second

// unlessTooSoon serves a button, unless it had just taken another one's place when it was
// pressed: the press was meant for that one. The time is in the custom ID, so that any
// replica can tell.
func unlessTooSoon(h interaction.Handler) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		drawn, err := strconv.ParseInt(r.Params["drawn"], 36, 64)
		if err == nil && r.ReceivedAt.Sub(time.UnixMilli(drawn)).Abs() < settleTime {
			return interaction.Keep(), nil
		}
		return h(ctx, r)
	}
}
