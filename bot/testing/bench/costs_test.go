//go:build integration

package bench_test

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/rs/zerolog"

	"hostbot/bot/leader"
	"hostbot/bot/store/keyspace"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/bot/testing/faultproxy"
	"hostbot/bot/testing/loadgen"
	"hostbot/configs"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
	"hostbot/hostapi/secret"
)

// TestNothingIsLeftOfAnInteraction counts what is in memory after thousands of
// interactions and after ten times as many. Discord's side of it, which keeps
// nothing, is in the same process.
func TestNothingIsLeftOfAnInteraction(t *testing.T) {
	first := 10_000
	if world.RaceDetector { // which makes it twenty times as slow
		first = 500
	}
	discord, err := loadgen.StartDiscord(1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(discord.Close)
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
	world.Run(t, settings, t.Output())
	<-discord.Ready()
	const underWay = 16
	users := loadgen.Users(200)
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

	// Each of those under way may have opened a connection that was not needed
	// before, with some goroutines at both of its ends. One goroutine that was left of each
	// interaction would make thousands.
	more := after.goroutines - before.goroutines
	if more > 8*underWay {
		t.Errorf("there are %d more goroutines", more)
	}
	// A single word that was left of each of 90,000 interactions would make 0.7 MB. A
	// connection that was opened meanwhile takes up to 20 KB for each of its
	// goroutines, as measured with one interaction at a time before.
	mayGrow := 1<<19 + 20<<10*max(more, 0)
	if grown := after.heap - before.heap; grown > mayGrow {
		t.Errorf("the heap has grown by %d bytes, and may by %d", grown, mayGrow)
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

// roundTrips are the requests to Redis that are sent before an answer to them comes:
// pipelined commands are one.
type roundTrips struct {
	mu   sync.Mutex
	made []*bytes.Buffer // what was sent in each
}

// tap hears one connection.
func (r *roundTrips) tap() (requests, answers io.WriteCloser) {
	var current *bytes.Buffer // nil once an answer comes
	return heard(func(piece []byte) {
			r.mu.Lock()
			defer r.mu.Unlock()
			if current == nil {
				current = &bytes.Buffer{}
				r.made = append(r.made, current)
			}
			current.Write(piece)
		}), heard(func([]byte) {
			r.mu.Lock()
			defer r.mu.Unlock()
			current = nil
		})
}

// count returns how many there were.
func (r *roundTrips) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.made)
}

// since returns the commands of each, with the first word behind them, after the first so many.
func (r *roundTrips) since(before int) (each []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	command := regexp.MustCompile(`\*\d+\r\n\$\d+\r\n(\w+)(?:\r\n\$\d+\r\n(\S+))?`)
	for _, sent := range r.made[before:] {
		var words []string
		for _, found := range command.FindAllStringSubmatch(sent.String(), -1) {
			words = append(words, found[1]+" "+found[2])
		}
		each = append(each, strings.Join(words, ", "))
	}
	return each
}

// heard is called for each piece that passes.
type heard func(piece []byte)

func (h heard) Write(piece []byte) (int, error) {
	h(piece)
	return len(piece), nil
}

func (h heard) Close() error { return nil }

// TestRestartCostsFewRoundTrips counts what it costs to press Restart, from the press until nothing is
// left of the action: each of them but those that are at the same time (the watcher's note, and that the action is sent) is a reason why the customer waits
// where Redis is far away. The leader is another process, whose own are not counted, and the log channel has more to do already.
func TestRestartCostsFewRoundTrips(t *testing.T) {
	t.Parallel()
	const most = 10
	redis, trips := miniredis.RunT(t), &roundTrips{}
	relay, err := faultproxy.Start(redis.Addr(), trips.tap)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(relay.Close)
	w := world.New(t, world.Options{Redis: "redis://" + relay.Addr(), Service: &hostapitest.Options{Restart: -1}})
	anotherLeads(t, w, redis)
	anna := w.AddCustomer("anna", "Shop")
	w.Start(t)
	card := anna.Types(t, "/bot show", discordtest.Options{"bot": "Shop"})
	card.WaitFor(t, "Limits: 512 MB RAM")
	var fewest []string
	// The first press has Redis load scripts. Every two seconds the bot renews what it holds.
	for tries := 0; tries < 20 && (fewest == nil || len(fewest) > most); tries++ {
		before := trips.count()
		card.Press(t, "Restart").WaitFor(t, "✅ Restarted")
		if !world.Eventually(t.Context(), func() bool { return !acting(redis) }) {
			t.Fatal("something is left of the action")
		}
		if made := trips.since(before); tries > 0 && (fewest == nil || len(made) < len(fewest)) {
			fewest = made
		}
	}
	if len(fewest) > most {
		t.Errorf("%d round trips to Redis, want %d at most:\n%s", len(fewest), most, strings.Join(fewest, "\n"))
	}
}

// anotherLeads has a process lead that does nothing, until the test ends.
func anotherLeads(t *testing.T, w *world.World, redis *miniredis.Miniredis) {
	t.Helper()
	other := leader.New(leader.Config{
		Redis: redistest.Connect(t, "redis://"+redis.Addr()), Space: keyspace.Of(secret.Text(w.Discord.Token())), Name: "another",
		Log: zerolog.Nop(), Timing: leader.DefaultTiming(),
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		other.Run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-done })
	if !world.Eventually(t.Context(), other.Leading) {
		t.Fatal("the other process does not lead")
	}
}

// acting reports whether Redis knows of an action that is not over.
func acting(redis *miniredis.Miniredis) bool {
	return slices.ContainsFunc(redis.Keys(), func(key string) bool { return strings.HasSuffix(key, ":{actions}:due") })
}
