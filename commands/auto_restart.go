package commands

import (
	"context"
	"errors"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/hostapi"
)

// The custom IDs by which a bot is restarted automatically when it crashes, or not any more.
const (
	idAutoRestart     = "alerts/autorestart"  // a select menu of bots, whose values say how, and a key
	idAutoRestartOf   = "alerts/autorestart/" // + how + key: shows alerts
	idAutoRestartCard = "autorestart/"        // + how + key: the bot's card stays
)

// wordNotify is how a bot is restarted automatically if its owner is notified each time; wordOn is without that.
const wordNotify = "notify"

// viewAutoRestarts is view, with which of the customer's bots are restarted automatically, if that is offered and Redis tells.
func (c *Commands) viewAutoRestarts(ctx context.Context, r *interaction.Request) view {
	v := c.view(r)
	if c.watch.offered() && c.watch.AutoRestart && v.offers(hostapi.OpRestart) {
		v.autoRestarts, _ = c.watch.Restarts.Of(ctx, r.CustomerID)
	}
	return v
}

// changeAutoRestart has a bot be restarted automatically, or not, as a button or an option of the menu says, and shows its card or
// alerts.
func (c *Commands) changeAutoRestart(onCard bool) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		own := *r
		if own.Params["how"] == "" {
			how, key, _ := strings.Cut(r.Value(), "/")
			own.Params = map[string]string{"how": how, "bot": key}
		}
		return c.onBot(func(_ context.Context, r *interaction.Request, b bot) (interaction.Response, error) {
			subject := aboutAlerts
			if onCard {
				subject = idShow + botKey(b.server.ID)
			}
			return interaction.Defer(subject, func(ctx context.Context) (interaction.Response, error) {
				said, err := c.setAutoRestart(ctx, r, b.server)
				if err != nil {
					return interaction.Response{}, unreadableAlerts(err)
				}
				if onCard {
					return c.card(ctx, r, b, said).draw(), nil
				}
				response, err := c.alerts(ctx, r)
				for _, embed := range response.Message.Embeds {
					embed.Description = paragraphs(said, embed.Description)
				}
				return response, err
			}), nil
		})(ctx, &own)
	}
}

// setAutoRestart does so, and returns what is said of that.
func (c *Commands) setAutoRestart(ctx context.Context, r *interaction.Request, s hostapi.Server) (said string, err error) {
	v, how := c.view(r), r.Params["how"]
	switch {
	case how == wordOff:
		err = c.watch.Restarts.TurnOff(ctx, r.CustomerID, s.ID)
	case !c.watch.AutoRestart || how != wordOn && how != wordNotify:
		err = errGone
	default:
		err = c.watch.Restarts.TurnOn(ctx, r.CustomerID, s.ID, how == wordNotify)
	}
	return "✅ " + v.t.Format("auto_restart."+how, v.autoRestartLimits(args{"Bot": name(s)})), err
}

// autoRestartLimits adds how often a bot is restarted.
func (v view) autoRestartLimits(a args) args {
	a["N"], a["Duration"] = alerts.MostRestarts, v.t.Duration(alerts.RestartWindow)
	return a
}

// autoRestartButton has a bot be restarted automatically, or not any more.
func (v view) autoRestartButton(prefix, serverID string) discordgo.Button {
	if _, on := v.autoRestarts[serverID]; on {
		return v.button(discordgo.SecondaryButton, "button.auto_restart_off", prefix+wordOff+"/"+botKey(serverID), false)
	}
	return v.button(discordgo.SecondaryButton, "button.auto_restart_on", prefix+wordOn+"/"+botKey(serverID), false)
}

// autoRestartButtons are that button in the alerts of a bot, and the one by which its owner is notified of restarts, or not.
func (v view) autoRestartButtons(s hostapi.Server) (buttons []discordgo.MessageComponent) {
	if v.autoRestarts == nil {
		return nil
	}
	buttons = append(buttons, v.autoRestartButton(idAutoRestartOf, s.ID))
	if is, on := v.autoRestarts[s.ID]; on && is.Notify {
		buttons = append(buttons, v.button(discordgo.SecondaryButton, "button.auto_restart_silent", idAutoRestartOf+wordOn+"/"+botKey(s.ID), false))
	} else if on {
		buttons = append(buttons, v.button(discordgo.SecondaryButton, "button.auto_restart_notify", idAutoRestartOf+wordNotify+"/"+botKey(s.ID), false))
	}
	return buttons
}

// autoRestartMenu is a row with the menu that does so for each bot; none if that is not offered.
func (v view) autoRestartMenu(servers []hostapi.Server) []discordgo.MessageComponent {
	if v.autoRestarts == nil || len(servers) == 0 {
		return nil
	}
	options := v.options(listOf(servers))
	for i := range options {
		_, on := v.autoRestarts[servers[i].ID]
		options[i].Value = toggled(on) + "/" + options[i].Value
	}
	return []discordgo.MessageComponent{v.menu(idAutoRestart, v.t.Text("alerts.auto_restart_choose"), options)}
}

// autoRestartLine is a line on how a bot that has crashed is restarted automatically; "" if it is not.
func (v view) autoRestartLine(is alerts.AutoRestart, on bool) string {
	switch {
	case is.StaysDown:
		return "🔁 " + v.t.Format("auto_restart.stays_down", v.autoRestartLimits(args{}))
	case is.Pending > 0:
		return "🔁 " + v.t.Text("auto_restart.soon")
	case on:
		return "🔁 " + v.t.Text("auto_restart.is_on")
	}
	return ""
}

// errUnderWay says that a bot cannot be restarted at the moment.
var errUnderWay = errors.New("commands: an action on the bot is under way, or its outcome is not known yet")

// RestartAutomatically begins the restart of a bot for which the program asks by itself (Params["server"]). The response promises nothing
// if that makes no sense any more: the bot has not crashed as the service says now, or this program was told to stop it.
func (c *Commands) RestartAutomatically(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return c.restartIf(ctx, r, func(b bot, now state) bool { return now == broken && b.known.Notes[b.server.ID].Action != "stop" })
}

// restartIf begins the restart of a bot (Params["server"]) if that makes sense in the state that the service tells now.
func (c *Commands) restartIf(ctx context.Context, r *interaction.Request, sensible func(b bot, now state) bool) (response interaction.Response, err error) {
	restart, _ := actionNamed("restart")
	b, err := c.look(ctx, r.CustomerID, r.Params["server"], lookLimit)
	now := conditionOf(b.server).state
	switch {
	case err == nil && now.moving():
		return response, errUnderWay
	case err != nil && !errors.Is(err, errGone):
		return response, err
	case err != nil || !sensible(b, now) || !c.hosting.Offers(restart.op):
		return response, nil
	}
	if response, err = c.begin(ctx, r, restart, b); err == nil && response.Then == nil {
		err = errUnderWay
	}
	return response, err
}
