package e2e_test

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
)

// TestHistoryOfAWatchedBot turns alerts on from the history of a bot that was not
// watched, and then sees an outage there.
func TestHistoryOfAWatchedBot(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{Tune: watching}, "Shop", "Radio")
	history := anna.Types(t, "/bot history")
	history.WaitFor(t, "Which bot's history do you want to see?")
	history = history.Choose(t, "Choose a bot", "Shop")
	history.WaitFor(t, "it isn't monitored")
	history.Press(t, "Alerts on for Shop").WaitFor(t, "Alerts are on")
	awaitLooks(t, w, 2)

	card := openShop(t, anna).Press(t, "More…")
	shown := card.Press(t, "History")
	wantPicture(t, shown.WaitFor(t, "24 h: **100%** · 7 days: **100%** · 30 days: **100%**"))
	shown.WaitFor(t, "No outages in the last 30 days")

	crash(t, w, anna.ID, "id-shop")
	awaitLooks(t, w, 3)
	broken := shown.Press(t, "Refresh").WaitFor(t, "1 outage in 30 days")
	wantPicture(t, broken)
	if !strings.Contains(broken.Text(), "ongoing") || strings.Contains(broken.Text(), "100%") {
		t.Errorf("the history says:\n%s", broken.Text())
	}
	w.Discord.LimitUploads(true) // the text says all, without the picture
	bare := anna.Types(t, "/bot history", discordtest.Options{"bot": "Shop"}).WaitFor(t, "1 outage in 30 days")
	if len(bare.Attachments) != 0 || bare.Embeds[0].Image != nil {
		t.Errorf("%d files, shown: %+v", len(bare.Attachments), bare.Embeds[0].Image)
	}

	if back := shown.Press(t, "Back to the bot").WaitFor(t, "Limits: 512 MB RAM"); len(back.Attachments) != 0 {
		t.Error("the picture stays below the card")
	}

	anna.SetLocale("tr")
	anna.Types(t, "/bot geçmiş", discordtest.Options{"bot": "Shop"}).WaitFor(t, "Shop: geçmiş")
}

// wantPicture fails unless a message shows a picture of moderate size.
func wantPicture(t *testing.T, v discordtest.View) {
	t.Helper()
	if len(v.Attachments) != 1 || v.Embeds[0].Image == nil || v.Embeds[0].Image.URL != v.Attachments[0].URL {
		t.Fatalf("%d files, shown: %+v", len(v.Attachments), v.Embeds[0].Image)
	}
	picture, err := png.DecodeConfig(bytes.NewReader(v.Attachments[0].Data))
	if err != nil || picture.Width < 600 || len(v.Attachments[0].Data) > 20_000 {
		t.Errorf("%+v, %d bytes: %v", picture, len(v.Attachments[0].Data), err)
	}
}
