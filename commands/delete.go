package commands

import (
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

// wrongNameError says that another name was typed than that of the bot which
// was to be deleted.
type wrongNameError struct{ botName string }

func (e *wrongNameError) Error() string { return "the name that was typed is not the bot's" }

// askDelete opens a modal in which the bot's name is to be typed: what is deleted
// can not be had back.
func (c *Commands) askDelete(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	bot, err := c.chosen(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	t := c.texts.For(r.Locale)
	return interaction.Open(&interaction.Dialog{
		CustomID: idDelete + handle(bot.server.ID),
		Title:    t.Text("modal.delete.title"),
		Components: []discordgo.MessageComponent{row(discordgo.TextInput{
			CustomID: inputName, Label: t.Text("modal.delete.name"), Style: discordgo.TextInputShort,
			Placeholder: plainName(bot.server, nameLimit), Required: true, MaxLength: inputLimit,
		})},
	}), nil
}

// remove deletes a bot whose name was typed.
func (c *Commands) remove(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	bot, err := c.chosen(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	if !isNamed(r.Fields[inputName], bot.server) {
		return interaction.Response{}, &wrongNameError{botName: name(bot.server)}
	}
	return c.begin(ctx, r, removal(), bot)
}

// isNamed tells whether what was typed is the name of a bot, but for case and
// space. However long or strange that is, what is shown of it will do as well.
func isNamed(typed string, s hostapi.Server) bool {
	typed = withoutSpace(typed)
	return typed != "" && (strings.EqualFold(typed, withoutSpace(s.Name)) || strings.EqualFold(typed, withoutSpace(plainName(s, nameLimit))))
}

func withoutSpace(text string) string { return strings.Join(strings.Fields(text), "") }

// removal deletes a bot and all that is in it.
func removal() action {
	return action{name: "delete", op: hostapi.OpDelete, outdates: true, removes: true, do: func(ctx context.Context, h Hosting, userID string, s hostapi.Server) (hostapi.Server, string, error) {
		return s, "", h.Delete(ctx, userID, s.ID)
	}}
}

// removed says that a bot is no more, and shows the way back.
func (p *page) removed(s hostapi.Server) interaction.Message {
	p.subject = idShow + handle(s.ID)
	embed := &discordgo.MessageEmbed{Description: p.notice, Color: grey}
	return interaction.Message{
		Embeds:     []*discordgo.MessageEmbed{embed},
		Components: []discordgo.MessageComponent{row(p.button(discordgo.SecondaryButton, "button.back", idPage+"0", false))},
	}
}
