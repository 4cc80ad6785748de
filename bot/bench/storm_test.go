package bench_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"hostbot/bot"
	"hostbot/bot/discordtest"
	"hostbot/bot/logging"
	"hostbot/configs"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

// BenchmarkStorm has customers whose accounts are cached type /bot list, 200 times
// a second: by themselves, while 200 others a second fail for want of the hosting
// service, and the same with log channels, which are told of every one of those.
// What the last adds to the one before is what the log channels cost.
func BenchmarkStorm(b *testing.B) {
	for _, c := range []struct {
		name        string
		storm, logs bool
	}{{"quiet", false, true}, {"storm/logs=off", true, false}, {"storm/logs=on", true, true}} {
		b.Run(c.name, func(b *testing.B) {
			w := newStorm(b, c.logs)
			stop := func() {}
			if c.storm {
				stop = w.rage(b)
			}
			b.ResetTimer()
			took := w.lists(b, 200)
			b.StopTimer()
			stop()
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs-p50")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs-p99")
			b.ReportMetric(float64(w.failed), "failures")
			b.ReportMetric(float64(len(w.channel.Messages())), "log-messages")
		})
	}
}

// storm is a bot with customers who are fine and customers who are not.
type storm struct {
	discord       *discordtest.Server
	channel       *discordtest.Channel
	fine, unlucky []*discordtest.User
	failed        int // interactions of the unlucky ones
}

func newStorm(b *testing.B, logs bool) *storm {
	b.Helper()
	discord, err := discordtest.Start(discordtest.Config{Lean: true, NoRateLimits: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = discord.Close() })
	service := hostapitest.RunT(b)
	w := &storm{discord: discord, channel: discord.AddChannel("bot-log")}
	for i := range 100 {
		w.fine = append(w.fine, discord.User(fmt.Sprint("fine ", i)))
		w.unlucky = append(w.unlucky, discord.User(fmt.Sprint("unlucky ", i)))
		service.AddAccount(w.fine[i].ID, hostapitest.Plan{Name: "Pro", RAMMB: 16384, MaxServers: 30})
	}
	channelID := "off"
	if logs {
		channelID = w.channel.ID
	}
	settings, err := configs.Load("", []string{
		"DISCORD_TOKEN=" + discord.Token(), "DISCORD_API_URL=" + discord.URL(), "HOSTAPI_URL=" + service.URL(),
		"HOSTAPI_SECRET=" + service.Secret(), "REDIS_URL=" + redistest.StartRedis(b).URL(), "CACHE_TTL=1h", "HTTP_ADDR=off", "LOG_LEVEL=error",
		"LOG_CHANNEL_ACTIONS=" + channelID, "LOG_CHANNEL_ERRORS=" + channelID, "LOG_CHANNEL_LIFECYCLE=" + channelID,
	})
	if err != nil {
		b.Fatal(err)
	}
	hostbot, err := bot.New(settings, "benchmark", logging.New(settings.Log, io.Discard))
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- hostbot.Run(ctx) }()
	b.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	})
	if err := discord.WaitCommands(b.Context()); err != nil {
		b.Fatal(err)
	}
	for _, u := range w.fine {
		w.list(b, u)
	}
	service.Fail(hostapitest.OpList, hostapitest.Fault{Status: http.StatusServiceUnavailable}, 0)
	return w
}

// list has a customer type /bot list, and returns how long the answer took.
func (w *storm) list(b *testing.B, u *discordtest.User) time.Duration {
	asked := time.Now()
	reply, err := u.Command(b.Context(), "/bot list", nil)
	took := time.Since(asked)
	if err != nil {
		b.Error(err)
		return took
	}
	reply.Forget()
	return took
}

// lists has the fine customers type, so many a second and b.N times in all.
func (w *storm) lists(b *testing.B, perSecond int) []time.Duration {
	took := make([]time.Duration, b.N)
	tick := time.NewTicker(time.Second / time.Duration(perSecond))
	defer tick.Stop()
	var asking sync.WaitGroup
	for i := range b.N {
		<-tick.C
		asking.Go(func() { took[i] = w.list(b, w.fine[i%len(w.fine)]) })
	}
	asking.Wait()
	return took
}

// rage has the unlucky customers type, 200 times a second, until stop is called.
func (w *storm) rage(b *testing.B) (stop func()) {
	over := make(chan struct{})
	var raging sync.WaitGroup
	raging.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				u := w.unlucky[w.failed%len(w.unlucky)]
				w.failed++
				raging.Go(func() { w.list(b, u) })
			}
		}
	})
	return func() {
		close(over)
		raging.Wait()
	}
}
