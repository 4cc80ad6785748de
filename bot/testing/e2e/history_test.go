package e2e_test

import (
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
)

// TestHistoryIsToldWithoutItsPicture has Discord take no files after a while.
func TestHistoryIsToldWithoutItsPicture(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{Tune: watching}, "Shop")
	asked := discordtest.Options{"bot": "Shop"}
	anna.Types(t, "/bot history", asked).Press(t, "Alerts on for Shop").WaitFor(t, "Alerts are on")
	awaitLooks(t, w, 2)
	shown := anna.Types(t, "/bot history", asked).WaitFor(t, "No outages in the last 30 days")
	if len(shown.Attachments) != 1 || shown.Embeds[0].Image == nil || shown.Embeds[0].Image.URL != shown.Attachments[0].URL {
		t.Errorf("%d files, shown: %+v", len(shown.Attachments), shown.Embeds[0].Image)
	}
	w.Discord.LimitUploads(true)
	bare := anna.Types(t, "/bot history", asked).WaitFor(t, "No outages in the last 30 days")
	if len(bare.Attachments) != 0 || bare.Embeds[0].Image != nil {
		t.Errorf("%d files, shown: %+v", len(bare.Attachments), bare.Embeds[0].Image)
	}
}
