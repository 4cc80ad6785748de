package processes_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"hostbot/bot/store/keyspace"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/faultproxy"
)

// TestAConnectionIsNotLostForEver has a replica lose its connection to Discord, of which staff read.
// Then it is killed, or cut off from Redis, and another replica, which has a shard of its own, takes its
// shard over. Staff read once that the connection is back.
func TestAConnectionIsNotLostForEver(t *testing.T) {
	t.Parallel()
	const shards, lost, back = 2, "Connection to Discord lost", "Connection to Discord resumed"
	read := func(w *scene, text string) int { return strings.Count(texts(w.staff), text) }
	for name, elsewhere := range map[string]func(*testing.T, *scene, *faultproxy.Relay, *replica){
		"killed": func(t *testing.T, w *scene, _ *faultproxy.Relay, first *replica) {
			w.discord.RefuseConnections(true)
			w.discord.Drop()
			eventually(t, "staff read that it is lost", func() bool { return read(w, lost) > 0 })
			client, key := w.redisClient(t), keyspace.Space(w.discord.ApplicationID()).Key("{shards}:lost")
			eventually(t, "others learn of it", func() bool { return client.HLen(t.Context(), key).Val() > 0 })
			_ = first.cmd.Process.Signal(syscall.SIGSTOP)
			w.discord.RefuseConnections(false)
			first.kill()
		},
		"cut off from Redis": func(t *testing.T, w *scene, redis *faultproxy.Relay, _ *replica) {
			redis.Set(faultproxy.Refusing)
			eventually(t, "staff read that it is lost", func() bool { return read(w, lost) > 0 })
			redis.Set(faultproxy.Open)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newScene(t, instantly, discordtest.Config{})
			redis, err := faultproxy.Start(w.redis.Addr(), nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(redis.Close)
			w.discord.RecommendShards(shards)
			first, second := w.start(t, "REDIS_URL=redis://"+redis.Addr()), w.start(t)
			w.waitSpread(t, shards, first, second)
			elsewhere(t, w, redis, first)
			eventually(t, "all shards are served", func() bool { return w.connected(shards) })
			eventually(t, "staff read that it is back", func() bool { return read(w, back) >= read(w, lost) })
			w.silence(t, 3*time.Second)
			all := texts(w.staff)
			if read(w, back) != read(w, lost) || strings.LastIndex(all, back) < strings.LastIndex(all, lost) {
				t.Errorf("staff read:\n%s", all)
			}
		})
	}
}
