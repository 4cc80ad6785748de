package rest_test

import (
	"errors"
	"testing"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/secret"
)

// TestDroppedEmbedsAreNoSuccess: a message whose embeds Discord dropped is not the one that
// was sent, and is known by its ID.
func TestDroppedEmbedsAreNoSuccess(t *testing.T) {
	discord := discordtest.RunT(t, discordtest.Config{NoRateLimits: true})
	client := rest.New(secret.Text(discord.Token()), discord.URL())
	defer client.Close()
	log := discord.AddChannel("log")
	message := interaction.Message{Content: "Uptime", Embeds: []*discordgo.MessageEmbed{{Title: "Uptime"}, {Title: "Restarts"}}}

	log.Deny(discordtest.EmbedLinks)
	id, err := client.CreateMessage(t.Context(), log.ID, "once", message)
	if shown := log.Messages(); !rest.LacksEmbeds(err) || len(shown) != 1 || id != shown[0].ID {
		t.Fatalf("CreateMessage() = %q, %v; shown are %v", id, err, shown)
	}
	if e, ok := errors.AsType[*rest.Error](err); !ok || rest.IsTemporary(err) || e.Uncertain || rest.VerdictOf(err) == rest.Never {
		t.Errorf("the error is %+v", e)
	}
	if again, err := client.CreateMessage(t.Context(), log.ID, "once", message); again != id || !rest.LacksEmbeds(err) {
		t.Errorf("CreateMessage() again = %q, %v", again, err)
	}
	if err := client.EditMessage(t.Context(), log.ID, id, message); !rest.LacksEmbeds(err) {
		t.Errorf("EditMessage(): %v", err)
	}
	if err := client.EditMessage(t.Context(), log.ID, id, interaction.Message{Content: "Uptime"}); err != nil {
		t.Errorf("EditMessage() without embeds: %v", err)
	}

	log.Grant(discordtest.EmbedLinks)
	if err := client.EditMessage(t.Context(), log.ID, id, message); err != nil || len(log.Embeds()) != 2 {
		t.Errorf("EditMessage() with the permission: %v", err)
	}
}

// TestHiddenEmbedsAreNotMissing: who hides a message's embeds wants them gone.
func TestHiddenEmbedsAreNotMissing(t *testing.T) {
	client, _ := serve(t, answer(200, `{"id":"55","embeds":[],"flags":4}`))
	err := client.EditMessage(t.Context(), "33", "55", interaction.Message{Embeds: []*discordgo.MessageEmbed{{Title: "Uptime"}}})
	if err != nil {
		t.Error(err)
	}
}
