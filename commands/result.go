package commands

import (
	"errors"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

// result is how an action ended.
type result struct {
	action action
	bot    // as it is afterwards
	took   time.Duration
	err    error // nil: it succeeded
	// already says that the service refused the action because there was nothing to do.
	already bool
	story   story
	note    string // what is said below; "" for nothing
}

func (e result) outcome() interaction.Outcome {
	switch {
	case e.err == nil:
		return interaction.Done
	// errGone: the service accepted an action whose bot it does not list afterwards.
	case errors.Is(e.err, interaction.ErrUnsettled), errors.Is(e.err, errGone), errors.Is(e.err, interaction.ErrOutcomeUnknown), hostapi.IsUncertain(e.err):
		return interaction.Unconfirmed
	case hostapi.CodeOf(e.err) == hostapi.CodeInvalid:
		return interaction.Refused
	default:
		return interaction.Failed
	}
}

// forStaff is what staff are told of the action.
func (e result) forStaff() *interaction.Action {
	return &interaction.Action{Name: e.action.name, BotID: e.server.ID, BotName: e.server.Name, Duration: e.took, Outcome: e.outcome()}
}

// outcomeColor returns the colour of a message that says how an action ended.
func outcomeColor(o interaction.Outcome) int {
	return map[interaction.Outcome]int{interaction.Done: green, interaction.Failed: red, interaction.Refused: yellow, interaction.Unconfirmed: orange}[o]
}

// draw says how an action ended on the card of its bot, if there still is one.
func (e result) draw(v view) interaction.Response {
	drawn := card{view: v, bot: e.bot, notice: strings.TrimSpace(v.ending(e) + "\n" + e.note), saysSince: e.err == nil, story: e.story}
	drawn.saysState = e.already || errors.Is(e.err, interaction.ErrUnsettled)
	if e.err == nil && e.action.op == hostapi.OpDelete {
		return v.draw(idShow+botKey(e.server.ID), &discordgo.MessageEmbed{Description: drawn.notice, Color: grey}, v.backRow())
	}
	if e.action.op == hostapi.OpUpdateStartup {
		drawn.part = details // which say how the bot is started now
	}
	if e.err != nil {
		drawn.color = outcomeColor(e.outcome())
		drawn.unsure = e.outcome() == interaction.Unconfirmed
		if !drawn.unsure {
			drawn.links = v.whyFailed(e).links
			drawn.saysState = e.isLocked() && conditionOf(e.server).key != ""
		}
	} else if e.action.op == hostapi.OpCreate {
		drawn.links = []discordgo.Button{v.toUpload(e.server.ID)}
	}
	return drawn.draw()
}

// Interrupted says how an action ended whose process has died, or that nobody knows.
func (c *Commands) Interrupted(r *interaction.Request, a interaction.Action) interaction.Response {
	v, server, failure := c.view(r), hostapi.Server{ID: a.BotID, Name: a.BotName}, whyInterrupted(a)
	if isOfBatch(r) {
		return v.interruptedBatch(a, failure)
	}
	end := ""
	if errors.Is(failure, interaction.ErrUnsent) {
		end = v.explain(failure).text + "\n"
	}
	if failure != nil {
		end += v.referenceLine()
	}
	sign := map[interaction.Outcome]string{interaction.Done: "✅ ", interaction.Failed: "❌ ", interaction.Unconfirmed: "⚠️ "}[saidAs(a.Outcome)]
	embed := &discordgo.MessageEmbed{
		Color:       outcomeColor(a.Outcome),
		Description: strings.TrimSpace(sign + v.say("action."+a.Name+"."+string(saidAs(a.Outcome)), args{"Bot": name(server)}) + "\n" + end),
	}
	response := v.draw("", embed, v.interruptedRows(server.ID, a)...)
	response.Action, response.Failure = &a, failure
	return response
}

// saidAs returns the outcome whose texts are said where the reason is not known any more.
func saidAs(o interaction.Outcome) interaction.Outcome {
	if o == interaction.Refused {
		return interaction.Failed
	}
	return o
}

// whyInterrupted returns why an action whose process has died is not known to have gone well.
func whyInterrupted(a interaction.Action) error {
	switch {
	case a.Outcome == interaction.Done, a.Outcome == interaction.Refused:
		return nil
	case a.Interrupted && a.Outcome == interaction.Failed:
		return interaction.ErrUnsent
	default:
		return interaction.ErrInterrupted
	}
}

// ShowsEnd reports whether a message, as Discord has it, shows how an action ended, and not that one runs.
func ShowsEnd(m interaction.Message) bool {
	shown := m.Content
	for _, e := range m.Embeds {
		shown += e.Description
	}
	return strings.ContainsAny(shown, "✅❌⚠") && !strings.Contains(shown, "⏳")
}

// interruptedRows are the buttons as the bot's card has them: Refresh leads there, and a second
// press must not meet a button that acts.
func (v view) interruptedRows(serverID string, a interaction.Action) []discordgo.MessageComponent {
	if serverID == "" || a.Name == deletion().name && a.Outcome == interaction.Done {
		return []discordgo.MessageComponent{v.backRow()}
	}
	first, second := v.actionButtons(actionRow{state: unknown, quiet: true}, serverID)
	return append(v.linkRow(first...), v.linkRow(append([]discordgo.Button{
		v.button(discordgo.PrimaryButton, "button.refresh", idShow+botKey(serverID), false),
		v.button(discordgo.SecondaryButton, "button.back", idListWith, false),
	}, second...)...)...)
}

// ending says how an action ended.
func (v view) ending(e result) string {
	text := func(key string) string {
		return v.say(key, args{"Bot": name(e.server), "Status": v.status(e.server)})
	}
	key := "action." + e.action.name
	switch {
	case e.already:
		return v.already(e.action, e.server)
	case e.err == nil && e.action.op == hostapi.OpDelete: // there is no card that names it
		return "✅ " + text(key+".done")
	case e.err == nil:
		return v.done(e)
	case errors.Is(e.err, interaction.ErrUnsettled):
		return "⚠️ " + text("action.unsettled") + "\n" + v.referenceLine()
	case e.outcome() == interaction.Unconfirmed:
		return "⚠️ " + text(key+".unconfirmed") + "\n" + v.referenceLine()
	case e.outcome() == interaction.Refused:
		return lines("❌ "+text(key+".failed"), v.whyFailed(e).text)
	default:
		return lines("❌ "+text(key+".failed"), v.whyFailed(e).text, v.referenceLine())
	}
}

// isRefusal reports whether the service does not carry an action out, which the state of the bot
// may be the reason for.
func isRefusal(err error) bool {
	code := hostapi.CodeOf(err)
	return code == hostapi.CodeConflict || code == hostapi.CodeForbidden
}

// isLocked reports whether the service refused an action because the host has suspended the bot.
func (e result) isLocked() bool {
	return isRefusal(e.err) && conditionOf(e.server).state == locked
}

// whyFailed explains why an action failed. That a bot is suspended says more than how the service
// refuses for that reason.
func (v view) whyFailed(e result) explanation {
	if service, ok := errors.AsType[*hostapi.Error](e.err); ok && e.isLocked() {
		return explanation{lines(v.t.Text("card.suspended"), v.serviceSays(service)), true, []discordgo.Button{v.support(idTellSupport + v.asked.Reference), v.toPanel()}}
	}
	return v.explain(e.err)
}

// done says that an action succeeded, and what to do next with a bot that was created or whose
// startup was changed. What the bot is called and how it is now stands on the card below.
func (v view) done(e result) string {
	sign, condition := "✅ ", conditionOf(e.server)
	now := condition.state
	if e.action.transitional != "" && condition.key != unknownKey && (now == broken || !e.action.leadsTo.has(now)) {
		sign = "⚠️ " // the service did it, and the bot is not as it should be
	}
	said := v.t.Text("action." + e.action.name + ".ended")
	if e.action.settles() && !instant(e.took) {
		said = v.t.Format("action."+e.action.name+".ended_in", args{"Duration": v.t.Duration(e.took)})
	}
	next := ""
	start, _ := actionNamed("start")
	restart, _ := actionNamed("restart")
	switch {
	case e.action.op == hostapi.OpCreate && !e.action.starts && v.offers(start.op) && start.in.has(now):
		next = "\n" + v.t.Text("create.next")
	case e.action.op == hostapi.OpUpdateStartup && v.offers(restart.op) && restart.in.has(now):
		next = "\n" + v.t.Text("startup.restart")
	}
	return sign + said + next
}

// instant reports whether a duration would be said as 0.0 s.
func instant(d time.Duration) bool { return d < 50*time.Millisecond }
