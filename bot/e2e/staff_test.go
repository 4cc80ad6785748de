package e2e_test

import (
	"strings"
	"testing"

	"hostbot/bot/discordtest"
	"hostbot/bot/e2e/world"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

// servingStaffed makes a world with a bot that serves, with anna, whose bots have
// these names, and with Sam, who is staff.
func servingStaffed(t *testing.T, redis string, bots ...string) (w *world.World, anna, sam *discordtest.User) {
	t.Helper()
	w, anna = world.Serving(t, world.Options{Redis: redis, Staff: true}, bots...)
	return w, anna, w.AddStaff("sam")
}

func TestStaffLookACustomerUp(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		t.Parallel()
		w, anna, sam := servingStaffed(t, redis, "Shop", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J")
		view := sam.Types(t, "/admin lookup", discordtest.Options{"user": anna})
		view.WaitFor(t, "Staff view** of <@"+anna.ID+">")
		view.WaitFor(t, "data from")
		view.WaitFor(t, "11 of 30") // the plan
		w.StaffRead(t, "Staff command", "admin lookup", sam.ID, anna.ID)

		second := view.Choose(t, "Page 1 of 2", "Page 2 of 2")
		second.WaitFor(t, "Page 2 of 2")
		second.WaitFor(t, "Staff view")
		card := second.Choose(t, "Page 2 of 2", "Page 1 of 2").Choose(t, "Open a bot", "Shop")
		card.WaitFor(t, "Limits: 512 MB RAM")
		card.WaitFor(t, "Staff view")
		for _, own := range []string{"Startup", "Delete"} {
			if _, err := card.View().Button(own); err == nil {
				t.Errorf("staff are offered %s", own)
			}
		}
		restartOnce(t, w, card)
		w.StaffRead(t, "✅ Restart", "🛟 for <@", sam.ID, anna.ID, "id-shop")
		card.Press(t, "All bots").WaitFor(t, "Staff view")

		sam.Uses(t, "Hosted bots", anna).WaitFor(t, "🟢 Shop")
		w.StaffRead(t, "Staff command", "Hosted bots", anna.ID)
	})
}

func TestStaffActForACustomer(t *testing.T) {
	t.Parallel()
	w, anna, sam := servingStaffed(t, "", "Shop", "Radio")
	choices := sam.Completes(t, "/admin action", "bot", "ra", discordtest.Options{"user": anna})
	if len(choices) != 1 || choices[0].Name != "🟢 Radio" {
		t.Fatalf("suggested %+v", choices)
	}
	stop := sam.Types(t, "/admin action", discordtest.Options{"user": anna, "bot": choices[0].Value, "do": "stop"})
	stop.WaitFor(t, "Stopping **Radio**")
	w.Finish(t)
	stop.WaitFor(t, "**Radio** was stopped")
	w.StaffRead(t, "✅ Stop", "🛟 for <@", sam.ID, anna.ID, "id-radio")

	sam.Types(t, "/admin action", discordtest.Options{"user": anna, "bot": "Rodia", "do": "start"}).WaitFor(t, "Did you mean **Radio**")
	w.StaffRead(t, "Staff command", "admin action", "start Rodia", anna.ID)
	w.WantCalls(t, hostapitest.OpStart, 0)
}

func TestStaffFlushAnAccount(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		t.Parallel()
		w, anna, sam := servingStaffed(t, redis, "Shop")
		anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
		flush(t, sam, anna)
		w.StaffRead(t, "Staff command", "admin flush", anna.ID)
		sam.Types(t, "/admin flush", discordtest.Options{"user": anna}).WaitFor(t, "Nothing was cached")
		anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
		w.WantCalls(t, hostapitest.OpList, 2)
	})
}

func TestStaffSeeTheStatus(t *testing.T) {
	t.Parallel()
	redistest.EachServer(t, func(t *testing.T, redis *redistest.Server) {
		t.Parallel()
		w, anna := world.Serving(t, world.Options{Redis: redis.URL(), Staff: true, Env: []string{"HTTP_ADDR=127.0.0.1:0"}}, "Shop")
		sam := w.AddStaff("sam")
		w.Service.Fail(hostapitest.OpRestart, hostapitest.Fault{Status: 503}, 1)
		anna.Types(t, "/bot restart", bot("Shop")).WaitFor(t, "not confirmed")
		status := sam.Types(t, "/admin status")
		for _, part := range []string{"`test`", "1 of ", "Failed calls"} {
			status.WaitFor(t, part)
		}
		way := "✓ interactions over HTTP"
		if !world.OverHTTP() {
			status.WaitFor(t, "0: 🟢") // the shard
			way = "✓ gateway, shard 0: "
		}
		_, page := w.Operator(t, "/healthz?verbose")
		for _, line := range []string{"✓ hostbot: version test, ", way, "✗ hosting service: 1 of ", "✓ redis: ", "✓ log channel " + w.Channel.ID} {
			if !strings.Contains(page, line) {
				t.Errorf("/healthz?verbose has no %q:\n%s", line, page)
			}
		}
		redis.Stop()
		sam.Types(t, "/admin status").WaitFor(t, "⚠️ ")
		if _, page = w.Operator(t, "/healthz?verbose"); !strings.Contains(page, "✗ redis: ") {
			t.Errorf("/healthz?verbose, without Redis:\n%s", page)
		}
	})
}

func TestStaffTestTheLogChannels(t *testing.T) {
	t.Parallel()
	w, _, sam := servingStaffed(t, "")
	w.StaffRead(t, "⚠️", "No REDIS_URL is set")
	sam.Types(t, "/admin logs test").WaitFor(t, "is on its way to <#"+w.Channel.ID+">")
	for _, kind := range []string{"✅ Restart", "❌ Restart", "⚠️ Restart", "❗ Failure", "resumed after"} {
		w.StaffRead(t, kind, "A test with /admin logs test")
	}
	w.StaffRead(t, "Staff command", "admin logs test", sam.ID)

	w.Discord.ExpectFailures()
	w.Channel.Allow(discordtest.MissingAccess)
	sam.Types(t, "/admin logs test").WaitFor(t, "is on its way")
	w.Log.WaitFor(t, "50001")
	status := sam.Types(t, "/admin status")
	status.WaitFor(t, "<#"+w.Channel.ID+">")
	status.WaitFor(t, "50001")
	w.Channel.Allow(discordtest.FullAccess)
}

func TestStaffReadWhatTheBotNeedsInALogChannel(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Options{Staff: true})
	w.Channel.Allow(discordtest.MissingPermissions)
	w.Start(t)
	w.Log.WaitFor(t, "in a thread Send Messages in Threads")
	w.AddStaff("sam").Types(t, "/admin status").WaitFor(t, "in a thread Send Messages in Threads")
}

func TestStaffsCommandsAreRefusedToOthers(t *testing.T) {
	t.Parallel()
	w, anna, sam := servingStaffed(t, "", "Shop")
	mia := w.AddOutsider("mia")
	for command, options := range map[string]discordtest.Options{
		"/admin lookup":    {"user": anna},
		"/admin action":    {"user": anna, "bot": "Shop", "do": "restart"},
		"/admin flush":     {"user": anna},
		"/admin reference": {"code": "ABCDEFG"},
		"/admin status":    nil,
		"/admin logs test": nil,
	} {
		mia.Types(t, command, options).WaitFor(t, "This is for staff")
		w.StaffRead(t, "Staff command refused", strings.TrimPrefix(command, "/"), mia.ID)
	}
	mia.Uses(t, "Hosted bots", anna).WaitFor(t, "This is for staff")
	if choices := mia.Completes(t, "/admin action", "bot", "", discordtest.Options{"user": anna}); len(choices) != 0 {
		t.Errorf("suggested %+v", choices)
	}
	if _, err := anna.Command(t.Context(), "/admin status", nil); err == nil {
		t.Error("Discord offers the command to users who may not manage the guild")
	}
	w.WantCalls(t, hostapitest.OpList, 0)

	// Somebody who is staff no longer is refused in a view that was opened before.
	card := sam.Types(t, "/admin lookup", discordtest.Options{"user": anna}).Choose(t, "Open a bot", "Shop")
	sam.SetRoles()
	card.Press(t, "Restart").WaitFor(t, "This is for staff")
	card.Press(t, "Refresh").WaitFor(t, "This is for staff")
	w.WantCalls(t, hostapitest.OpRestart, 0)
}

func TestStaffWithoutAGuildHaveNoCommands(t *testing.T) {
	t.Parallel()
	w, _ := world.Serving(t, world.Options{Env: []string{"ADMIN_USER_IDS=1"}})
	sam := w.Discord.User("sam", discordtest.ID("1"), discordtest.Permissions(1<<5)) // may manage the guild
	if _, err := sam.Command(t.Context(), "/admin status", nil); err == nil {
		t.Error("/admin is registered")
	}
	pressPosted(t, w, sam, "for/42/show/a").WaitFor(t, "out of date")
}

// TestStaffReadOfAnInteractionOnce: what the cache could not fetch is in the
// failure's entry, and in none of its own.
func TestStaffReadOfAnInteractionOnce(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{Redis: redistest.StartMiniredis(t).URL()}, "Shop")
	w.Service.Close()
	shown := anna.Types(t, "/bot list").WaitFor(t, "cannot be reached")
	w.StaffRead(t, "❗ Failure", referenceIn(t, shown))
	anna.Types(t, "/bot show", bot("Shop")).WaitFor(t, "cannot be reached")
	w.StaffRead(t, "❗ Failure", "bot show")
	w.StaffReadNothingOf(t, "⚠️")
}
