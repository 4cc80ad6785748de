//go:build integration

package processes_test

import (
	"strconv"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
)

// TestAFurtherShardTakesLittleMemory compares a replica of one shard with one of many,
// each of which has had events.
func TestAFurtherShardTakesLittleMemory(t *testing.T) {
	t.Parallel()
	const many, most = 65, 500 // KB
	var took []int
	for _, shards := range []int{1, many} {
		w := newScene(t, instantly, discordtest.Config{Lean: true, MaxConcurrency: many})
		w.discord.RecommendShards(shards) // or so many are not believed
		r := w.start(t, "DISCORD_SHARDS="+strconv.Itoa(shards))
		w.waitSpread(t, shards, r)
		guilds, who := w.discord.AddGuilds(many), w.customers("c", many)
		for i, c := range who {
			for range 3 {
				c.In(guilds[i]).Types(t, "/bot list").WaitFor(t, "🟢 Shop")
			}
		}
		took = append(took, r.restingKB(t))
	}
	each := (took[1] - took[0]) / (many - 1)
	t.Logf("one shard: %d KB; %d shards: %d KB; each further one %d KB", took[0], many, took[1], each)
	if each > most {
		t.Errorf("a further shard takes %d KB", each)
	}
}

// restingKB returns the least memory that the process holds within some seconds.
func (r *replica) restingKB(t *testing.T) int {
	t.Helper()
	least := 1 << 30
	for range 50 {
		<-time.After(100 * time.Millisecond)
		least = min(least, r.memoryKB(t, "VmRSS:"))
	}
	return least
}
