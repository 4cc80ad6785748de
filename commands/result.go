package commands

import (
	"errors"
	"time"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
)

// result is how an action ended.
type result struct {
	action action
	server hostapi.Server // as it is afterwards
	took   time.Duration
	err    error // nil: it succeeded
}

func (e result) outcome() interaction.Outcome {
	switch {
	case e.err == nil:
		return interaction.Done
	case isUnsupported(e.err):
		return interaction.Failed
	// The service accepted an action whose bot it does not list afterwards.
	case errors.Is(e.err, errUnsettled), errors.Is(e.err, errGone), hostapi.IsUncertain(e.err):
		return interaction.Unconfirmed
	default:
		return interaction.Failed
	}
}

// outcomeColor returns the colour of a message that says how an action ended.
func outcomeColor(o interaction.Outcome) int {
	switch o {
	case interaction.Failed:
		return red
	case interaction.Unconfirmed:
		return orange
	default:
		return green
	}
}

// ending says how an action ended.
func (v view) ending(e result) string {
	text := func(key string) string {
		return v.t.Format(key, args{"Bot": name(e.server), "Status": v.status(e.server)})
	}
	key := "action." + e.action.name
	switch {
	case e.err == nil:
		return v.done(e, text) + v.next(e)
	case errors.Is(e.err, errUnsettled):
		return "⚠️ " + text("action.unsettled") + "\n" + v.referenceLine()
	case e.outcome() == interaction.Unconfirmed:
		return "⚠️ " + text(key+".unconfirmed") + "\n" + v.referenceLine()
	default:
		why, _ := v.explain(e.err)
		return "❌ " + text(key+".failed") + " " + why + "\n" + v.referenceLine() + v.serviceReason(e)
	}
}

// done says that an action succeeded and, where it changes the bot's status and that
// is known, to which.
func (v view) done(e result, text func(key string) string) string {
	sign, key := "✅ ", "action."+e.action.name+".done"
	if e.action.transitional != "" && e.server.Status != "" {
		key += "_status"
		if conditionOf(e.server.Status).state == broken { // the service did it, and the bot does not run
			sign = "⚠️ "
		}
	}
	return sign + text(key) + "\n⏱ " + v.t.Format("action.took", args{"Duration": v.t.Duration(e.took)})
}

// next says what to do with a bot that was created.
func (v view) next(e result) string {
	start, _ := actionNamed("start")
	if e.action.op != hostapi.OpCreate || !v.offers(start.op) || !start.fits(e.server.Status) {
		return ""
	}
	return "\n" + v.t.Text("create.next")
}

// serviceReason is why the service refused to create a bot, in its own words, where
// it has any.
func (v view) serviceReason(e result) string {
	var service *hostapi.Error
	if e.action.op != hostapi.OpCreate || isUnsupported(e.err) || !errors.As(e.err, &service) || service.Status >= 500 {
		return ""
	}
	words := sanitize.Markdown(service.Detail, commandLimit)
	if words == "" {
		return ""
	}
	return "\n" + v.t.Format("create.reason", args{"Reason": words})
}

// status says a bot's status as a colour and a word.
func (v view) status(s hostapi.Server) string {
	condition := conditionOf(s.Status)
	return condition.emoji + " " + condition.word(v.t, s.Status, sanitize.Markdown)
}
