package logchannel_test

import (
	"context"
	"crypto/rand"
	"errors"
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

// add adds an entry to the stream of a channel as another process would have, at a time; zero for now.
func add(t *testing.T, client redis.UniversalClient, ch *discordtest.Channel, at time.Time, entry string) {
	t.Helper()
	id := "*"
	if !at.IsZero() {
		id = fmt.Sprint(at.UnixMilli(), "-*")
	}
	_, err := client.TxPipelined(t.Context(), func(p redis.Pipeliner) error {
		p.XAdd(t.Context(), &redis.XAddArgs{Stream: "hostbot:{logs}:stream:" + ch.ID, ID: id, Values: []string{"e", entry}})
		return p.ZAddNX(t.Context(), "hostbot:{logs}:due", redis.Z{Member: ch.ID}).Err()
	})
	if err != nil {
		t.Fatal(err)
	}
}

// line and counted are entries as Redis has them.
func line(title string) string {
	return fmt.Sprintf(`{"id":%q,"line":%q,"tally":{"count":1}}`, title, title)
}

func counted(group string) string {
	return fmt.Sprintf(`{"id":%q,"embed":{"title":"failure: %s"},"group":%q,"tally":{"count":1}}`, rand.Text(), group, group)
}

// TestWhatWaitsForAFormerChannelIsRemoved: the channel is not in the settings any more and takes
// nothing. What has waited for a day is dropped, and staff are told once.
func TestWhatWaitsForAFormerChannelIsRemoved(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, url string) {
		o, client := newOffice(t, unlimited()), redistest.Connect(t, url)
		former := o.discord.AddChannel("former")
		former.Allow(discordtest.MissingPermissions)
		for i, at := range []time.Time{time.Now().Add(-25 * time.Hour), time.Now().Add(-25 * time.Hour), {}} {
			add(t, client, former, at, line(fmt.Sprint("action ", i)))
		}
		p := o.newProcess(t, url, hasty())
		p.Start()
		await(t, o.actions, "staff are told", func() bool { return told(o.actions, "were dropped") == 1 })
		eventually(t, "one waits, and is tried", func() bool { return waiting(t, client, former) == 1 && told(o.errors, "Nothing can be written") == 1 })
		former.Allow(discordtest.FullAccess)
		await(t, former, "the last", func() bool { return slices.Equal(titles(former), []string{"action 2"}) })
		if n := told(o.actions, "were dropped") + told(o.errors, "were dropped"); n != 2 || p.Dropped() != 2 {
			t.Errorf("staff are told in two channels %d times, of %d", n, p.Dropped())
		}
	})
}

// TestNothingStaysInRedis of what Discord has but IDs, for a day, and what a message that counts shows,
// for as long as it counts. What waits does not expire.
func TestNothingStaysInRedis(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, url string) {
		o, client := newOffice(t, unlimited()), redistest.Connect(t, url)
		timing := hasty()
		timing.CountFor = 30 * time.Minute
		p := o.newProcess(t, url, timing)
		e := concerning("42", "R1")
		e.DedupKey = "of 42"
		p.Post(e)
		if left := client.PTTL(t.Context(), "hostbot:{logs}:stream:"+o.errors.ID).Val(); left != -1 {
			t.Errorf("what waits is gone after %v", left)
		}
		p.Start()
		await(t, o.errors, "the card", func() bool { return len(titles(o.errors)) == 1 })
		eventually(t, "nothing waits", func() bool { return client.ZCard(t.Context(), "hostbot:{logs}:due").Val() == 0 })
		keys, err := redistest.Keys(t.Context(), client, "hostbot:{logs}:*")
		if err != nil || len(keys) != 2 {
			t.Errorf("Redis has %q (%v)", keys, err)
		}
		for _, key := range keys {
			most := 24 * time.Hour
			if strings.HasPrefix(key, "hostbot:{logs}:state:") {
				most = timing.CountFor
			}
			if left := client.PTTL(t.Context(), key).Val(); left <= 0 || left > most || strings.HasSuffix(key, "of 42") {
				t.Errorf("%s is gone after %v", key, left)
			}
		}
	})
}

// TestAQueueIsBounded: of the oldest entries, errors that are counted are dropped before actions, also if
// they were read already, and staff are told.
func TestAQueueIsBounded(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, url string) {
		o, client := newOffice(t, unlimited()), redistest.Connect(t, url)
		o.maxWaiting = 100
		o.actions.Allow(discordtest.MissingPermissions)
		add(t, client, o.actions, time.Time{}, line("action 0"))
		for i := range 30 {
			add(t, client, o.actions, time.Time{}, counted(fmt.Sprint("kind ", i)))
		}
		p := o.newProcess(t, url, hasty())
		p.Start()
		eventually(t, "they are read", func() bool { return p.Status()[0].Retried > 0 })
		for _, title := range numbered(120)[1:] {
			p.Post(action(title))
		}
		await(t, o.errors, "staff are told", func() bool { return told(o.errors, "were dropped") == 1 })
		eventually(t, "no more wait than may", func() bool { return waiting(t, client, o.actions) <= int64(o.maxWaiting) })
		o.actions.Allow(discordtest.FullAccess)
		eventually(t, "all is delivered", func() bool { return waiting(t, client, o.actions) == 0 })
		got := slices.DeleteFunc(titles(o.actions), func(title string) bool { return !strings.HasPrefix(title, "action ") })
		// The card that tells of it may wait there as well.
		if n := len(got); n < o.maxWaiting-1 || int(p.Dropped()) != 150-n || told(o.actions, "failure") > 0 || !slices.Equal(got, numbered(120)[120-n:]) {
			t.Errorf("%d were dropped, and the channel shows %q", p.Dropped(), got)
		}
	})
}

// TestLostAnswersOfRedis: of each third request the answer is lost. Everything is there once, in its
// order: an entry that was added, a reading, and that Discord has what was read.
func TestLostAnswersOfRedis(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, url string) {
		o := newOffice(t, unlimited())
		p := o.newProcess(t, url, hasty())
		var requests atomic.Int32
		p.redis.Client.AddHook(redistest.Requests(func(ctx context.Context, cmds []redis.Cmder, next redis.ProcessPipelineHook) error {
			err := next(ctx, cmds)
			if strings.Contains(fmt.Sprint(cmds[0].Args()), ":{logs}:stream:") && requests.Add(1)%3 == 0 {
				err = errors.New("the answer is lost")
				for _, cmd := range cmds {
					cmd.SetErr(err)
				}
			}
			return err
		}))
		p.Start()
		for i, title := range numbered(60) {
			p.Post(action(title))
			p.Post(failure("restart", i))
		}
		await(t, o.actions, "all actions", func() bool { return len(titles(o.actions)) >= 60 })
		await(t, o.errors, "all errors", func() bool { return counts(t, o.errors)["failure: restart"] >= 60 })
		p.stop(t)
		if got := titles(o.actions); !slices.Equal(got, numbered(60)) || counts(t, o.errors)["failure: restart"] != 60 {
			t.Errorf("the channel shows %q, and %d errors are counted", got, counts(t, o.errors)["failure: restart"])
		}
	})
}

// TestRedisForgets everything, the group of the stream as well: what comes later is delivered.
func TestRedisForgets(t *testing.T) {
	redistest.Parallel(t)
	redistest.EachServer(t, func(t *testing.T, server *redistest.Server) {
		o, client := newOffice(t, unlimited()), redistest.Connect(t, server.URL())
		p := o.newProcess(t, server.URL(), hasty())
		p.Start()
		for i := range 3 {
			if err := errors.Join(client.ScriptFlush(t.Context()).Err(), client.FlushAll(t.Context()).Err()); err != nil {
				t.Fatal(err)
			}
			p.Post(action(fmt.Sprint("action ", i)))
			await(t, o.actions, "the action", func() bool { return len(titles(o.actions)) == i+1 })
		}
	})
}

// TestADeathCountsNothingTwice: a process is killed after Discord took its edit and before it knows.
func TestADeathCountsNothingTwice(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, url string) {
		o := newOffice(t, unlimited())
		killed := o.newProcess(t, url, hasty())
		killed.Start()
		killed.Post(failure("restart", 1))
		await(t, o.errors, "the card", func() bool { return len(titles(o.errors)) == 1 })
		hang := o.discord.Inject(discordtest.Fault{Method: http.MethodPatch, Route: discordtest.RouteMessage, Hang: true, After: true})
		killed.Post(failure("restart", 2))
		await(t, o.errors, "the count", func() bool { return counts(t, o.errors)["failure: restart"] == 2 })
		killed.kill()
		hang()
		outlast(t, url)
		next := o.newProcess(t, url, hasty())
		next.Post(failure("restart", 3))
		next.Start()
		await(t, o.errors, "the next count", func() bool { return counts(t, o.errors)["failure: restart"] >= 3 })
		next.stop(t)
		if n := counts(t, o.errors)["failure: restart"]; n != 3 || len(o.errors.Messages()) != 1 {
			t.Errorf("%d are counted", n)
		}
	})
}

// TestCountedEntriesTakeNoRoom: one message tells of more of them than are read of others.
func TestCountedEntriesTakeNoRoom(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, url string) {
		o, client := newOffice(t, unlimited()), redistest.Connect(t, url)
		for range 350 {
			add(t, client, o.errors, time.Time{}, counted("restart"))
		}
		p := o.newProcess(t, url, hasty())
		p.Start()
		await(t, o.errors, "all are counted", func() bool { return counts(t, o.errors)["failure: restart"] == 350 })
		p.stop(t)
		if s := p.Status()[1]; s.Sent > 3 { // a slow machine reads them in parts
			t.Errorf("it took %d requests", s.Sent)
		}
	})
}

// TestOccurrencesAreToldOnceInEachChannel, whichever processes tell of them.
func TestOccurrencesAreToldOnceInEachChannel(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, url string) {
		o := newOffice(t, unlimited())
		processes := []*process{o.newProcess(t, url, hasty()), o.newProcess(t, url, hasty())}
		for _, p := range processes {
			for _, category := range []logchannel.Category{logchannel.Actions, logchannel.Errors} {
				p.Post(logchannel.Entry{Category: category, Line: "once", DedupKey: "occurrence"})
			}
			p.Start()
		}
		for _, ch := range []*discordtest.Channel{o.actions, o.errors} {
			await(t, ch, "it", func() bool { return len(titles(ch)) > 0 })
		}
		processes[0].stop(t)
		processes[1].stop(t)
		for _, ch := range []*discordtest.Channel{o.actions, o.errors} {
			if got := titles(ch); !slices.Equal(got, []string{"once"}) {
				t.Errorf("#%s shows %q", ch.Name, got)
			}
		}
	})
}
