package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
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
	stop.WaitFor(t, "✅ Stopped")
	w.StaffRead(t, "✅ Stop", "🛟 for <@", sam.ID, anna.ID, "id-radio")

	sam.Types(t, "/admin action", discordtest.Options{"user": anna, "bot": "Rodia", "do": "start"}).WaitFor(t, "Did you mean **Radio**")
	w.StaffRead(t, "Staff command", "admin action", "start Rodia", anna.ID)
	w.WantCalls(t, hostapitest.OpStart, 0)
}

func TestStaffForgetACustomer(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		w, anna, sam := servingStaffed(t, redis, "Shop")
		anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
		asked := askForget(t, sam, anna)
		asked.Press(t, "Cancel").WaitFor(t, "Nothing was removed")
		anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
		w.WantCalls(t, hostapitest.OpList, 1)
		w.StaffReadNothingOf(t, "admin forget")

		asked = askForget(t, sam, anna)
		asked.Press(t, "Remove everything").WaitFor(t, "was removed")
		w.StaffRead(t, "Staff command", "admin forget", sam.ID, anna.ID)
		sam.Types(t, "/admin forget", discordtest.Options{"user": anna}).WaitFor(t, "Nothing is stored about")
		anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
		w.WantCalls(t, hostapitest.OpList, 2)
		if n := len(world.Entries(w.Channel.Messages(), "admin forget")); n != 1 {
			t.Errorf("staff read of it %d times", n)
		}
	})
}

// TestStaffHaveAnAccountReadAnew sees at once what changed at the service, though what is cached is young.
func TestStaffHaveAnAccountReadAnew(t *testing.T) {
	t.Parallel()
	w, anna, sam := servingStaffed(t, "", "Shop")
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
	w.Service.SetStatus(anna.ID, "id-shop", hostapitest.Crashed)
	user := discordtest.Options{"user": anna}
	sam.Types(t, "/admin lookup", user).WaitFor(t, "🟢 Shop")
	sam.Types(t, "/admin refresh", user).WaitFor(t, "🔴 Shop")
	w.WantCalls(t, hostapitest.OpList, 2)
	w.StaffRead(t, "Staff command", "admin refresh", sam.ID, anna.ID)
}

// TestOnlyStaffRemoveWhatTheyWereAskedAbout has somebody be staff no more when the button is
// pressed, and somebody else press it.
func TestOnlyStaffRemoveWhatTheyWereAskedAbout(t *testing.T) {
	t.Parallel()
	w, anna, sam := servingStaffed(t, "", "Shop")
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
	asked := askForget(t, sam, anna)
	sam.SetRoles()
	asked.Press(t, "Remove everything").WaitFor(t, "This is for staff")
	button, err := asked.View().Button("Remove everything")
	if err != nil {
		t.Fatal(err)
	}
	pressPosted(t, w, w.AddOutsider("mia"), button.CustomID).WaitFor(t, "This is for staff")
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
	w.WantCalls(t, hostapitest.OpList, 1)
}

func TestStaffSeeTheStatus(t *testing.T) {
	t.Parallel()
	redistest.EachServer(t, func(t *testing.T, redis *redistest.Server) {
		w, anna := world.Serving(t, world.Options{Redis: redis.URL(), Staff: true, Env: []string{"HTTP_ADDR=127.0.0.1:0"}}, "Shop")
		sam := w.AddStaff("sam")
		w.Service.Fail(hostapitest.OpRestart, hostapitest.Fault{Status: 503}, 1)
		anna.Types(t, "/bot restart", bot("Shop")).WaitFor(t, "don't know yet whether")
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
	for _, kind := range []string{"✅ Restart", "❌ Restart", "⚠️ Restart", "❗ This bot failed", "👁️ Staff command", "resumed after"} {
		w.StaffRead(t, kind, "TEST · ")
	}
	w.StaffRead(t, "Staff command", "admin logs test", sam.ID)

	w.Discord.ExpectFailures()
	w.Channel.Allow(discordtest.MissingAccess)
	sam.Types(t, "/admin logs test").WaitFor(t, "is on its way")
	w.Log.WaitFor(t, "discord does not take log channel entries")
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
	w.Log.WaitFor(t, "in a thread, Send Messages in Threads")
	w.AddStaff("sam").Types(t, "/admin status").WaitFor(t, "in a thread, Send Messages in Threads")
}

func TestStaffsCommandsAreRefusedToOthers(t *testing.T) {
	t.Parallel()
	w, anna, sam := servingStaffed(t, "", "Shop")
	mia := w.AddOutsider("mia")
	for command, options := range map[string]discordtest.Options{
		"/admin lookup":    {"user": anna},
		"/admin action":    {"user": anna, "bot": "Shop", "do": "restart"},
		"/admin refresh":   {"user": anna},
		"/admin forget":    {"user": anna},
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
	shown := anna.Types(t, "/bot list").WaitFor(t, "can't be reached")
	w.StaffRead(t, "❗ ", referenceIn(t, shown))
	anna.Types(t, "/bot show", bot("Shop")).WaitFor(t, "can't be reached")
	w.StaffRead(t, "❗ Hosting service: no answer", "2 times")
	w.StaffReadNothingOf(t, "⚠️")
}

// pressLogged has somebody press a button of the log channel's latest message that
// has one of this label.
func pressLogged(t *testing.T, w *world.World, who *discordtest.User, label string) *discordtest.Reply {
	t.Helper()
	messages := w.Channel.Messages()
	for i := len(messages) - 1; i >= 0; i-- {
		if button, err := messages[i].Button(label); err == nil {
			reply, err := who.In(w.Channel).Click(t.Context(), messages[i].ID, button.CustomID)
			if err != nil {
				t.Fatal(err)
			}
			return reply
		}
	}
	t.Fatalf("no message in the log channel has a button %q", label)
	return nil
}

// TestStaffGoOnFromALogEntry follows staff from a failure's card to the customer and to
// what happened. The card stays as it is.
func TestStaffGoOnFromALogEntry(t *testing.T) {
	t.Parallel()
	w, anna, sam := servingStaffed(t, "", "Shop", "Radio")
	w.Service.Fail(hostapitest.OpRestart, hostapitest.Fault{Status: http.StatusConflict, Body: `{"error":"the node is full"}`}, 1)
	code := referenceIn(t, anna.Types(t, "/bot restart", bot("Shop")).WaitFor(t, "couldn't be restarted"))
	w.StaffRead(t, "❌ Restart", anna.ID, "id-shop", "current state (409)", code)
	w.StaffRead(t, "❗ ", code, "free it in the hosting service")
	before := w.Channel.Messages()

	reference := pressLogged(t, w, sam, "Reference")
	reference.WaitFor(t, "Reference "+code)
	reference.WaitFor(t, "the node is full")
	reference.WaitFor(t, "free it in the hosting service")
	reference.Press(t, "Look up").WaitFor(t, "Staff view** of <@"+anna.ID)

	// The service takes its time, so that the press is deferred.
	forget(t, sam, anna)
	w.Service.Fail(hostapitest.OpList, hostapitest.Fault{Delay: 4 * time.Second}, 1)
	lookup := pressLogged(t, w, sam, "Look up")
	w.Clock.BlockUntil(t, 1)
	w.Clock.Advance(4 * time.Second)
	lookup.WaitFor(t, "Staff view** of <@"+anna.ID)
	if !lookup.View().Ephemeral {
		t.Error("everybody in the channel sees the customer's account")
	}
	second := lookup.Choose(t, "Open a bot", "Radio")
	second.WaitFor(t, "anna")
	w.StaffRead(t, "Staff command", "`lookup`", sam.ID, anna.ID)
	for i, m := range before {
		if now := w.Channel.Messages()[i]; now.Version != m.Version {
			t.Errorf("an entry has become:\n%s", now.Text())
		}
	}

	pressLogged(t, w, w.AddOutsider("mia"), "Look up").WaitFor(t, "This is for staff")
	sam.SetRoles()
	pressLogged(t, w, sam, "Reference").WaitFor(t, "This is for staff")
}

func TestWithoutStaffsGuildEntriesHaveNoButtons(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{}, "Shop")
	w.Service.Fail(hostapitest.OpRestart, hostapitest.Fault{Status: http.StatusConflict}, 1)
	anna.Types(t, "/bot restart", bot("Shop")).WaitFor(t, "couldn't be restarted")
	w.StaffRead(t, "❌ Restart", "id-shop")
	for _, m := range w.Channel.Messages() {
		if len(m.Buttons()) > 0 {
			t.Errorf("staff cannot press %+v", m.Buttons())
		}
	}
}

// TestReferencesLeadSomewhere has things go wrong in each way that shows a
// customer a reference, and staff look it up.
func TestReferencesLeadSomewhere(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		happen func(t *testing.T, w *world.World, anna *discordtest.User) discordtest.View
		story  []string
	}{
		"an action that is not confirmed": {
			func(t *testing.T, w *world.World, anna *discordtest.User) discordtest.View {
				w.Service.Fail(hostapitest.OpRestart, hostapitest.Fault{Status: http.StatusServiceUnavailable, Body: `{"error":"the **node** is @everyone down"}`}, 1)
				return anna.Types(t, "/bot restart", bot("Shop")).WaitFor(t, "don't know yet whether")
			},
			[]string{"bot restart", "Shop `id-shop`", "restart: unavailable (503)", `\*\*node\*\* is \@everyone down`, "1, ", "test"},
		},
		"a form that comes too late": {
			func(t *testing.T, w *world.World, anna *discordtest.User) discordtest.View {
				w.Service.Fail(hostapitest.OpList, hostapitest.Fault{Delay: time.Minute}, 1)
				late := anna.Types(t, "/bot startup", bot("Shop"))
				w.Clock.BlockUntil(t, 1)
				w.Clock.Advance(time.Minute)
				return late.WaitFor(t, "the form couldn't open")
			},
			[]string{"bot startup", "too slow to open a modal"},
		},
		"an old account that cannot be updated": {
			func(t *testing.T, w *world.World, anna *discordtest.User) discordtest.View {
				w.Service.Fail(hostapitest.OpRestart, hostapitest.Fault{Status: http.StatusBadGateway}, 1)
				anna.Types(t, "/bot restart", bot("Shop")).WaitFor(t, "don't know yet whether") // so it is asked for anew
				w.Service.Fail(hostapitest.OpList, hostapitest.Fault{Delay: time.Minute, Status: http.StatusBadGateway}, 0)
				card := anna.Types(t, "/bot show", bot("Shop"))
				card.WaitFor(t, "Updating…")
				for range 3 { // which includes calls that are tried again
					w.Clock.BlockUntil(t, 1)
					w.Clock.Advance(time.Minute)
				}
				return card.WaitFor(t, "can't be reached")
			},
			[]string{"bot show", "list: unavailable (502)"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, anna, sam := servingStaffed(t, "", "Shop")
			code := referenceIn(t, test.happen(t, w, anna))
			story := sam.Types(t, "/admin reference", discordtest.Options{"code": " " + strings.ToLower(code)})
			for _, part := range append(test.story, "Reference "+code, anna.ID) {
				story.WaitFor(t, part)
			}
			if shown := story.WaitFor(t, code); shown.Contains("Shard") == world.OverHTTP() {
				t.Errorf("the shard is shown only where there is one: %s", shown.Text())
			}
			w.StaffRead(t, "Staff command", "admin reference", code, sam.ID)
		})
	}
}
