package commands

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/safetext"
	"hostbot/bot/turns"
	"hostbot/hostapi"
	"hostbot/locale"
)

// Explain says an error in the caller's own language: what happened and what to
// do. Where it is a fault, the reference by which staff find it stands below.
func (c *Commands) Explain(r *interaction.Request, err error) interaction.Explanation {
	p := c.page(r)
	text, fault := p.sentence(err)
	embed := &discordgo.MessageEmbed{Description: text, Color: yellow}
	var unshown *interaction.UnshownError
	switch {
	case errors.As(err, &unshown): // the action itself may have gone well
		embed.Color = outcomeColor(unshown.Action.Outcome)
	case fault:
		embed.Title, embed.Color = p.t.Text("error.title"), red
	}
	if fault {
		embed.Description += "\n\n" + p.reference()
	}
	if p.header != "" {
		embed.Description = p.header + "\n\n" + embed.Description
	}
	return interaction.Explanation{
		Message: interaction.Message{Embeds: []*discordgo.MessageEmbed{embed}},
		Fault:   fault,
	}
}

// sentence says an error to who reads the page, and whether staff should know of
// it.
func (p *page) sentence(err error) (text string, fault bool) {
	text, fault = sentence(p.t, err)
	if p.request.ByStaff() {
		text = cmp.Or(staffSentence(p.t, err), text)
	}
	return text, fault
}

// sentence says an error to a customer, and whether staff should know of it.
func sentence(t *locale.Texts, err error) (text string, fault bool) {
	if text := refusal(t, err); text != "" {
		return text, false
	}
	var service *hostapi.Error
	var unshown *interaction.UnshownError
	switch {
	case errors.As(err, &unshown):
		return inShort(t, unshown.Action), true
	case errors.As(err, &service):
		return serviceError(t, service)
	case errors.Is(err, interaction.ErrIncomplete), errors.Is(err, interaction.ErrUnsupported):
		return t.Text("error.bad_input"), true
	case errors.Is(err, interaction.ErrBlocked):
		return t.Text("error.blocked"), true
	case errors.Is(err, interaction.ErrNotBegun):
		return t.Text("error.not_begun"), true
	case errors.Is(err, interaction.ErrMidway):
		return t.Text("error.midway"), true
	case errors.Is(err, interaction.ErrTooSlow):
		return t.Text("error.too_slow"), true
	case errors.Is(err, interaction.ErrUnacknowledged), errors.Is(err, interaction.ErrElsewhere):
		return t.Text("error.canceled"), true
	default:
		return t.Text("error.internal"), true
	}
}

// inShort says how an action ended in words of our own alone: Discord has refused
// those that hold the bot's name, its status or the service's reason.
func inShort(t *locale.Texts, a interaction.Action) string {
	return t.Format("error.unshown."+string(a.Outcome), args{"Action": t.Text("log.action.title." + a.Name)})
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

// refusal says what the caller asked for and can not have; "" where err is
// nothing of the kind.
func refusal(t *locale.Texts, err error) string {
	var (
		notFound  *notFoundError
		ambiguous *ambiguousError
		busy      *busyError
		limit     *turns.LimitError
		wrongName *wrongNameError
		full      *fullError
	)
	switch {
	case errors.As(err, &notFound):
		return notFound.say(t, "error.not_found_bot")
	case errors.As(err, &ambiguous):
		return ambiguous.say(t, "error.ambiguous")
	case errors.As(err, &busy) && busy.botName == "":
		return "⏳ " + t.Format("create.busy", args{"Since": relative(busy.turn.Since)})
	case errors.As(err, &busy):
		return underWay(t, busy.turn, busy.botName) + "\n" + t.Text("action.busy")
	case errors.As(err, &limit):
		return t.Format("action.limit", args{"When": relative(limit.Until)})
	case errors.As(err, &wrongName):
		return t.Format("error.wrong_name", args{"Name": wrongName.botName})
	case errors.As(err, &full):
		return fullPlan(t, full)
	case errors.Is(err, changedRoomError{}):
		return t.Text("create.changed")
	case errors.Is(err, badInputError{}):
		return t.Text("error.bad_input")
	case errors.Is(err, deniedError{}):
		return t.Text("staff.denied")
	case isLacking(err):
		return t.Text("error.not_offered")
	case errors.Is(err, goneError{}), errors.Is(err, interaction.ErrNoRoute):
		return t.Text("error.gone")
	case errors.Is(err, interaction.ErrStopping):
		return t.Text("error.stopping")
	case errors.Is(err, interaction.ErrBusy):
		return t.Text("error.busy")
	case errors.Is(err, interaction.ErrTooQuick):
		return t.Text("error.too_quick")
	default:
		return ""
	}
}

// say says what was looked for in vain, by the text of key, and what is much
// like it.
func (e *notFoundError) say(t *locale.Texts, key string) string {
	text := t.Format(key, args{"Name": orDash(safetext.Markdown(e.wanted, nameLimit))})
	if len(e.closest) > 0 {
		text += " " + t.Format("error.closest", args{"Choices": names(e.closest)})
	}
	return text
}

// say says, by the text of key, which bots have the name.
func (e *ambiguousError) say(t *locale.Texts, key string) string {
	return t.Format(key, args{"Name": orDash(safetext.Markdown(e.wanted, nameLimit)), "Choices": ids(e.found)})
}

// fullPlan says of which a plan has nothing left, as far as it limits that.
func fullPlan(t *locale.Texts, e *fullError) string {
	key, a := "create.full", e.list.Account
	if !e.room.limited {
		key = "create.full_ram"
	}
	return t.Format(key, args{
		"Plan": orDash(safetext.Markdown(a.PlanName, wordLimit)), "Bots": a.ServerCount, "Max": a.MaxServers, "RAM": t.Size(max(0, e.room.ramMB)),
		"Granted": t.Size(a.PlanRAMMB),
	})
}

// isNoAccount tells whether the service knows no account of the customer.
func isNoAccount(err error) bool {
	var e *hostapi.Error
	return errors.As(err, &e) && e.Code == hostapi.CodeNotFound && e.Op == hostapi.OpList
}

// names lists bots by their names.
func names(servers []hostapi.Server) string {
	var list []string
	for _, s := range servers {
		list = append(list, "**"+name(s)+"**")
	}
	return strings.Join(list, ", ")
}

// ids lists the IDs by which bots of one name can be told apart.
func ids(servers []hostapi.Server) string {
	const most = 5
	var list []string
	for _, s := range servers[:min(len(servers), most)] {
		list = append(list, orDash(safetext.Code(s.ID, nameLimit)))
	}
	if len(servers) > most {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}

// serviceError says what the hosting service's refusal or silence means.
func serviceError(t *locale.Texts, e *hostapi.Error) (text string, fault bool) {
	switch e.Code {
	case hostapi.CodeUnauthorized:
		return t.Text("error.unauthorized"), true
	case hostapi.CodeForbidden:
		return t.Text("error.forbidden"), true
	case hostapi.CodeNotFound:
		if isNoAccount(e) {
			return t.Text("error.no_account"), false
		}
		return t.Text("error.gone"), true
	case hostapi.CodeConflict:
		return t.Text("error.conflict"), true
	case hostapi.CodeLimitReached:
		return t.Text("error.limit"), true
	case hostapi.CodeRateLimited:
		return t.Format("error.rate_limited", args{"When": soon(t, e.RetryAfter)}), true
	case hostapi.CodeUnavailable:
		return t.Text("error.unavailable"), true
	case hostapi.CodeNotOffered:
		return t.Text("error.not_offered"), false
	case hostapi.CodeMalformed:
		return t.Text("error.malformed"), true
	case hostapi.CodeCanceled:
		return t.Text("error.canceled"), true
	default:
		return t.Text("error.internal"), true
	}
}

// soon says when to try again.
func soon(t *locale.Texts, in time.Duration) string {
	if in <= 0 {
		return t.Text("time.soon")
	}
	return relative(time.Now().Add(in))
}
