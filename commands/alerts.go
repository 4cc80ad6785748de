package commands

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/alerts"
	"hostbot/bot/interaction"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// The custom IDs of alerts.
const (
	idAlerts   = "alerts"     // a select menu of bots, of which one is turned on or off
	idAlertsOf = "alerts/of/" // + key: shows alerts, with a button for this bot
	idAlert    = "alerts/set/"
	// idAlertOf and what follows are under messages that tell of a fall.
	idAlertAct  = interaction.Aside + "act/" // + action + key
	idAlertShow = interaction.Aside + "show/"
	idAlertMute = interaction.Aside + "mute/"

	// muteFor is for how long one press keeps a bot's alerts back.
	muteFor = time.Hour
)

// alertChange decides what of the caller's settings is turned on or off.
type alertChange func(r *interaction.Request, now alerts.Settings, servers []hostapi.Server) (on bool, set func(*alerts.Settings), err error)

// changeOne turns the alerts of one bot on or off, as a button says, or over in the menu.
func changeOne(r *interaction.Request, now alerts.Settings, servers []hostapi.Server) (bool, func(*alerts.Settings), error) {
	server, err := choose(r, servers)
	on := !now.For(server.ID)
	if wanted, ok := r.Params["on"]; ok {
		on = wanted == "on"
	}
	return on, func(s *alerts.Settings) { s.Set(server.ID, on) }, err
}

// changeAll turns the alerts of all bots on or off.
func changeAll(r *interaction.Request, _ alerts.Settings, _ []hostapi.Server) (bool, func(*alerts.Settings), error) {
	on := r.Params["on"] == "on"
	return on, func(s *alerts.Settings) { s.SetAll(on) }, nil
}

// alerts shows which of the caller's bots send alerts, after a change if there is one.
func (c *Commands) alerts(change alertChange) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		now, err := c.watch.Alerts.Settings(ctx, r.CustomerID)
		if err != nil {
			return interaction.Response{}, err
		}
		var on bool
		var set func(*alerts.Settings)
		servers, err := read(ctx, c, r, func(s accounts.Snapshot) (servers []hostapi.Server, err error) {
			if change != nil {
				on, set, err = change(r, now, s.List.Servers)
			}
			return s.List.Servers, err
		})
		if err != nil {
			return interaction.Response{}, err
		}
		v, notice := c.view(r), ""
		switch {
		case set != nil && on:
			now, err = c.watch.Alerts.TurnOn(ctx, r.CustomerID, r.Locale, v.firstAlert(), set)
			notice = "✅ " + v.t.Text("alerts.turned_on")
			if errors.Is(err, alerts.ErrClosed) {
				return v.drawAlerts(servers, now, "❌ "+v.t.Text("alerts.closed"), red), nil
			}
		case set != nil:
			now, err = c.watch.Alerts.TurnOff(ctx, r.CustomerID, set)
			notice = "✅ " + v.t.Text("alerts.turned_off")
		case !now.Closed.IsZero():
			notice = "⚠️ " + v.t.Format("alerts.were_closed", args{"When": relative(now.Closed)})
		}
		if err != nil {
			return interaction.Response{}, err
		}
		return v.drawAlerts(servers, now, notice, blurple), nil
	}
}

// drawAlerts shows for which bots alerts are on.
func (v view) drawAlerts(servers []hostapi.Server, s alerts.Settings, notice string, color int) interaction.Response {
	var lines []string
	for _, server := range servers[:min(len(servers), maxOptions)] {
		line := bell(s.For(server.ID)) + " " + name(server)
		if until := s.Muted[server.ID]; until.After(time.Now()) {
			line += " · " + v.t.Format("alerts.muted", args{"Until": relative(until)})
		}
		lines = append(lines, line)
	}
	if s.All {
		lines = append(lines, v.t.Text("alerts.all"))
	}
	embed := &discordgo.MessageEmbed{
		Title: "🔔 " + v.t.Text("alerts.title"), Color: color,
		Description: paragraphs(notice, v.t.Text("alerts.intro"), strings.Join(lines, "\n")),
	}
	return v.draw("alerts", embed, v.alertButtons(servers, s)...)
}

// bell shows whether alerts are on.
func bell(on bool) string {
	if on {
		return "🔔"
	}
	return "🔕"
}

func (v view) alertButtons(servers []hostapi.Server, s alerts.Settings) []discordgo.MessageComponent {
	var rows []discordgo.MessageComponent
	key := v.asked.Params["bot"]
	if i := indexOf(servers, key); i >= 0 {
		style, text, id := discordgo.PrimaryButton, "button.alert_on", idAlert+"one/on/"+key
		if s.For(servers[i].ID) {
			style, text, id = discordgo.SecondaryButton, "button.alert_off", idAlert+"one/off/"+key
		}
		toggle := v.button(style, text, id, false)
		toggle.Label = v.t.Format(text, args{"Bot": plainName(servers[i], labelNameLimit)})
		back := v.button(discordgo.SecondaryButton, "button.to_bot", idShow+key, false)
		rows = append(rows, row(toggle, back))
	}
	if len(servers) > 0 {
		options := v.options(servers)
		for i := range options {
			options[i].Emoji = &discordgo.ComponentEmoji{Name: bell(s.For(servers[i].ID))}
		}
		rows = append(rows, v.menu(idAlerts, v.t.Text("alerts.choose"), options))
	}
	return append(rows, row(
		v.button(discordgo.SecondaryButton, "button.alerts_all", idAlert+"all/on", s.All && len(s.Bots) == 0),
		v.button(discordgo.SecondaryButton, "button.alerts_none", idAlert+"all/off", !s.Any()),
		v.button(discordgo.SecondaryButton, "button.back", idListWith, false),
	))
}

// labelNameLimit leaves room in a button's label, of 80 characters.
const labelNameLimit = 40

// mute keeps a bot's alerts back for a while.
func (c *Commands) mute(ctx context.Context, r *interaction.Request, b bot) (interaction.Response, error) {
	until := time.Now().Add(muteFor)
	if err := c.watch.Alerts.Mute(ctx, r.CustomerID, b.server.ID, until); err != nil {
		return interaction.Response{}, err
	}
	v := c.view(r)
	return v.note("🔕 " + v.t.Format("alerts.muted_until", args{"Bot": name(b.server), "Until": stamp(until, "t")})), nil
}

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

// alertRow is the row of buttons under an alert.
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
