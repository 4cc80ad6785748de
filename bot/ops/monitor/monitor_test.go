package monitor_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"hostbot/bot/discord/rest"
	"hostbot/bot/discord/shards"
	"hostbot/bot/interaction"
	"hostbot/bot/ops/monitor"
	"hostbot/bot/responder"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPages(t *testing.T) {
	ready, standby := false, false
	m := monitor.New("1.2.3", func() bool { return ready })
	m.Commit("8cd95a1")
	m.ServiceHealth(time.Now)
	m.Gateway(func() monitor.Gateway {
		return monitor.Gateway{
			Shards: []shards.Status{{ID: 2, Ready: true, Latency: 40 * time.Millisecond}},
			Limits: discordgo.GatewayBotResponse{
				Shards: 3, SessionStartLimit: discordgo.SessionInformation{Total: 1000, Remaining: 987, MaxConcurrency: 16},
			},
			Identifies: 4, Resumes: 5, Handovers: 6,
		}
	})
	m.LogChannels(func() []logchannel.Status {
		return []logchannel.Status{
			{Categories: []logchannel.Category{logchannel.Actions, logchannel.Lifecycle}, Waiting: 3, Sent: 7},
			{Categories: []logchannel.Category{logchannel.Errors}, Trouble: "status 403"},
		}
	}, func() uint64 { return 5 })
	m.Redis(func() *redis.PoolStats { return &redis.PoolStats{TotalConns: 4, Timeouts: 2} })
	m.Watching(
		func() watcher.Status {
			return watcher.Status{Accounts: 8, Interval: time.Minute, Limits: watcher.Limits{Accounts: 3, All: true}}
		},
		func() (alerts.Status, error) {
			return alerts.Status{Sent: 9, Held: alerts.Held{Code: rest.CodeQuarantined, Until: time.Now().Add(time.Minute)}}, nil
		},
	)
	pages := m.Handler(monitor.Pages{
		Ready: func() bool { return ready }, Standby: func() bool { return standby }, Why: func() string { return "status 429" }, Health: func(context.Context) string { return "all is well" },
	})
	get := func(path string) (int, string) {
		answer := httptest.NewRecorder()
		pages.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		return answer.Code, answer.Body.String()
	}

	if status, _ := get("/healthz"); status != http.StatusOK {
		t.Errorf("/healthz: %d", status)
	}
	if _, text := get("/healthz?verbose"); text != "all is well" {
		t.Errorf("/healthz?verbose: %s", text)
	}
	if status, _ := get("/debug/pprof/"); status != http.StatusNotFound {
		t.Errorf("profiles, beside what others may read: %d", status)
	}
	if status, body := get("/readyz"); status != http.StatusServiceUnavailable || body != "not connected to Discord: status 429\n" {
		t.Errorf("/readyz while not connected: %d %s", status, body)
	}
	standby = true
	if status, body := get("/readyz"); status != http.StatusOK || !strings.Contains(body, "standby") {
		t.Errorf("/readyz while others serve: %d %s", status, body)
	}
	ready = true
	if status, _ := get("/readyz"); status != http.StatusOK {
		t.Errorf("/readyz while connected: %d", status)
	}

	m.Interaction(responder.Observation{Kind: interaction.Command, Route: "bot list", Outcome: "ok", First: 30 * time.Millisecond})
	m.Service(hostapi.Call{Op: hostapi.OpList, Code: hostapi.CodeUnavailable, Attempts: 3, Duration: 2 * time.Second})
	m.RedisUp(errors.New("refused"))
	m.CacheLookup(true)
	for _, status := range []int{204, 204, 404, 429, 503, 0} {
		m.DiscordRequest("interactions", status, "")
	}
	m.Action(interaction.Action{Name: "restart", Outcome: interaction.Done})
	_, metrics := get("/metrics")
	for _, line := range []string{
		`hostbot_gateway_latency_seconds{shard="2"} 0.04`, `hostbot_gateway_shard_ready{shard="2"} 1`,
		"hostbot_gateway_identifies_total 4", "hostbot_gateway_resumes_total 5", "hostbot_gateway_handovers_total 6", "hostbot_gateway_sessions_remaining 987",
		"hostbot_gateway_recommended_shards 3", "hostbot_gateway_max_concurrency 16",
		`hostbot_interactions_total{kind="command",outcome="ok",route="bot list"} 1`,
		`hostbot_first_response_seconds_bucket{deferred="false",kind="command",le="0.025"} 0`,
		`hostbot_first_response_seconds_bucket{deferred="false",kind="command",le="0.05"} 1`,
		`hostbot_first_response_seconds_bucket{deferred="false",kind="command",le="3"} 1`,
		`hostbot_first_response_seconds_bucket{deferred="false",kind="command",le="+Inf"} 1`,
		`hostbot_first_response_seconds_sum{deferred="false",kind="command"} 0.03`,
		`hostbot_first_response_seconds_count{deferred="false",kind="command"} 1`,
		`hostbot_hostapi_request_seconds_count{code="unavailable",operation="list"} 1`,
		`hostbot_build_info{commit="8cd95a1",goversion="` + runtime.Version() + `",version="1.2.3"} 1`,
		`hostbot_ready 1`, `hostbot_actions_total{action="restart",outcome="done"} 1`,
		`hostbot_redis_connections 4`, `hostbot_redis_pool_timeouts_total 2`, `hostbot_redis_up 0`,
		`hostbot_cache_lookups_total{result="fresh"} 1`,
		`hostbot_discord_requests_total{route="interactions",status="2xx"} 2`,
		`hostbot_discord_requests_total{route="interactions",status="4xx"} 1`,
		`hostbot_discord_requests_total{route="interactions",status="429"} 1`,
		`hostbot_discord_requests_total{route="interactions",status="5xx"} 1`,
		`hostbot_discord_requests_total{route="interactions",status="none"} 1`,
		`hostbot_hostapi_up 0`,
		`hostbot_log_entries_waiting{channel="actions,lifecycle"} 3`,
		`hostbot_log_requests_total{channel="actions,lifecycle"} 7`,
		`hostbot_log_channel_failing{channel="errors"} 1`,
		`hostbot_watch_accounts 8`, `hostbot_watch_limited_accounts 3`, `hostbot_watch_slowed 1`, `hostbot_watch_interval_seconds 60`, `hostbot_alerts_sent_total 9`, `hostbot_alerts_refused_total 0`, `hostbot_alerts_held 1`,
	} {
		if !strings.Contains(metrics, line) {
			t.Errorf("/metrics has no %s", line)
		}
	}
}

// TestProcessIsMeasured compares figures of the process with what else is known of it.
func TestProcessIsMeasured(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc")
	}
	pages := monitor.New("1.2.3", func() bool { return true }).Handler(monitor.Pages{})
	read := func() map[string]float64 {
		answer := httptest.NewRecorder()
		pages.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		figures := make(map[string]float64)
		for line := range strings.Lines(answer.Body.String()) {
			if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "#" {
				figure, err := strconv.ParseFloat(value, 64)
				if err != nil {
					t.Errorf("%s: %v", line, err)
				}
				figures[name] = figure
			}
		}
		return figures
	}
	before := read()
	const files = 50 // other tests may still close some
	for range files {
		file, err := os.Open(os.Args[0])
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = file.Close() }()
	}
	runtime.GC()
	after := read()
	if n := after["process_open_fds"] - before["process_open_fds"]; n < files/2 || after["process_open_fds"] > after["process_max_fds"] {
		t.Errorf("process_open_fds grew by %v for %d files", n, files)
	}
	if n := after["go_gc_forced_count"] - before["go_gc_forced_count"]; n != 1 {
		t.Errorf("go_gc_forced_count grew by %v for one collection", n)
	}
	for _, grows := range []string{
		"go_gc_duration_seconds_count", `go_gc_pauses_seconds_bucket{le="+Inf"}`,
		"go_memstats_alloc_bytes_total", "go_memstats_mallocs_total", "process_io_read_syscalls_total",
	} {
		if after[grows] <= before[grows] {
			t.Errorf("%s was %v and is %v", grows, before[grows], after[grows])
		}
	}
	if resident := after["process_resident_memory_bytes"]; resident < after["go_memstats_heap_inuse_bytes"] || resident > after["process_virtual_memory_bytes"] {
		t.Errorf("%v bytes are resident", resident)
	}
	if user, system := after["process_cpu_seconds_user_total"], after["process_cpu_seconds_system_total"]; math.Abs(user+system-after["process_cpu_seconds_total"]) > .001 {
		t.Errorf("%v s and %v s are not %v s", user, system, after["process_cpu_seconds_total"])
	}
	if after["go_goroutines"] < 1 || time.Since(time.Unix(int64(after["process_start_time_seconds"]), 0)).Abs() > time.Hour {
		t.Errorf("%v goroutines, since %v", after["go_goroutines"], after["process_start_time_seconds"])
	}
}

// TestPagesOnLoopbackAreAskedForByAddress, so that no web page in a browser reads them by a name of
// its own.
func TestPagesOnLoopbackAreAskedForByAddress(t *testing.T) {
	addr, stop, err := monitor.Listen("127.0.0.1:0", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	if err != nil {
		t.Fatal(err)
	}
	defer stop(t.Context())
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for host, want := range map[string]int{
		"": 200, "127.0.0.1": 200, "localhost:9090": 200, "LOCALHOST": 200, "[::1]:9090": 200, "192.0.2.1:1": 200,
		"evil.example": 421, "localhost.evil.example:9090": 421, "127.0.0.1.evil.example": 421, "[": 421,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addr, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host // "": the address
		res, err := client.Do(r)
		if err != nil {
			t.Errorf("%q: %v", host, err)
			continue
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%q: answered %d, want %d", host, res.StatusCode, want)
		}
	}
}

func TestListenServesUntilItIsStopped(t *testing.T) {
	addr, stop, err := monitor.Listen("127.0.0.1:0", http.NotFoundHandler())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := monitor.Listen(addr, http.NotFoundHandler()); err == nil {
		t.Error("two listen at one address")
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answers := func() bool {
		res, err := client.Get("http://" + addr)
		if err == nil {
			_ = res.Body.Close()
		}
		return err == nil
	}
	if !answers() {
		t.Error("it does not answer")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if stop(ctx); answers() {
		t.Error("it still answers after it was stopped")
	}
}

func TestProfiles(t *testing.T) {
	pages := monitor.Profiles()
	gone, cancel := context.WithCancel(t.Context())
	cancel() // so that a profile is over at once
	for path, holds := range map[string]string{
		"/debug/pprof/": "full goroutine stack dump", "/debug/pprof/goroutine?debug=2": "goroutine ", "/debug/pprof/profile?seconds=1": "",
	} {
		answer := httptest.NewRecorder()
		pages.ServeHTTP(answer, httptest.NewRequestWithContext(gone, http.MethodGet, path, nil))
		if answer.Code != http.StatusOK || answer.Body.Len() == 0 || !strings.Contains(answer.Body.String(), holds) {
			t.Errorf("%s: %d", path, answer.Code)
		}
	}
}
