package alerts_test

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
	"hostbot/hostapi/redistest"
)

// takesAll is a Discord that takes each message.
type takesAll struct{}

func (takesAll) OpenDM(context.Context, string) (string, error) { return "1", nil }

func (takesAll) CreateMessage(context.Context, string, string, interaction.Message) (string, error) {
	return "1", nil
}

func (takesAll) EditMessage(context.Context, string, string, interaction.Message) error { return nil }

func (takesAll) DeleteMessage(context.Context, string, string) error { return nil }

func (takesAll) LatestMessages(context.Context, string, int) ([]rest.Posted, error) { return nil, nil }

// fellOf is the fall of a bot of somebody with an ID.
func fellOf(customerID string, at time.Time) watcher.Change {
	return watcher.Change{CustomerID: customerID, ServerID: "shop", Name: "shop", From: hostapi.StateRunning, To: hostapi.StateCrashed, At: at, Unexpected: true}
}

// FuzzRecords has Redis hold anything in the place of a customer's settings, and of an alert. The
// customer's own alerts may be lost by that, and nobody else's.
func FuzzRecords(f *testing.F) {
	for _, settings := range []string{"", "{", `{"version":1,"all":true}`, `{"version":9,"all":9}`, `{"all":true,"muted":{"shop":"9999-01-01T00:00:00Z"}}`, "null", "[]"} {
		f.Add(settings, "1", "2", `{"id":"x","first":"2026-01-01T00:00:00Z","bots":[{"server":"shop","last":"y"}],"message":{"posts":-1}}`)
		f.Add(settings, "", "2", `{"id":"x","bots":[{"server":"shop"}]}`)
		f.Add(settings, "", "x", "{")
		f.Add(settings, "9", "9", "null")
		f.Add(settings, "-1", "2", `{"bots":[],"refused":99999,"held":-5}`)
	}
	url := redistest.StartMiniredis(f).URL()
	client := redistest.Connect(f, url)
	a := alerts.New(alerts.Config{
		Redis: client, Discord: takesAll{}, Watching: &watched{}, Draw: draw, Wake: func(context.Context, string, ...string) {}, Log: zerolog.Nop(),
		Timing: alerts.Timing{Work: time.Second, Retry: time.Second, Hold: time.Second, LongestHold: time.Minute, Opening: time.Millisecond},
	})
	work := a.Work()
	f.Fuzz(func(t *testing.T, settings, version, format, record string) {
		ctx := t.Context()
		client.FlushAll(ctx)
		client.Set(ctx, "hostbot:{alerts}:customer:1", settings, 0)
		client.HSet(ctx, "hostbot:{alerts}:record:1/x", "v", version, "f", format, "r", record, "o", "1")
		client.SAdd(ctx, "hostbot:{alerts}:of:1", "1/x")
		client.ZAdd(ctx, work.Due, redis.Z{Member: "1/x"})
		client.Set(ctx, "hostbot:{alerts}:customer:2", `{"version":1,"all":true,"channel":"2"}`, 0)
		now := time.Now()
		_ = a.Changed(ctx, []watcher.Change{fellOf("1", now), fellOf("2", now)})
		_, _ = a.Settings(ctx, "1")
		if _, err := work.Reconcile(ctx, "1/x"); err != nil {
			t.Errorf("what cannot be read is tried again at once: %v", err)
		}
		if n := client.SCard(ctx, "hostbot:{alerts}:of:2").Val(); n != 1 {
			t.Errorf("the other customer has %d alerts", n)
		}
		if _, err := a.TurnOff(ctx, "1", func(s *alerts.Settings) { s.SetAll(false) }); err == nil {
			if now, err := a.Settings(ctx, "1"); err != nil || now.Any() {
				t.Errorf("alerts are on after they were turned off: %+v (%v)", now, err)
			}
		}
	})
}
