package commands

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
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
// https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-response-object-modal
const maxFormTitle = 45

// filled makes the handler of a form that was filled in. The typed text is kept until
// the form has led to what it is for. Until then the form opens with it. An event that comes
// again after that keeps nothing, though the form is refused by then, such as for a plan that
// has become full.
func (c *Commands) filled(handle interaction.Handler) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		response, err := handle(ctx, r)
		if err != nil && c.hasActed(ctx, r, err) {
			return response, interaction.ErrHandledElsewhere
		}
		c.forms.Drafts.Keep(ctx, r.UserID, draftOf(r), r.Fields)
		if err != nil {
			return response, err
		}
		if response.Then == nil { // there was nothing to do
			c.forms.Drafts.Forget(ctx, r.UserID, draftOf(r))
			return response, nil
		}
		work := response.Then.Run
		response.Then.Run = func(ctx context.Context) (interaction.Response, error) {
			end, err := work(ctx)
			switch {
			case err != nil:
			case end.Action == nil, end.Action.Outcome == interaction.Done:
				c.forms.Drafts.Forget(ctx, r.UserID, draftOf(r))
			case end.Action.Outcome == interaction.Refused, end.Action.Outcome == interaction.Failed && mayBeSentAgain(end.Failure):
				end.Message.Components = append(end.Message.Components, c.view(r).toForm(r.Name))
			}
			return end, err
		}
		return response, nil
	}
}

// hasActed reports whether a form is refused of which the event has come before and has acted.
func (c *Commands) hasActed(ctx context.Context, r *interaction.Request, err error) bool {
	if refused, ok := errors.AsType[*refusal](err); ok && refused.decided {
		return false
	}
	return errors.Is(err, interaction.ErrHandledElsewhere) || c.actions.HasActed(ctx, r)
}

// mayBeSentAgain reports whether a form that failed may go well another time.
func mayBeSentAgain(err error) bool {
	if refused, ok := errors.AsType[*refusal](err); ok {
		return !refused.final
	}
	if _, untold := errors.AsType[*untoldError](err); untold {
		return true
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

// The custom IDs of the inputs of forms.
const (
	inputCommand = "command"
	inputEntry   = "entry"
	inputName    = "name"
)

// badInput refuses what was entered as the option of a command.
func badInput() error { return refuse("what was entered cannot be used", "error.bad_input") }

// askStartup opens a form with how a bot is started today.
func (c *Commands) askStartup(ctx context.Context, r *interaction.Request, b bot) (interaction.Response, error) {
	v, today, typed := c.view(r), startupOf(b.server), c.typed(ctx, r)
	return interaction.Open(&interaction.Dialog{
		CustomID: idStartup + botKey(b.server.ID),
		Title:    v.t.Text("modal.startup.title"),
		Fields: []interaction.Field{
			v.formField("modal.startup.command", "modal.startup.command_hint", interaction.TextInput(inputCommand, typed.or(inputCommand, today.Command), true)),
			v.formField("modal.startup.entry", "modal.startup.entry_hint", interaction.TextInput(inputEntry, typed.or(inputEntry, today.EntryFile), true)),
		},
	}), nil
}

// startupOf returns how a bot is started, as it is shown and compared.
func startupOf(s hostapi.Server) hostapi.Startup {
	return hostapi.Startup{Command: strings.TrimSpace(s.StartupCommand), EntryFile: strings.TrimSpace(s.EntryFile)}
}

// changeStartup changes how a bot is started to what was entered.
func (c *Commands) changeStartup(ctx context.Context, r *interaction.Request, b bot) (interaction.Response, error) {
	wanted := enteredStartup(r)
	if err := checkStartup(wanted); err != nil {
		return interaction.Response{}, err
	}
	if wanted == startupOf(b.server) {
		v := c.view(r)
		notice := strings.TrimSpace(v.t.Text("startup.unchanged") + "\n" + v.smartNote(wanted))
		return v.offerPlain(c.card(ctx, r, b, notice).draw(), wanted, b.server.ID), nil
	}
	return c.begin(ctx, r, startup(wanted), b)
}

// startup changes how a bot is started from the next start on.
func startup(wanted hostapi.Startup) action {
	return action{name: "startup", op: hostapi.OpUpdateStartup, do: func(ctx context.Context, h Hosting, userID string, s hostapi.Server) (hostapi.Server, error) {
		changed, err := h.UpdateStartup(ctx, userID, s.ID, wanted)
		if err == nil {
			s.StartupCommand, s.EntryFile = cmp.Or(changed.StartupCommand, wanted.Command), cmp.Or(changed.EntryFile, wanted.EntryFile)
		}
		return s, err
	}}
}

// deletion deletes a bot and all that is in it.
func deletion() action {
	return action{name: "delete", op: hostapi.OpDelete, do: func(ctx context.Context, h Hosting, userID string, s hostapi.Server) (hostapi.Server, error) {
		return s, h.Delete(ctx, userID, s.ID)
	}}
}

// askDelete has the bot's name typed: a bot that was deleted cannot be had back.
func (c *Commands) askDelete(ctx context.Context, r *interaction.Request, b bot) (interaction.Response, error) {
	v := c.view(r)
	typedName := interaction.TextInput(inputName, c.typed(ctx, r).or(inputName, ""), true)
	typedName.Placeholder = plainName(b.server, nameLimit)
	return interaction.Open(&interaction.Dialog{
		CustomID: idDelete + botKey(b.server.ID),
		Title:    v.formTitle("modal.delete.title", b.server),
		Fields:   []interaction.Field{v.formField("modal.delete.name", "modal.delete.hint", typedName)},
	}), nil
}

// delete deletes a bot whose name was typed.
func (c *Commands) delete(ctx context.Context, r *interaction.Request, b bot) (interaction.Response, error) {
	if !isNamed(b, r.Fields[inputName]) {
		return interaction.Response{}, &refusal{reason: "the name that was typed is not the bot's", explain: func(v view) string {
			return v.t.Format("error.wrong_name", args{"Name": name(b.server)})
		}}
	}
	return c.begin(ctx, r, deletion(), b)
}

// isNamed reports whether the typed text is the name of a bot in upper and lower case, but for what
// cannot be seen. Of a long name the part that is shown will do as well. A text that looks like the
// name will do too, as a keyboard may not have each of its characters, unless it looks like another
// bot's as well.
func isNamed(b bot, typed string) bool {
	shown, skeleton := sanitize.Plain(typed, interaction.MaxInput), sanitize.Skeleton(typed, interaction.MaxInput)
	alike := func(s hostapi.Server) bool {
		return skeleton == sanitize.Skeleton(s.Name, interaction.MaxInput) || skeleton == sanitize.Skeleton(plainName(s, nameLimit), interaction.MaxInput)
	}
	switch {
	case shown == "" || skeleton == "":
		return false
	case shown == plainName(b.server, interaction.MaxInput), shown == plainName(b.server, nameLimit):
		return true
	}
	return alike(b.server) && !slices.ContainsFunc(b.known.List.Servers, func(s hostapi.Server) bool { return s.ID != b.server.ID && alike(s) })
}
