package e2e_test

import (
	"context"
	"runtime"
	"testing"

	"hostbot/bot"
	"hostbot/bot/loadgen"
	"hostbot/bot/logging"
	"hostbot/configs"
)

// TestNothingIsLeftOfAnInteraction counts what is in memory after ten thousand
// interactions and after ten times as many. Discord's side of it, which keeps
// nothing, is in the same process.
func TestNothingIsLeftOfAnInteraction(t *testing.T) {
	first := 10_000
	if raceDetector {
		first = 500 // which makes it twenty times as slow
	}
	discord := loadgen.RunDiscord(t)
	startInProcess(t, discord)
	const users, underWay = loadgen.Users(200), 16
	ask := func(n int) {
		if _, err := loadgen.Closed(discord, users, underWay, func() bool { n--; return n >= 0 }); err != nil {
			t.Fatal(err)
		}
	}

	ask(first)
	before := inUse()
	ask(9 * first)
	after := inUse()
	t.Logf("after %d: %+v; after %d: %+v", first, before, 10*first, after)

	// What is remembered for a while, so that no interaction is answered twice,
	// is at its most after 40,000: half a megabyte. A single word that was left
	// of each interaction would make 0.7 MB more.
	const mayGrow = 1 << 20
	if grown := after.heap - before.heap; grown > mayGrow {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
	// Each of those under way may have opened a connection that was not needed
	// before, with some goroutines at both of its ends. One that was left of each
	// interaction would make thousands.
	if grown := after.goroutines - before.goroutines; grown > 8*underWay {
		t.Errorf("there are %d more goroutines", grown)
	}
}

type memory struct{ heap, goroutines int }

// inUse counts what is still referred to.
func inUse() memory {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // what pools held back at the first
	runtime.ReadMemStats(&stats)
	return memory{heap: int(stats.HeapAlloc), goroutines: runtime.NumGoroutine()}
}

// startInProcess starts a bot on the Redis inside the process, and waits until
// it serves. It stops with the test.
func startInProcess(t testing.TB, discord *loadgen.Discord) {
	t.Helper()
	service, err := loadgen.StartService(10)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.Close)
	settings, err := configs.Load("", []string{
		"DISCORD_TOKEN=" + loadgen.Token, "DISCORD_API_URL=" + discord.URL("v9"),
		"HOSTAPI_URL=" + service.URL(), "HOSTAPI_SECRET=" + loadgen.Secret,
		"CACHE_TTL=1h", "HTTP_ADDR=off", "LOG_LEVEL=error",
	})
	if err != nil {
		t.Fatal(err)
	}
	b, err := bot.New(settings, "test", logging.New(settings.Log, t.Output()))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	<-discord.Ready()
}
