package commands

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/bot/watch/panel"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// refusal tells the caller why they cannot have what they asked for. It is no fault.
type refusal struct {
	reason  string // for the process log
	explain func(v view) string
	// choices are bots of which one may have been meant.
	choices []hostapi.Server
	links   func(v view) []discordgo.Button // on which the caller gets on; nil for none
	decided bool                            // the interaction counts as one that has acted, so no other process decides
	passes  bool                            // the same may go well another time, though nobody does anything
	final   bool                            // a form that is refused so cannot go well another time
}

func (e *refusal) Error() string { return e.reason }

// refuse returns a refusal that is said by a text without arguments.
func refuse(reason, key string) error {
	return &refusal{reason: reason, explain: func(v view) string { return v.say(key, nil) }}
}

// refuseForNow is refuse, of what passes by itself.
func refuseForNow(reason, key string) error {
	return &refusal{reason: reason, passes: true, explain: func(v view) string { return v.say(key, nil) }}
}

// stayError is an error while panels were removed, of which messages stay. They are said
// with it: those panels are forgotten, so that another try does not name them.
type stayError struct {
	error
	removal panel.Removal
}

func (e *stayError) Unwrap() error { return e.error }

// staying returns an error that also says where messages of removed panels stay, if any do.
func staying(err error, removal panel.Removal) error {
	if len(removal.Stays) == 0 {
		return err
	}
	return &stayError{err, removal}
}

// explanation is what an error means to its reader: what happened and what to do.
type explanation struct {
	text  string
	fault bool // staff should know of it
	links []discordgo.Button
}

// fault is an explanation of what support can help with.
func (v view) fault(text string) explanation {
	return explanation{text, true, []discordgo.Button{v.support(idTellSupport + v.asked.Reference)}}
}

// Explain says an error in the caller's own language. Where it is a fault, the reference
// by which staff find it stands below.
func (c *Commands) Explain(r *interaction.Request, err error) interaction.Explanation {
	v := c.view(r)
	e := v.explain(err)
	if again, found := v.toTryAgain(); found && mayPass(err) {
		e.links = append([]discordgo.Button{again}, e.links...)
	}
	rows := v.linkRow(e.links...)
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
	stay := ""
	if beside, ok := errors.AsType[*stayError](err); ok {
		stay = v.messagesStay(beside.removal)
	}
	embed.Description = paragraphs(v.heading(accounts.Snapshot{}, e.text), stay, reference)
	return interaction.Explanation{Message: v.draw("", embed, rows...).Message, Fault: e.fault}
}

// explain says an error to the reader.
func (v view) explain(err error) explanation {
	var (
		refused *refusal
		unshown *interaction.UnshownError
		untold  *untoldError
		unread  *unforgottenError
		service *hostapi.Error
	)
	switch {
	case errors.As(err, &unread):
		return explanation{text: v.aboutCustomer(unread.key), fault: true}
	case errors.As(err, &untold): // which may be what the service has caused
		return explanation{v.t.Text("error.untold"), true, []discordgo.Button{v.toSupport()}}
	case errors.As(err, &refused):
		e := explanation{text: refused.explain(v)}
		if refused.links != nil {
			e.links = refused.links(v)
		}
		return e
	case errors.As(err, &unshown):
		// Discord has refused words that hold the bot's name, its status or the service's
		// reason. These are our own alone.
		a := unshown.Action
		return v.fault(v.say("error.unshown."+string(saidAs(a.Outcome)), args{"Action": v.t.Text("log.action.title." + a.Name)}))
	case errors.As(err, &service):
		return v.explainService(service)
	}
	for _, known := range []struct {
		err   error
		key   string
		fault bool
	}{
		{interaction.ErrNoRoute, "error.gone", false},
		{interaction.ErrStopping, "error.stopping", false},
		{interaction.ErrBusy, "error.busy", false},
		{interaction.ErrUserBusy, "error.too_quick", false},
		{interaction.ErrBlocked, "error.blocked", true},
		{interaction.ErrNotBegun, "error.not_begun", true},
		{interaction.ErrOutcomeUnknown, "error.midway", true},
		{interaction.ErrTooSlow, "error.too_slow", true},
		{interaction.ErrUnacknowledged, "error.canceled", true},
		{interaction.ErrUnsent, "error.canceled", true},
		{interaction.ErrHandledElsewhere, "error.canceled", true},
	} {
		switch text := v.say(known.key, nil); {
		case !errors.Is(err, known.err):
		case known.fault:
			return v.fault(text)
		default:
			return explanation{text: text}
		}
	}
	return v.fault(v.t.Text("error.internal"))
}

// explainService says what the hosting service's refusal or silence means.
func (v view) explainService(e *hostapi.Error) explanation {
	when := v.t.Text("time.soon")
	if e.RetryAfter > 0 {
		when = v.at(time.Now().Add(e.RetryAfter))
	}
	text, said := v.say("error."+string(e.Code), args{"When": when}), v.serviceSays(e)
	switch {
	case e.Code == hostapi.CodeInvalid && e.Op == hostapi.OpDelete: // which sends nothing of what was entered
		return explanation{text: said}
	case e.Code == hostapi.CodeInvalid:
		return explanation{text: lines(text, said)}
	case e.Code == hostapi.CodeConflict && said != "": // it need not be that the bot is busy
		return explanation{said, true, nil}
	case isNoAccount(e):
		return explanation{v.say(v.errorKey("no_account"), nil), false, []discordgo.Button{v.toSignUp(), v.toPanel()}}
	case e.Code == hostapi.CodeNotOffered:
		return explanation{text, false, []discordgo.Button{v.toPanel()}}
	case e.Code == hostapi.CodeLimitReached:
		return explanation{lines(text, said), true, []discordgo.Button{v.toUpgrade()}}
	case e.Code == hostapi.CodeForbidden:
		return v.fault(lines(text, said))
	case e.Code == hostapi.CodeNotFound:
		return v.fault(v.say("error.gone", nil))
	case e.Code == hostapi.CodeUnavailable:
		// Support can do no more than wait.
		return explanation{v.say("error."+silenceOf(e), args{"When": when}), true, []discordgo.Button{v.toStatus()}}
	case e.Code == hostapi.CodeRateLimited, e.Code == hostapi.CodeCanceled, e.Code == hostapi.CodeConflict:
		return explanation{text, true, nil} // nobody need do anything
	}
	return v.fault(text)
}

// serviceSays is why the service refused, in its own words, or "".
func (v view) serviceSays(e *hostapi.Error) string {
	words := sanitize.Markdown(e.Words, commandLimit)
	if words == "" {
		return ""
	}
	return v.t.Format("create.reason", args{"Reason": words})
}

// lines joins texts of a line each, without those that are empty.
func lines(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "\n")
}

// silenceOf reports whether the hosting service is slow, is away, or is broken, which is
// that no use can be made of its answers. A gateway before it may be the one to say so.
// Without an error the service has not answered yet.
func silenceOf(err error) string {
	var e *hostapi.Error
	switch {
	case err == nil, errors.As(err, &e) && e.TimedOut:
		return "slow"
	case e == nil:
		return "away"
	}
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return "slow"
	case http.StatusBadGateway, http.StatusServiceUnavailable:
		return "away"
	}
	if e.Code == hostapi.CodeUnavailable && e.Status < http.StatusInternalServerError {
		return "away" // something else has answered, or the connection broke within the answer
	}
	return "broken"
}

// errorKey is the key of an error's text: staff read of the customer.
func (v view) errorKey(name string) string {
	if v.asked.ByStaff() {
		return "staff." + name
	}
	return "error." + name
}

// isNoAccount reports whether the service knows no account of the customer.
func isNoAccount(err error) bool {
	var e *hostapi.Error
	return errors.As(err, &e) && e.Code == hostapi.CodeNotFound && e.Op == hostapi.OpList
}
