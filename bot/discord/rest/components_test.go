package rest_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/bwmarrin/discordgo"
	"github.com/google/go-cmp/cmp"

	"hostbot/bot/interaction"
)

// TestComponentsAreSentAsDiscordgoSendsThem, but for what an option has not.
func TestComponentsAreSentAsDiscordgoSendsThem(t *testing.T) {
	row := func(parts ...discordgo.MessageComponent) discordgo.ActionsRow {
		return discordgo.ActionsRow{Components: parts}
	}
	components := []discordgo.MessageComponent{
		row(
			discordgo.Button{Label: "Refresh", Style: discordgo.SecondaryButton, CustomID: "list/0", Emoji: &discordgo.ComponentEmoji{Name: "🟢"}},
			discordgo.Button{Label: "Read", Style: discordgo.LinkButton, URL: "https://example.com", Disabled: true},
		),
		row(discordgo.SelectMenu{
			MenuType: discordgo.StringSelectMenu, CustomID: "open", Placeholder: "Open a bot",
			Options: []discordgo.SelectMenuOption{{Label: "Shop", Value: "1", Description: "Running", Default: true}},
		}),
		row(discordgo.SelectMenu{MenuType: discordgo.UserSelectMenu, CustomID: "user"}),
		discordgo.TextDisplay{Content: "text"},
	}
	encoded, err := json.Marshal(components)
	if err != nil {
		t.Fatal(err)
	}
	client, requests := serve(t, noContent)
	if err := client.Respond(t.Context(), to, interaction.Reply(interaction.Message{Components: components})); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Data struct {
			Components any `json:"components"`
		} `json:"data"`
	}
	var want any
	if err := errors.Join(json.Unmarshal([]byte((<-requests).Body), &got), json.Unmarshal(encoded, &want)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.Data.Components); diff != "" {
		t.Errorf("components (-discordgo +sent):\n%s", diff)
	}
}
