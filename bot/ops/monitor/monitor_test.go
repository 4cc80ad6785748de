package monitor_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"hostbot/bot/discord/register"
	"hostbot/bot/discord/rest"
	"hostbot/bot/discord/shards"
	"hostbot/bot/interaction"
	"hostbot/bot/ops/monitor"
	"hostbot/bot/responder"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/watch/notify"
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
	m.Arrival(func() register.Arrival {
		return register.Arrival{At: time.Now(), Fault: register.NoEndpoint, Expires: time.Unix(1_800_000_000, 0)}
	})
	m.Watching(
		func() watcher.Status {
			return watcher.Status{Accounts: 8, Interval: time.Minute, Limits: watcher.Limits{Accounts: 3, All: true}}
		},
		func() (sent, posted notify.Status, err error) {
			return notify.Status{Sent: 9, Pause: notify.Pause{Code: rest.CodeQuarantined, Until: time.Now().Add(time.Minute)}}, notify.Status{Sent: 4}, nil
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
		`hostbot_interactions_arrive 0`, `hostbot_endpoint_certificate_expiry_timestamp_seconds 1.8e+09`,
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
		`hostbot_watch_accounts 8`, `hostbot_watch_limited_accounts 3`, `hostbot_watch_slowed 1`, `hostbot_watch_interval_seconds 60`, `hostbot_alerts_sent_total 9`, `hostbot_alerts_refused_total 0`, `hostbot_alerts_held 1`, `hostbot_channel_alerts_sent_total 4`,
	} {
		if !strings.Contains(metrics, line) {
			t.Errorf("/metrics has no %s", line)
		}
	}
}

// TestFiguresAreMissingUntilSomethingIsKnown keeps a gauge from saying that all is well before anybody looked,
// and a counter from beginning anew.
func TestFiguresAreMissingUntilSomethingIsKnown(t *testing.T) {
	m := newMonitor()
	var connections redis.PoolStats
	m.Redis(func() *redis.PoolStats { return &connections })
	var memory float64
	m.RedisMemory(func(context.Context) (float64, error) { return memory, nil })
	var arrival register.Arrival
	m.Arrival(func() register.Arrival { return arrival })
	m.ServiceHealth(func() time.Time { return time.Time{} })
	var gateway monitor.Gateway
	m.Gateway(func() monitor.Gateway { return gateway })
	channel := logchannel.Status{Categories: []logchannel.Category{logchannel.Errors}}
	m.LogChannels(func() []logchannel.Status { return []logchannel.Status{channel} }, func() uint64 { return 0 })
	unknown := errors.New("refused")
	m.Watching(func() watcher.Status { return watcher.Status{} }, func() (sent, posted notify.Status, err error) { return sent, posted, unknown })
	later := map[string]float64{
		"hostbot_redis_up": 1, "hostbot_hostapi_up": 1, `hostbot_log_channel_failing{channel="errors"}`: 0, "hostbot_alerts_sent_total": 0, "hostbot_alerts_held": 0,
		"hostbot_gateway_sessions_remaining": 5, "hostbot_gateway_recommended_shards": 1,
		"hostbot_interactions_arrive": 1, "hostbot_redis_memory_used_ratio": 0.25,
	}
	first := scrape(t, m)
	for name := range later {
		if value, is := first[name]; is {
			t.Errorf("%s is %v before anything is known", name, value)
		}
	}
	if _, is := first["hostbot_watch_accounts"]; !is {
		t.Error("where alerts cannot be asked for, watching is not shown")
	}

	connections.TotalConns, channel.Sent, unknown = 1, 1, nil
	memory, arrival.At = 0.25, time.Now()
	gateway.Limits = discordgo.GatewayBotResponse{Shards: 1, SessionStartLimit: discordgo.SessionInformation{Total: 1000, Remaining: 5}}
	m.Service(hostapi.Call{Op: hostapi.OpList, Attempts: 1})
	then := scrape(t, m)
	for name, want := range later {
		if value, is := then[name]; !is || value != want {
			t.Errorf("%s is %v (%t), want %v", name, value, is, want)
		}
	}
}

// TestCountersAreThereFromTheStart lets alerts see what happens first: Prometheus takes the first value of a
// series for no increase.
func TestCountersAreThereFromTheStart(t *testing.T) {
	page := scrape(t, newMonitor())
	var names []string
	for _, kind := range []string{"command", "autocomplete", "component", "modal", "none"} {
		names = append(names, `hostbot_interactions_unanswered_total{kind="`+kind+`"}`)
	}
	texts, err := os.ReadFile("../../../locale/texts/en-US.yaml") // each action has one that says that it is not confirmed
	if err != nil {
		t.Fatal(err)
	}
	actions := regexp.MustCompile(`(?m)^action\.(\w+)\.unconfirmed:`).FindAllSubmatch(texts, -1)
	for _, action := range actions {
		for _, outcome := range []string{"done", "failed", "refused", "unconfirmed"} {
			names = append(names, `hostbot_actions_total{action="`+string(action[1])+`",outcome="`+outcome+`"}`)
		}
	}
	if len(actions) < 5 {
		t.Errorf("there are texts of %d actions", len(actions))
	}
	for _, operation := range hostapi.Operations() {
		for _, code := range append(hostapi.Codes(), "") {
			names = append(names, `hostbot_hostapi_calls_total{code="`+string(code)+`",operation="`+string(operation)+`"}`)
		}
	}
	for _, route := range []string{"applications", "channels", "gateway", "guilds", "interactions", "oauth2", "users", "webhooks"} {
		for _, status := range []string{"2xx", "4xx", "429", "5xx", "none"} {
			names = append(names, `hostbot_discord_requests_total{route="`+route+`",status="`+status+`"}`)
		}
	}
	names = append(names, `hostbot_cache_lookups_total{result="fresh"}`, `hostbot_cache_lookups_total{result="asked"}`)
	for _, name := range names {
		if value, is := page[name]; !is || value != 0 {
			t.Errorf("%s is %v (%t), want 0", name, value, is)
		}
	}
}

// TestTheRestIsShownWhereAPartCannotBe, be it that it panics.
func TestTheRestIsShownWhereAPartCannotBe(t *testing.T) {
	m := newMonitor()
	m.Leader(func() bool { panic("no leader") }, nil)
	m.Log(func() uint64 { return 3 })
	if page := scrape(t, m); page["hostbot_log_lines_dropped_total"] != 3 || page["hostbot_ready"] != 1 {
		t.Errorf("/metrics shows %v", page)
	}
}

func newMonitor() *monitor.Monitor { return monitor.New("1.2.3", func() bool { return true }) }

// scrape returns what /metrics shows, by name and labels. Each of the bot's metrics has a help.
func scrape(t *testing.T, m *monitor.Monitor) map[string]float64 {
	t.Helper()
	answer := httptest.NewRecorder()
	m.Handler(monitor.Pages{}).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if kind := answer.Header().Get("Content-Type"); answer.Code != http.StatusOK || !strings.HasPrefix(kind, "text/plain; version=0.0.4") {
		t.Fatalf("/metrics: %d, %s", answer.Code, kind)
	}
	figures := make(map[string]float64)
	for line := range strings.Lines(answer.Body.String()) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			if help := strings.Fields(line); len(help) < 4 {
				t.Errorf("%s has no help", line)
			}
			continue
		}
		at := strings.LastIndexByte(line, ' ')
		figure, err := strconv.ParseFloat(line[at+1:], 64)
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
		figures[line[:at]] = figure
	}
	return figures
}

// TestProcessIsMeasured looks for what rules, the dashboard and benchmarks name of the process.
func TestProcessIsMeasured(t *testing.T) {
	page := scrape(t, newMonitor())
	for _, name := range []string{"go_goroutines", "go_memstats_mallocs_total", "go_memstats_alloc_bytes_total"} {
		if page[name] <= 0 {
			t.Errorf("%s is %v", name, page[name])
		}
	}
	if began := time.Unix(int64(page["process_start_time_seconds"]), 0); time.Since(began).Abs() > time.Hour {
		t.Errorf("the process started %v", began)
	}
	if runtime.GOOS != "linux" {
		return
	}
	if _, is := page["process_cpu_seconds_total"]; !is { // it may be 0: the system counts in hundredths of a second
		t.Error("process_cpu_seconds_total is not shown")
	}
	for _, name := range []string{"process_resident_memory_bytes", "process_open_fds", "process_max_fds"} {
		if page[name] <= 0 {
			t.Errorf("%s is %v", name, page[name])
		}
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
