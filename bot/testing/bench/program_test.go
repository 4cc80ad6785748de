//go:build integration

package bench_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/testing/e2e/world"
	"hostbot/bot/testing/loadgen"
	"hostbot/hostapi/redistest"
)

// candidate is a bot that can be started.
type candidate struct {
	name, command string
	apiVersion    string // of Discord's REST API
	environment   []string
	anyMessage    bool   // its answers are not looked at
	metrics       string // where a Go program tells of its heap; "" for one that does not
}

// candidates are the bot, as it is built, and the peers that flags name.
func candidates(b *testing.B) []candidate {
	b.Helper()
	command, err := world.Build(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	own := world.FreeAddress(b)
	list := []candidate{{
		name: "hostbot", command: command, apiVersion: "v10",
		environment: []string{"HTTP_ADDR=" + own, "CACHE_TTL=1h"}, metrics: "http://" + own + "/metrics",
	}}
	for _, p := range world.Flag[peers]("peer") {
		list = append(list, candidate{name: p.name, command: p.command, apiVersion: "v10"})
	}
	if command := world.Flag[string]("floor"); command != "" {
		list = append(list, candidate{name: "floor", command: command, apiVersion: "v10", anyMessage: true})
	}
	return list
}

// scene is a Discord, a hosting service and a Redis that nobody else uses.
type scene struct {
	discord *loadgen.Discord
	service *loadgen.Service
	redis   *redis.Client
	url     string // of Redis
}

// newScene starts them. Each customer has so many bots.
func newScene(t testing.TB, shards, botsEach int) *scene {
	t.Helper()
	s := &scene{}
	var err error
	if s.discord, err = loadgen.StartDiscord(shards); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.discord.Close)
	if s.service, err = loadgen.StartService(botsEach); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.service.Close)
	server := redistest.StartRedis(t)
	s.url = server.URL()
	s.redis = redis.NewClient(&redis.Options{Addr: server.Addr()})
	t.Cleanup(func() { _ = s.redis.Close() })
	return s
}

// run runs a bot there until the test ends.
func (s *scene) run(t testing.TB, command, apiVersion string, environment ...string) *loadgen.Process {
	t.Helper()
	p, err := loadgen.Start(command, append(slices.Clone(environment),
		"DISCORD_TOKEN="+loadgen.Token, "DISCORD_API_URL="+s.discord.URL(apiVersion),
		"HOSTAPI_URL="+s.service.URL(), "HOSTAPI_SECRET="+loadgen.Secret,
		"REDIS_URL="+s.url, "LOG_CHANNEL_ID=1166666666666666666")...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(command, err)
		}
	})
	return p
}

// program is a candidate that runs.
type program struct {
	candidate
	*scene
	process *loadgen.Process
	ready   time.Duration // from its execution to when it served
}

// startLimit is how long a program may take until it serves.
const startLimit = 30 * time.Second

// start starts the candidate, whose customers have so many bots each, and waits
// until it serves.
func (c candidate) start(b *testing.B, botsEach int) *program {
	b.Helper()
	p := &program{candidate: c, scene: newScene(b, 1, botsEach)}
	p.discord.AnyMessage = c.anyMessage
	began := time.Now()
	p.process = p.run(b, c.command, c.apiVersion, c.environment...)
	ctx, cancel := context.WithTimeout(b.Context(), startLimit)
	defer cancel()
	if err := p.process.WaitReady(ctx, p.discord); err != nil {
		b.Fatal(c.name, err)
	}
	p.ready = time.Since(began)
	return p
}

// warm has every user ask twice, and has what is then cached stay so.
func (p *program) warm(b *testing.B, users int) {
	b.Helper()
	left := 2 * users
	if _, err := loadgen.Closed(p.discord, loadgen.Users(users), 8, func() bool { left--; return left >= 0 }); err != nil {
		b.Fatal(p.name, err)
	}
	keys := p.redis.Scan(b.Context(), 0, "", 1000).Iterator()
	for keys.Next(b.Context()) {
		if err := p.redis.Persist(b.Context(), keys.Val()).Err(); err != nil {
			b.Fatal(err)
		}
	}
	if err := keys.Err(); err != nil {
		b.Fatal(err)
	}
}

// figures are what was counted, by their units or names.
type figures map[string]float64

// measure puts a load upon the program for as long as the benchmark lasts, and
// reports what an interaction costs.
func (p *program) measure(b *testing.B, l load, users int) {
	b.Helper()
	p.measureRun(b, func() (*loadgen.Latencies, error) { return l.run(p.discord, loadgen.Users(users), b.Loop) })
}

// measureRun is measure for what calls b.Loop before each interaction.
func (p *program) measureRun(b *testing.B, run func() (*loadgen.Latencies, error)) {
	b.Helper()
	before := p.counts(b)
	latencies, err := run()
	if err != nil {
		b.Fatal(p.name, err)
	}
	for unit, value := range p.counts(b) {
		b.ReportMetric((value-before[unit])/float64(b.N), unit+"/op")
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "interactions/s")
	b.ReportMetric(float64(latencies.Quantile(.5).Microseconds()), "p50-µs")
	b.ReportMetric(float64(latencies.Quantile(.99).Microseconds()), "p99-µs")
	b.ReportMetric(p.residentMB(b), "resident-MB")
}

// counts returns what has been counted so far, by unit: processor time, calls, and
// what a Go program allocated.
func (p *program) counts(b *testing.B) figures {
	b.Helper()
	counts := figures{
		"cpu-µs":  float64(p.usage(b).CPU.Microseconds()),
		"discord": float64(p.discord.Calls()), "service": float64(p.service.Calls()),
		"redis": p.redisStat(b, "total_commands_processed"), "redis-reads": p.redisStat(b, "total_reads_processed"),
	}
	if p.metrics != "" {
		heap, err := scrape(p.metrics)
		if err != nil {
			b.Fatal(err)
		}
		counts["mallocs"], counts["malloc-B"] = heap["go_memstats_mallocs_total"], heap["go_memstats_alloc_bytes_total"]
	}
	return counts
}

func (p *program) usage(b *testing.B) loadgen.Usage {
	b.Helper()
	usage, err := p.process.Usage()
	if err != nil {
		b.Fatal(err)
	}
	return usage
}

func (p *program) residentMB(b *testing.B) float64 {
	b.Helper()
	return float64(p.usage(b).Resident) / 1e6
}

// redisStat returns what the program's Redis has counted. A pipeline is several commands, and as it
// is short one read.
func (p *program) redisStat(b *testing.B, name string) float64 {
	b.Helper()
	stats := p.redis.InfoMap(b.Context(), "stats")
	n, err := strconv.ParseFloat(stats.Item("Stats", name), 64)
	if err != nil {
		b.Fatal(stats.Err(), err)
	}
	return n
}

// scrape reads a program's metrics that have no labels.
func scrape(address string) (figures, error) {
	response, err := http.Get(address)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	metrics := make(figures)
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		var name string
		var value float64
		if !strings.HasPrefix(lines.Text(), "#") && !strings.Contains(lines.Text(), "{") {
			if _, err := fmt.Sscan(lines.Text(), &name, &value); err == nil {
				metrics[name] = value
			}
		}
	}
	return metrics, nil
}
