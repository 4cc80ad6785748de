package e2e_test

import (
	"strings"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

// manageGuild is the permission without which Discord does not show staff's commands.
const manageGuild = 1 << 5

// newStaffedWorld makes a world in which Sam is staff by a role and Mia is not,
// though Discord offers her the commands.
func newStaffedWorld(t *testing.T, redis string) (w *world, sam, mia *discordtest.User) {
	t.Helper()
	w = newWorld(t, redis)
	role := w.discord.AddRole("Support")
	w.env = append(w.env, "ADMIN_GUILD_ID="+w.discord.GuildID(), "ADMIN_ROLE_IDS="+role.ID)
	sam = w.discord.User("sam", discordtest.Permissions(manageGuild), discordtest.Roles(role.ID))
	mia = w.discord.User("mia", discordtest.Permissions(manageGuild))
	return w, sam, mia
}

func TestStaffLookACustomerUp(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		t.Parallel()
		w, sam, _ := newStaffedWorld(t, redis)
		names := []string{"Shop"}
		for _, letter := range "ABCDEFGHIJ" {
			names = append(names, "Bot-"+string(letter))
		}
		anna := w.addAnna(t, names...)
		w.start(t)

		view := sam.Types(t, "/admin lookup", discordtest.Options{"user": anna})
		view.WaitFor(t, "Staff view** of <@"+anna.ID+">")
		view.WaitFor(t, "data from")
		view.WaitFor(t, "11 of 30") // the plan
		w.waitForLog(t, "Staff command", "admin lookup", sam.ID, anna.ID)

		second := view.Press(t, "Next")
		second.WaitFor(t, "Page 2 of 2")
		second.WaitFor(t, "Staff view")
		card := second.Press(t, "Previous").Choose(t, "Open a bot", "Shop")
		card.WaitFor(t, "node index.js")
		card.WaitFor(t, "Staff view")
		for _, own := range []string{"Startup", "Delete"} {
			for _, b := range card.View().Buttons() {
				if b.Label == own {
					t.Errorf("staff are offered %s", own)
				}
			}
		}
		restart := card.Press(t, "Restart")
		restart.WaitFor(t, "Restarting **Shop**")
		w.clock.BlockUntil(t, 1)
		w.clock.Advance(4 * time.Second)
		restart.WaitFor(t, "**Shop** was restarted")
		w.waitForLog(t, "✅ Restart", "staff for a customer", sam.ID, anna.ID, "id-shop")
		restart.Press(t, "All bots").WaitFor(t, "Staff view")

		sam.Uses(t, "Hosted bots", anna).WaitFor(t, "🟢 Shop")
		w.waitForLog(t, "Staff command", "Hosted bots", anna.ID)
		sam.Types(t, "/admin lookup", discordtest.Options{"user": sam}).WaitFor(t, "No hosting account")
	})
}

func TestStaffActForACustomer(t *testing.T) {
	t.Parallel()
	w, sam, _ := newStaffedWorld(t, "")
	anna := w.addAnna(t, "Shop", "Radio")
	w.start(t)

	choices := sam.Completes(t, "/admin action", "bot", "ra", discordtest.Options{"user": anna})
	if len(choices) != 1 || choices[0].Name != "🟢 Radio" {
		t.Fatalf("suggested %+v", choices)
	}
	stop := sam.Types(t, "/admin action", discordtest.Options{"user": anna, "bot": choices[0].Value, "do": "stop"})
	stop.WaitFor(t, "Stopping **Radio**")
	w.clock.BlockUntil(t, 1)
	w.clock.Advance(2 * time.Second)
	stop.WaitFor(t, "**Radio** was stopped")
	w.waitForLog(t, "✅ Stop", "staff for a customer", sam.ID, anna.ID, "id-radio")

	sam.Types(t, "/admin action", discordtest.Options{"user": anna, "bot": "Rodia", "do": "start"}).WaitFor(t, "Did you mean **Radio**")
	w.waitForLog(t, "Staff command", "admin action", "start Rodia", anna.ID)
	if n := w.service.Count(hostapitest.OpStart); n != 0 {
		t.Errorf("started %d bots", n)
	}
}

func TestStaffFlushAnAccount(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		t.Parallel()
		w, sam, _ := newStaffedWorld(t, redis)
		anna := w.addAnna(t, "Shop")
		w.start(t)
		anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
		waitForKey(t, redis)
		sam.Types(t, "/admin flush", discordtest.Options{"user": anna}).WaitFor(t, "is forgotten")
		w.waitForLog(t, "Staff command", "admin flush", anna.ID)
		sam.Types(t, "/admin flush", discordtest.Options{"user": anna}).WaitFor(t, "Nothing was cached")
		anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
		if n := w.service.Count(hostapitest.OpList); n != 2 {
			t.Errorf("the service was asked %d times", n)
		}
	})
}

func TestStaffLookBehindAReference(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		t.Parallel()
		w, sam, _ := newStaffedWorld(t, redis)
		anna := w.addAnna(t, "Shop")
		w.start(t)
		w.service.Fail(hostapitest.OpRestart, hostapitest.Fault{Status: 503, Body: `{"error":"the **node** is @everyone down"}`}, 1)
		shown := anna.Types(t, "/bot restart", discordtest.Options{"bot": "Shop"}).WaitFor(t, "not confirmed")
		code := referenceIn(t, shown)

		story := sam.Types(t, "/admin reference", discordtest.Options{"code": " " + strings.ToLower(code)})
		for _, part := range []string{"Reference " + code, anna.ID, "bot restart", "restart: unavailable (503)", `\*\*node\*\* is \@everyone down`, "1, ", "test"} {
			story.WaitFor(t, part)
		}
		w.waitForLog(t, "Staff command", "admin reference", code, sam.ID)
		sam.Types(t, "/admin reference", discordtest.Options{"code": "ZZZZZZZ"}).WaitFor(t, "Nothing is known")
		sam.Types(t, "/admin reference", discordtest.Options{"code": "`@everyone`"}).WaitFor(t, "Nothing is known")
	})
}

func TestStaffSeeTheStatus(t *testing.T) {
	t.Parallel()
	redistest.EachServer(t, func(t *testing.T, redis *redistest.Server) {
		t.Parallel()
		w, sam, _ := newStaffedWorld(t, redis.URL())
		anna := w.addAnna(t, "Shop")
		w.start(t)
		anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
		w.service.Fail(hostapitest.OpRestart, hostapitest.Fault{Status: 503}, 1)
		anna.Types(t, "/bot restart", discordtest.Options{"bot": "Shop"}).WaitFor(t, "not confirmed")
		status := sam.Types(t, "/admin status")
		status.WaitFor(t, "`test`")
		status.WaitFor(t, "0: 🟢")
		status.WaitFor(t, "1 of ")
		status.WaitFor(t, "calls failed")

		redis.Stop()
		sam.Types(t, "/admin status").WaitFor(t, "⚠️ ")
	})
}

func TestTheStatusSaysWhatTheBotNeedsInALogChannel(t *testing.T) {
	t.Parallel()
	w, sam, _ := newStaffedWorld(t, "")
	w.channel.Allow(discordtest.MissingPermissions)
	w.start(t)
	typesUntil(t, sam, "/admin status", "in a thread Send Messages in Threads")
	w.log.waitFor(t, "in a thread Send Messages in Threads")
}

func TestOthersAreRefusedStaffsCommands(t *testing.T) {
	t.Parallel()
	w, sam, mia := newStaffedWorld(t, "")
	anna := w.addAnna(t, "Shop")
	w.start(t)
	for command, options := range map[string]discordtest.Options{
		"/admin lookup":    {"user": anna},
		"/admin action":    {"user": anna, "bot": "Shop", "do": "restart"},
		"/admin flush":     {"user": anna},
		"/admin reference": {"code": "ABCDEFG"},
		"/admin status":    nil,
	} {
		mia.Types(t, command, options).WaitFor(t, "This is for staff")
		w.waitForLog(t, "Staff command refused", strings.TrimPrefix(command, "/"), mia.ID)
	}
	mia.Uses(t, "Hosted bots", anna).WaitFor(t, "This is for staff")
	if choices := mia.Completes(t, "/admin action", "bot", "", discordtest.Options{"user": anna}); len(choices) != 0 {
		t.Errorf("suggested %+v", choices)
	}
	if _, err := anna.Command(t.Context(), "/admin status", nil); err == nil {
		t.Error("Discord offers the command to who may not manage the guild")
	}
	if n := w.service.Count(hostapitest.OpList) + w.service.Count(hostapitest.OpRestart); n != 0 {
		t.Errorf("the service was called %d times", n)
	}

	// Who is staff no longer is refused in a view that was opened before.
	card := sam.Types(t, "/admin lookup", discordtest.Options{"user": anna}).Choose(t, "Open a bot", "Shop")
	sam.SetRoles()
	card.Press(t, "Restart").WaitFor(t, "This is for staff")
	card.Press(t, "Refresh").WaitFor(t, "This is for staff")
	if n := w.service.Count(hostapitest.OpRestart); n != 0 {
		t.Errorf("the service restarted %d bots", n)
	}
}

func TestStaffsGuildMayBeTheCustomersOwn(t *testing.T) {
	t.Parallel()
	w, sam, _ := newStaffedWorld(t, "")
	w.env = append(w.env, "DISCORD_GUILD_ID="+w.discord.GuildID())
	anna := w.addAnna(t, "Shop")
	w.start(t)
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
	anna.Types(t, "/help").WaitFor(t, "</bot list:")
	sam.Types(t, "/admin lookup", discordtest.Options{"user": anna}).WaitFor(t, "🟢 Shop")
}

func TestWithoutAGuildThereAreNoCommandsForStaff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", "ADMIN_USER_IDS=1")
	sam := w.discord.User("sam", discordtest.ID("1"), discordtest.Permissions(manageGuild))
	w.start(t)
	if _, err := sam.Command(t.Context(), "/admin status", nil); err == nil {
		t.Error("/admin is registered")
	}
	general := w.discord.AddChannel("general")
	id := w.post(t, general, `{"content":"old","components":[{"type":1,"components":[{"type":2,"style":2,"label":"Old","custom_id":"for/42/show/a"}]}]}`)
	reply, err := sam.In(general).Click(t.Context(), id, "for/42/show/a")
	if err != nil {
		t.Fatal(err)
	}
	reply.WaitFor(t, "out of date")
}

func TestStaffTestTheLogChannels(t *testing.T) {
	t.Parallel()
	w, sam, mia := newStaffedWorld(t, "")
	w.start(t)
	sam.Types(t, "/admin logs test").WaitFor(t, "is on its way to <#"+w.channel.ID+">")
	const test = "A test with /admin logs test"
	for _, kind := range []string{"✅ Restart", "❌ Restart", "⚠️ Restart", "❗ Failure", "resumed after"} {
		w.waitForLog(t, kind, test)
	}
	w.waitForLog(t, "Staff command", "admin logs test", sam.ID)
	mia.Types(t, "/admin logs test").WaitFor(t, "This is for staff")
}

func TestStaffSeeALogChannelThatFails(t *testing.T) {
	t.Parallel()
	w, sam, _ := newStaffedWorld(t, "")
	w.start(t)
	w.discord.ExpectFailures()
	w.channel.Allow(discordtest.MissingAccess)
	sam.Types(t, "/admin logs test").WaitFor(t, "is on its way")
	w.log.waitFor(t, "50001")
	status := sam.Types(t, "/admin status")
	status.WaitFor(t, "<#"+w.channel.ID+">")
	status.WaitFor(t, "50001")
	w.channel.Allow(discordtest.FullAccess)
}
