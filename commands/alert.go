package commands

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/hostapi"
)

// Alert draws the message of an alert. Nobody has seen the second in which a bot went down: it gives
// minutes, and says how often the bot is looked at. What happened is the content, which a phone shows
// in its notification; of an embed it shows nothing (saadbruno/minecraft-discord-webhook#5).
func (c *Commands) Alert(a alerts.Alert) interaction.Message {
	v := c.view(&interaction.Request{UserID: a.CustomerID, CustomerID: a.CustomerID, Locale: a.Locale})
	drawn := alertView{view: v, alert: a, interval: c.watch.Interval()}
	draw, components := drawn.ofOne, drawn.rowsOfOne
	if len(a.Bots) > 1 {
		draw, components = drawn.ofSeveral, drawn.menuOfSeveral
	}
	happened, e := draw()
	e.Timestamp = a.Mark().Format(time.RFC3339Nano)
	e.Footer = &discordgo.MessageEmbedFooter{Text: v.t.Format("alert.looked", args{"Interval": v.t.DurationWithin(c.watch.Interval(), time.Second)})}
	return interaction.Message{Content: happened, Embeds: []*discordgo.MessageEmbed{e}, Components: components()}
}

// alertView draws one alert.
type alertView struct {
	view
	alert    alerts.Alert
	interval time.Duration // at which the bots are looked at
}

// ofOne tells of one bot: what happened, and more about it.
func (v alertView) ofOne() (happened string, more *discordgo.MessageEmbed) {
	o := v.alert.Bots[0]
	key, emoji, color := "alert.stopped", "⚫", red
	if o.State.Broken() {
		key, emoji = "alert.crashed", "🔴"
	}
	if !o.RecoveredAt.IsZero() {
		key, emoji, color = "alert.back", "🟢", green
	}
	lines := []string{v.noticed(o.DownAt)}
	if o.Uptime > 0 {
		ran := "alert.ran"
		if o.AtLeast {
			ran = "alert.ran_longer"
		}
		lines = append(lines, v.t.Format(ran, args{"Duration": v.t.Length(o.Uptime, v.interval)}))
	}
	if o.Count > 1 {
		lines = append(lines, v.t.Count("alert.count", o.Count, args{"Since": stamp(v.alert.First, "t")}))
	}
	if !o.RecoveredAt.IsZero() {
		lasted := v.t.Length(o.RecoveredAt.Sub(o.DownAt), v.interval)
		lines = append(lines, v.t.Format("alert.back_after", args{"Time": stamp(o.RecoveredAt, "t"), "Duration": lasted}))
	}
	happened = emoji + " " + v.t.Format(key, args{"Bot": name(hostapi.Server{ID: o.ServerID, Name: o.Name})})
	return happened, &discordgo.MessageEmbed{Color: color, Description: strings.Join(lines, "\n")}
}

// noticed says when a poll found a bot to be down.
func (v alertView) noticed(at time.Time) string {
	return v.t.Format("alert.when", args{"Time": stamp(at, "t"), "When": relative(at)})
}

// rowsOfOne are the buttons under an alert of one bot: those that act on it, as its card has them,
// and the ways on.
func (v alertView) rowsOfOne() []discordgo.MessageComponent {
	o := v.alert.Bots[0]
	key, now := botKey(o.ServerID), broken
	switch {
	case !o.RecoveredAt.IsZero():
		now = up
	case o.State == hostapi.StateStopped:
		now = down
	}
	below := []discordgo.Button{
		v.button(discordgo.SecondaryButton, "button.show", idAlertShow+key, false),
		v.button(discordgo.SecondaryButton, "button.mute", idAlertMute+key, false),
	}
	if o.RecoveredAt.IsZero() {
		below = append(below, v.toConsole(o.ServerID))
	}
	return append(v.actionRows(actionRow{prefix: idAlertAct, state: now, quiet: now == up}, o.ServerID), v.linkRow(below...)...)
}

// ofSeveral tells of several bots, a line each: those that are down come first.
func (v alertView) ofSeveral() (happened string, more *discordgo.MessageEmbed) {
	bots, down := v.worstFirst()
	happened, color := "🟢 "+v.t.Count("alert.several_back", len(bots), nil), green
	if down > 0 {
		happened, color = "🔴 "+v.t.Count("alert.several", down, nil), red
	}
	var lines []string
	for i, o := range bots {
		if i == maxOptions && len(bots) > maxOptions+1 {
			lines = append(lines, "… +"+v.t.Number(len(bots)-i))
			break
		}
		now := shownState(o)
		line := now.emoji + " **" + name(hostapi.Server{ID: o.ServerID, Name: o.Name}) + "** · " + v.t.Text(now.key)
		if o.Count > 1 {
			line += " · ×" + strconv.Itoa(o.Count)
		}
		lines = append(lines, line)
	}
	return happened, &discordgo.MessageEmbed{Color: color, Description: paragraphs(v.noticed(v.alert.First), strings.Join(lines, "\n"))}
}

// worstFirst returns the alert's bots, those first that are down, and how many these are.
func (v alertView) worstFirst() (bots []alerts.Outage, down int) {
	isDown := func(o alerts.Outage) bool { return o.RecoveredAt.IsZero() }
	for _, o := range v.alert.Bots {
		if isDown(o) {
			bots = append(bots, o)
		}
	}
	down = len(bots)
	return append(bots, slices.DeleteFunc(slices.Clone(v.alert.Bots), isDown)...), down
}

// shownState is the state in which an alert shows a bot.
func shownState(o alerts.Outage) condition {
	if !o.RecoveredAt.IsZero() {
		return conditionIn(hostapi.StateRunning)
	}
	return conditionIn(o.State)
}

// menuOfSeveral opens one of the bots.
func (v alertView) menuOfSeveral() []discordgo.MessageComponent {
	bots, _ := v.worstFirst()
	bots = bots[:min(len(bots), maxOptions)]
	servers := make([]hostapi.Server, len(bots))
	for i, o := range bots {
		servers[i] = hostapi.Server{ID: o.ServerID, Name: o.Name}
	}
	var options []discordgo.SelectMenuOption
	for i, label := range labels(servers) {
		now := shownState(bots[i])
		options = append(options, discordgo.SelectMenuOption{
			Label: label, Value: botKey(servers[i].ID), Description: v.t.Text(now.key), Emoji: &discordgo.ComponentEmoji{Name: now.emoji},
		})
	}
	return []discordgo.MessageComponent{v.menu(idAlertOpen, v.t.Text("list.open"), options)}
}
