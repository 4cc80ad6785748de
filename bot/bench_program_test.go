package bot_test

import (
	"bufio"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/loadtest"
	"hostbot/bot/redisconn/redistest"
)

// program is a bot under test and what it is connected to: a Discord, a hosting
// service and a Redis that nobody else uses.
type program struct {
	name    string
	discord *loadtest.Discord
	service *loadtest.Service
	redis   *redis.Client
	process *loadtest.Process
	metrics string // where a Go program tells of its heap; "" for one that does not
}

// startPrograms starts the bot and its peers. They end with the benchmark.
func startPrograms(b *testing.B, botsEach int) []*program {
	b.Helper()
	own := freeAddress(b)
	programs := []*program{startProgram(b, "hostbot", build(b), "v9", botsEach, "HTTP_ADDR="+own, "CACHE_FRESH=1h")}
	programs[0].metrics = "http://" + own + "/metrics"
	for _, p := range flagValue[peers]("peer") {
		programs = append(programs, startProgram(b, p.name, p.command, "v10", botsEach))
	}
	return programs
}

func startProgram(b *testing.B, name, command, apiVersion string, botsEach int, environment ...string) *program {
	b.Helper()
	p := &program{name: name}
	var err error
	if p.discord, err = loadtest.StartDiscord(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(p.discord.Close)
	if p.service, err = loadtest.StartService(botsEach); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(p.service.Close)
	server := redistest.StartRedis(b)
	p.redis = redis.NewClient(&redis.Options{Addr: server.Addr()})
	b.Cleanup(func() { _ = p.redis.Close() })

	p.process, err = loadtest.Start(command, append(environment,
		"DISCORD_TOKEN="+loadtest.Token, "DISCORD_API_URL="+p.discord.URL(apiVersion),
		"HOSTAPI_URL="+p.service.URL(), "HOSTAPI_SECRET="+loadtest.Secret,
		"REDIS_URL="+server.URL(), "LOG_CHANNEL_ID=1166666666666666666")...)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := p.process.Stop(); err != nil {
			b.Error(err)
		}
	})
	readyWithin(b, p.process, p.discord)
	return p
}

func freeAddress(b *testing.B) string {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// warm has every user ask twice, and has what is then cached stay so.
func (p *program) warm(b *testing.B, users loadtest.Users) {
	b.Helper()
	left := 2 * int(users)
	if _, err := loadtest.Closed(p.discord, users, 8, func() bool { left--; return left >= 0 }); err != nil {
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

// figures are what a load came to, by their units.
type figures map[string]float64

// measure puts a load upon the program for as long as the benchmark lasts, and
// reports what an interaction costs.
func (p *program) measure(b *testing.B, l load, users loadtest.Users) figures {
	b.Helper()
	before := p.counts(b)
	latencies, err := l.run(p.discord, users, b.Loop)
	if err != nil {
		b.Fatal(p.name, err)
	}
	spent := p.counts(b)
	n, elapsed := float64(b.N), b.Elapsed()
	result := make(figures)
	for unit, value := range spent {
		result[unit+"/op"] = (value - before[unit]) / n
	}
	usage, err := p.process.Usage()
	if err != nil {
		b.Fatal(err)
	}
	result["interactions/s"] = n / elapsed.Seconds()
	result["p50-µs"] = float64(latencies.Quantile(.5).Microseconds())
	result["p99-µs"] = float64(latencies.Quantile(.99).Microseconds())
	result["resident-MB"] = float64(usage.Resident) / 1e6
	for _, unit := range slices.Sorted(maps.Keys(result)) {
		b.ReportMetric(result[unit], unit)
	}
	return result
}

// counts returns what has been counted so far, by unit: processor time of the
// program and of the load, calls, and what a Go program allocated.
func (p *program) counts(b *testing.B) figures {
	b.Helper()
	usage, err := p.process.Usage()
	if err != nil {
		b.Fatal(err)
	}
	counts := figures{
		"cpu-µs": float64(usage.CPU.Microseconds()), "load-cpu-µs": ownCPU(b),
		"discord": float64(p.discord.Calls()), "service": float64(p.service.Calls()), "redis": p.redisCommands(b),
	}
	if p.metrics != "" {
		heap := p.scrape(b)
		counts["mallocs"], counts["malloc-B"] = heap["go_memstats_mallocs_total"], heap["go_memstats_alloc_bytes_total"]
	}
	return counts
}

// ownCPU returns the processor time that the load has taken, in microseconds.
func ownCPU(b *testing.B) float64 {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return float64(time.Duration(used.Utime.Nano() + used.Stime.Nano()).Microseconds())
}

// redisCommands returns how many commands the program's Redis has had, without
// this question.
func (p *program) redisCommands(b *testing.B) float64 {
	b.Helper()
	stats := p.redis.InfoMap(b.Context(), "stats")
	n, err := strconv.ParseFloat(stats.Item("Stats", "total_commands_processed"), 64)
	if err != nil {
		b.Fatal(stats.Err(), err)
	}
	return n
}

// scrape reads the program's metrics that have no labels.
func (p *program) scrape(b *testing.B) figures {
	b.Helper()
	response, err := http.Get(p.metrics)
	if err != nil {
		b.Fatal(err)
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
	return metrics
}
