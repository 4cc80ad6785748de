package e2e_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

// fiveCrashed asks for the restart of five bots that have crashed, among six.
func fiveCrashed(t *testing.T, o world.Options) (w *world.World, anna *discordtest.User, question *discordtest.Reply) {
	t.Helper()
	w = world.New(t, o)
	anna = w.AddCustomer("anna", "Shop", "A", "B", "C", "D", "E")
	for _, id := range []string{"id-a", "id-b", "id-c", "id-d", "id-e"} {
		crash(t, w, anna.ID, id)
	}
	w.Start(t)
	list := anna.Types(t, "/bot list")
	list.WaitFor(t, "🔴 Crashed: 5")
	question = list.Press(t, "Restart crashed bots (5)")
	question.WaitFor(t, "5 bots have crashed")
	return w, anna, question
}

// TestAllThatCrashedAreRestartedInThreeSteps delivers the last press twice.
func TestAllThatCrashedAreRestartedInThreeSteps(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		w, anna, question := fiveCrashed(t, world.Options{Redis: redis, RateLimits: true})
		w.Discord.ExpectFailures() // the second delivery is refused
		all := question.Press(t, "Restart 5 bots")
		w.Discord.Redeliver(all)
		all.WaitFor(t, "Restarting 5 bots")
		if !world.OverHTTP() { // where nobody tells which answer counts
			w.Log.WaitFor(t, "answered elsewhere") // what it shows must not be newer than the end; where the first one has claimed the change, it shows nothing
		}
		w.Clock.BlockUntil(t, 4) // as many as the service is asked for at once
		w.Finish(t)
		w.Finish(t)
		const done = "All 5 bots were restarted"
		if world.OverHTTP() { // the second answer may count, and show something else in the message
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if !world.Eventually(ctx, func() bool {
				return all.View().Contains(done) || slices.ContainsFunc(all.FollowUps(), func(v discordtest.View) bool { return v.Contains(done) })
			}) {
				t.Errorf("the end is not told:\n%s", all.View().Text())
			}
		} else {
			all.WaitFor(t, done)
		}
		for _, id := range []string{"id-a", "id-b", "id-c", "id-d", "id-e"} {
			w.StaffRead(t, "✅ Restart", id, anna.ID, "Done")
		}
		w.WantCalls(t, hostapitest.OpRestart, 5)
	})
}

// TestNothingIsLeftOfACustomerWhoIsForgottenDuringARestartOfMany: what is still done has the account cached anew, and
// is noted. Staff have it removed once that has ended.
func TestNothingIsLeftOfACustomerWhoIsForgottenDuringARestartOfMany(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		w, anna, question := fiveCrashed(t, world.Options{Redis: redis, Staff: true})
		sam := w.AddStaff("sam")
		all := question.Press(t, "Restart 5 bots")
		w.Clock.BlockUntil(t, 4) // as many as the service is asked for at once
		removal := askForget(t, sam, anna).Press(t, "Delete everything")
		removal.WaitFor(t, "Deleting what is stored")
		w.Finish(t)
		w.Finish(t)
		all.WaitFor(t, "All 5 bots were restarted")
		removal.WaitFor(t, "was deleted")
		sam.Types(t, "/admin forget", discordtest.Options{"user": anna}).WaitFor(t, "Nothing is stored")
	})
}
