//go:build integration

package bench_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/e2e/world"
	"hostbot/bot/testing/loadgen"
)

// company is a large one: its replicas, the shards that they divide, and its customers.
type company struct {
	*scene
	crowd     loadgen.Crowd
	processes []*loadgen.Process
	addresses []string // of the processes' metrics
}

// TestSize simulates a large company: first each customer asks once, then a day of
// theirs passes in as long as -size says.
func TestSize(t *testing.T) {
	day := world.Flag[time.Duration]("size")
	if day == 0 {
		t.Skip("for example: go test ./bot/testing/bench -run TestSize -size 3m -v -timeout 20m")
	}
	c := startCompany(t, 4)
	rest := c.look(t)
	t.Log("at rest, ", c.memory(t))

	left := c.crowd.Asking
	if _, err := loadgen.Closed(c.discord, c.crowd, 64, func() bool { left--; return left >= 0 }); err != nil {
		t.Fatal(err)
	}
	filled := c.look(t)
	t.Logf("each of %d asked once, %.0f/s, as fast as this machine went, %s", c.crowd.Asking, float64(c.crowd.Asking)/filled.at.Sub(rest.at).Seconds(), c.memory(t))
	t.Log(filled.since(rest, c.crowd.Asking))
	t.Logf("Redis: %.0f bytes for each account", (filled.redisBytes-rest.redisBytes)/float64(c.crowd.Asking))

	latencies, asked, err := c.crowd.Day(c.discord, world.Flag[float64]("size-noon"), day)
	if err != nil {
		t.Fatal(err)
	}
	over := c.look(t)
	t.Logf("a day: %d interactions, first response p50 %v, p99 %v, %s", asked, latencies.Quantile(.5), latencies.Quantile(.99), c.memory(t))
	t.Log(over.since(filled, asked))
	t.Logf("the processes hold %v shards", c.held())
}

// startCompany starts so many processes, and waits until they divide the shards.
func startCompany(t *testing.T, replicas int) *company {
	t.Helper()
	const shards = 16
	c := &company{scene: newScene(t, shards, botsEach), crowd: loadgen.Crowd{Accounts: 1_000_000, Asking: 100_000, Guilds: 10_000}}
	c.discord.MayDefer = true
	command, err := world.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for range replicas {
		address := world.FreeAddress(t)
		c.processes = append(c.processes, c.run(t, command, "v10", "LOG_LEVEL=warn", "HTTP_ADDR="+address))
		c.addresses = append(c.addresses, address)
	}
	ctx, cancel := context.WithTimeout(t.Context(), startLimit)
	defer cancel()
	if !world.Eventually(ctx, func() bool { return slices.Min(c.held()) == shards/replicas }) {
		t.Fatalf("the processes hold %v shards", c.held())
	}
	time.Sleep(2 * time.Second) // in which they give back the memory that starting took
	return c
}

// held returns how many shards each process holds.
func (c *company) held() []int {
	var held []int
	for _, address := range c.addresses {
		metrics, _ := scrape("http://" + address + "/metrics")
		held = append(held, int(metrics["hostbot_gateway_shards_held"]))
	}
	return held
}

// memory tells how much memory each process holds.
func (c *company) memory(t *testing.T) string {
	t.Helper()
	var all []string
	for _, p := range c.processes {
		usage, err := p.Usage()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%.1f", float64(usage.Resident)/1e6))
	}
	return strings.Join(all, ", ") + " MB"
}

// look is what was counted until a moment.
type look struct {
	at                            time.Time
	cpu, redisCPU                 time.Duration // of all processes; of Redis
	calls, discordCalls, deferred int
	redisCommands, redisBytes     float64
}

func (c *company) look(t *testing.T) look {
	t.Helper()
	info := make(map[string]float64)
	for line := range strings.Lines(c.redis.Info(t.Context(), "everything").Val()) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		info[name], _ = strconv.ParseFloat(value, 64) // what is no number is not looked at
	}
	l := look{
		at: time.Now(), calls: c.service.Calls(), discordCalls: c.discord.Calls(), deferred: c.discord.Deferred(),
		redisCPU:      time.Duration((info["used_cpu_user"] + info["used_cpu_sys"]) * float64(time.Second)),
		redisCommands: info["total_commands_processed"], redisBytes: info["used_memory"],
	}
	for _, p := range c.processes {
		usage, err := p.Usage()
		if err != nil {
			t.Fatal(err)
		}
		l.cpu += usage.CPU
	}
	return l
}

// since tells what each of n interactions cost since an earlier look.
func (l look) since(earlier look, n int) string {
	each := func(all float64) float64 { return all / float64(n) }
	return fmt.Sprintf("each interaction: %.0f µs of the processes, %.0f µs of Redis in %.1f commands, %.2f calls to the service, %.2f to Discord; %d were deferred",
		each(float64((l.cpu - earlier.cpu).Microseconds())), each(float64((l.redisCPU - earlier.redisCPU).Microseconds())), each(l.redisCommands-earlier.redisCommands),
		each(float64(l.calls-earlier.calls)), each(float64(l.discordCalls-earlier.discordCalls)), l.deferred-earlier.deferred)
}
