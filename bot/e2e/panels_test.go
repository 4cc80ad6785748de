package e2e_test

import (
	"context"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/bot/e2e/world"
	"hostbot/hostapi/redistest"
)

// manager lets a user manage messages, beside what everybody may do.
const manager = 0x7fcf98637ce41 | 1<<13

// paneled makes a world with anna, who has a panel of her bots in #general.
func paneled(t *testing.T, o world.Options) (w *world.World, anna *discordtest.User, general *discordtest.Channel) {
	t.Helper()
	o.Tune = watching
	w = world.New(t, o)
	w.Discord.User("anna", discordtest.Permissions(manager))
	anna = w.AddCustomer("anna", "Shop", "Radio", "Wiki")
	general = w.Discord.Channels()[0]
	w.Start(t)
	panels := anna.Types(t, "/panel")
	panels.WaitFor(t, "You have no public panel yet")
	panels.Choose(t, "Choose bots for a panel in this channel", "Shop", "Radio").WaitFor(t, "The panel is there")
	general.WaitFor(t, "🟢 **Radio** · Running")
	return w, anna, general
}

// clickPanel has somebody press the button of a bot on the panel.
func clickPanel(t *testing.T, who *discordtest.User, general *discordtest.Channel, label string) *discordtest.Reply {
	t.Helper()
	panel := general.WaitFor(t, "Status of the bots")
	button, err := panel.Button(label)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := who.In(general).Click(t.Context(), panel.ID, button.CustomID)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

func TestPanelFollowsItsBots(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		t.Parallel()
		w, anna, general := paneled(t, world.Options{Redis: redis})
		panel := general.WaitFor(t, "🟢 **Shop** · Running")
		if panel.Ephemeral || panel.Contains("512") || panel.Contains("Wiki") || len(panel.Buttons()) != 2 {
			t.Errorf("the panel says:\n%s", panel.Text())
		}
		awaitLooks(t, w, 2)
		crash(t, w, anna.ID, "id-shop")
		crashed := general.WaitFor(t, "🔴 **Shop** · Crashed · since <t:")
		if crashed.ID != panel.ID || !crashed.Contains("🟢 **Radio** · Running · at least since <t:") {
			t.Errorf("the panel says:\n%s", crashed.Text())
		}

		// Its buttons serve the owner alone.
		card := clickPanel(t, anna, general, "Shop")
		if v := card.WaitFor(t, "Limits: 512 MB RAM"); !v.Ephemeral {
			t.Error("everybody sees the card")
		}
		card = card.Press(t, "Restart")
		w.Finish(t)
		card.WaitFor(t, "**Shop** was restarted")
		general.WaitFor(t, "🟢 **Shop** · Running · since <t:")

		ben := w.AddCustomer("ben", "Blog")
		refused := clickPanel(t, ben, general, "Shop").WaitFor(t, "These buttons work for the one who put this panel here")
		if !refused.Ephemeral || refused.Contains("Limits") {
			t.Errorf("ben reads:\n%s", refused.Text())
		}
		if n := len(general.Messages()); n != 1 {
			t.Errorf("%d messages are in the channel", n)
		}
	})
}

func TestPanelsNeedPermissions(t *testing.T) {
	t.Parallel()
	w, anna, general := paneled(t, world.Options{})
	ben := w.AddCustomer("ben", "Blog")
	if _, err := ben.Start("/panel", nil); err == nil {
		t.Error("/panel is offered to somebody who may not manage messages")
	}
	if _, err := anna.InDM().Start("/panel", nil); err == nil {
		t.Error("/panel is offered in a direct message")
	}

	general.Allow(discordtest.MissingPermissions)
	anna.Types(t, "/panel").Choose(t, "Choose bots for a panel in this channel", "Wiki").WaitFor(t, "I need **View Channel**")
	general.Allow(discordtest.MissingAccess)
	crash(t, w, anna.ID, "id-shop")
	other := w.Discord.AddChannel("other")
	limit, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if !world.Eventually(limit, func() bool {
		return anna.In(other).Types(t, "/panel").View().Contains("⚠️ I need **View Channel**")
	}) {
		t.Fatalf("the owner reads:\n%s", anna.In(other).Types(t, "/panel").View().Text())
	}
	general.Allow(discordtest.FullAccess)
	anna.In(other).Types(t, "/panel") // which tries it again
	general.WaitFor(t, "🔴 **Shop**")
}
