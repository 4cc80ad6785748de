package main

import (
	"fmt"
	"strings"

	"github.com/disgoorg/disgo/discord"
	"github.com/disgoorg/disgo/handler"
)

var items = []string{"apple", "apricot", "banana"}

func completeItem(e *handler.AutocompleteEvent) error {
	choices := []discord.AutocompleteChoice{}
	for _, item := range items {
		if strings.HasPrefix(item, e.Data.String("item")) {
			choices = append(choices, discord.AutocompleteChoiceString{Name: item, Value: item})
		}
	}
	return e.AutocompleteResult(choices)
}

func createOrder(data discord.SlashCommandInteractionData, e *handler.CommandEvent) error {
	amount, given := data.OptInt("amount")
	if !given {
		amount = 1
	}
	text := fmt.Sprintf("%d × %s for %s", amount, data.String("item"), recipient(data, e))
	if data.Bool("express") {
		text += ", express"
	}
	return e.CreateMessage(discord.NewMessageCreate().WithContent(text).AddActionRow(
		discord.NewSuccessButton("Confirm", "/order/confirm"),
		discord.NewPrimaryButton("Ship", "/order/ship"),
		discord.NewSecondaryButton("Comment", "/order/comment"),
	).AddActionRow(
		discord.NewStringSelectMenu("/order/size", "Size",
			discord.NewStringSelectMenuOption("Small", "small"),
			discord.NewStringSelectMenuOption("Large", "large"),
		),
	))
}

func recipient(data discord.SlashCommandInteractionData, e *handler.CommandEvent) string {
	if user, given := data.OptUser("recipient"); given {
		return user.Username
	}
	return e.User().Username
}

func showStatus(data discord.SlashCommandInteractionData, e *handler.CommandEvent) error {
	if err := e.DeferCreateMessage(true); err != nil {
		return err
	}
	_, err := e.UpdateInteractionResponse(discord.NewMessageUpdate().WithEmbeds(
		discord.NewEmbed().
			WithTitlef("Order %d", data.Int("number")).
			WithDescription("On its way").
			AddField("Language", e.Locale().Code(), true).
			WithColor(0x3ba55d),
	))
	return err
}

func confirm(_ discord.ButtonInteractionData, e *handler.ComponentEvent) error {
	return e.UpdateMessage(discord.NewMessageUpdate().WithContent("Confirmed: " + e.Message.Content).ClearComponents())
}

func chooseSize(_ discord.SelectMenuInteractionData, e *handler.ComponentEvent) error {
	size := e.StringSelectMenuInteractionData().Values[0]
	return e.UpdateMessage(discord.NewMessageUpdate().WithContent(e.Message.Content + ", " + size))
}

// ship edits the order and sends two follow-ups, the second of which it deletes.
func ship(_ discord.ButtonInteractionData, e *handler.ComponentEvent) error {
	if err := e.DeferUpdateMessage(); err != nil {
		return err
	}
	if _, err := e.UpdateInteractionResponse(discord.NewMessageUpdate().WithContent("Shipped")); err != nil {
		return err
	}
	order, err := e.GetInteractionResponse()
	if err != nil {
		return err
	}
	receipt := discord.NewMessageCreate().WithContent("Receipt: " + order.Content).WithEphemeral(true)
	if _, err := e.CreateFollowupMessage(receipt); err != nil {
		return err
	}
	packing, err := e.CreateFollowupMessage(discord.NewMessageCreate().WithContent("Packing"))
	if err != nil {
		return err
	}
	return e.DeleteFollowupMessage(packing.ID)
}

func askComment(_ discord.ButtonInteractionData, e *handler.ComponentEvent) error {
	return e.Modal(discord.NewModalCreate("/order/comment", "Comment",
		discord.NewLabel("Text", discord.NewParagraphTextInput("text").WithRequired(true).WithValue("Nice")),
	))
}

func comment(e *handler.ModalEvent) error {
	return e.UpdateMessage(discord.NewMessageUpdate().WithContent("Comment: " + e.Data.Text("text")))
}
