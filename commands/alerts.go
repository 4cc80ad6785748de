package commands

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/alerts"
	"hostbot/bot/interaction"
	"hostbot/commands/chart"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// Alerts keep who wants to be told when a bot stops by itself, as package alerts says.
type Alerts interface {
	Offered() bool
	Settings(ctx context.Context, customerID string) (alerts.Settings, error)
	TurnOn(ctx context.Context, customerID, locale string, first interaction.Message, change func(*alerts.Settings)) (alerts.Settings, error)
	TurnOff(ctx context.Context, customerID string, change func(*alerts.Settings)) (alerts.Settings, error)
	Mute(ctx context.Context, customerID, serverID string, until time.Time) error
}

// Watch is what commands need of those who watch accounts.
type Watch struct {
	Alerts Alerts
	// Expect is told of an action that is about to be sent to the service.
	Expect func(ctx context.Context, customerID, serverID, action string)

	History History
	Panels  Panels
	Painter *chart.Painter
	// Known returns what is known of an account without asking the service.
	Known func(ctx context.Context, customerID string) (accounts.Snapshot, error)
	// Pace returns at which interval accounts are looked at now.
	Pace func() time.Duration
}

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

// alertRoutes are the routes of /alerts and of the messages that alerts send.
func (c *Commands) alertRoutes() []route {
	return []route{
		{idAlerts, c.toggleAlert}, {idAlertsOf + anyBot, c.showAlerts},
		{idAlert + "all/{on}", c.setAllAlerts}, {idAlert + "one/{on}/" + anyBot, c.setAlert},
		{idAlertShow + anyBot, c.show}, {idAlertMute + anyBot, c.onBot(c.mute)},
		{idAlertAct + "{action}/" + anyBot, c.actAside},
	}
}

// actAside carries out the action of a button under a message that tells of a fall. The
// answer is beside it: the message is kept true by others.
func (c *Commands) actAside(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	a, ok := actionNamed(r.Params["action"])
	if !ok {
		return interaction.Response{}, interaction.ErrNoRoute
	}
	return c.act(a)(ctx, r)
}

// showAlerts shows which of the caller's bots send alerts.
func (c *Commands) showAlerts(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return c.withAlerts(ctx, r, func(alerts.Settings, []hostapi.Server) (alertChange, error) { return alertChange{}, nil })
}

// setAlert turns the alerts of one bot on or off.
func (c *Commands) setAlert(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return c.withAlerts(ctx, r, func(_ alerts.Settings, servers []hostapi.Server) (alertChange, error) {
		server, err := choose(r, servers)
		on := r.Params["on"] == "on"
		return alertChange{on: on, set: func(s *alerts.Settings) { s.Set(server.ID, on) }}, err
	})
}

// setAllAlerts turns the alerts of all bots on or off.
func (c *Commands) setAllAlerts(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return c.withAlerts(ctx, r, func(alerts.Settings, []hostapi.Server) (alertChange, error) {
		on := r.Params["on"] == "on"
		return alertChange{on: on, set: func(s *alerts.Settings) { s.SetAll(on) }}, nil
	})
}

// toggleAlert turns the alerts of the bot that was chosen in the menu on or off.
func (c *Commands) toggleAlert(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return c.withAlerts(ctx, r, func(now alerts.Settings, servers []hostapi.Server) (alertChange, error) {
		server, err := choose(r, servers)
		return alertChange{on: !now.For(server.ID), set: func(s *alerts.Settings) { s.Set(server.ID, !s.For(server.ID)) }}, err
	})
}

// alertChange is a change of settings, by which something is turned on or off.
type alertChange struct {
	on  bool
	set func(*alerts.Settings) // nil: nothing is changed
}

// withAlerts changes the caller's settings and shows them.
func (c *Commands) withAlerts(ctx context.Context, r *interaction.Request, decide func(alerts.Settings, []hostapi.Server) (alertChange, error)) (interaction.Response, error) {
	if !c.watch.offered() {
		return interaction.Response{}, refuse("alerts are turned off", "alerts.off")
	}
	now, err := c.watch.Alerts.Settings(ctx, r.CustomerID)
	if err != nil {
		return interaction.Response{}, err
	}
	var change alertChange
	list, err := read(ctx, c, r, func(s accounts.Snapshot) (l hostapi.List, err error) {
		change, err = decide(now, s.List.Servers)
		return s.List, err
	})
	if err != nil {
		return interaction.Response{}, err
	}
	v, notice := c.view(r), ""
	switch {
	case change.set != nil && change.on:
		now, err = c.watch.Alerts.TurnOn(ctx, r.CustomerID, r.Locale, v.firstAlert(), change.set)
		notice = "✅ " + v.t.Text("alerts.turned_on")
		if errors.Is(err, alerts.ErrClosed) {
			return v.drawAlerts(list.Servers, now, "❌ "+v.t.Text("alerts.closed"), red), nil
		}
	case change.set != nil:
		now, err = c.watch.Alerts.TurnOff(ctx, r.CustomerID, change.set)
		notice = "✅ " + v.t.Text("alerts.turned_off")
	case !now.Closed.IsZero():
		notice = "⚠️ " + v.t.Format("alerts.were_closed", args{"When": relative(now.Closed)})
	}
	if err != nil {
		return interaction.Response{}, err
	}
	return v.drawAlerts(list.Servers, now, notice, blurple), nil
}

func (w Watch) offered() bool { return w.Alerts != nil && w.Alerts.Offered() }

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
	i := slices.IndexFunc(servers, func(server hostapi.Server) bool { return key != "" && botKey(server.ID) == key })
	if i >= 0 {
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
		options := v.options(servers[:min(len(servers), maxOptions)])
		for i := range options {
			options[i].Emoji = &discordgo.ComponentEmoji{Name: bell(s.For(servers[i].ID))}
		}
		rows = append(rows, row(discordgo.SelectMenu{
			MenuType: discordgo.StringSelectMenu, CustomID: idAlerts, Placeholder: v.t.Text("alerts.choose"),
			Options: options,
		}))
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
	if !c.watch.offered() {
		return interaction.Response{}, refuse("alerts are turned off", "alerts.off")
	}
	until := time.Now().Add(muteFor)
	if err := c.watch.Alerts.Mute(ctx, r.CustomerID, b.server.ID, until); err != nil {
		return interaction.Response{}, err
	}
	v := c.view(r)
	return v.note("🔕 " + v.t.Format("alerts.muted_until", args{"Bot": name(b.server), "Until": stamp(until, "t")})), nil
}
