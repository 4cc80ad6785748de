package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/bot/testing/patience"
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
	panels.WaitFor(t, "You don't have a public panel yet")
	panels.Choose(t, "Choose bots for a panel here", "Shop", "Radio").Press(t, "Continue").Submit(t, nil).WaitFor(t, "Panel posted")
	general.WaitFor(t, "🟢 **Radio** · Running")
	return w, anna, general
}

// clickPanel has somebody press a button of the panel.
func clickPanel(t *testing.T, who *discordtest.User, general *discordtest.Channel, label string) *discordtest.Reply {
	t.Helper()
	return press(t, who, general, general.WaitFor(t, "Bot status"), label)
}

// press has somebody press a button of a message in a channel.
func press(t *testing.T, who *discordtest.User, general *discordtest.Channel, panel discordtest.View, label string) *discordtest.Reply {
	t.Helper()
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
	redis := redistest.StartMiniredis(t).URL()
	w, anna, general := paneled(t, world.Options{Redis: redis})
	panel := general.WaitFor(t, "🟢 **Shop** · Running")
	if panel.Ephemeral || panel.Contains("MB") || panel.Contains("Wiki") || len(panel.Buttons()) != 2 {
		t.Errorf("the panel says:\n%s", panel.Text())
	}
	awaitLooks(t, w, 2)
	crash(t, w, anna.ID, "id-shop")
	crashed := general.WaitFor(t, "🔴 **Shop** · Crashed · <t:")
	if crashed.ID != panel.ID || !crashed.Contains("🟢 **Radio** · Running\n") || !crashed.Contains("Monitored since <t:") {
		t.Errorf("the panel says:\n%s", crashed.Text())
	}

	if !crashed.Contains("**1 of 2 is down**") {
		t.Errorf("the panel says:\n%s", crashed.Text())
	}

	// The owner alone manages it.
	managed := clickPanel(t, anna, general, "Manage")
	if v := managed.WaitFor(t, "1\\. Shop"); !v.Ephemeral {
		t.Error("everybody sees how it is managed")
	}
	managed.Press(t, "Edit title").Submit(t, discordtest.Fields{"name": "Our bots"}).WaitFor(t, "Saved")
	general.WaitFor(t, "Our bots")
	card := anna.Types(t, "/bot show", discordtest.Options{"bot": "Shop"})
	card.WaitFor(t, "Limits: 512 MB RAM")
	card = card.Press(t, "Restart")
	w.Finish(t)
	card.WaitFor(t, "✅ Restarted")
	general.WaitFor(t, "🟢 **Shop** · Running · since <t:")

	ben := w.AddCustomer("ben", "Blog")
	refused := press(t, ben, general, general.WaitFor(t, "Our bots"), "Manage").WaitFor(t, "Only the person who posted this panel can manage it")
	if !refused.Ephemeral || refused.Contains("Shop") {
		t.Errorf("ben reads:\n%s", refused.Text())
	}
	if n := len(general.Messages()); n != 1 {
		t.Errorf("%d messages are in the channel", n)
	}
}

// TestPanelInAThreadTakesAPermissionOfItsOwn: what the owner reads names it.
func TestPanelInAThreadTakesAPermissionOfItsOwn(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Options{Tune: watching})
	w.Discord.User("anna", discordtest.Permissions(manager))
	anna := w.AddCustomer("anna", "Shop")
	thread := w.Discord.AddChannel("a thread")
	thread.Allow(discordtest.MissingThreadPermission)
	w.Start(t)
	panels, err := anna.In(thread).Start("/panel", nil)
	if err != nil {
		t.Fatal(err)
	}
	panels.WaitFor(t, "**Send Messages in Threads**")
}

// TestNothingIsLeftOfWhoWasWatched turns alerts off and removes a panel, or has staff do
// that, which takes with it what was kept for them: the states of bots, alerts, and when
// the next look is due. Of who turned alerts off the DM's channel is kept for a while.
func TestNothingIsLeftOfWhoWasWatched(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, w *world.World, anna *discordtest.User){
		"by the customer": func(t *testing.T, _ *world.World, anna *discordtest.User) {
			anna.Types(t, "/alerts").Press(t, "All alerts off").WaitFor(t, "Alerts are off")
			anna.Types(t, "/panel").Choose(t, "Manage a panel", "1. Bot status").Press(t, "Remove panel").Press(t, "Remove panel").WaitFor(t, "The panel was removed")
		},
		"by staff": func(t *testing.T, w *world.World, anna *discordtest.User) {
			sam := w.AddStaff("sam")
			sam.Types(t, "/admin status").WaitFor(t, "Accounts: 1 · check interval")
			patience.Until(t, "it is noted that Discord has the alert", func() bool {
				_, metrics := w.Operator(t, "/metrics")
				return strings.Contains(metrics, "hostbot_alerts_sent_total 1\n")
			})
			forget(t, sam, anna)
			anna.InDM().Sees(t, "Your data was deleted")
			wantMessages(t, anna.InDM(), "Your data was deleted", 1)
			if dm := anna.InDM().Messages(); dm[len(dm)-1].Content == "" {
				t.Error("a lock screen shows nothing of the last message")
			}
			w.StaffRead(t, "admin forget", "account true, alerts all, restarts 0, dm true, panels 1, followers 0, follows 0, answers 0, events 0, history 1 d", sam.ID, anna.ID)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			redis := miniredis.RunT(t)
			redis.ClockTTL(true)
			w, anna, general := paneled(t, world.Options{Redis: "redis://" + redis.Addr(), Staff: true, Env: []string{"HTTP_ADDR=127.0.0.1:0"}})
			anna.Types(t, "/alerts").Press(t, "All alerts on").WaitFor(t, "Alerts are on")
			awaitLooks(t, w, 2)
			crash(t, w, anna.ID, "id-shop")
			anna.InDM().Sees(t, "Shop has crashed")
			anna.Types(t, "/alerts").Press(t, "Delay and quiet hours").Submit(t, discordtest.Fields{"minutes": "5"}).WaitFor(t, "Saved")
			if kept := keptOf(redis, anna.ID); len(kept) < 5 {
				t.Errorf("only these keys name her: %q", kept)
			}
			asked := askForget(t, w.AddStaff("sue"), anna).View()
			for _, kept := range []string{"last copy of the account", "Alerts for all bots", "Panels in channels: 1", "Each bot's status history since <t:", "(days: 1)"} {
				if !asked.Contains(kept) {
					t.Errorf("staff are not told of %q that is kept:\n%s", kept, asked.Text())
				}
			}
			end(t, w, anna)
			var left []string
			if name == "by the customer" { // how to reach her
				left = []string{"hostbot:" + w.Discord.ApplicationID() + ":{contacts}:of:" + anna.ID, "hostbot:" + w.Discord.ApplicationID() + ":{contacts}:record:" + anna.ID}
			}
			patience.Until(t, "nothing else names her", func() bool { return slices.Equal(keptOf(redis, anna.ID), left) }) // a look may be under way
			if n := len(general.Messages()); n != 0 {
				t.Errorf("%d messages are in the channel", n)
			}
		})
	}
}

// keptOf returns the keys of what watches, alerts and shows panels that name a user. Which
// bots fell is counted for 50 minutes.
func keptOf(redis *miniredis.Miniredis, userID string) (keys []string) {
	for _, entry := range strings.Split("\n"+redis.Dump(), "\n- ") {
		key, _, _ := strings.Cut(entry, "\n")
		for _, part := range []string{":{watch}:", ":{alerts}:", ":{restarts}:", ":{schedules}:", ":{panels}:", ":{follows}:", ":{following}:", ":{channels}:", ":{channelalerts}:", ":{settings}:", ":{contacts}:", ":{answers}:", ":{announcements}:", ":unread:"} {
			if strings.HasPrefix(key, "hostbot:") && strings.Contains(key, part) && !strings.Contains(key, ":outage") && strings.Contains(entry, userID) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// TestAMenuIsUsedAgain has anna choose, twice, a panel that she has removed elsewhere: both times she reads
// that it is gone, beside the list.
func TestAMenuIsUsedAgain(t *testing.T) {
	t.Parallel()
	_, anna, _ := paneled(t, world.Options{})
	const menu, first = "Manage a panel", "1. Bot status"
	list := anna.Types(t, "/panel")
	anna.Types(t, "/panel").Choose(t, menu, first).Press(t, "Remove panel").Press(t, "Remove panel").WaitFor(t, "The panel was removed")
	for range 2 {
		list.Choose(t, menu, first).WaitForFollowUp(t, "I've stopped updating this panel")
		list.WaitFor(t, "Your public panels")
	}
}

// TestPanelSaysOutagesInItsChannel with the mention of a role, until the panel is removed.
func TestPanelSaysOutagesInItsChannel(t *testing.T) {
	t.Parallel()
	redis := miniredis.RunT(t)
	redis.ClockTTL(true)
	w, anna, general := paneled(t, world.Options{Redis: "redis://" + redis.Addr(), Env: []string{"HTTP_ADDR=127.0.0.1:0"}})
	players := w.Discord.AddRole("Players")
	players.Mentionable = true
	managed := clickPanel(t, anna, general, "Manage").Press(t, "Post outages here")
	managed.WaitFor(t, "I post a message in the channel")
	managed.Choose(t, "Mention a role", "Players").WaitFor(t, "Each message mentions <@&"+players.ID+">")
	awaitLooks(t, w, 2)
	crash(t, w, anna.ID, "id-shop")
	crash(t, w, anna.ID, "id-wiki") // which is not on the panel
	said := general.WaitFor(t, "🔴 Shop has crashed")
	if said.Ephemeral || !slices.Equal(said.Pings, []string{"<@&" + players.ID + ">"}) || len(said.Buttons()) != 1 {
		t.Errorf("it pings %q and says\n%s", said.Pings, said.Text())
	}
	anna.Types(t, "/bot restart", bot("Shop"))
	w.Finish(t)
	general.WaitFor(t, "🟢 Shop is back")
	patience.Until(t, "it is counted", func() bool {
		_, metrics := w.Operator(t, "/metrics")
		return strings.Contains(metrics, "hostbot_channel_alerts_sent_total 1\n")
	})

	anna.Types(t, "/panel").Choose(t, "Manage a panel", "1. Bot status").Press(t, "Remove panel").Press(t, "Remove panel").WaitFor(t, "The panel was removed")
	patience.Until(t, "nothing is kept of it", func() bool {
		return !slices.ContainsFunc(redis.Keys(), func(key string) bool { return strings.Contains(key, ":{channel") && !strings.HasSuffix(key, ":counts") })
	})
	if m := general.Messages(); len(m) != 1 || m[0].Contains("Wiki") {
		t.Errorf("%d messages are in the channel", len(m))
	}
}
