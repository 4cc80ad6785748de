package commands

import (
	"errors"
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
}

func (e *refusal) Error() string { return e.reason }

// refuse returns a refusal that is said by a text without arguments.
func refuse(reason, key string) error {
	return &refusal{reason, func(v view) string { return v.t.Text(key) }}
}

// Explain says an error in the caller's own language: what happened and what to
// do. Where it is a fault, the reference by which staff find it stands below.
func (c *Commands) Explain(r *interaction.Request, err error) interaction.Explanation {
	v := c.view(r)
	text, fault := v.explain(err)
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
	return interaction.Explanation{Message: v.draw("", embed, v.wayBack(err)...).Message, Fault: fault}
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
		return v.t.Format("error.unshown."+string(a.Outcome), args{"Action": v.t.Text("log.action.title." + a.Name)}), true
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
			return v.t.Text(e.key), e.fault
		}
	}
	return v.t.Text("error.internal"), true
}

// explainService says what the hosting service's refusal or silence means. The texts
// are named for the service's codes.
func (v view) explainService(e *hostapi.Error) (text string, fault bool) {
	key, when := "error."+string(e.Code), v.t.Text("time.soon")
	switch {
	case isNoAccount(e):
		return v.t.Text(v.errorKey("no_account")), false
	case e.Code == hostapi.CodeNotFound:
		key = "error.gone"
	case e.RetryAfter > 0:
		when = relative(time.Now().Add(e.RetryAfter))
	}
	return v.t.Format(key, args{"When": when}), e.Code != hostapi.CodeNotOffered
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
