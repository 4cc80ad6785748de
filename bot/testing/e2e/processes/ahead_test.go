//go:build integration

package processes_test

import (
	"strconv"
	"testing"
	"time"

	"hostbot/bot/store/keyspace"
	"hostbot/bot/testing/discordtest"
)

// TestLeasesAheadOfTimeHoldNothing has Redis hold leases and turns under a name that no process has,
// which end in an hour or never: before replicas start, and again while they run.
func TestLeasesAheadOfTimeHoldNothing(t *testing.T) {
	t.Parallel()
	const shards = 4
	w := newScene(t, instantly, discordtest.Config{})
	spoil := func() {
		space, ahead := keyspace.Space(w.discord.ApplicationID()), strconv.FormatInt(time.Now().Add(time.Hour).UnixMilli(), 10)
		client, held := w.redisClient(t), space.Key("{shards}:held")
		for name, lasts := range map[string]time.Duration{"{leader}:lease": 0, "{shards}:identify:0": time.Hour, "{shards}:identify:1": 0} {
			if err := client.Set(t.Context(), space.Key(name), "nobody x", lasts).Err(); err != nil {
				t.Fatal(err)
			}
		}
		values := []any{"replica nobody", ahead + " 4 0 member"}
		for i := range shards {
			values = append(values, "shard 4 "+strconv.Itoa(i), ahead+" nobody ")
		}
		if err := client.HSet(t.Context(), held, values...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	spoil()
	replicas := w.startSeveral(t, 2, shards)
	who := w.customers("c", 2)
	for i := range who {
		if done := restartAll(t, who[i:i+1], 1); done != 1 {
			t.Errorf("%d of 1 restarts were done", done)
		}
		eventually(t, "the leader delivers the line", func() bool { return w.logged(who[i].bot) == 1 })
		spoil()
		w.waitSpread(t, shards, replicas...)
	}
}
