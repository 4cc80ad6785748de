package commands

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

// Drafts keeps what a user typed into a form until the form has served its purpose.
type Drafts interface {
	Keep(ctx context.Context, userID, form string, fields map[string]string)
	Fields(ctx context.Context, userID, form string) map[string]string
	Forget(ctx context.Context, userID, form string)
}

// Forms is what forms need.
type Forms struct {
	Drafts    Drafts
	Languages []hostapi.Language // that are offered for a new bot; one at least
}

// maxFormTitle is how many characters Discord takes in the title of a form.
const maxFormTitle = 45

// filled makes the handler of a form that was filled in. What was typed is kept until
// the form has led to what it is for. Until then the form opens with it.
func (c *Commands) filled(handle interaction.Handler) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		c.forms.Drafts.Keep(ctx, r.UserID, draftOf(r), r.Fields)
		response, err := handle(ctx, r)
		if err != nil {
			return response, err
		}
		work := response.Then
		if work == nil { // there was nothing to do
			c.forms.Drafts.Forget(ctx, r.UserID, draftOf(r))
			return response, nil
		}
		response.Then = func(ctx context.Context) (interaction.Response, error) {
			end, err := work(ctx)
			switch {
			case err != nil || end.Action == nil:
			case end.Action.Outcome == interaction.Done:
				c.forms.Drafts.Forget(ctx, r.UserID, draftOf(r))
			case end.Action.Outcome == interaction.Failed && mayBeSentAgain(end.Failure):
				end.Message.Components = append(end.Message.Components, c.view(r).toForm(r.Name))
			}
			return end, err
		}
		return response, nil
	}
}

// mayBeSentAgain tells whether a form that failed may go well another time.
func mayBeSentAgain(err error) bool {
	if refused, ok := errors.AsType[*refusal](err); ok {
		return !refused.final
	}
	service, ok := errors.AsType[*hostapi.Error](err)
	return ok && service.Code != hostapi.CodeNotFound && service.Code != hostapi.CodeNotOffered
}

// toForm is a row with the way back to a form, which a button of its custom ID opens.
func (v view) toForm(customID string) discordgo.ActionsRow {
	return row(v.button(discordgo.PrimaryButton, "button.form", customID, false))
}

// draftOf names a form among drafts. That of a new bot does not depend on its sizes.
func draftOf(r *interaction.Request) string {
	if strings.HasPrefix(r.Name, idCreate) {
		return idCreate
	}
	return r.Name
}

// typed are the values with which a form opens: those that were typed before, if any.
type typed map[string]string

// typed is what was typed into the form that a button opens. A command opens it afresh.
func (c *Commands) typed(ctx context.Context, r *interaction.Request) typed {
	if r.Kind != interaction.Component {
		return nil
	}
	return c.forms.Drafts.Fields(ctx, r.UserID, draftOf(r))
}

// or returns what was typed into an input, or else a value for it.
func (t typed) or(input, value string) string {
	if entered, ok := t[input]; ok {
		return entered
	}
	return value
}

// missing refuses a form in which a field is empty, or holds what is not offered.
func missing(label string) error {
	return &refusal{reason: "a field of a form is empty", explain: func(v view) string {
		return v.t.Format("error.missing", args{"Field": v.t.Text(label)})
	}}
}

// formTitle is the title of a form that names a bot. A long name is cut to fit.
func (v view) formTitle(key string, s hostapi.Server) string {
	room := maxFormTitle - utf8.RuneCountInString(v.t.Format(key, args{"Bot": ""}))
	return v.t.Format(key, args{"Bot": plainName(s, room)})
}

// formField is an input with its label and, where there is one, a description below it.
func (v view) formField(label, description string, input interaction.Input) interaction.Field {
	f := interaction.Field{Label: v.t.Text(label), Input: input}
	if description != "" {
		f.Description = v.t.Text(description)
	}
	return f
}

// enteredStartup returns how a bot is to be started by what was entered.
func enteredStartup(r *interaction.Request) hostapi.Startup {
	return hostapi.Startup{Command: strings.TrimSpace(r.Fields[inputCommand]), EntryFile: strings.TrimSpace(r.Fields[inputEntry])}
}

// checkStartup refuses a startup of which a part is missing.
func checkStartup(s hostapi.Startup) error {
	switch {
	case s.Command == "":
		return missing("modal.startup.command")
	case s.EntryFile == "":
		return missing("modal.startup.entry")
	}
	return nil
}
