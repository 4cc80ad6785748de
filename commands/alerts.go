package commands

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/message"
	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/notify"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// The custom IDs of alerts.
const (
	idAlerts   = "alerts"          // a select menu of bots, whose values say on or off, and a key
	idAlertsOf = "alerts/of/"      // + key: shows alerts, with a button for this bot
	idAlertOne = "alerts/set/one/" // + on or off and a key
	idAlertAll = "alerts/set/all/" // + on or off
	idTell     = "alerts/tell/"    // + key: turns them on for this bot, whose card stays
	// These are under messages that tell of a fall.
	idAlertAct  = interaction.ReplyPrefix + "act/" // + action + key
	idAlertOpen = interaction.ReplyPrefix + "show" // a select menu of keys
	idAlertShow = interaction.ReplyPrefix + "show/"
	idAlertList = interaction.ReplyPrefix + "list" // the first page of bots
	idAlertMute = interaction.ReplyPrefix + "mute/"
)

// changeOf returns what a press asks to be turned on or off: the alerts of all bots, or of the one that a button or an
// option of the menu names. It says so itself, so that an event that comes twice changes nothing back.
func changeOf(r *interaction.Request, servers []hostapi.Server) (on bool, set func(*alerts.Settings), err error) {
	word, key := r.Params["on"], r.Params["bot"]
	if r.Name == idAlerts {
		word, key, _ = strings.Cut(r.Value(), "/")
	}
	on = word == wordOn
	switch i := indexOf(servers, key); {
	case !on && word != wordOff:
		return false, nil, errGone
	case strings.HasPrefix(r.Name, idAlertAll):
		return on, func(s *alerts.Settings) { s.SetAll(on) }, nil
	case i < 0:
		return false, nil, errGone
	default:
		return on, func(s *alerts.Settings) { s.Set(servers[i].ID, on) }, nil
	}
}

// The words of custom IDs and values for what alerts are to be.
const (
	wordOn  = "on"
	wordOff = "off"
)

// toggled is the word for the other of both.
func toggled(on bool) string {
	if on {
		return wordOff
	}
	return wordOn
}

// alerts shows which of the caller's bots send alerts.
func (c *Commands) alerts(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	servers, err := read(ctx, c, r, func(s accounts.Snapshot) ([]hostapi.Server, error) { return s.List.Servers, nil })
	if err != nil {
		return interaction.Response{}, err
	}
	now, err := c.watch.Alerts.Settings(ctx, r.CustomerID)
	if err != nil {
		return interaction.Response{}, unreadableAlerts(err)
	}
	v := c.viewAutoRestarts(ctx, r)
	notice, err := c.refusedNotice(ctx, v)
	switch {
	case err != nil:
		return interaction.Response{}, unreadableAlerts(err)
	case notice != "":
	case now.Any() && c.watch.Unwatched(ctx, r.CustomerID):
		notice = "⚠️ " + v.t.Text("alerts.unwatched")
	case !now.Closed.IsZero():
		notice = "⚠️ " + v.t.Format("alerts.were_closed", args{"When": relative(now.Closed)})
	}
	return v.drawAlerts(servers, now, notice, blurple), nil
}

// alertsOr is alerts, or a text alone where these cannot be shown, as the caller is no customer or the service fails.
func (c *Commands) alertsOr(ctx context.Context, r *interaction.Request, text string) interaction.Response {
	response, err := c.alerts(ctx, r)
	if err != nil {
		v := c.view(r)
		response = v.draw(aboutAlerts, v.alertsEmbed(text, blurple))
	}
	return response
}

// refusedNotice says that Discord refuses the bot's messages to the caller; "" if it does not.
func (c *Commands) refusedNotice(ctx context.Context, v view) (string, error) {
	since, err := c.watch.Refused(ctx, v.asked.UserID)
	if err != nil || since.IsZero() {
		return "", err
	}
	return "⚠️ " + v.t.Format("alerts.refused", args{"When": relative(since)}), nil
}

// changeAlerts changes which of the caller's bots send alerts, and shows that.
func (c *Commands) changeAlerts(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	var on bool
	var set func(*alerts.Settings)
	servers, err := read(ctx, c, r, func(s accounts.Snapshot) (servers []hostapi.Server, err error) {
		on, set, err = changeOf(r, s.List.Servers)
		return s.List.Servers, err
	})
	if err != nil {
		return interaction.Response{}, err
	}
	return interaction.Defer(aboutAlerts, func(ctx context.Context) (interaction.Response, error) {
		v := c.viewAutoRestarts(ctx, r)
		if !on {
			now, err := c.watch.Alerts.TurnOff(ctx, r.CustomerID, set)
			said := "alerts.turned_off"
			if now.Any() {
				said = "alerts.turned_off_one"
			}
			return v.drawAlerts(servers, now, "✅ "+v.t.Text(said), blurple), unreadableAlerts(err)
		}
		now, said, color, err := c.turnOn(ctx, v, set)
		if err != nil {
			return interaction.Response{}, err
		}
		return v.drawAlerts(servers, now, said, color), nil
	}), nil
}

// turnOn turns alerts on, and returns what is to be said of that, in which colour.
func (c *Commands) turnOn(ctx context.Context, v view, set func(*alerts.Settings)) (now alerts.Settings, said string, color int, err error) {
	now, reached, err := c.watch.Alerts.TurnOn(ctx, v.recipient(), set)
	switch {
	case errors.Is(err, notify.ErrClosed):
		return now, "❌ " + v.t.Text(whyClosed(v.asked, err)), red, nil
	case errors.Is(err, notify.ErrLater):
		return now, "⏳ " + v.t.Text("alerts.later"), orange, nil
	case err != nil:
		return now, "", 0, unreadableAlerts(err)
	case reached == notify.Greeted:
		return now, "✅ " + v.t.Text("alerts.turned_on"), blurple, nil
	case reached == notify.OnItsWay:
		return now, "✅ " + v.t.Text("alerts.on_its_way"), blurple, nil
	}
	return now, "✅ " + v.t.Text("alerts.turned_on_before"), blurple, nil
}

// tellNextTime turns the alerts of a bot on, and says so on its card.
func (c *Commands) tellNextTime(_ context.Context, r *interaction.Request, b bot) (interaction.Response, error) {
	return interaction.Defer(idShow+botKey(b.server.ID), func(ctx context.Context) (interaction.Response, error) {
		_, said, _, err := c.turnOn(ctx, c.view(r), func(s *alerts.Settings) { s.Set(b.server.ID, true) })
		if err != nil {
			return interaction.Response{}, err
		}
		return c.card(ctx, r, b, said).draw(), nil
	}), nil
}

// unreadableAlerts is a refusal where Redis, which alone has alerts, fails. An error of
// Discord's stays as it is.
func unreadableAlerts(err error) error {
	if _, ok := errors.AsType[*rest.Error](err); err == nil || ok {
		return err
	}
	return refuseForNow("redis does not take or tell which alerts are on: "+err.Error(), "alerts.unreadable")
}

// recipient is the caller, as somebody to whom alerts are sent.
func (v view) recipient() notify.Recipient {
	r := v.asked
	to := notify.Recipient{UserID: r.CustomerID, Locale: r.Locale, Greeting: v.firstAlert()}
	if r.InBotDM && !r.ByStaff() {
		to.DM = r.ChannelID
	}
	return to
}

// whyClosed returns the key of what a caller reads whose direct messages are closed. Discord's
// code says of neither case which it is (see rest.VerdictOf); but whoever asks in a
// guild that has the bot shares one with it.
func whyClosed(r *interaction.Request, err error) string {
	if r.GuildID != "" && !r.BotAbsent || r.InBotDM && rest.CodeOf(err) != rest.CodeNoWayToUser {
		return "alerts.closed"
	}
	return "alerts.no_shared_server"
}

// aboutAlerts is the subject of what shows alerts.
const aboutAlerts = "alerts"

// drawAlerts shows for which bots alerts are on.
func (v view) drawAlerts(servers []hostapi.Server, s alerts.Settings, notice string, color int) interaction.Response {
	var lines []string
	shown := servers[:min(len(servers), maxOptions)]
	for _, server := range shown {
		until := s.MutedUntil(server.ID, time.Now())
		line := bell(s.For(server.ID) && until.IsZero()) + " " + nameAmong(server, len(shown))
		if !until.IsZero() {
			line += " · " + v.t.Format("alerts.muted", args{"Until": relative(until)})
		}
		if _, on := v.autoRestarts[server.ID]; on {
			line += " · 🔁 " + v.t.Text("alerts.auto_restart")
		}
		lines = append(lines, line)
	}
	if s.All {
		lines = append(lines, v.t.Text("alerts.all"))
	}
	text := paragraphs(notice, v.t.Text("alerts.intro"), strings.Join(lines, "\n"), v.quietLine(s), v.onlyFirst(servers))
	return v.draw(aboutAlerts, v.alertsEmbed(text, color), v.alertButtons(servers, s)...)
}

// alertsEmbed is the embed of what shows alerts.
func (v view) alertsEmbed(text string, color int) *discordgo.MessageEmbed {
	return &discordgo.MessageEmbed{Title: "🔔 " + v.t.Text("alerts.title"), Color: color, Description: text}
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
		toggle := v.alertsButton(servers[i], !s.For(servers[i].ID))
		back := v.button(discordgo.SecondaryButton, "button.to_bot", idShow+key, false)
		rows = append(rows, row(append(append([]discordgo.MessageComponent{toggle}, v.autoRestartButtons(servers[i])...), back)...))
	}
	if len(servers) > 0 {
		options := v.options(listOf(servers))
		for i := range options {
			on := s.For(servers[i].ID)
			options[i].Emoji = &discordgo.ComponentEmoji{Name: bell(on)}
			options[i].Value = toggled(on) + "/" + options[i].Value
		}
		rows = append(rows, v.menu(idAlerts, v.t.Text("alerts.choose"), options))
	}
	if key == "" {
		rows = append(rows, v.autoRestartMenu(servers)...)
	}
	return append(rows, row(
		v.button(discordgo.SecondaryButton, "button.alerts_all", idAlertAll+wordOn, s.All && len(s.Bots) == 0),
		v.button(discordgo.SecondaryButton, "button.alerts_none", idAlertAll+wordOff, !s.Any()),
		v.button(discordgo.SecondaryButton, "button.quiet", idAlertQuiet, !s.Any()),
		v.button(discordgo.SecondaryButton, "button.back", idListWith, false),
	))
}

// alertsButton turns the alerts of a bot on, or off; on also if they are muted.
func (v view) alertsButton(s hostapi.Server, on bool) discordgo.Button {
	style, text := discordgo.PrimaryButton, "button.alert_on"
	if !on {
		style, text = discordgo.SecondaryButton, "button.alert_off"
	}
	button := v.button(style, text, idAlertOne+toggled(!on)+"/"+botKey(s.ID), false)
	button.Label = v.t.Format(text, args{"Bot": plainName(s, labelNameLimit)})
	return button
}

// labelNameLimit leaves room in a button's label, of 80 characters
// (https://discord.com/developers/docs/components/reference#button-button-structure).
const labelNameLimit = 40

// mute keeps a bot's alerts back for a while, and offers the way back.
func (c *Commands) mute(_ context.Context, r *interaction.Request, b bot) (interaction.Response, error) {
	return interaction.Defer("", func(ctx context.Context) (interaction.Response, error) {
		v, until := c.view(r), time.Now().Add(alerts.MuteFor)
		muted := v.note("🔕 " + v.t.Format("alerts.muted_until", args{"Bot": name(b.server), "Until": message.Time(until, "t")}))
		back := v.alertsButton(b.server, true)
		back.Style = discordgo.SecondaryButton
		muted.Message.Components = []discordgo.MessageComponent{row(back)}
		return muted, unreadableAlerts(c.watch.Alerts.Mute(ctx, r.CustomerID, b.server.ID, until))
	}), nil
}

// firstAlert is the message by which a customer sees that alerts arrive: a content, as a
// phone shows that in its notification (see Alert).
func (v view) firstAlert() string {
	return "🔔 " + v.t.Format("alerts.first", args{"Alerts": v.mention("alerts")})
}
