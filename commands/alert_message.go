package commands

import (
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/alerts"
	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

// firstAlert is the message by which a customer sees that alerts arrive.
func (v view) firstAlert() interaction.Message {
	return interaction.Message{Embeds: []*discordgo.MessageEmbed{{
		Title: "🔔 " + v.t.Text("alerts.title"), Description: v.t.Format("alerts.first", args{"Alerts": v.mention("alerts")}), Color: blurple,
	}}}
}

// Alert draws the message of an alert.
func (c *Commands) Alert(a alerts.Alert) interaction.Message {
	v := c.view(&interaction.Request{UserID: a.CustomerID, CustomerID: a.CustomerID, Locale: a.Locale})
	server := hostapi.Server{ID: a.ServerID, Name: a.Name}
	key, emoji, color := "alert.stopped", "⚫", red
	if a.State.Broken() {
		key, emoji = "alert.crashed", "🔴"
	}
	if !a.Back.IsZero() {
		key, emoji, color = "alert.back", "🟢", green
	}
	lines := []string{v.t.Format("alert.when", args{"Time": stamp(a.Fell, "T"), "When": relative(a.Fell)})}
	if a.Ran > 0 {
		ran := "alert.ran"
		if a.Longer {
			ran = "alert.ran_longer"
		}
		lines = append(lines, v.t.Format(ran, args{"Duration": v.t.Duration(a.Ran)}))
	}
	if a.Count > 1 {
		lines = append(lines, v.t.Count("alert.count", a.Count, args{"Since": stamp(a.First, "t")}))
	}
	if !a.Back.IsZero() {
		lines = append(lines, v.t.Format("alert.back_after", args{"Time": stamp(a.Back, "T"), "Duration": v.t.Duration(a.Back.Sub(a.Fell))}))
	}
	return interaction.Message{
		Embeds: []*discordgo.MessageEmbed{{
			Title: emoji + " " + v.t.Format(key, args{"Bot": name(server)}), Description: strings.Join(lines, "\n"), Color: color,
			Timestamp: a.Mark().Format(time.RFC3339Nano),
		}},
		Components: []discordgo.MessageComponent{v.alertRow(a, server)},
	}
}

// alertRow is the row of buttons under an alert: Restart, or Start where the bot is
// merely stopped, while the bot is down.
func (v view) alertRow(a alerts.Alert, server hostapi.Server) discordgo.MessageComponent {
	key, style := botKey(server.ID), discordgo.PrimaryButton
	var buttons []discordgo.MessageComponent
	name := v.first(condition{state: broken})
	if a.State == hostapi.StateStopped {
		name = v.first(condition{state: down})
	}
	if first, _ := actionNamed(name); v.offers(first.op) {
		if !a.Back.IsZero() {
			style = discordgo.SecondaryButton
		}
		buttons = append(buttons, v.button(style, "button."+name, idAlertAct+name+"/"+key, !a.Back.IsZero() && name == "start"))
	}
	return row(append(buttons,
		v.button(discordgo.SecondaryButton, "button.show", idAlertShow+key, false),
		v.button(discordgo.SecondaryButton, "button.mute", idAlertMute+key, false),
	)...)
}
