package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/disgoorg/disgo/discord"
	"github.com/disgoorg/disgo/handler"
	"github.com/disgoorg/disgo/rest"
	"github.com/disgoorg/snowflake/v2"
)

func announce(data discord.SlashCommandInteractionData, e *handler.CommandEvent) error {
	channelID := e.Channel().ID()
	if channel, given := data.OptChannel("channel"); given {
		channelID = channel.ID
	}
	message := discord.NewMessageCreate().WithContent(data.String("text"))
	message.Nonce, message.EnforceNonce = e.ID().String(), true
	sent, err := e.Client().Rest.CreateMessage(channelID, message)
	var refused *rest.Error
	if errors.As(err, &refused) {
		return e.CreateMessage(ephemeral(fmt.Sprintf("Refused with code %d", refused.Code)))
	}
	if err != nil {
		return err
	}
	return e.CreateMessage(ephemeral(fmt.Sprintf("Sent with nonce %s", sent.Nonce)))
}

func askFeedback(_ discord.SlashCommandInteractionData, e *handler.CommandEvent) error {
	return e.Modal(discord.NewModalCreate("/feedback", "Feedback",
		discord.NewLabel("Subject", discord.NewShortTextInput("subject").WithRequired(true).WithMaxLength(50)),
		discord.NewLabel("Details", discord.NewParagraphTextInput("details").WithPlaceholder("As you like")),
	))
}

func feedback(e *handler.ModalEvent) error {
	return e.CreateMessage(ephemeral(fmt.Sprintf("Thanks for %s: %q", e.Data.Text("subject"), e.Data.Text("details"))))
}

func count(data discord.SlashCommandInteractionData, e *handler.CommandEvent) error {
	if err := e.CreateMessage(discord.NewMessageCreate().WithContent("0")); err != nil {
		return err
	}
	for n := range data.Int("to") {
		if _, err := e.CreateFollowupMessage(discord.NewMessageCreate().WithContent(strconv.Itoa(n + 1))); err != nil {
			return err
		}
	}
	return nil
}

// help lists each command with its options.
func help(_ discord.SlashCommandInteractionData, e *handler.CommandEvent) error {
	registered, err := e.Client().Rest.GetGlobalCommands(e.ApplicationID(), false)
	if err != nil {
		return err
	}
	lines := []string{}
	for _, command := range registered {
		line := command.Name()
		if slash, ok := command.(discord.SlashCommand); ok {
			for _, option := range slash.Options {
				line += " " + option.OptionName()
			}
		}
		lines = append(lines, line)
	}
	return e.CreateMessage(ephemeral(strings.Join(lines, "\n")))
}

func greet(data discord.UserCommandInteractionData, e *handler.CommandEvent) error {
	target := data.TargetUser()
	dm, err := e.Client().Rest.CreateDMChannel(target.ID)
	if err != nil {
		return err
	}
	greeting := discord.NewMessageCreate().WithContentf("Greetings from %s", e.User().Username)
	if _, err := e.Client().Rest.CreateMessage(dm.ID(), greeting); err != nil {
		return err
	}
	return e.CreateMessage(discord.NewMessageCreate().
		WithContent("Greeted " + target.Mention()).
		WithAllowedMentions(&discord.AllowedMentions{Users: []snowflake.ID{target.ID}}))
}

func ephemeral(text string) discord.MessageCreate {
	return discord.NewMessageCreate().WithContent(text).WithEphemeral(true)
}
