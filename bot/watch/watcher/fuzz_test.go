package watcher_test

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/watch/history"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
	"hostbot/hostapi/redistest"
)

// FuzzAccount has Redis hold anything in the place of what is known of an account: a bot's log, the
// times of polls, and an action on the bot. The account is polled all the same, what the poll has
// shown is written, and nobody is told of it twice.
func FuzzAccount(f *testing.F) {
	for _, log := range []string{"", "r", "-\x00\x00\x00\x00", "r\xff\xff\xff\xff", "c\x60\x00\x00\x00g\x61\x00\x00\x00", "\x00\x00\x00\x00\x00?????-----ggggg"} {
		f.Add(log, "1700000000", "1700000000000", "stop 1700000000", "CRASHED")
		f.Add(log, "99999999999999", "-5", "stop 99999999999999", "STOPPED")
		f.Add(log, "x", "x", "x", "")
		f.Add(log, "-9223372036854775808", "9223372036854775807", "restart -9223372036854775808", "RUNNING")
	}
	client := redistest.Connect(f, redistest.StartMiniredis(f).URL())
	var status string
	look := looker(func(context.Context, string) (accounts.Snapshot, error) {
		return accounts.Snapshot{FetchedAt: time.Now(), List: hostapi.List{Servers: []hostapi.Server{{ID: "bot", Name: "Shop", Status: status}}}}, nil
	})
	var told []watcher.Change
	w := watcher.New(watcher.Config{
		Redis: client, Accounts: look, Interval: time.Minute, Rate: 100, DownSince: func() time.Time { return time.Time{} },
		OnSlow: func(watcher.Status) {}, OnLimits: func(_, _ watcher.Limits) {}, Wake: func(context.Context, string, ...string) {}, Log: zerolog.Nop(), Timing: watcher.DefaultTiming(),
	})
	w.Observe(func(_ context.Context, changes []watcher.Change) error {
		told = append(told, changes...)
		return nil
	})
	work := w.Work()
	f.Fuzz(func(t *testing.T, log, polled, next, action, shown string) {
		ctx := t.Context()
		client.FlushAll(ctx)
		status, told = shown, nil
		client.HSet(ctx, history.AccountKey("", "1"), "why:alerts", 1, "b:bot", log, "at", polled, "next", next, "x:bot", action)
		client.ZAdd(ctx, work.Due, redis.Z{Member: "1"})
		for range 2 {
			again, err := work.Reconcile(ctx, "1")
			if err != nil || again < 0 || again > 2*time.Minute {
				t.Errorf("the account is polled again after %v (%v)", again, err)
			}
			// Another poll comes when that time is over.
			client.ZAdd(ctx, work.Due, redis.Z{Member: "1"})
		}
		if len(told) > 1 {
			t.Errorf("the changes are %+v", told)
		}
		for _, c := range told {
			if c.From == c.To || c.ServerID != "bot" || c.CustomerID != "1" {
				t.Errorf("a change is %+v", c)
			}
		}
		entries := history.Decode(client.HGet(ctx, history.AccountKey("", "1"), "b:bot").Val())
		if len(entries) == 0 || entries[len(entries)-1].State != hostapi.StateOf(shown) {
			// A restart through us is what a stop may be taken for.
			if len(told) == 0 || told[0].To != hostapi.StateRestarting {
				t.Errorf("the log is %v after %q", entries, shown)
			}
		}
	})
}
