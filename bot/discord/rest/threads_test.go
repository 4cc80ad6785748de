package rest_test

import (
	"net/http"
	"testing"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/secret"
)

// TestStartThreadTwice: an answer that was lost leads to no second thread, and to no error.
func TestStartThreadTwice(t *testing.T) {
	discord := discordtest.RunT(t, discordtest.Config{NoRateLimits: true})
	client := rest.New(secret.Text(discord.Token()), discord.URL())
	defer client.Close()
	support := discord.AddChannel("support")
	id, err := client.CreateMessage(t.Context(), support.ID, "once", interaction.Message{Content: "A failure"})
	if err != nil {
		t.Fatal(err)
	}
	discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteThreads, Times: 1, After: true, Reset: true})
	if err := client.StartThread(t.Context(), support.ID, id, "Shop"); err == nil {
		t.Fatal("the answer was to be lost")
	}
	if err := client.StartThread(t.Context(), support.ID, id, "Shop"); err != nil {
		t.Error(err)
	}
	if all := discord.Channels(); len(all) != 3 || all[2].ID != id || all[2].Name != "Shop" {
		t.Errorf("%d channels", len(all))
	}
	support.Deny(discordtest.CreatePublicThreads)
	if err := client.StartThread(t.Context(), support.ID, id, "Shop"); rest.CodeOf(err) != rest.CodeMissingPermissions {
		t.Errorf("without the permission: %v", err)
	}
}
