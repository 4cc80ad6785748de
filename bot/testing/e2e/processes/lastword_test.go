//go:build integration

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
	const shards, replicas = 2, 2
	const lost, resumed, anew = "Connection to Discord lost", "Connection to Discord resumed", "Connected to Discord"
	read := func(w *scene, text string) int { return strings.Count(texts(w.staff), text) }
	// Discord may give up a session to which two replicas connect by turns: a new one is begun, which
	// each replica says of its first as well.
	back := func(w *scene) int { return read(w, resumed) + read(w, anew) - replicas }
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
			eventually(t, "staff read that it is back", func() bool { return back(w) >= read(w, lost) })
			w.silence(t, 3*time.Second)
			all := texts(w.staff)
			last := max(strings.LastIndex(all, resumed), strings.LastIndex(all, anew))
			if back(w) != read(w, lost) || last < strings.LastIndex(all, lost) {
				t.Errorf("staff read:\n%s", all)
			}
		})
	}
}
