package commands

import (
	"context"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

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
		return interaction.Response{}, &refusal{"the name that was typed is not the bot's", func(v view) string {
			return v.t.Format("error.wrong_name", args{"Name": name(b.server)})
		}}
	}
	return c.begin(ctx, r, deletion(), b)
}
