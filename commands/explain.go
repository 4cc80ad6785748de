package commands

import (
	"errors"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

// refusal tells the caller why they cannot have what they asked for. Nothing is
// wrong that staff should know of.
type refusal struct {
	reason  string // for the process log
	explain func(v view) string
	// choices are bots of which one may have been meant.
	choices []hostapi.Server
	ways    []way // on which the caller gets on
}

func (e *refusal) Error() string { return e.reason }

// refuse returns a refusal that is said by a text without arguments.
func refuse(reason, key string) error {
	return &refusal{reason: reason, explain: func(v view) string { return v.say(key, nil) }}
}

// Explain says an error in the caller's own language: what happened and what to
// do. Where it is a fault, the reference by which staff find it stands below.
func (c *Commands) Explain(r *interaction.Request, err error) interaction.Explanation {
	v := c.view(r)
	text, fault := v.explain(err)
	rows := v.ways(v.waysOn(err, fault)...)
	if refused, ok := errors.AsType[*refusal](err); ok && len(refused.choices) > 0 {
		rows = v.picker(refused.choices)
	}
	embed := &discordgo.MessageEmbed{Color: yellow}
	reference := ""
	if fault {
		embed.Title, embed.Color, reference = v.t.Text("error.title"), red, v.referenceLine()
	}
	var unshown *interaction.UnshownError
	if errors.As(err, &unshown) { // the action itself may have gone well
		embed.Title, embed.Color = "", outcomeColor(unshown.Action.Outcome)
	}
	embed.Description = paragraphs(v.heading(age{}, text), reference)
	rows = append(v.wayBack(err), rows...)
	return interaction.Explanation{Message: v.draw("", embed, rows...).Message, Fault: fault}
}

// explain says an error to the reader, and whether staff should know of it.
func (v view) explain(err error) (text string, fault bool) {
	var (
		refused *refusal
		unshown *interaction.UnshownError
		service *hostapi.Error
	)
	switch {
	case errors.As(err, &refused):
		return refused.explain(v), false
	case errors.As(err, &unshown):
		// Discord has refused words that hold the bot's name, its status or the service's
		// reason. These are our own alone.
		a := unshown.Action
		return v.say("error.unshown."+string(a.Outcome), args{"Action": v.t.Text("log.action.title." + a.Name)}), true
	case errors.As(err, &service):
		return v.explainService(service)
	}
	for _, e := range []struct {
		err   error
		key   string
		fault bool
	}{
		{interaction.ErrNoRoute, "error.gone", false},
		{interaction.ErrStopping, "error.stopping", false},
		{interaction.ErrBusy, "error.busy", false},
		{interaction.ErrTooQuick, "error.too_quick", false},
		{interaction.ErrBlocked, "error.blocked", true},
		{interaction.ErrNotBegun, "error.not_begun", true},
		{interaction.ErrMidway, "error.midway", true},
		{interaction.ErrTooSlow, "error.too_slow", true},
		{interaction.ErrUnacknowledged, "error.canceled", true},
		{interaction.ErrElsewhere, "error.canceled", true},
	} {
		if errors.Is(err, e.err) {
			return v.say(e.key, nil), e.fault
		}
	}
	return v.t.Text("error.internal"), true
}

// waysOn returns the pages on which the reader of an error gets on.
func (v view) waysOn(err error, fault bool) []way {
	if refused, ok := errors.AsType[*refusal](err); ok {
		return refused.ways
	}
	switch code := hostapi.CodeOf(err); {
	case isNoAccount(err):
		return []way{toSignUp, toPanel}
	case code == hostapi.CodeLimitReached:
		return []way{toUpgrade}
	case code == hostapi.CodeNotOffered:
		return []way{toPanel}
	case fault:
		return []way{toSupport}
	}
	return nil
}

// explainService says what the hosting service's refusal or silence means. The texts
// are named for the service's codes.
func (v view) explainService(e *hostapi.Error) (text string, fault bool) {
	key, when := "error."+string(e.Code), v.t.Text("time.soon")
	if e.RetryAfter > 0 {
		when = v.at(time.Now().Add(e.RetryAfter))
	}
	switch {
	case isNoAccount(e):
		return v.say(v.errorKey("no_account"), nil), false
	case e.Code == hostapi.CodeNotFound:
		key = "error.gone"
	case e.Code == hostapi.CodeUnavailable:
		key = "error." + silenceOf(e)
	}
	return v.say(key, args{"When": when}), e.Code != hostapi.CodeNotOffered
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

// errorKey returns the key of an error's text: staff read of the customer, and
// customers of themselves.
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
