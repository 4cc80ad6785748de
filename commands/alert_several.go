package commands

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/message"
	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/hostapi"
)

// namedAtOnce is how many bots an alert of several names in its content, and of how many it says apart
// that they keep falling. A phone shows about two lines in a notification.
const namedAtOnce = 3

// linesAtOnce is of how many bots an alert of several says how they are. Its menu and the list have the others.
const linesAtOnce = 10

// ofSeveral tells of several bots, a line each: those that are down come first. The content names some
// of these.
func (v alertView) ofSeveral() (happened string, more *discordgo.MessageEmbed) {
	bots, down := v.worstFirst()
	here := len(bots)
	if moved := v.moved(); moved < here { // otherwise it is as it was when a later message took over
		here -= moved
	}
	happened, color := "🟢 "+v.t.Count("alert.several_back", here, nil), green
	if down > 0 {
		more := cmp.Or(v.said, v.firstNames(bots[:down])) // a phone has no room for both
		several := "alert.several"
		if v.public {
			several = "follow.several_down"
		}
		happened, color = v.someBack(bots[down:])+"🔴 "+v.t.Count(several, down, nil)+"\n"+more, red
	}
	var lines, quiet []string
	for i, o := range bots {
		if i == linesAtOnce && v.isCut() {
			lines = append(lines, v.t.Count("alert.more", len(bots)-i, nil))
			break
		}
		lines = append(lines, v.line(o))
		if text := v.quiet(o); text != "" && len(quiet) < namedAtOnce {
			quiet = append(quiet, "🔕 **"+name(serverOf(o))+"** · "+text)
		}
	}
	return happened, &discordgo.MessageEmbed{
		Color:       color,
		Description: paragraphs(strings.TrimSpace(v.allBack(down)+"\n"+v.noticed(v.alert.First)), strings.Join(lines, "\n"), strings.Join(quiet, "\n")),
	}
}

// isCut reports whether there are more bots than the alert has lines for.
func (v alertView) isCut() bool { return len(v.alert.Bots) > linesAtOnce+1 }

// allBack says since when all bots are back of which no later message tells, and how long that took; "" if some are
// down.
func (v alertView) allBack(down int) string {
	var last time.Time
	for _, o := range v.alert.Bots {
		if o.RecoveredAt.After(last) && (!o.Elsewhere || v.moved() == len(v.alert.Bots)) {
			last = o.RecoveredAt
		}
	}
	if down > 0 || last.IsZero() {
		return ""
	}
	lasted := v.t.Length(last.Sub(v.alert.First), v.interval)
	return v.t.Format("alert.several_back_after", args{"Time": message.Time(last, "t"), "Duration": lasted})
}

// someBack says in a line which bots are back of which the customer is yet to be notified, while others are down; ""
// if there are none.
func (v alertView) someBack(over []alerts.Outage) string {
	back := those(over, func(o alerts.Outage) bool { return !o.Elsewhere && !o.Notify.IsZero() })
	if len(back) == 0 {
		return ""
	}
	return "🟢 " + v.happenedTo(serverOf(back[0]), len(back), "alert.back", "follow.several_back") + "\n"
}

// line says how one of several bots is.
func (v alertView) line(o alerts.Outage) string {
	now := shownState(o)
	bot := " **" + nameAmong(serverOf(o), len(v.alert.Bots)) + "** · "
	if o.Elsewhere && v.moved() < len(v.alert.Bots) {
		return "↘️" + bot + v.t.Text("alert.elsewhere")
	}
	line := now.emoji + bot + v.t.Text(now.key)
	if o.Count > 1 {
		line += " · ×" + strconv.Itoa(o.Count)
	}
	if o.Mended() {
		line += " · 🔁 " + v.t.Count("alert.auto_restart_times", o.Restarts, nil)
	} else if o.StaysDown && o.RecoveredAt.IsZero() {
		line += " · " + v.t.Text("alert.auto_restart_stays_down")
	}
	return line
}

// firstNames are those of the first bots, and how many more there are.
func (v alertView) firstNames(bots []alerts.Outage) string {
	return strings.Join(firstOf(v.view, bots, namedAtOnce, "+", func(o alerts.Outage) string {
		return nameWithin(serverOf(o), labelNameLimit)
	}), " · ")
}

// moved returns of how many bots a later message tells how they fare.
func (v alertView) moved() int {
	return len(those(v.alert.Bots, func(o alerts.Outage) bool { return o.Elsewhere }))
}

// worstFirst returns the alert's bots, those first that are down, and how many these are.
func (v alertView) worstFirst() (bots []alerts.Outage, down int) {
	bots = those(v.alert.Bots, func(o alerts.Outage) bool { return !o.Over() })
	return append(bots, those(v.alert.Bots, alerts.Outage.Over)...), len(bots)
}

// shownState is the state in which an alert shows a bot.
func shownState(o alerts.Outage) condition {
	if !o.RecoveredAt.IsZero() {
		return conditionIn(hostapi.StateRunning)
	}
	return conditionIn(o.State)
}

// rowsOfSeveral are a button that restarts those that have crashed, one that leads to the list if not all bots are
// shown, and a menu that opens one of the bots.
func (v alertView) rowsOfSeveral() []discordgo.MessageComponent {
	bots, down := v.worstFirst()
	buttons := v.restartOfSeveral(those(bots[:down], func(o alerts.Outage) bool { return o.State.Broken() }))
	if v.isCut() {
		buttons = append(buttons, v.button(discordgo.SecondaryButton, "button.back", idAlertList, false))
	}
	rows := v.linkRow(buttons...)
	list := make([]listed, len(bots))
	for i, o := range bots {
		server := serverOf(o)
		list[i] = listed{&server, shownState(o)}
	}
	return append(rows, v.menu(idAlertOpen, v.t.Text("list.open"), v.options(list)))
}

// restartOfSeveral is the button that restarts what has crashed of several bots.
func (v alertView) restartOfSeveral(crashed []alerts.Outage) []discordgo.Button {
	switch {
	case len(crashed) == 0 || !v.offers(hostapi.OpRestart):
		return nil
	case len(crashed) == 1:
		return []discordgo.Button{v.restartButton(idAlertAct+"restart/", serverOf(crashed[0]))}
	default:
		return []discordgo.Button{v.restartCrashedButton("button.restart_all", interaction.ReplyPrefix+idRestart(v.alert.ID), len(crashed))}
	}
}
