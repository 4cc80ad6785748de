package e2e_test

import (
	"context"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
	"hostbot/bot/store/keyspace"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
	"hostbot/hostapi/secret"
)

// anotherReplica returns the actions of a process that shares a Redis with the bot.
func anotherReplica(t *testing.T, w *world.World, redis string) *actions.Actions {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	a := actions.New(actions.Config{
		Redis: redistest.Connect(t, redis), Space: keyspace.Of(secret.Text(w.Discord.Token())), Log: zerolog.Nop(), Timing: actions.DefaultTiming(),
		Reached: func() time.Duration { return 0 }, Report: func(actions.Report) {},
	})
	go func() {
		defer close(done)
		a.Run(ctx) // so that the action is not taken for one whose process died
	}()
	t.Cleanup(func() { cancel(); <-done })
	return a
}

// begins has a replica restart the bot "Shop" of a customer.
func begins(t *testing.T, a *actions.Actions, customerID string) *actions.Lock {
	t.Helper()
	lock, err := a.Acquire(t.Context(), actions.Claim{
		Request: &interaction.Request{ID: "1573955771119435999", UserID: customerID, CustomerID: customerID, ReceivedAt: time.Now()},
		Action:  interaction.Action{Name: "restart", BotID: "id-shop", BotName: "Shop"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return lock
}

// wantPressable fails the test unless the buttons that act on a running bot can be pressed, or
// none of them.
func wantPressable(t *testing.T, v discordtest.View, want bool) {
	t.Helper()
	for _, label := range []string{"Restart", "Stop", "Reinstall packages"} {
		button, err := v.Button(label)
		if err != nil || button.Disabled == want {
			t.Errorf("%s: disabled %t, error %v", label, button.Disabled, err)
		}
	}
}

// TestActionOfAnotherReplicaIsShown has another process restart a bot that is looked at.
func TestActionOfAnotherReplicaIsShown(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		w, anna := world.Serving(t, world.Options{Redis: redis}, "Shop", "Radio")
		card := openShop(t, anna)
		wantPressable(t, card.View(), true)

		lock := begins(t, anotherReplica(t, w, redis), anna.ID)
		details := card.Press(t, "Details")
		wantPressable(t, details.WaitFor(t, "Restarting **Shop**"), false)
		wantPressable(t, anna.Types(t, "/bot show", bot("Shop")).WaitFor(t, "Restarting **Shop**"), false)
		anna.Types(t, "/bot list").WaitFor(t, "🟡 Shop · Restarting")
		anna.Types(t, "/bot show", bot("Radio")).WaitFor(t, "Running")
		wantPressable(t, card.Press(t, "Refresh").WaitFor(t, "Restarting **Shop**"), false)
		anna.Types(t, "/bot reinstall", bot("Shop")).WaitFor(t, "already running")

		lock.Close()
		wantPressable(t, anna.Types(t, "/bot show", bot("Shop")).WaitFor(t, "Running"), true)
		w.WantCalls(t, hostapitest.OpRestart, 0)
	})
}

// TestCardIsDrawnWithoutWhatCannotBeRead spoils what Redis has of a customer's actions.
func TestCardIsDrawnWithoutWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		w, anna := world.Serving(t, world.Options{Redis: redis}, "Shop")
		openShop(t, anna)
		client, key := redistest.Connect(t, redis), actions.Key(anna.ID)
		if err := client.Set(t.Context(), key, "no hash", 0).Err(); err != nil {
			t.Fatal(err)
		}
		wantPressable(t, openShop(t, anna).WaitFor(t, "Running"), true)
		w.WantCalls(t, hostapitest.OpList, 1) // the account is read all the same
	})
}
