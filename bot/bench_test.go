package bot_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/rs/zerolog"

	"hostbot/bot"
	"hostbot/bot/discordtest"
	"hostbot/configs"
	"hostbot/hostapi/hostapitest"
)

// BenchmarkList has 32 customers ask for their ten bots, each as soon as the
// answer before is there: a gateway event in, a callback out, over loopback, on
// the Redis inside the process. Allocations and bytes are those of the whole
// process, Discord's and the customers' side of it included.
func BenchmarkList(b *testing.B) {
	const customers = 32
	discord, err := discordtest.Start(discordtest.Config{Lean: true, NoRateLimits: true})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = discord.Close() }()
	service := hostapitest.RunT(b)
	users := make([]*discordtest.User, customers)
	for i := range users {
		users[i] = discord.User(fmt.Sprint("customer ", i))
		service.AddAccount(users[i].ID, hostapitest.Plan{Name: "Pro", RAMMB: 16384, MaxServers: 30})
		for n := range 10 {
			service.AddServer(users[i].ID, hostapitest.Server{Name: fmt.Sprint("Bot ", n), Status: hostapitest.Running, RAMMB: 512, DiskMB: 2048, CPUPercent: 100})
		}
	}
	stop := startForBenchmark(b, discord, service)
	defer stop()

	list := func(u *discordtest.User) {
		reply, err := u.Command(b.Context(), "/bot list", nil)
		if err != nil {
			b.Error(err)
			return
		}
		if !reply.View().Contains("Your bots") {
			b.Errorf("the customer sees %s", reply.View().Text())
		}
		reply.Forget()
	}
	for _, u := range users { // so that every account is cached
		list(u)
	}
	b.ReportAllocs()
	b.ResetTimer()
	turns := make(chan struct{})
	ended := make(chan struct{})
	for _, u := range users {
		go func() {
			defer func() { ended <- struct{}{} }()
			for range turns {
				list(u)
			}
		}()
	}
	for range b.N {
		turns <- struct{}{}
	}
	close(turns)
	for range users {
		<-ended
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "interactions/s")
	if n := service.Count(hostapitest.OpList); n != customers {
		b.Errorf("the service was asked %d times for %d accounts", n, customers)
	}
}

// startForBenchmark starts a bot that logs what goes wrong only.
func startForBenchmark(b *testing.B, discord *discordtest.Server, service *hostapitest.Service) (stop func()) {
	b.Helper()
	settings, err := configs.Load("", []string{
		"DISCORD_TOKEN=" + discord.Token(), "DISCORD_API_URL=" + discord.URL(),
		"HOSTAPI_URL=" + service.URL(), "HOSTAPI_SECRET=" + service.Secret(),
		"CACHE_FRESH=1h", "HTTP_ADDR=off",
	})
	if err != nil {
		b.Fatal(err)
	}
	hostbot, err := bot.New(settings, "benchmark", zerolog.New(b.Output()).Level(zerolog.ErrorLevel))
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- hostbot.Run(ctx) }()
	if err := discord.WaitCommands(b.Context()); err != nil {
		b.Fatal(err)
	}
	return func() {
		cancel()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	}
}
