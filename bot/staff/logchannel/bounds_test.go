package logchannel_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/staff/logchannel"
	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"
)

// former returns a process whose actions went to a channel that the others do not know.
func (o office) former(t *testing.T, url string) (*process, *discordtest.Channel) {
	t.Helper()
	channel := o.discord.AddChannel("former")
	p, err := openProcess(o.discord.Token(), o.discord.URL(), url, hasty(), maxWaiting, map[logchannel.Category]string{
		logchannel.Actions: channel.ID, logchannel.Errors: channel.ID,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p, channel
}

// kept returns the keys of a channel by when they are gone; -1ns for never.
func kept(t *testing.T, client redis.UniversalClient, ch *discordtest.Channel) map[string]time.Duration {
	t.Helper()
	all := make(map[string]time.Duration)
	for _, name := range []string{"waiting:", "entries:", "delivered:", "record:"} {
		if left := client.PTTL(t.Context(), "hostbot:{logs}:"+name+ch.ID).Val(); left != -2 { // there is no such key
			all[name] = left
		}
	}
	return all
}

// TestWhatTheLeaderCannotDealWithIsSkipped: the first entry that waits is dropped, and counted. The next
// ones are delivered.
func TestWhatTheLeaderCannotDealWithIsSkipped(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, url string) {
		o := newOffice(t, unlimited())
		killed := o.newProcess(t, url, hasty())
		for _, title := range numbered(3) {
			killed.Post(action(title))
		}
		killed.kill()
		p := o.newProcess(t, url, hasty())
		if err := p.Work().Skip(t.Context(), o.actions.ID); err != nil {
			t.Fatal(err)
		}
		p.Start()
		await(t, o.actions, "the others", func() bool { return slices.Equal(titles(o.actions), []string{"action 1", "action 2"}) })
		if n := p.Dropped(); n != 1 {
			t.Errorf("%d were dropped", n)
		}
	})
}

// TestWhatWaitsForAFormerChannelIsRemoved: the channel is not in the settings any more and takes
// nothing. What has waited for a day is removed, and staff are told once.
func TestWhatWaitsForAFormerChannelIsRemoved(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, url string) {
		o := newOffice(t, unlimited())
		client := redistest.Connect(t, url)
		old, former := o.former(t, url)
		former.Allow(discordtest.MissingPermissions)
		for _, title := range numbered(3) {
			old.Post(action(title))
		}
		old.kill()
		waits := "hostbot:{logs}:waiting:" + former.ID
		ids := client.ZRange(t.Context(), waits, 0, -1).Val()
		for _, id := range ids[:2] {
			client.ZAdd(t.Context(), waits, redis.Z{Score: float64(time.Now().Add(-25 * time.Hour).UnixMicro()), Member: id})
		}
		p := o.newProcess(t, url, hasty())
		p.Start()
		await(t, o.actions, "staff are told", func() bool { return told(o.actions, "were dropped") == 1 })
		eventually(t, "one waits, and is tried", func() bool { return waiting(t, client, former) == 1 && told(o.errors, "Nothing can be written") == 1 })
		if got := client.HKeys(t.Context(), "hostbot:{logs}:entries:"+former.ID).Val(); !slices.Equal(got, ids[2:]) || p.Dropped() != 2 {
			t.Errorf("of %q the entries %q are left; %d were dropped", ids, got, p.Dropped())
		}
		former.Allow(discordtest.FullAccess)
		await(t, former, "the last", func() bool { return slices.Equal(titles(former), []string{"action 2"}) })
		eventually(t, "nothing is left for longer than a day", func() bool {
			keys := kept(t, client, former)
			return len(keys) == 2 && keys["record:"] > 0 && keys["delivered:"] > 0 && keys["record:"] <= time.Hour && keys["delivered:"] <= 24*time.Hour
		})
		if n := told(o.actions, "were dropped") + told(o.errors, "were dropped"); n != 2 {
			t.Errorf("staff are told in two channels %d times", n)
		}
	})
}

// TestNoCustomerStaysInRedis once an error is delivered that concerned one: the message may go on
// counting for a while.
func TestNoCustomerStaysInRedis(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, url string) {
		o := newOffice(t, unlimited())
		client := redistest.Connect(t, url)
		timing := hasty()
		timing.CountFor = 30 * time.Minute
		p := o.newProcess(t, url, timing)
		p.Start()
		for i := range 2 { // also what once had a plan
			e := failure("restart", i)
			e.Customer = logchannel.Customer{ID: "42"}
			p.Post(e)
			await(t, o.errors, "it is counted", func() bool { return counts(t, o.errors)["failure: restart"] == i+1 })
			eventually(t, "Redis forgets it in time", func() bool {
				keys := kept(t, client, o.errors)
				return len(keys) == 2 && keys["record:"] > 0 && keys["record:"] <= timing.CountFor && keys["delivered:"] > 0
			})
		}
		o.discord.Inject(discordtest.Fault{Route: discordtest.RouteMessages, Status: http.StatusServiceUnavailable})
		p.Post(failure("stop", 3))
		eventually(t, "what waits is not forgotten", func() bool {
			keys := kept(t, client, o.errors)
			return keys["waiting:"] == -1 && keys["entries:"] == -1 && keys["record:"] == -1
		})
	})
}

// TestAQueueIsBounded: the oldest entries are dropped, and staff are told.
func TestAQueueIsBounded(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, url string) {
		const maxWaiting = 10
		const most, more = 20 * maxWaiting, 150
		o := newOffice(t, unlimited())
		o.maxWaiting = maxWaiting
		client := redistest.Connect(t, url)
		o.actions.Allow(discordtest.MissingPermissions)
		p := o.newProcess(t, url, hasty())
		for _, title := range numbered(most + more) {
			p.Post(action(title))
		}
		p.Start()
		await(t, o.errors, "staff are told", func() bool { return told(o.errors, "were dropped") == 1 })
		eventually(t, "no more wait than may", func() bool { return waiting(t, client, o.actions) == most && p.Dropped() >= more })
		if n := client.HLen(t.Context(), "hostbot:{logs}:entries:"+o.actions.ID).Val(); n != most {
			t.Errorf("%d entries are there of %d that wait", n, most)
		}
		o.actions.Allow(discordtest.FullAccess)
		eventually(t, "all is delivered", func() bool { return waiting(t, client, o.actions) == 0 })
		latest := titles(o.actions) // a channel forgets old messages
		if told(o.actions, "were dropped") != 1 || !slices.Contains(latest, fmt.Sprint("action ", most+more-1)) {
			t.Errorf("the channel shows at last %q", latest[max(0, len(latest)-10):])
		}
	})
}

// TestMemoryIsBounded while Redis and Discord are away.
func TestMemoryIsBounded(t *testing.T) {
	redistest.Parallel(t)
	redistest.EachServer(t, func(t *testing.T, server *redistest.Server) {
		const most, more = 2 * maxWaiting, 50
		o := newOffice(t, unlimited())
		away := o.discord.Inject(discordtest.Fault{Route: discordtest.RouteMessages, Status: http.StatusServiceUnavailable})
		p := o.newProcess(t, server.URL(), hasty())
		server.Stop()
		p.Start()
		for _, title := range numbered(most + more) {
			p.Post(action(title))
		}
		eventually(t, "it is counted", func() bool { return p.Dropped() >= more })
		server.Restart()
		away()
		await(t, o.actions, "the latest", func() bool { return slices.Contains(titles(o.actions), fmt.Sprint("action ", most+more-1)) })
		got := slices.DeleteFunc(titles(o.actions), func(title string) bool { return !strings.HasPrefix(title, "action ") })
		if len(got) > most || slices.Contains(got, "action 0") || told(o.actions, "were dropped") != 1 {
			t.Errorf("the channel shows %d actions, the first is %s, and %d times that some were dropped", len(got), got[0], told(o.actions, "were dropped"))
		}
	})
}

// TestWhatGoesAlongIsWrittenOnce with an entry, with one that is counted by the process, and with one
// that nobody watches. The client may repeat a request whose answer is late, which is not counted.
func TestWhatGoesAlongIsWrittenOnce(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, url string) {
		o := newOffice(t, unlimited())
		p := o.newProcess(t, url, hasty())
		var written atomic.Int64
		p.redis.Client.AddHook(redistest.Requests(func(ctx context.Context, cmds []redis.Cmder, next redis.ProcessPipelineHook) error {
			for _, cmd := range cmds {
				if cmd.Name() == "rpush" {
					written.Add(1)
				}
			}
			return next(ctx, cmds)
		}))
		for i, e := range []logchannel.Entry{action("done"), failure("group", 1), failure("group", 2), {Category: logchannel.Staff, Line: "unwatched"}} {
			key := fmt.Sprint("hostbot:along:", i)
			e.Along = func(ctx context.Context, pipe redis.Pipeliner) { pipe.RPush(ctx, key, "x") }
			p.Post(e)
			if there := p.redis.Client.LLen(t.Context(), key).Val(); there < 1 || written.Swap(0) != 1 {
				t.Errorf("entry %d: it is there %d times", i, there)
			}
		}
		p.Start()
		await(t, o.errors, "the failures", func() bool { return len(titles(o.errors)) > 0 })
		await(t, o.actions, "the action", func() bool { return len(titles(o.actions)) > 0 })
		p.stop(t)
		if n := written.Load(); n > 0 {
			t.Errorf("later it is written %d times more", n)
		}
	})
}
