package staff_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hostbot/bot/discord/recent"
	"hostbot/bot/discord/register"
	"hostbot/bot/discord/rest"
	"hostbot/bot/discord/shards"
	"hostbot/bot/leader"
	"hostbot/bot/staff/health"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/outages"
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
		Shards:    []shards.Status{{ID: 0, Ready: true}, {ID: 2, Ready: true, Latency: 35 * time.Millisecond}},
		Responses: recent.Summary{Calls: 41}, P95: 420 * time.Millisecond, Service: recent.Summary{Calls: 10}, Discord: recent.Summary{Calls: 80},
		Window: 10 * time.Minute, Requests: 300, RedisLatency: 420 * time.Microsecond, Leader: "eu-1",
		Log: []logchannel.Status{{Channel: "9"}}, Watching: true, Watch: watcher.Status{Accounts: 7, Interval: time.Minute},
	}
}

// is returns calls of which the last failed, and was those that succeed again. The clock of a
// test stands at midnight.
func is(reason string, fails, calls int) recent.Summary {
	now := time.Now()
	return recent.Summary{Calls: calls, Fails: fails, Last: recent.Last{Failed: now.Add(-time.Second), Reason: reason, FailedSince: now.Add(-3 * time.Minute)}}
}

func was(reason string, fails, calls int) recent.Summary {
	s, now := is(reason, fails, calls), time.Now()
	s.Failed, s.Recovered, s.Succeeded = now.Add(-3*time.Minute), now.Add(-2*time.Minute), now.Add(-time.Second)
	return s
}

// TestOperatorsReadALineForEachItem compares the whole page: programs may read it.
func TestOperatorsReadALineForEachItem(t *testing.T) {
	texts := english(t)
	for name, test := range map[string]struct {
		report func() health.Report
		want   []string
	}{
		"all is well": {well, []string{
			"✓ verdict: all is well",
			"✓ hostbot: version 1.2.3, up for 1m0s, 41 interactions answered, 1 without an answer",
			"✓ gateway, shard 0: –",
			"✓ gateway, shard 2: 35 ms",
			"✓ answers in time: 95% within 420 ms · Calls in 10 min: 41",
			"✓ hosting service: Calls in 10 min: 10",
			"✓ discord's rest api: Calls in 10 min: 80",
			"✓ redis: 1 ms",
			"✓ leader: eu-1",
			"✓ watcher: Accounts: 7 · check interval: 60 s",
			"✓ log channel 9",
		}},
		"all was wrong": {func() health.Report {
			r := well()
			r.Invalid = 2
			r.Service, r.Discord, r.Responses = was("connection reset", 36, 88), was("502", 5, 80), was("Discord 502", 4, 60)
			r.Redis = was("refused", 1, 2)
			r.Outage = outages.Outage{Bots: 12, Customers: 9, Recovered: 12, First: time.Now().Add(-3 * time.Minute)}
			return r
		}, []string{
			"✓ verdict: all is well; Interactions answered in time again (4 of 60 weren't) · 23:58:00 UTC · Discord 502; " +
				"Hosting service recovered · 23:58:00 UTC · connection reset · 36 of 88 failed; Discord's REST API recovered · 23:58:00 UTC · 502 · 5 of 80 failed; " +
				"Redis recovered · 23:58:00 UTC · refused",
			"✓ hostbot: version 1.2.3, up for 1m0s, 41 interactions answered, 1 without an answer",
			"✓ gateway, shard 0: –",
			"✓ gateway, shard 2: 35 ms",
			"✓ answers in time: 95% within 420 ms · 4 of 60 failed · Last success 23:59:59 UTC · Last failure 23:57:00 UTC: Discord 502",
			"✓ hosting service: 36 of 88 failed · Last success 23:59:59 UTC · Last failure 23:57:00 UTC: connection reset",
			"✓ discord's rest api: 5 of 80 failed · Last success 23:59:59 UTC · Last failure 23:57:00 UTC: 502",
			"✓ discord: 2 of 300 failed",
			"✓ redis: 1 ms",
			"✓ leader: eu-1",
			"✓ mass outage: 12 bots have gone down since 23:57:00 UTC (customers: 9) · Running again: 12",
			"✓ watcher: Accounts: 7 · check interval: 60 s",
			"✓ log channel 9",
		}},
		"all is wrong": {func() health.Report {
			r := well()
			r.Shards, r.LostSince, r.LostReason = []shards.Status{{ID: 3}}, time.Now().Add(-time.Minute), errors.New("status 429: wait")
			r.Unlocated = errors.New("status 429: wait")
			r.RedisErr, r.Leader, r.Redis = errors.New("connection\nrefused"), "", is("refused", 1, 1)
			r.Service, r.DownSince = is("connection reset", 3, 4), time.Now().Add(-time.Minute)
			r.Discord, r.Responses = is("502", 5, 80), is("Discord 502", 4, 60)
			r.PausedUntil, r.Invalid = time.Now().Add(5*time.Second), rest.FewerFrom
			r.Watch.Grown, r.Watch.Delay, r.Alerts.Sent = true, time.Minute, 3
			r.Outage = outages.Outage{Bots: 12, Customers: 9, Recovered: 3, First: time.Now().Add(-3 * time.Minute)}
			r.Alerts.Pause = notify.Pause{Until: time.Date(2100, 1, 2, 3, 4, 5, 0, time.UTC), New: true, Code: rest.CodeQuarantined}
			r.Log = []logchannel.Status{
				{Channel: "8", Waiting: 3, Oldest: time.Now().Add(-2 * time.Minute)}, {Channel: "9", Trouble: "status 404"},
				{Channel: "10", Trouble: "status 403", Forbidden: true},
			}
			return r
		}, []string{
			"✗ verdict: Connection to Discord lost · since 23:59:00 UTC · status 429: wait; 4 of the last 60 interactions not answered in time · since 23:57:00 UTC · Discord 502; " +
				"Hosting service unreachable · since 23:57:00 UTC · connection reset · 3 of 4 failed; Requests to Discord failing · since 23:57:00 UTC · 502 · 5 of 80 failed; " +
				"discord; discord; Redis unreachable · since 23:57:00 UTC · refused; leader; 12 bots have gone down since 23:57:00 UTC (customers: 9) · Running again: 3; " +
				"watcher; direct messages; log channel 8; log channel 9; log channel 10",
			"✓ hostbot: version 1.2.3, up for 1m0s, 41 interactions answered, 1 without an answer",
			"✗ gateway, shard 3: not connected → " + texts.Text("staff.todo.shards"),
			"! gateway address: " + texts.Text("staff.status.unlocated") + " status 429: wait",
			"✗ answers in time: 95% within 420 ms · 4 of 60 failed · Last failure 23:59:59 UTC: Discord 502 → " + texts.Text("staff.todo.answers"),
			"✗ hosting service: 3 of 4 failed · Last failure 23:59:59 UTC: connection reset → " + texts.Text("staff.todo.service_fails"),
			"✗ discord's rest api: 5 of 80 failed · Last failure 23:59:59 UTC: 502 → " + texts.Text("staff.todo.rest"),
			"✗ discord: all requests but answers to interactions wait for 5s more, as discord asks",
			"✗ discord: 5000 of 300 failed → " + texts.Text("log.cure.invalid_requests"),
			"✗ redis: connection refused → " + texts.Text("staff.todo.redis"),
			"✗ leader: none → " + texts.Text("staff.todo.leader"),
			"✗ mass outage: 12 bots have gone down since 23:57:00 UTC (customers: 9) · Running again: 3 → " + texts.Text("log.todo.fell"),
			"✗ watcher: Accounts: 7 · check interval: 60 s · 60 s behind · Alerts sent: 3 → " + texts.Text("log.cure.watch_slow"),
			"✗ direct messages: " + texts.Text("log.problem.quarantined") + " · Direct messages on hold, next try 03:04:05 UTC → " + texts.Text("log.cure.quarantined"),
			"✗ log channel 8: 3 entries are waiting · oldest: 2 min → " + texts.Text("staff.todo.late"),
			"✗ log channel 9: status 404 → " + texts.Text("staff.todo.late"),
			"✗ log channel 10: status 403 → " + texts.Text("log.channel.permissions"),
		}},
		"Discord fails": {func() health.Report {
			r := well()
			r.Discord = is("502", 5, 80)
			r.Log = []logchannel.Status{{Channel: "8", Trouble: "status 502", Passing: true}, {Channel: "9", Trouble: "status 404"}}
			return r
		}, []string{
			"✗ verdict: Requests to Discord failing · since 23:57:00 UTC · 502 · 5 of 80 failed; log channel 8; log channel 9",
			"✓ hostbot: version 1.2.3, up for 1m0s, 41 interactions answered, 1 without an answer",
			"✓ gateway, shard 0: –",
			"✓ gateway, shard 2: 35 ms",
			"✓ answers in time: 95% within 420 ms · Calls in 10 min: 41",
			"✓ hosting service: Calls in 10 min: 10",
			"✗ discord's rest api: 5 of 80 failed · Last failure 23:59:59 UTC: 502 → " + texts.Text("staff.todo.rest"),
			"✓ redis: 1 ms",
			"✓ leader: eu-1",
			"✓ watcher: Accounts: 7 · check interval: 60 s",
			"✗ log channel 8: status 502 → " + texts.Text("staff.todo.late"),
			"✗ log channel 9: status 404 → " + texts.Text("staff.todo.late"),
		}},
		"the service limits polls": {func() health.Report {
			r := well()
			r.Watch.Limits = watcher.Limits{Since: time.Now(), Accounts: 2, All: true}
			r.Queues = []leader.Queue{{Kind: "logs", Due: 3}, {Kind: "panels", Due: 2, Late: 1, Dead: 1}}
			r.Dead = []leader.Letter{{Kind: "panels", ID: "7", Reason: "panic: no", Since: time.Now()}}
			return r
		}, []string{
			"✗ verdict: watcher",
			"✓ hostbot: version 1.2.3, up for 1m0s, 41 interactions answered, 1 without an answer",
			"✓ gateway, shard 0: –",
			"✓ gateway, shard 2: 35 ms",
			"✓ answers in time: 95% within 420 ms · Calls in 10 min: 41",
			"✓ hosting service: Calls in 10 min: 10",
			"✓ discord's rest api: Calls in 10 min: 80",
			"✓ redis: 1 ms",
			"✓ leader: eu-1",
			"✓ work: logs: due 3 · late 0 · set aside 0",
			"! work: panels: due 2 · late 1 · set aside 1",
			"! dead letters: panels 7 00:00:00 UTC panic: no → " + texts.Text("log.cure.dead"),
			"✗ watcher: Accounts: 7 · check interval: 60 s · Limited by the hosting service (429): 2 → " + texts.Text("log.cure.polls_slowed"),
			"✓ log channel 9",
		}},
		"a replica that waits, for development": {func() health.Report {
			r := health.Report{Version: "1.2.3", Started: time.Now(), Standby: true, Shards: []shards.Status{}, Window: 10 * time.Minute, RedisEmbedded: true, Leader: "x"}
			return r
		}, []string{
			"✓ verdict: all is well",
			"✓ hostbot: version 1.2.3, up for 0s",
			"✓ gateway: None: other replicas hold all shards",
			"✓ answers in time: No calls in 10 min",
			"✓ hosting service: No calls in 10 min",
			"✓ discord's rest api: No calls in 10 min",
			"! redis: in memory, for this process alone → " + texts.Text("staff.todo.embedded"),
			"✓ leader: x",
		}},
		"over HTTP, with a certificate for 60 days": {func() health.Report {
			return health.Report{
				Version: "1.2.3", Started: time.Now(), Ready: true, Window: 10 * time.Minute, Leader: "x",
				Arrival: register.Arrival{Host: "bot.example.com", Expires: time.Now().Add(60 * 24 * time.Hour)},
			}
		}, []string{
			"✓ verdict: all is well",
			"✓ hostbot: version 1.2.3, up for 0s",
			"✓ interactions over HTTP: the certificate of bot.example.com expires in 60 days",
			"✓ answers in time: No calls in 10 min",
			"✓ hosting service: No calls in 10 min",
			"✓ discord's rest api: No calls in 10 min",
			"✓ redis: –",
			"✓ leader: x",
		}},
		"Discord sends interactions elsewhere": {func() health.Report {
			return health.Report{
				Version: "1.2.3", Started: time.Now(), Standby: true, Shards: []shards.Status{}, Window: 10 * time.Minute, Leader: "x",
				Arrival: register.Arrival{Fault: register.Elsewhere, Host: "old.example.com", Since: time.Now().Add(-time.Minute)},
			}
		}, []string{
			"✗ verdict: No command or button reaches this bot · since 23:59:00 UTC",
			"✓ hostbot: version 1.2.3, up for 0s",
			"✗ interactions → " + texts.Format("log.cure.interactions_elsewhere", locale.Args{"Host": "old.example.com"}),
			"✓ gateway: None: other replicas hold all shards",
			"✓ answers in time: No calls in 10 min",
			"✓ hosting service: No calls in 10 min",
			"✓ discord's rest api: No calls in 10 min",
			"✓ redis: –",
			"✓ leader: x",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if diff := cmp.Diff(strings.Join(test.want, "\n")+"\n", test.report().Lines(texts)); diff != "" {
					t.Errorf("the page (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestInteractionsAreLostWhereNothingReceivesThem has neither a shard, nor other replicas.
func TestInteractionsAreLostWhereNothingReceivesThem(t *testing.T) {
	texts := english(t)
	nobody := register.Arrival{Fault: register.Unanswered, Host: "bot.example.com", Answer: "status 502"}
	for name, test := range map[string]struct {
		report health.Report
		item   string
		want   health.State
	}{
		"nobody answers":               {health.Report{Ready: true, Arrival: nobody}, "interactions over HTTP", health.Failure},
		"this machine sees nobody":     {health.Report{Ready: true, Arrival: nobody, Responses: recent.Summary{Calls: 1}}, "interactions over HTTP", health.Warning},
		"the certificate is old":       {health.Report{Ready: true, Arrival: register.Arrival{Expires: time.Now()}}, "interactions over HTTP", health.Warning},
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
