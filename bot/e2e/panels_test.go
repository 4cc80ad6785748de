package e2e_test

import (
	"context"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/bot/e2e/world"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

// manager lets a user manage messages, beside what everybody may do.
const manager = 0x7fcf98637ce41 | 1<<13

func redisURL(t *testing.T) string {
	t.Helper()
	return redistest.StartMiniredis(t).URL()
}

// paneled makes a world with anna, who has a panel of her bots in #general. stop ends
// the bot.
func paneled(t *testing.T, o world.Options) (w *world.World, anna *discordtest.User, general *discordtest.Channel, stop func() error) {
	t.Helper()
	o.Tune = watching
	w = world.New(t, o)
	w.Discord.User("anna", discordtest.Permissions(manager))
	anna = w.AddCustomer("anna", "Shop", "Radio", "Wiki")
	general = w.Discord.Channels()[0]
	stop = w.Start(t)
	panels := anna.Types(t, "/panel")
	panels.WaitFor(t, "You have no public panel yet")
	panels.Choose(t, "Choose bots for a panel in this channel", "Shop", "Radio").WaitFor(t, "The panel is there")
	general.WaitFor(t, "🟢 **Radio** · Running")
	return w, anna, general, stop
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
		w, anna, general, _ := paneled(t, world.Options{Redis: redis})
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

// TestPanelSurvivesARestart crashes a bot while no process runs.
func TestPanelSurvivesARestart(t *testing.T) {
	t.Parallel()
	w, anna, general, stop := paneled(t, world.Options{Redis: redisURL(t)})
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	crash(t, w, anna.ID, "id-shop")
	w.Start(t)
	general.WaitFor(t, "🔴 **Shop**")
	if n := len(general.Messages()); n != 1 {
		t.Errorf("%d messages are in the channel", n)
	}
	anna.Types(t, "/panel").WaitFor(t, "**1.** <#"+general.ID+"> · Shop, Radio")
}

func TestPanelIsRemovedByItsOwner(t *testing.T) {
	t.Parallel()
	w, anna, general, _ := paneled(t, world.Options{})
	panels := anna.Types(t, "/panel")
	panels.Choose(t, "Remove a panel", "Panel 1").WaitFor(t, "The panel was removed")
	if n := len(general.Messages()); n != 0 {
		t.Errorf("%d messages are in the channel", n)
	}
	ben := w.AddCustomer("ben", "Blog") // whose account goes on being looked at
	ben.Types(t, "/alerts").Press(t, "On for all").WaitFor(t, "Alerts are on")
	looks := func() (n int) {
		for _, r := range w.Service.Requests() {
			if r.Operation == hostapitest.OpList && r.UserID == anna.ID {
				n++
			}
		}
		return n
	}
	awaitLooks(t, w, 1) // the last one of anna's may have been under way
	before := looks()
	awaitLooks(t, w, 3)
	if n := looks(); n != before {
		t.Errorf("the account is looked at still: %d times", n-before)
	}
}

func TestPanelThatSomebodyDeletesIsForgotten(t *testing.T) {
	t.Parallel()
	w, anna, general, _ := paneled(t, world.Options{})
	if err := general.Delete(general.Messages()[0].ID); err != nil {
		t.Fatal(err)
	}
	crash(t, w, anna.ID, "id-shop")
	limit, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if !world.Eventually(limit, func() bool { return anna.Types(t, "/panel").View().Contains("no public panel yet") }) {
		t.Fatal("the panel is not forgotten")
	}
	if n := len(general.Messages()); n != 0 {
		t.Errorf("%d messages are in the channel", n)
	}
}

func TestPanelsNeedPermissions(t *testing.T) {
	t.Parallel()
	w, anna, general, _ := paneled(t, world.Options{})
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

func TestFlushRemovesPanels(t *testing.T) {
	t.Parallel()
	w, anna, general, _ := paneled(t, world.Options{Staff: true})
	sam := w.AddStaff("sam")
	flush(t, sam, anna)
	if n := len(general.Messages()); n != 0 {
		t.Errorf("%d messages are in the channel", n)
	}
	anna.Types(t, "/panel").WaitFor(t, "You have no public panel yet")
}
