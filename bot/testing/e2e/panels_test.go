package e2e_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
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
	panels.Choose(t, "Choose bots for a panel here", "Shop", "Radio").Submit(t, nil).WaitFor(t, "Panel posted")
	general.WaitFor(t, "🟢 **Radio** · Running")
	return w, anna, general
}

// clickPanel has somebody press a button of the panel.
func clickPanel(t *testing.T, who *discordtest.User, general *discordtest.Channel, label string) *discordtest.Reply {
	t.Helper()
	return press(t, who, general, general.WaitFor(t, "Status of the bots"), label)
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
	redistest.Each(t, func(t *testing.T, redis string) {
		w, anna, general := paneled(t, world.Options{Redis: redis})
		panel := general.WaitFor(t, "🟢 **Shop** · Running")
		if panel.Ephemeral || panel.Contains("512") || panel.Contains("Wiki") || len(panel.Buttons()) != 2 {
			t.Errorf("the panel says:\n%s", panel.Text())
		}
		awaitLooks(t, w, 2)
		crash(t, w, anna.ID, "id-shop")
		crashed := general.WaitFor(t, "🔴 **Shop** · Crashed · <t:")
		if crashed.ID != panel.ID || !crashed.Contains("🟢 **Radio** · Running · first noticed <t:") {
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
		general.WaitFor(t, "🟢 **Shop** · Running · <t:")

		ben := w.AddCustomer("ben", "Blog")
		refused := press(t, ben, general, general.WaitFor(t, "Our bots"), "Manage").WaitFor(t, "Only the person who posted this panel can manage it")
		if !refused.Ephemeral || refused.Contains("Shop") {
			t.Errorf("ben reads:\n%s", refused.Text())
		}
		if n := len(general.Messages()); n != 1 {
			t.Errorf("%d messages are in the channel", n)
		}
	})
}

// TestPanelShowsNothingThatIsNotTheOwnersAnyMore has the service close the account, which is cached for
// a tenth of the time between two looks.
func TestPanelShowsNothingThatIsNotTheOwnersAnyMore(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		w, anna, general := paneled(t, world.Options{Redis: redis})
		w.Service.Fail(hostapitest.OpList, hostapitest.Fault{Status: http.StatusNotFound}, 0)
		closed := general.WaitFor(t, "The bots on this panel no longer exist")
		if closed.Contains("Shop") {
			t.Errorf("the panel says:\n%s", closed.Text())
		}
		w.Service.ClearFaults()
		general.WaitFor(t, "🟢 **Shop** · Running")
		anna.Types(t, "/panel").WaitFor(t, "Shop")
	})
}

// TestPanelSaysThatItIsOld has the service go away, where accounts may be shown for a second at most.
func TestPanelSaysThatItIsOld(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		w, _, general := paneled(t, world.Options{Redis: redis, Env: []string{"CACHE_TTL=1s", "CACHE_MAX_STALE=1s"}})
		w.Service.Fail(hostapitest.OpList, hostapitest.Fault{Status: http.StatusServiceUnavailable}, 0)
		general.WaitFor(t, "The hosting service can't be reached right now")
		if _, err := general.Await(t.Context(), func(v discordtest.View) bool { return v.Contains("can't be reached") && !v.Contains("Shop") }); err != nil {
			t.Fatal(err)
		}
		w.Service.ClearFaults()
		general.WaitFor(t, "🟢 **Shop** · Running")
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
	anna.Types(t, "/panel").Choose(t, "Choose bots for a panel here", "Wiki").Submit(t, nil).WaitFor(t, "I need **View Channel**")
	general.Allow(discordtest.MissingAccess)
	crash(t, w, anna.ID, "id-shop")
	in := anna.In(w.Discord.AddChannel("other"))
	limit, cancel := context.WithTimeout(t.Context(), world.Patience)
	defer cancel()
	if !world.Eventually(limit, func() bool { return in.Types(t, "/panel").View().Contains("⚠️ I need **View Channel**") }) {
		t.Error("the owner is not told")
	}
	general.Allow(discordtest.FullAccess)
	in.Types(t, "/panel") // which tries it again
	general.WaitFor(t, "🔴 **Shop**")
}

// TestStayingMessageOfAPanelIsTold has the message of a panel stay where Discord refuses to
// delete it: in a locked thread, and where the bot may not look any more.
func TestStayingMessageOfAPanelIsTold(t *testing.T) {
	t.Parallel()
	for name, access := range map[string]discordtest.Access{"locked": discordtest.Locked, "hidden": discordtest.MissingAccess} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, anna, general := paneled(t, world.Options{})
			general.Allow(access)
			in := anna.In(w.Discord.AddChannel("other"))
			told := in.Types(t, "/panel").Choose(t, "Manage a panel", "1. Status of the bots").Press(t, "Remove panel").WaitFor(t, "it stays in <#"+general.ID+">")
			if told.Contains("was removed") || !told.Contains("You don't have a public panel yet") {
				t.Errorf("anna reads:\n%s", told.Text())
			}
			if n := len(general.Messages()); n != 1 {
				t.Errorf("%d messages are in the channel", n)
			}
		})
	}
}

// TestPanelWithoutEmbeds takes the permission to embed links from the bot. Discord says nothing
// of that: it takes the panel's next edit and drops what it shows.
func TestPanelWithoutEmbeds(t *testing.T) {
	t.Parallel()
	w, anna, general := paneled(t, world.Options{})
	first := general.WaitFor(t, "Status of the bots")
	awaitLooks(t, w, 2)
	general.Deny(discordtest.EmbedLinks)
	crash(t, w, anna.ID, "id-shop")
	bare := general.WaitFor(t, "⚠️ I need **View Channel**, **Send Messages** and **Embed Links**")
	if bare.ID != first.ID || len(bare.Buttons()) != 0 {
		t.Errorf("in the channel:\n%s", bare.Text())
	}
	in := anna.In(w.Discord.AddChannel("other"))
	for where, told := range map[*discordtest.User]func(discordtest.View) bool{
		in:               func(discordtest.View) bool { return true },
		anna.In(general): func(v discordtest.View) bool { return !v.Contains("Choose bots for a panel") },
	} {
		limit, cancel := context.WithTimeout(t.Context(), world.Patience)
		defer cancel()
		if !world.Eventually(limit, func() bool { // the message is there a moment before Redis knows of it
			v := where.Types(t, "/panel").View()
			return v.Contains("⚠️ I need **View Channel**") && told(v)
		}) {
			t.Error("the owner is not told")
		}
	}
	general.Grant(discordtest.EmbedLinks)
	in.Types(t, "/panel") // which tries it again
	again := general.WaitFor(t, "🔴 **Shop** · Crashed")
	if again.ID != first.ID || again.Content != "" || len(again.Buttons()) != 2 || len(general.Messages()) != 1 {
		t.Errorf("in the channel:\n%s", again.Text())
	}
}

// TestPanelWhereTheBotIsNot has anna ask for a panel in a guild where she alone has
// installed the application, and again once the bot was invited.
func TestPanelWhereTheBotIsNot(t *testing.T) {
	t.Parallel()
	w, anna, _ := paneled(t, world.Options{})
	away := w.Discord.AddForeignChannel("away")
	in := anna.In(away)
	calls := len(w.Discord.Calls())
	told := in.Types(t, "/panel").WaitFor(t, "I'm not in this server")
	invite := "https://discord.com/oauth2/authorize?client_id=" + w.Discord.ApplicationID() + "&scope=bot+applications.commands&permissions=274877991936&guild_id=" + away.GuildID()
	if buttons := told.Buttons(); len(buttons) != 1 || buttons[0].URL != invite || buttons[0].Label != "Invite me" {
		t.Errorf("the buttons are %+v", buttons)
	}
	for _, c := range w.Discord.Calls()[calls:] {
		if strings.HasPrefix(c.Path, "/channels/"+away.ID) {
			t.Errorf("the bot tried to %s %s", c.Method, c.Path)
		}
	}
	in.Types(t, "/bot list").WaitFor(t, "Shop") // which takes nobody but her

	w.Discord.Invite(away.GuildID())
	in.Types(t, "/panel").Choose(t, "Choose bots for a panel here", "Wiki").Submit(t, nil).WaitFor(t, "Panel posted")
	away.WaitFor(t, "🟢 **Wiki** · Running")
}

// TestPanelsInThreads has the thread of a panel be archived, which the panel outlives, and
// then be locked, of which its owner is told.
func TestPanelsInThreads(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	server.ClockTTL(true)
	url := "redis://" + server.Addr()
	client := redistest.Connect(t, url)
	w, anna, thread := paneled(t, world.Options{Redis: url})
	first := thread.WaitFor(t, "Status of the bots").ID
	awaitLooks(t, w, 2)
	thread.Allow(discordtest.Archived)
	crash(t, w, anna.ID, "id-shop")
	crashed := thread.WaitFor(t, "🔴 **Shop** · Crashed")
	limit, cancel := context.WithTimeout(t.Context(), world.Patience)
	defer cancel()
	if !world.Eventually(limit, func() bool { return len(thread.Messages()) == 1 }) || crashed.ID == first {
		t.Errorf("messages: %+v", thread.Messages())
	}
	posts := 0
	for _, c := range w.Discord.Calls() {
		if c.Method == http.MethodPost && c.Route == discordtest.RouteMessages && strings.HasPrefix(c.Path, "/channels/"+thread.ID+"/") {
			posts++
			if silent := strings.Contains(string(c.Request), `"flags":4096`); silent != (posts == 2) {
				t.Errorf("post %d is silent: %t", posts, silent)
			}
		}
	}
	if posts != 2 {
		t.Errorf("%d posts", posts)
	}

	thread.Allow(discordtest.Locked)
	crash(t, w, anna.ID, "id-radio")
	in := anna.In(w.Discord.AddChannel("other"))
	if !world.Eventually(limit, func() bool { return in.Types(t, "/panel").View().Contains("⚠️ The thread is locked") }) {
		t.Error("the owner is not told")
	}
	// Each /panel has it tried again: an attempt that begins in a locked thread is to end there.
	if !world.Eventually(limit, func() bool { return untouched(t.Context(), client) }) {
		t.Error("the panel is tried all the time")
	}
	thread.Allow(discordtest.FullAccess)
	in.Types(t, "/panel") // which tries it again
	if radio := thread.WaitFor(t, "🔴 **Radio**"); radio.ID != crashed.ID {
		t.Error("the panel was posted anew where an edit would do")
	}
}

// untouched reports whether no panel is due for an hour, and none is worked on.
func untouched(ctx context.Context, client redis.UniversalClient) bool {
	keys, err := client.Keys(ctx, "*:{panels}:due").Result()
	if err != nil || len(keys) != 1 {
		return false
	}
	hour := strconv.FormatInt(time.Now().Add(time.Hour).UnixMilli(), 10)
	soon, err := client.ZCount(ctx, keys[0], "-inf", hour).Result()
	return err == nil && soon == 0
}

// TestPanelThatCannotBeRead has Redis hold garbage in the place of a panel. The other one
// stays true, and staff read of it once.
func TestPanelThatCannotBeRead(t *testing.T) {
	t.Parallel()
	redis := miniredis.RunT(t)
	redis.ClockTTL(true)
	w, anna, general := paneled(t, world.Options{Redis: "redis://" + redis.Addr(), Staff: true})
	other := w.Discord.AddChannel("other")
	anna.In(other).Types(t, "/panel").Choose(t, "Choose bots for a panel here", "Shop").Submit(t, nil).WaitFor(t, "Panel posted")
	awaitLooks(t, w, 2)
	spoilt := ""
	for _, key := range redis.Keys() {
		if strings.Contains(key, ":{panels}:record:") && strings.Contains(redis.HGet(key, "r"), other.ID) {
			spoilt = key
		}
	}
	redis.HSet(spoilt, "r", "{", "v", "1") // whoever works on it just now saves nothing
	crash(t, w, anna.ID, "id-shop")
	general.WaitFor(t, "🔴 **Shop** · Crashed")
	w.StaffRead(t, "A record in Redis can't be read")
	anna.Types(t, "/panel").WaitFor(t, "**1.** Status of the bots · <#"+general.ID+">")
	crash(t, w, anna.ID, "id-radio")
	general.WaitFor(t, "🔴 **Radio** · Crashed")
	if n := len(world.Entries(w.Channel.Messages(), "A record in Redis can't be read")); n != 1 {
		t.Errorf("staff read it %d times", n)
	}
}

// TestNothingIsLeftOfWhoWasWatched turns alerts off and removes a panel, or has staff do
// that, which takes with it what was kept for them: the states of bots, alerts, and when
// the next look is due. Of who turned alerts off the DM's channel is kept for a while.
func TestNothingIsLeftOfWhoWasWatched(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, w *world.World, anna *discordtest.User){
		"by the customer": func(t *testing.T, _ *world.World, anna *discordtest.User) {
			anna.Types(t, "/alerts").Press(t, "All alerts off").WaitFor(t, "Alerts are off")
			anna.Types(t, "/panel").Choose(t, "Manage a panel", "1. Status of the bots").Press(t, "Remove panel").WaitFor(t, "The panel was removed")
		},
		"by staff": func(t *testing.T, w *world.World, anna *discordtest.User) { forget(t, w.AddStaff("sam"), anna) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			redis := miniredis.RunT(t)
			redis.ClockTTL(true)
			w, anna, general := paneled(t, world.Options{Redis: "redis://" + redis.Addr(), Staff: true})
			anna.Types(t, "/alerts").Press(t, "All alerts on").WaitFor(t, "Alerts are on")
			awaitLooks(t, w, 2)
			crash(t, w, anna.ID, "id-shop")
			anna.InDM().Sees(t, "Shop has crashed")
			if kept := keptOf(redis, anna.ID); len(kept) < 5 {
				t.Errorf("only these keys name her: %q", kept)
			}
			asked := askForget(t, w.AddStaff("sue"), anna).View()
			for _, kept := range []string{"hosting service described it", "Alerts for all bots", "Panels in channels: 1", "Each bot's status history since <t:", "(days: 1)"} {
				if !asked.Contains(kept) {
					t.Errorf("staff are not told of %q that is kept:\n%s", kept, asked.Text())
				}
			}
			end(t, w, anna)
			limit, cancel := context.WithTimeout(t.Context(), world.Patience)
			defer cancel()
			left := 0
			if name == "by the customer" {
				left = 1
			}
			if !world.Eventually(limit, func() bool { return len(keptOf(redis, anna.ID)) == left }) { // a look may be under way
				t.Errorf("%q name her still", keptOf(redis, anna.ID))
			}
			for _, key := range keptOf(redis, anna.ID) {
				if !strings.HasSuffix(key, ":{alerts}:customer:"+anna.ID) {
					t.Errorf("%s names her still", key)
				}
			}
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
		for _, part := range []string{":{watch}:", ":{alerts}:", ":{panels}:", ":{follows}:", ":{following}:", ":{fallen}:"} {
			if strings.HasPrefix(key, "hostbot:") && strings.Contains(key, part) && !strings.Contains(key, ":outage") && strings.Contains(entry, userID) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}
