//go:build integration

package processes_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hostbot/bot/store/keyspace"
	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/hostapitest"
)

// TestWhatIdleReplicasAskOfRedis counts the commands that Redis processes while nobody does
// anything: for a replica that does all that one alone is to do, and for another beside it.
// Ten accounts are watched, each once a minute, and there are two log channels. What a look at
// an account takes is not in the count.
func TestWhatIdleReplicasAskOfRedis(t *testing.T) {
	t.Parallel()
	for over, begin := range map[string]func(*testing.T, *scene){
		"over HTTP":        func(t *testing.T, w *scene) { w.startHTTP(t) },
		"over the gateway": func(t *testing.T, w *scene) { w.start(t, "DISCORD_SHARDS=2") },
	} {
		t.Run(over, func(t *testing.T) {
			t.Parallel()
			w := newScene(t, instantly, discordtest.Config{})
			begin(t, w)
			who := w.customers("watched", 10)
			w.alerted(t, who)
			all, shards := w.idleWithin(t, "idle "+over+", one replica", who)
			begin(t, w)
			both, bothsShards := w.idleWithin(t, "idle "+over+", two replicas", who)
			t.Logf("%s, the second replica: %.1f a second, of which %.1f for shards", over, float64(both-all)/30, float64(bothsShards-shards)/30)
		})
	}
}

// TestWhatAPollAsksOfRedis counts the commands that name an account while it is looked at and
// nothing has changed.
func TestWhatAPollAsksOfRedis(t *testing.T) {
	t.Parallel()
	w := newScene(t, instantly, discordtest.Config{})
	w.start(t, "WATCH_INTERVAL=10s")
	who := w.customers("watched", 10)
	w.alerted(t, who)
	client, due := w.redisClient(t), keyspace.Space(w.discord.ApplicationID()).Key("{watch}:due")
	polls := func(n int) {
		w.service.WaitFor(t, hostapitest.OpList, w.service.Count(hostapitest.OpList)+n)
		eventually(t, "no poll is under way, nor begins", func() bool { // an account is due until its poll is over
			soon := time.Now().Add(500 * time.Millisecond).UnixMilli()
			n, err := client.ZCount(t.Context(), due, "-inf", strconv.FormatInt(soon, 10)).Result()
			return err == nil && n == 0
		})
	}
	polls(len(who)) // the first ones write what is not known yet
	before := w.service.Count(hostapitest.OpList)
	recording := record(t, w.redis.Addr())
	polls(2 * len(who))
	commands, recorded := 0, recording.end()
	n := w.service.Count(hostapitest.OpList) - before
	for _, g := range recorded {
		if slices.ContainsFunc(who, func(c customer) bool { return strings.Contains(g.text, c.ID) }) {
			commands += g.commands
		}
	}
	t.Logf("%d commands in %d polls", commands, n)
	within(t, "commands of a poll of one account", (commands+n/2)/n)
}

// idleWithin counts as idle does, within the bounds of a figure. If there is more, it counts again, twice at most:
// now and then a slow machine has something to do, such as to log that it is slow.
func (w *scene) idleWithin(t *testing.T, what string, watched []customer) (all, shards int) {
	t.Helper()
	for left := 2; ; left-- {
		all, shards = w.idle(t, watched)
		if left == 0 || all <= figures()[what].most && shards <= figures()[what+", for shards"].most {
			within(t, what, all)
			within(t, what+", for shards", shards)
			return all, shards
		}
		t.Logf("%s: %d, of which %d for shards, is counted again", what, all, shards)
	}
}

// idle counts the commands that Redis processes in 30 s, without those of looks at accounts that
// are watched; and those of them that are about shards.
func (w *scene) idle(t *testing.T, watched []customer) (all, shards int) {
	t.Helper()
	client := w.redisClient(t)
	w.silence(t, 3*time.Second)
	before, polls := processed(t, client), w.service.Count(hostapitest.OpList)
	recording := record(t, w.redis.Addr())
	<-time.After(30 * time.Second) // which is the time of the figure
	all = processed(t, client) - before
	groups := recording.end()
	for _, g := range groups {
		if slices.ContainsFunc(watched, func(c customer) bool { return strings.Contains(g.text, c.ID) }) {
			all -= g.commands
		}
		if g.part() == "shards" {
			shards += g.commands
		}
	}
	t.Logf("%.1f commands a second, beside those of %d polls; with these, by part: %s",
		float64(all)/30, w.service.Count(hostapitest.OpList)-polls, byPart(groups))
	return all, shards
}
