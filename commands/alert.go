package commands

import (
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/message"
	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/hostapi"
)

// Alert draws the message of an alert. Nobody has seen the second in which a bot went down: it gives
// minutes, and says how often the bot is looked at. What happened is the content, which a phone shows
// in its notification; of an embed it shows nothing (saadbruno/minecraft-discord-webhook#5).
func (c *Commands) Alert(a alerts.Alert) interaction.Message {
	return c.drawAlert(a, false)
}

// drawAlert draws an alert for a bot's owner, or for everybody.
func (c *Commands) drawAlert(a alerts.Alert, public bool) interaction.Message {
	v := c.view(&interaction.Request{UserID: a.CustomerID, CustomerID: a.CustomerID, Locale: a.Locale})
	drawn := alertView{view: v, alert: a, interval: c.watch.Interval(), public: public}
	many := c.watch.outage()
	var down []hostapi.Server
	for _, o := range a.Bots {
		if !o.Over() {
			down = append(down, serverOf(o))
			drawn.many = drawn.many || many.Includes(o.DownAt)
		}
	}
	if len(down) > 0 {
		drawn.said = v.companySays(drawn.many, down...)
	}
	draw, components := drawn.ofOne, drawn.rowsOfOne
	if len(a.Bots) > 1 {
		draw, components = drawn.ofSeveral, drawn.rowsOfSeveral
	}
	happened, e := draw()
	e.Timestamp = a.Mark().Format(time.RFC3339Nano)
	e.Footer = &discordgo.MessageEmbedFooter{Text: v.t.Format("alert.looked", args{"Interval": v.t.DurationWithin(c.watch.Interval(), time.Second)})}
	var rows []discordgo.MessageComponent
	if !public {
		rows = components()
	}
	if drawn.many {
		rows = v.statusFirst(rows)
	}
	return interaction.Message{Content: happened, Embeds: []*discordgo.MessageEmbed{e}, Components: rows}
}

// alertView draws one alert.
type alertView struct {
	view
	alert    alerts.Alert
	interval time.Duration // at which the bots are looked at
	many     bool          // the bots are down as many are, for which their host is the reason
	said     string        // what the company says of those that are down
	public   bool          // others than the bots' owner read it
}

// ofOne tells of one bot: what happened, and more about it.
func (v alertView) ofOne() (happened string, more *discordgo.MessageEmbed) {
	o := v.alert.Bots[0]
	var said []string
	if !o.RecoveredAt.IsZero() && !o.Mended() { // what is true now comes first
		lasted := v.t.Length(o.RecoveredAt.Sub(o.DownAt), v.interval)
		said = append(said, v.t.Format("alert.back_after", args{"Time": message.Time(o.RecoveredAt, "t"), "Duration": lasted}))
	}
	said = append(said, v.noticed(o.DownAt))
	if o.RecoveredAt.IsZero() {
		said = append(said, v.autoRestartLine(alerts.AutoRestart{Pending: o.Pending, StaysDown: o.StaysDown}, false))
	} else if o.Mended() {
		said = append(said, "🔁 "+v.t.Count("alert.auto_restart_times", o.Restarts, nil))
	}
	said = append(said, v.ran(o.Uptime, o.AtLeast, v.interval))
	if o.Count > 1 {
		said = append(said, v.t.Count("alert.count", o.Count, args{"Since": message.Time(v.alert.Since(o), "t")}))
	}
	if quiet := v.quiet(o); quiet != "" {
		said = append(said, "🔕 "+quiet)
	}
	key, emoji, color := headline(o)
	if v.many { // whatever the service calls it, the bot has not crashed by itself
		key = "alert.stopped"
	}
	happened = strings.TrimSpace(emoji + " " + v.t.Format(key, args{"Bot": name(serverOf(o)), "Duration": v.t.DurationWithin(max(0, o.RecoveredAt.Sub(o.DownAt)), time.Second)}) + "\n" + v.said)
	return happened, &discordgo.MessageEmbed{Color: color, Description: lines(said...)}
}

// ran says for how long a bot had been running, and with atLeast that it was perhaps longer; "" if that is not known.
// A bot that nobody had looked at for a minute may have been running for any time.
func (v view) ran(uptime time.Duration, atLeast bool, precision time.Duration) string {
	switch {
	case uptime <= 0, atLeast && uptime < max(precision, time.Minute):
		return ""
	case atLeast:
		return v.t.Format("alert.ran_longer", args{"Duration": v.t.Length(uptime, precision)})
	}
	return v.t.Format("alert.ran", args{"Duration": v.t.Length(uptime, precision)})
}

// headline returns the key of what an alert says first of a bot.
func headline(o alerts.Outage) (key, emoji string, color int) {
	emoji, once, again, keeps := "⚫", "alert.stopped", "alert.stopped_again", "alert.keeps_stopping"
	if o.State.Broken() {
		emoji, once, again, keeps = "🔴", "alert.crashed", "alert.crashed_again", "alert.keeps_crashing"
	}
	switch {
	case o.Mended():
		return "alert.auto_restart_back", "🟢", green
	case !o.RecoveredAt.IsZero():
		return "alert.back", "🟢", green
	case o.StaysDown:
		return "alert.auto_restart_stays", emoji, red
	case o.Keeps():
		return keeps, emoji, red
	case o.Count > 1:
		return again, emoji, red
	default:
		return once, emoji, red
	}
}

// quiet says of a bot that keeps falling what has the next fall notify nobody; "" of another.
func (v alertView) quiet(o alerts.Outage) string {
	switch {
	case !o.Keeps(), o.Elsewhere:
		return ""
	case o.RecoveredAt.IsZero():
		return v.t.Format("alert.quiet", args{"Duration": v.t.Duration(alerts.QuietFor)})
	default: // a time, which is true also once it is over
		return v.t.Format("alert.quiet_until", args{"Time": message.Time(o.RecoveredAt.Add(alerts.QuietFor), "t")})
	}
}

// serverOf is a bot as far as an alert knows it.
func serverOf(o alerts.Outage) hostapi.Server { return hostapi.Server{ID: o.ServerID, Name: o.Name} }

// noticed says how long ago a poll found a bot to be down. The foot of the message has the time.
func (v alertView) noticed(at time.Time) string {
	return v.t.Format("alert.when", args{"When": relative(at)})
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
	first, second := v.actionButtons(actionRow{prefix: idAlertAct, state: now, quiet: now == up}, o.ServerID)
	// A phone shows two in a line: a short one and the long one, then two of the same length.
	below := append([]discordgo.Button{v.button(discordgo.SecondaryButton, "button.show", idAlertShow+key, false)}, second...)
	below = append(below, v.button(discordgo.SecondaryButton, "button.mute", idAlertMute+key, false))
	if o.RecoveredAt.IsZero() {
		below = append(below, v.toConsole(o.ServerID))
	}
	if o.Keeps() && now == broken && !v.many {
		below = append(below, v.support(idTellCrashes+key))
	}
	return append(v.linkRow(first...), v.linkRow(below...)...)
}
