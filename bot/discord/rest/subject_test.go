package rest_test

import (
	"context"
	"fmt"
	"testing"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/secret"
)

// TestRefusalIsSortedByItsSubject has Discord give each answer to a message.
func TestRefusalIsSortedByItsSubject(t *testing.T) {
	discord := discordtest.RunT(t)
	discord.ExpectFailures()
	client := rest.New(secret.Text(discord.Token()), discord.URL())
	t.Cleanup(client.Close)
	for _, test := range []struct {
		status, code int
		want         rest.Subject
	}{
		{400, rest.CodeInvalidForm, rest.AboutMessage}, {400, 200000, rest.AboutMessage}, {400, 240000, rest.AboutMessage},
		{413, 40005, rest.AboutMessage}, {404, rest.CodeUnknownMessage, rest.AboutMessage},
		{403, rest.CodeCannotMessageUser, rest.AboutRecipient}, {400, rest.CodeCannotMessageUser, rest.AboutRecipient},
		{403, rest.CodeNoWayToUser, rest.AboutRecipient}, {404, rest.CodeUnknownUser, rest.AboutRecipient}, {400, rest.CodeInvalidRecipients, rest.AboutRecipient},
		{404, rest.CodeUnknownChannel, rest.AboutChannel}, {403, rest.CodeMissingAccess, rest.AboutChannel},
		{403, rest.CodeMissingPermissions, rest.AboutChannel}, {400, rest.CodeArchivedThread, rest.AboutChannel}, {403, 1, rest.AboutChannel},
		{403, rest.CodeQuarantined, rest.AboutUs}, {403, rest.CodeDMsTooFast, rest.AboutUs}, {403, rest.CodeUnknownMessage, rest.AboutUs},
		{401, 0, rest.AboutUs}, {403, rest.CodeInternalNetwork, rest.AboutUs}, {403, 0, rest.AboutUs},
		{401, rest.CodeInvalidWebhookToken, rest.AboutChannel},
		{429, 0, rest.Temporary}, {429, rest.CodeOldMessageEdits, rest.Temporary}, {500, 0, rest.Temporary}, {503, 0, rest.Temporary},
	} {
		remove := discord.Inject(discordtest.Fault{Status: test.status, Body: fmt.Sprintf(`{"code": %d, "message": "no"}`, test.code)})
		_, err := client.CreateMessage(t.Context(), "1", "n", interaction.Message{Content: "x"})
		remove()
		if got := rest.About(fmt.Errorf("wrapped: %w", err)); got != test.want || err == nil {
			t.Errorf("status %d, code %d is about %v, want %v (%v)", test.status, test.code, got, test.want, err)
		}
	}
	if got := rest.About(context.Canceled); got != rest.Temporary {
		t.Errorf("what is not Discord's is about %v", got)
	}
}
