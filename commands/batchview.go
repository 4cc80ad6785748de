package commands

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

const (
	// batchLines is how many bots of a batch have a line of their own, and batchNameLimit how
	// many characters each may be called, so that all fit an embed's description.
	batchLines     = 35
	batchNameLimit = 40
	// batchReasons is how many different reasons of failures are said.
	batchReasons = 3
)

// fate is what a line says of a member of a batch. At the end, those with a problem come first.
type fate int

const (
	fateFailed fate = iota
	fateUnconfirmed
	fateCrashed
	fateSkipped
	fatePending
	fateDone
)

// fate tells what has become of a member.
func (m member) fate() fate {
	switch {
	case m.stage == stageLeftOut:
		return fateSkipped
	case m.stage != stageEnded:
		return fatePending
	}
	switch m.end.outcome() {
	case interaction.Failed:
		return fateFailed
	case interaction.Unconfirmed:
		return fateUnconfirmed
	}
	if conditionOf(m.end.server).state == broken {
		return fateCrashed
	}
	return fateDone
}

// draw says how far a batch is, or how it ended.
func (b *batch) draw() interaction.Response {
	v := b.commands.view(b.request)
	counts, over := make(map[fate]int), b.running == 0
	members := slices.Clone(b.members)
	for _, m := range members {
		counts[m.fate()]++
	}
	embed := &discordgo.MessageEmbed{Title: v.t.Text(b.means.title), Color: yellow}
	buttons := []discordgo.Button{v.button(discordgo.SecondaryButton, "button.back", idListWith, false)}
	head, why := "", explanation{}
	if over {
		slices.SortStableFunc(members, func(one, other member) int { return cmp.Compare(one.fate(), other.fate()) })
		head, embed.Color = b.ending(v, counts)
		why = b.whyOf(v, members)
		if again := openIn(members); len(again) > 0 {
			buttons = append([]discordgo.Button{v.button(discordgo.PrimaryButton, "button.again", b.means.again(again), false)}, buttons...)
		}
	} else {
		head = "⏳ " + v.t.Count(b.means.texts+".running", len(members), args{"Since": relative(b.began)}) +
			"\n" + v.t.Format("restart_all.progress", args{"Done": len(members) - b.running, "N": len(members)}) + b.waits(v)
	}
	lines := firstOf(v, members, batchLines, "… +", func(m member) string { return b.memberLine(v, m) })
	embed.Description = paragraphs(v.heading(members[0].known, head), strings.Join(lines, "\n"), why.text)
	return v.drawOf(members[0].known, b.means.subject, embed, v.linkRow(append(buttons, why.links...)...)...)
}

// ending says how a batch ended, and in which colour.
func (b *batch) ending(v view, counts map[fate]int) (text string, color int) {
	all := len(b.members)
	took := ""
	if d := time.Since(b.began); counts[fateSkipped] < all && !instant(d) {
		took = "\n⏱ " + v.t.Format("action.took", args{"Duration": v.t.Duration(d)})
	}
	switch done := counts[fateDone]; done {
	case all:
		return "✅ " + v.t.Count(b.means.texts+".done", all, nil) + took, green
	case 0:
		if counts[fateFailed]+counts[fateSkipped] == all {
			return "❌ " + v.t.Count(b.means.texts+".partly", all, args{"Done": done}) + took, red
		}
		fallthrough
	default:
		return "⚠️ " + v.t.Count(b.means.texts+".partly", all, args{"Done": done}) + took, orange
	}
}

// waits says why bots wait that have had no turn, if it is not for others.
func (b *batch) waits(v view) string {
	if until, _ := b.pausedUntil(); until.After(time.Now()) {
		return "\n⏸️ " + v.t.Format("restart_all.paused", args{"When": relative(until)})
	}
	for _, m := range b.members {
		if _, early := errors.AsType[*actions.LimitError](m.refusal); early && m.stage == stageWaiting {
			return "\n⏸️ " + v.t.Format(b.means.pace, args{"N": actions.PerWindow})
		}
	}
	return ""
}

// openIn returns the bots that a batch was meant for, and of which it is known that it did not act on them.
func openIn(members []member) []hostapi.Server {
	var open []hostapi.Server
	for _, m := range members {
		if f := m.fate(); f == fateFailed || f == fateSkipped && !errors.Is(m.refusal, errSenseless) {
			open = append(open, m.server)
		}
	}
	return open
}

// memberLine is the line of a bot of a batch.
func (b *batch) memberLine(v view, m member) string {
	sign, word := "▫️", v.t.Text("restart_all.waiting")
	switch m.fate() {
	case fateDone:
		sign, word = "✅", v.t.Text(b.means.acted)
	case fateFailed:
		sign, word = "❌", v.t.Text(b.means.texts+".failed")
	case fateUnconfirmed:
		sign, word = "⚠️", v.t.Text("restart_all.unsure")
	case fateCrashed:
		sign, word = "🔴", v.t.Text(b.means.fell)
	case fateSkipped:
		sign, word = "➖", v.t.Text(b.means.texts+".left")
		if errors.Is(m.refusal, errSenseless) {
			word = v.t.Text(b.means.up)
		} else if _, busy := errors.AsType[*actions.BusyError](m.refusal); busy {
			word = v.t.Text("restart_all.busy")
		} else if held, ok := errors.AsType[*actions.PausedError](m.refusal); ok {
			sign, word = "⚠️", v.t.Format("restart_all.held", args{"When": v.at(held.Until)})
		}
	case fatePending:
		if m.stage == stageActing {
			acting := conditionOf(hostapi.Server{Status: b.action.transitional})
			sign, word = acting.emoji, v.t.Text(acting.key)
		}
	}
	return sign + " " + nameWithin(m.server, batchNameLimit) + " · " + word
}

// whyOf says why bots were not acted on, each reason once, and what is to be done.
func (b *batch) whyOf(v view, members []member) explanation {
	var reasons []string
	var links []discordgo.Button
	told := false
	for _, m := range members {
		if m.stage == stageEnded && m.end.err != nil {
			told = true
		}
		why := explanation{}
		switch m.fate() {
		case fateFailed:
			why = v.whyFailed(m.end)
		case fateUnconfirmed:
			why.text = v.t.Text(b.means.unsure)
		case fateSkipped:
			why = v.whyLeft(m.refusal)
		}
		if why.text == "" || slices.Contains(reasons, why.text) || len(reasons) == batchReasons {
			continue
		}
		reasons = append(reasons, why.text)
		if len(links) == 0 {
			links = why.links
		}
	}
	if told {
		reasons = append(reasons, v.referenceLine())
	}
	return explanation{text: strings.Join(reasons, "\n"), links: links}
}

// whyLeft explains why a bot was left out, if its line does not say so.
func (v view) whyLeft(refusal error) explanation {
	limit, early := errors.AsType[*actions.LimitError](refusal)
	switch {
	case early:
		return explanation{text: v.t.Format("action.limit", args{"When": v.at(limit.Until)})}
	case errors.Is(refusal, interaction.ErrStopping), hostapi.CodeOf(refusal) == hostapi.CodeRateLimited:
		return v.explain(refusal)
	default:
		return explanation{}
	}
}

// isOfBatch reports whether a request is that of one of the actions of a batch.
func isOfBatch(r *interaction.Request) bool {
	crashed := strings.HasPrefix(r.Route, idRestartCrashed) && strings.HasSuffix(r.Route, restartNow)
	return (crashed || isOfSeveral(r)) && strings.Contains(r.ID, "/")
}

// interruptedBatch says that a batch was broken off, whichever of its actions is reported: the
// message is that of all.
func (v view) interruptedBatch(a interaction.Action, failure error) interaction.Response {
	title, text := "restart_all.title", "restart_all.interrupted"
	if isOfSeveral(v.asked) {
		title, text = "button."+a.Name, "several.interrupted"
	}
	embed := &discordgo.MessageEmbed{
		Title: v.t.Text(title), Color: orange,
		Description: "⚠️ " + v.t.Text(text) + "\n" + v.referenceLine(),
	}
	response := v.draw("", embed, v.backRow())
	response.Action, response.Failure = &a, failure
	return response
}
