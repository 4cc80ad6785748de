package monitor

import (
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"hostbot/bot/discord/shards"
	"hostbot/bot/interaction"
	"hostbot/bot/responder"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
)

// TestEachMetricIsExplainedOnce fails for a metric without help, and for help
// without a metric.
func TestEachMetricIsExplainedOnce(t *testing.T) {
	m := New("1.2.3", func() bool { return true })
	for _, deferred := range []bool{false, true} {
		m.Interaction(responder.Observation{Kind: interaction.Command, Route: "bot list", Outcome: "ok", Deferred: deferred, First: time.Second})
	}
	m.Action(interaction.Action{Name: "restart", Outcome: interaction.Done})
	m.Service(hostapi.Call{Op: hostapi.OpList, Attempts: 1})
	m.DiscordRequest("guilds", 200, "")
	m.Discord(func() (answered, invalid int) { return 2, 1 })
	m.CacheLookup(true)
	m.ServiceHealth(time.Now)
	m.Leader(func() bool { return true })
	m.Log(func() uint64 { return 1 })
	m.Redis(func() *redis.PoolStats { return &redis.PoolStats{} })
	m.LogChannels(func() []logchannel.Status {
		return []logchannel.Status{{Categories: []logchannel.Category{logchannel.Actions}}, {Categories: []logchannel.Category{logchannel.Errors}}}
	}, func() uint64 { return 1 })
	m.Gateway(func() Gateway {
		return Gateway{Shards: []shards.Status{{ID: 0}, {ID: 1}}, Limits: discordgo.GatewayBotResponse{SessionStartLimit: discordgo.SessionInformation{Total: 1000}}}
	})
	m.Watching(func() watcher.Status { return watcher.Status{} }, func() (alerts.Status, error) { return alerts.Status{}, nil })

	page := string(m.page())
	lines := regexp.MustCompile(`(?m)^# HELP (\S+) \S`).FindAllStringSubmatch(page, -1)
	var explained []string
	for _, line := range lines {
		explained = append(explained, line[1])
	}
	slices.Sort(explained)
	want := help()
	maps.Copy(want, processHelp())
	maps.Copy(want, runtimeHelp())
	if runtime.GOOS != "linux" { // there is no /proc
		maps.DeleteFunc(want, func(name, _ string) bool {
			return strings.HasPrefix(name, "process_") && name != "process_start_time_seconds"
		})
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), explained); diff != "" {
		t.Errorf("-help +explained on the page:\n%s", diff)
	}
	for _, line := range regexp.MustCompile(`(?m)^# TYPE (\S+) `).FindAllStringSubmatch(page, -1) {
		if !slices.Contains(explained, line[1]) || strings.Count(page, line[0]) != 1 {
			t.Errorf("%s: without help, or not once", line[0])
		}
	}
}

// TestAlertsAreNotShownWhileNothingIsKnownOfThem keeps a counter from beginning anew.
func TestAlertsAreNotShownWhileNothingIsKnownOfThem(t *testing.T) {
	m := New("1.2.3", func() bool { return true })
	m.Watching(func() watcher.Status { return watcher.Status{} }, func() (alerts.Status, error) { return alerts.Status{}, redis.ErrClosed })
	if page := string(m.page()); strings.Contains(page, "hostbot_alerts_") || !strings.Contains(page, "hostbot_watch_accounts 0") {
		t.Errorf("/metrics says:\n%s", page)
	}
}
