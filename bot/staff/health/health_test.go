package health_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hostbot/bot/discord/rest"
	"hostbot/bot/discord/shards"
	"hostbot/bot/staff/health"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/watcher"
	"hostbot/locale"
)

func english(t *testing.T) *locale.Texts {
	t.Helper()
	texts, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	return texts.For(locale.Default)
}

// well returns a report of a replica with which nothing is wrong, a minute after its start.
func well() health.Report {
	return health.Report{
		Version: "1.2.3", Started: time.Now().Add(-time.Minute), Ready: true, Answered: 41, Unanswered: 1,
		Shards: []shards.Status{{ID: 0, Ready: true}, {ID: 2, Ready: true, Latency: 35 * time.Millisecond}},
		Calls:  10, Window: 10 * time.Minute, Requests: 300, Invalid: 2, RedisLatency: 420 * time.Microsecond, Leader: "eu-1",
		Log: []logchannel.Status{{Channel: "9"}}, Watching: true, Watch: watcher.Status{Accounts: 7, Interval: time.Minute},
	}
}

// TestOperatorsReadALineForEachItem compares the whole page: programs may read it.
func TestOperatorsReadALineForEachItem(t *testing.T) {
	texts := english(t)
	for name, test := range map[string]struct {
		report func() health.Report
		want   []string
	}{
		"all is well": {well, []string{
			"✓ hostbot: version 1.2.3, up for 1m0s, 41 interactions answered, 1 without an answer",
			"✓ gateway, shard 0: connected",
			"✓ gateway, shard 2: heartbeats take 35ms",
			"✓ redis: answered within 420µs",
			"✓ leader: eu-1",
			"✓ hosting service: 0 of 10 calls failed within 10m0s",
			"✓ discord: 2 of 300 requests refused (401, 403 or 429) within 10m0s",
			"✓ watcher: 7 accounts, each every 1m0s, 0s late; alerts: 0 sent, 0 refused, 0 wait",
			"✓ log channel 9: 0 entries wait, the oldest for 0s; Discord takes them",
		}},
		"all is wrong": {func() health.Report {
			r := well()
			r.Shards = []shards.Status{{ID: 3}}
			r.RedisErr, r.Leader = errors.New("connection\nrefused"), ""
			r.Calls, r.Failed, r.DownSince = 4, 3, time.Now().Add(-time.Minute)
			r.PausedUntil, r.Invalid = time.Now().Add(5*time.Second), rest.FewerFrom
			r.Watch.Grown = true
			r.Alerts.Held = alerts.Held{Until: time.Date(2100, 1, 2, 3, 4, 5, 0, time.UTC), New: true, Code: rest.CodeQuarantined}
			r.Log = []logchannel.Status{
				{Channel: "8", Waiting: 3, Oldest: time.Now().Add(-2 * time.Minute)}, {Channel: "9", Trouble: "status 404"},
				{Channel: "10", Trouble: "status 403", Forbidden: true},
			}
			return r
		}, []string{
			"✓ hostbot: version 1.2.3, up for 1m0s, 41 interactions answered, 1 without an answer",
			"✗ gateway, shard 3: not connected → " + texts.Text("staff.todo.shards"),
			"✗ redis: connection refused → " + texts.Text("staff.todo.redis"),
			"✗ leader: no replica leads → " + texts.Text("staff.todo.leader"),
			"✗ hosting service: away for 1m0s; 3 of 4 calls failed within 10m0s → " + texts.Text("staff.todo.service"),
			"✗ discord: all requests but answers to interactions wait for 5s more, as discord asks",
			"✗ discord: 5000 of 300 requests refused (401, 403 or 429) within 10m0s → " + texts.Text("log.cure.invalid_requests"),
			"✗ watcher: 7 accounts, each every 1m0s, 0s late; alerts: 0 sent, 0 refused, 0 wait → " + texts.Text("log.cure.watch_slow"),
			"✗ direct messages: no DMs are opened, the next after 2100-01-02 03:04:05 is tried; Discord refuses them with the code 20026 → " +
				texts.Text("log.cure.quarantined"),
			"✗ log channel 8: 3 entries wait, the oldest for 2m0s; Discord takes them → " + texts.Text("staff.todo.late"),
			"✗ log channel 9: 0 entries wait, the oldest for 0s; status 404 → " + texts.Text("staff.todo.log"),
			"✗ log channel 10: 0 entries wait, the oldest for 0s; status 403 → " + texts.Text("log.channel.permissions"),
		}},
		"a replica that waits, for development": {func() health.Report {
			r := health.Report{Version: "1.2.3", Started: time.Now(), Standby: true, Shards: []shards.Status{}, Window: 10 * time.Minute, RedisEmbedded: true, Leader: "x"}
			return r
		}, []string{
			"✓ hostbot: version 1.2.3, up for 0s, 0 interactions answered, 0 without an answer",
			"✓ gateway: no shard is held here",
			"! redis: in the process, as REDIS_URL is empty → " + texts.Text("staff.todo.embedded"),
			"✓ leader: x",
			"✓ hosting service: 0 of 0 calls failed within 10m0s",
			"✓ discord: 0 of 0 requests refused (401, 403 or 429) within 10m0s",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if diff := cmp.Diff(strings.Join(test.want, "\n")+"\n", health.Lines(test.report().Items(texts))); diff != "" {
					t.Errorf("the page (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestInteractionsAreLostWhereNothingReceivesThem has neither a shard, nor other replicas.
func TestInteractionsAreLostWhereNothingReceivesThem(t *testing.T) {
	texts := english(t)
	for name, test := range map[string]struct {
		report health.Report
		item   string
		want   health.State
	}{
		"a shard is about to be taken": {health.Report{Shards: []shards.Status{}}, "gateway", health.Failure},
		"others have all shards":       {health.Report{Shards: []shards.Status{}, Standby: true}, "gateway", health.OK},
		"over HTTP":                    {health.Report{Ready: true}, "interactions over HTTP", health.OK},
		"over HTTP, while it stops":    {health.Report{}, "interactions over HTTP", health.Failure},
	} {
		items := test.report.Items(texts)
		i := slices.IndexFunc(items, func(i health.Item) bool { return i.Name == test.item })
		if i < 0 || items[i].State != test.want {
			t.Errorf("%s: want %s to be %s\n%s", name, test.item, test.want, health.Lines(items))
		}
	}
}
