package commands

import (
	"context"
	"strings"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
)

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
		return c.card(r, b, c.texts.For(r.Locale).Text("startup.unchanged")).draw(), nil
	}
	return c.begin(ctx, r, startup(wanted), b)
}

// startup changes how a bot is started from the next start on.
func startup(wanted hostapi.Startup) action {
	return action{name: "startup", op: hostapi.OpUpdateStartup, do: func(ctx context.Context, h Hosting, userID string, s hostapi.Server) (hostapi.Server, error) {
		changed, err := h.UpdateStartup(ctx, userID, s.ID, wanted)
		if err == nil {
			s.StartupCommand, s.EntryFile = changed.StartupCommand, changed.EntryFile
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
	if !isNamed(b.server, r.Fields[inputName]) {
		return interaction.Response{}, &refusal{reason: "the name that was typed is not the bot's", explain: func(v view) string {
			return v.t.Format("error.wrong_name", args{"Name": name(b.server)})
		}}
	}
	return c.begin(ctx, r, deletion(), b)
}

// isNamed tells whether the typed text is the name of a bot in upper and lower case, but
// for what cannot be seen. Of a long name the part that is shown will do as well.
func isNamed(s hostapi.Server, typed string) bool {
	typed = sanitize.Plain(typed, interaction.MaxInput)
	return typed != "" && (typed == plainName(s, interaction.MaxInput) || typed == plainName(s, nameLimit))
}
