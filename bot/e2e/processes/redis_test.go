package processes_test

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/discordtest"
)

// TestStaffAreToldWhyRedisIsUnusable has a Redis that answers, and refuses.
func TestStaffAreToldWhyRedisIsUnusable(t *testing.T) {
	t.Parallel()
	disconnect := []any{"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"} // who is connected stays authenticated
	tests := map[string]struct {
		commands [][]any // sent before the replica starts, where it is started with a password
		password string
		words    string // alternatives, one of which staff read
	}{
		"NOAUTH":      {[][]any{{"CONFIG", "SET", "requirepass", "right"}, disconnect}, "", "NOAUTH|password"},
		"WRONGPASS":   {[][]any{{"CONFIG", "SET", "requirepass", "right"}}, "wrong", "WRONGPASS|password"},
		"READONLY":    {[][]any{{"REPLICAOF", "127.0.0.1", "1"}}, "", "READONLY|read-only|read only"},
		"OOM":         {[][]any{{"CONFIG", "SET", "maxmemory-policy", "noeviction", "maxmemory", "1"}}, "", "OOM|is full|maxmemory"},
		"NOREPLICAS":  {[][]any{{"CONFIG", "SET", "min-replicas-to-write", "1"}}, "", "NOREPLICAS|enough good replicas|too few replicas"},
		"MISCONF":     {[][]any{{"CONFIG", "SET", "save", "3600 1"}}, "", "MISCONF|snapshot|disk"},
		"CLUSTERDOWN": {nil, "", "CLUSTERDOWN|cluster"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setting{})
			address := "redis://" + w.redis.Addr()
			if name == "CLUSTERDOWN" {
				address = "redis://" + clusterWithoutSlots(t)
			}
			if test.password != "" {
				w.breakRedis(t, name, test.commands)
				w.start(t, "REDIS_URL=redis://:"+test.password+"@"+w.redis.Addr())
			} else {
				w.start(t, "REDIS_URL="+address)
				w.breakRedis(t, name, test.commands)
			}
			who := w.customers("c", 3)
			if _, done := restartAll(t, who, 3); done != 3 {
				t.Errorf("%d of 3 restarts were done", done)
			}
			told := func() (n int) {
				for _, e := range w.staff.Embeds() {
					entry := discordtest.View{Embeds: []discordtest.Embed{e}}
					if containsAny(entry.Text(), test.words) && entry.Contains("Redis") {
						n++
					}
				}
				return n
			}
			eventually(t, 20*time.Second, "staff read why Redis is unusable", func() bool { return told() > 0 })
			restartAll(t, who, 3)
			w.silence(t, time.Second)
			if n := told(); n != 1 {
				t.Errorf("staff read %d times why; all they read: %q", n, texts(w.staff))
			}
		})
	}
}

// containsAny tells whether a text has one of the words, which | separates.
func containsAny(text, words string) bool {
	for word := range strings.SplitSeq(words, "|") {
		if strings.Contains(strings.ToLower(text), strings.ToLower(word)) {
			return true
		}
	}
	return false
}

// breakRedis sends commands after which Redis refuses others.
func (w *world) breakRedis(t *testing.T, name string, commands [][]any) {
	t.Helper()
	client := w.redisClient() // one connection, which keeps what it may
	defer func() { _ = client.Close() }()
	pipeline := client.Pipeline()
	for _, c := range commands {
		pipeline.Do(t.Context(), c...)
	}
	if _, err := pipeline.Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	if name != "MISCONF" {
		return
	}
	dir := client.ConfigGet(t.Context(), "dir").Val()["dir"]
	if !strings.HasPrefix(dir, os.TempDir()) {
		t.Fatalf("Redis works in %q", dir)
	}
	if err := os.RemoveAll(dir); err != nil { // so that it cannot save there
		t.Fatal(err)
	}
	_ = client.BgSave(t.Context()).Err()
	eventually(t, 10*time.Second, "Redis cannot save", func() bool {
		return strings.Contains(client.Info(t.Context(), "persistence").Val(), "rdb_last_bgsave_status:err")
	})
}

// clusterWithoutSlots starts a Redis that belongs to a cluster and has none of its
// slots, and returns its address.
func clusterWithoutSlots(t *testing.T) (address string) {
	t.Helper()
	address = freeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	server := exec.Command("redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir(), "--cluster-enabled", "yes")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	client := redis.NewClient(&redis.Options{Addr: address})
	defer func() { _ = client.Close() }()
	eventually(t, 10*time.Second, "the cluster answers", func() bool { return client.Ping(t.Context()).Err() == nil })
	return address
}
