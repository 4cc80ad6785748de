package e2e_test

import (
	"testing"

	"github.com/alicebob/miniredis/v2"

	"hostbot/bot/store/keyspace"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/bot/testing/elapse"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
	"hostbot/hostapi/secret"
)

// TestBotIsRestartedOnSchedule that anna chooses on its card, and no more once she has emptied the form.
func TestBotIsRestartedOnSchedule(t *testing.T) {
	t.Parallel()
	redis := miniredis.RunT(t)
	redis.ClockTTL(true)
	w, anna, _ := alerted(t, world.Options{Redis: "redis://" + redis.Addr(), Staff: true, Service: &hostapitest.Options{Restart: -1}})
	elapses := func() bool {
		t.Helper()
		found, err := elapse.Schedule(t.Context(), redistest.Connect(t, "redis://"+redis.Addr()), keyspace.Of(secret.Text(w.Discord.Token())), anna.ID, "id-shop")
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	form := func() *discordtest.Reply { return openShop(t, anna).Press(t, "More…").Press(t, "Restart daily…") }
	chosen := form().Submit(t, discordtest.Fields{"Restart every day at": "04:30", "Your time zone": "Berlin"})
	chosen.WaitFor(t, "I'll restart **Shop** on schedule")
	chosen.WaitFor(t, "Restarts daily at 04:30 (Europe/Berlin)")
	if !elapses() {
		t.Fatal("the bot has no schedule")
	}
	w.StaffRead(t, "🕓 scheduled", anna.ID, "id-shop", "Done")
	w.WantCalls(t, hostapitest.OpRestart, 1)

	form().Submit(t, discordtest.Fields{"Restart every day at": "", "Or hours between restarts": "6"}).WaitFor(t, "Restarts every 6 hours")
	elapses()
	w.Service.WaitFor(t, hostapitest.OpRestart, 2)
	form().Submit(t, discordtest.Fields{"Or hours between restarts": ""}).WaitFor(t, "has no scheduled restarts anymore")
	if elapses() {
		t.Error("the bot has a schedule still")
	}
	w.WantCalls(t, hostapitest.OpRestart, 2)
}
