package falls_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"hostbot/bot/falls"
	"hostbot/bot/watcher"
	"hostbot/hostapi"
	"hostbot/hostapi/redistest"
)

func TestFallOfManyIsOneThatIsKeptUpToDate(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		options, err := redis.ParseURL(url)
		if err != nil {
			t.Fatal(err)
		}
		client := redis.NewClient(options)
		defer func() { _ = client.Close() }()
		var told []falls.Fall
		f := falls.New(client, func(fall falls.Fall) { told = append(told, fall) })
		began := time.Now().Truncate(time.Second)
		at := func(seconds int) time.Time { return began.Add(time.Duration(seconds) * time.Second) }
		change := func(customer, bot, seconds int, unasked bool, to hostapi.State) watcher.Change {
			return watcher.Change{CustomerID: fmt.Sprint(customer), ServerID: fmt.Sprint(bot), Plan: []string{"Pro", ""}[bot%2], At: at(seconds), Unasked: unasked, To: to}
		}
		fell := func(customer, bot, seconds int) watcher.Change {
			return change(customer, bot, seconds, true, hostapi.StateCrashed)
		}
		see := func(changes ...watcher.Change) {
			t.Helper()
			if err := f.Changed(t.Context(), changes); err != nil {
				t.Fatal(err)
			}
		}
		want := func(fall falls.Fall) {
			t.Helper()
			if len(told) == 0 {
				t.Fatal("nothing is told")
			}
			got := told[len(told)-1]
			got.ID = ""
			if diff := cmp.Diff(fall, got); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
		}
		see(fell(90, 0, -200), fell(91, 0, -150)) // long before
		for i := range 9 {
			see(fell(i, 0, i), fell(i, 0, i)) // some are told of twice
		}
		see(change(50, 0, 9, false, hostapi.StateStopped)) // it was asked for
		if len(told) > 0 {
			t.Fatalf("nine are told of: %+v", told)
		}
		see(fell(0, 1, 40))
		want(falls.Fall{Bots: 10, Customers: 9, First: at(0), Last: at(40), Plans: map[string]int{"Pro": 9}})
		see(fell(9, 0, 95), change(3, 0, 96, false, hostapi.StateRunning), change(60, 0, 96, false, hostapi.StateRunning))
		want(falls.Fall{Bots: 11, Customers: 10, Back: 1, First: at(0), Last: at(95), Plans: map[string]int{"Pro": 10}})
		first, lost := told[0].ID, true
		client.AddHook(redistest.Hook(func(ctx context.Context, cmd redis.Cmder, next redis.ProcessHook) error {
			if err := next(ctx, cmd); err != nil || !lost {
				return err
			}
			cmd.SetErr(context.Canceled)
			return context.Canceled
		}))
		if err := f.Changed(t.Context(), []watcher.Change{fell(10, 0, 97)}); err == nil {
			t.Error("the answer was not lost")
		}
		lost = false
		see(fell(10, 0, 97))
		want(falls.Fall{Bots: 12, Customers: 11, Back: 1, First: at(0), Last: at(97), Plans: map[string]int{"Pro": 11}})
		if told[len(told)-1].ID != first {
			t.Error("a fall that goes on has an entry of its own")
		}
		for i := range 10 {
			see(fell(i, 2, 300+i))
		}
		want(falls.Fall{Bots: 10, Customers: 10, First: at(300), Last: at(309), Plans: map[string]int{"Pro": 10}})
		if told[len(told)-1].ID == first {
			t.Error("a later fall is told of in the former's entry")
		}
	})
}
