package commands

import (
	"errors"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

// refusal tells the caller why they cannot have what they asked for. It is no fault.
type refusal struct {
	reason  string // for the process log
	explain func(v view) string
	// choices are bots of which one may have been meant.
	choices []hostapi.Server
	ways    []way // on which the caller gets on
	final   bool  // a form that is refused so cannot go well another time
}

func (e *refusal) Error() string { return e.reason }

// refuse returns a refusal that is said by a text without arguments.
func refuse(reason, key string) error {
	return &refusal{reason: reason, explain: func(v view) string { return v.say(key, nil) }}
}

// explanation is what an error means to its reader: what happened and what to do.
type explanation struct {
	text  string
	fault bool // staff should know of it
	ways  []way
}

// fault is an explanation of what support can help with.
func fault(text string) explanation { return explanation{text, true, []way{toSupport}} }

// noFault is an explanation of what staff need not know of.
func noFault(text string) explanation { return explanation{text: text} }

// Explain says an error in the caller's own language. Where it is a fault, the reference
// by which staff find it stands below.
func (c *Commands) Explain(r *interaction.Request, err error) interaction.Explanation {
	v := c.view(r)
	e := v.explain(err)
	rows := v.ways(e.ways...)
	if refused, ok := errors.AsType[*refusal](err); ok && len(refused.choices) > 0 {
		rows = v.picker(refused.choices)
	}
	if r.Kind == interaction.Modal && mayBeSentAgain(err) {
		rows = append([]discordgo.MessageComponent{v.toForm(r.Name)}, rows...)
	}
	embed := &discordgo.MessageEmbed{Color: yellow}
	reference := ""
	if e.fault {
		embed.Title, embed.Color, reference = v.t.Text("error.title"), red, v.referenceLine()
	}
	var unshown *interaction.UnshownError
	if errors.As(err, &unshown) { // the action itself may have gone well
		embed.Title, embed.Color = "", outcomeColor(unshown.Action.Outcome)
	}
	embed.Description = paragraphs(v.heading(age{}, e.text), reference)
	return interaction.Explanation{Message: v.draw("", embed, rows...).Message, Fault: e.fault}
}

// explain says an error to the reader.
func (v view) explain(err error) explanation {
	var (
		refused *refusal
		unshown *interaction.UnshownError
		service *hostapi.Error
	)
	switch {
	case errors.As(err, &refused):
		return explanation{refused.explain(v), false, refused.ways}
	case errors.As(err, &unshown):
		// Discord has refused words that hold the bot's name, its status or the service's
		// reason. These are our own alone.
		a := unshown.Action
		return fault(v.say("error.unshown."+string(a.Outcome), args{"Action": v.t.Text("log.action.title." + a.Name)}))
	case errors.As(err, &service):
		return v.explainService(service)
	}
	for _, e := range []struct {
		err     error
		key     string
		explain func(text string) explanation
	}{
		{interaction.ErrNoRoute, "error.gone", noFault},
		{interaction.ErrStopping, "error.stopping", noFault},
		{interaction.ErrBusy, "error.busy", noFault},
		{interaction.ErrTooQuick, "error.too_quick", noFault},
		{interaction.ErrBlocked, "error.blocked", fault},
		{interaction.ErrNotBegun, "error.not_begun", fault},
		{interaction.ErrMidway, "error.midway", fault},
		{interaction.ErrTooSlow, "error.too_slow", fault},
		{interaction.ErrUnacknowledged, "error.canceled", fault},
		{interaction.ErrElsewhere, "error.canceled", fault},
	} {
		if errors.Is(err, e.err) {
			return e.explain(v.say(e.key, nil))
		}
	}
	return fault(v.t.Text("error.internal"))
}

// explainService says what the hosting service's refusal or silence means.
func (v view) explainService(e *hostapi.Error) explanation {
	when := v.t.Text("time.soon")
	if e.RetryAfter > 0 {
		when = v.at(time.Now().Add(e.RetryAfter))
	}
	text := v.say("error."+string(e.Code), args{"When": when})
	switch {
	case isNoAccount(e):
		return explanation{v.say(v.errorKey("no_account"), nil), false, []way{toSignUp, toPanel}}
	case e.Code == hostapi.CodeNotOffered:
		return explanation{text, false, []way{toPanel}}
	case e.Code == hostapi.CodeLimitReached:
		return explanation{text, true, []way{toUpgrade}}
	case e.Code == hostapi.CodeNotFound:
		return fault(v.say("error.gone", nil))
	case e.Code == hostapi.CodeUnavailable:
		return fault(v.say("error."+silenceOf(e), args{"When": when}))
	}
	return fault(text)
}

// silenceOf tells whether the hosting service is slow, is away, or is broken, which is
// that no use can be made of its answers. A gateway before it may be the one to say so.
// Without an error the service has not answered yet.
func silenceOf(err error) string {
	var e *hostapi.Error
	switch {
	case err == nil, errors.As(err, &e) && e.TimedOut:
		return "slow"
	case e == nil || e.Code == hostapi.CodeUnavailable && e.Status < http.StatusMultipleChoices:
		return "away" // with status 200 where the connection broke within an answer
	}
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return "slow"
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusNotFound:
		return "away"
	default:
		return "broken"
	}
}

// errorKey is the key of an error's text: staff read of the customer.
func (v view) errorKey(name string) string {
	if v.asked.ByStaff() {
		return "staff." + name
	}
	return "error." + name
}

// isNoAccount tells whether the service knows no account of the customer.
func isNoAccount(err error) bool {
	var e *hostapi.Error
	return errors.As(err, &e) && e.Code == hostapi.CodeNotFound && e.Op == hostapi.OpList
}
