package commands

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

// The custom IDs of the inputs of modals.
const (
	inputCommand = "command"
	inputEntry   = "entry"
	inputName    = "name"
)

// inputLimit is how many characters Discord takes in a text input.
const inputLimit = 4000

// badInput refuses what was entered in a modal.
func badInput() error { return refuse("what was entered cannot be used", "error.bad_input") }

// askStartup opens a modal with how a bot is started today.
func (c *Commands) askStartup(_ context.Context, r *interaction.Request, b bot) (interaction.Response, error) {
	t, today := c.texts.For(r.Locale), startupOf(b.server)
	return interaction.Open(&interaction.Dialog{
		CustomID: idStartup + botKey(b.server.ID),
		Title:    t.Text("modal.startup.title"),
		Components: []discordgo.MessageComponent{
			input(inputCommand, t.Text("modal.startup.command"), today.Command),
			input(inputEntry, t.Text("modal.startup.entry"), today.EntryFile),
		},
	}), nil
}

// startupOf returns how a bot is started, as it is shown and compared.
func startupOf(s hostapi.Server) hostapi.Startup {
	return hostapi.Startup{Command: strings.TrimSpace(s.StartupCommand), EntryFile: strings.TrimSpace(s.EntryFile)}
}

// input is something to be filled in: a line, or several where the value has as
// many. A value that is too long for Discord is left out, as it could only come
// back cut off.
func input(customID, label, value string) discordgo.MessageComponent {
	if utf8.RuneCountInString(value) > inputLimit {
		value = ""
	}
	style := discordgo.TextInputShort
	if strings.ContainsAny(value, "\r\n") {
		style = discordgo.TextInputParagraph
	}
	return row(discordgo.TextInput{
		CustomID: customID, Label: label, Style: style, Value: value, Required: true, MaxLength: inputLimit,
	})
}

// changeStartup changes how a bot is started to what was entered.
func (c *Commands) changeStartup(ctx context.Context, r *interaction.Request, b bot) (interaction.Response, error) {
	wanted := hostapi.Startup{Command: strings.TrimSpace(r.Fields[inputCommand]), EntryFile: strings.TrimSpace(r.Fields[inputEntry])}
	if wanted.Command == "" || wanted.EntryFile == "" {
		return interaction.Response{}, badInput()
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

// askDelete opens a modal in which the bot's name is to be typed: a bot that was
// deleted cannot be had back.
func (c *Commands) askDelete(_ context.Context, r *interaction.Request, b bot) (interaction.Response, error) {
	t := c.texts.For(r.Locale)
	return interaction.Open(&interaction.Dialog{
		CustomID: idDelete + botKey(b.server.ID),
		Title:    t.Text("modal.delete.title"),
		Components: []discordgo.MessageComponent{row(discordgo.TextInput{
			CustomID: inputName, Label: t.Text("modal.delete.name"), Style: discordgo.TextInputShort,
			Placeholder: plainName(b.server, nameLimit), Required: true, MaxLength: inputLimit,
		})},
	}), nil
}

// delete deletes a bot whose name was typed.
func (c *Commands) delete(ctx context.Context, r *interaction.Request, b bot) (interaction.Response, error) {
	if !isCalled(b.server, r.Fields[inputName]) {
		return interaction.Response{}, &refusal{reason: "the name that was typed is not the bot's", explain: func(v view) string {
			return v.t.Format("error.wrong_name", args{"Name": name(b.server)})
		}}
	}
	return c.begin(ctx, r, deletion(), b)
}
