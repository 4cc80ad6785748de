package commands

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

// idAgain begins the custom ID of a button that gives a command again. The command's name and its
// option bot follow.
const idAgain = "again/"

// askedAgain serves the button that gives a command again.
func askedAgain(table []command) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		i := slices.IndexFunc(table, func(cmd command) bool { return cmd.name == r.Params["command"] })
		if i < 0 {
			return interaction.Response{}, interaction.ErrNoRoute
		}
		given := *r
		given.Kind, given.Name, given.Params = interaction.Command, table[i].name, nil
		given.Options = map[string]string{optionBot: r.Params["bot"]}
		return table[i].handle(ctx, &given)
	}
}

// mayPass reports whether what failed may go well another time, though nobody does anything, and
// certainly nothing was done.
func mayPass(err error) bool {
	if refused, ok := errors.AsType[*refusal](err); ok {
		return refused.passes
	}
	if _, untold := errors.AsType[*untoldError](err); untold { // support is told of a failure once
		return true
	}
	if service, ok := errors.AsType[*hostapi.Error](err); ok {
		switch service.Code {
		case hostapi.CodeForbidden, hostapi.CodeInvalid, hostapi.CodeLimitReached, hostapi.CodeNotFound, hostapi.CodeNotOffered:
			return false
		}
		return !service.Uncertain
	}
	if _, done := errors.AsType[*interaction.UnshownError](err); done {
		return false
	}
	return !slices.ContainsFunc([]error{
		interaction.ErrNoRoute, interaction.ErrBlocked, interaction.ErrNotBegun, interaction.ErrOutcomeUnknown,
		interaction.ErrUnacknowledged, interaction.ErrHandledElsewhere,
	}, func(stays error) bool { return errors.Is(err, stays) })
}

// toTryAgain returns the button that asks for the same again as the request did, if there is such
// a one: what was chosen in some menus and filled into a form is not repeated. Staff type again.
func (v view) toTryAgain() (button discordgo.Button, found bool) {
	id := v.againID()
	if id == "" || len(id) > maxCustomID || strings.HasPrefix(v.asked.Name, "admin ") || strings.HasPrefix(v.asked.Name, onBehalf) {
		return discordgo.Button{}, false
	}
	return discordgo.Button{Style: discordgo.PrimaryButton, Label: v.t.Text("button.again"), CustomID: id}, true
}

// maxCustomID is how many characters Discord takes as a custom ID
// (https://discord.com/developers/docs/components/reference#anatomy-of-a-component).
const maxCustomID = 100

// againID returns the custom ID of a button that asks for the same as the request, or "".
func (v view) againID() string {
	r := v.asked
	bot := strings.TrimSpace(r.Options[optionBot])
	switch {
	case r.Kind == interaction.Command && r.TargetID == "" && bot == botKey(bot):
		return idAgain + r.Name + "/" + bot
	case r.Kind != interaction.Component:
		return ""
	case len(r.Values) == 0: // a button
		return r.Name
	case r.Name == idOpen:
		return idShow + r.Value()
	case r.Name == idPages:
		return idList + r.Value()
	case r.Name == idPanelNew, r.Name == idPanelOpen:
		return idAgain + "panel/"
	case r.Name == idAlerts:
		return idAgain + "alerts/"
	case strings.HasPrefix(r.Name, idCreate):
		return idSizes
	}
	return r.Name + "/" + r.Value() // as each other menu of bots has it
}
