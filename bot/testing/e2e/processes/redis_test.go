//go:build integration

package processes_test

import (
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
)

// TestStaffAreToldWhyRedisIsUnusable has a Redis that answers, and refuses.
func TestStaffAreToldWhyRedisIsUnusable(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		words  string   // of which staff read one, as a regular expression
		orders []string // after which Redis refuses
	}{
		// Who is connected stays authenticated.
		"NOAUTH":      {"NOAUTH|password", []string{"CONFIG SET requirepass right", "CLIENT KILL TYPE normal"}},
		"WRONGPASS":   {"WRONGPASS|password", []string{"CONFIG SET requirepass right"}},
		"READONLY":    {"READONLY|read-only|read only", []string{"REPLICAOF 127.0.0.1 1"}},
		"OOM":         {"OOM|is full|maxmemory", []string{"CONFIG SET maxmemory-policy noeviction maxmemory 1"}},
		"NOREPLICAS":  {"NOREPLICAS|good replicas|too few replicas", []string{"CONFIG SET min-replicas-to-write 1"}},
		"MISCONF":     {"MISCONF|snapshot|disk", nil},
		"CLUSTERDOWN": {"CLUSTERDOWN|cluster", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newScene(t, instantly, discordtest.Config{})
			switch name {
			case "CLUSTERDOWN":
				w.start(t, "REDIS_URL=redis://"+clusterWithoutSlots(t))
			case "WRONGPASS":
				w.order(t, test.orders...)
				w.start(t, "REDIS_URL=redis://:wrong@"+w.redis.Addr())
			case "MISCONF":
				w.start(t)
				w.keepFromSaving(t)
			default:
				w.start(t)
				w.order(t, test.orders...)
			}
			who := w.customers("c", 3)
			if done := restartAll(t, who, 3); done != 3 {
				t.Errorf("%d of 3 restarts were done", done)
			}
			words := regexp.MustCompile("(?i)" + test.words)
			told := func() (n int) {
				for _, entry := range world.Entries(w.staff.Messages(), "Redis") {
					if words.MatchString(entry) {
						n++
					}
				}
				return n
			}
			eventually(t, "staff read why Redis is unusable", func() bool { return told() > 0 })
			restartAll(t, who, 3)
			w.silence(t, time.Second)
			if n := told(); n != 1 {
				t.Errorf("staff read %d times why; all they read: %q", n, texts(w.staff))
			}
		})
	}
}

// keepFromSaving takes the directory away in which Redis is to save what it holds.
func (w *scene) keepFromSaving(t *testing.T) {
	client := w.redisClient(t)
	dir := client.ConfigGet(t.Context(), "dir").Val()["dir"]
	if !strings.HasPrefix(dir, os.TempDir()) {
		t.Fatalf("Redis works in %q", dir)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	client.ConfigSet(t.Context(), "save", "3600 1")
	client.BgSave(t.Context())
	eventually(t, "Redis cannot save", func() bool {
		return strings.Contains(client.Info(t.Context(), "persistence").Val(), "rdb_last_bgsave_status:err")
	})
}

// clusterWithoutSlots starts a Redis that belongs to a cluster and has none of its
// slots, and returns its address.
func clusterWithoutSlots(t *testing.T) (address string) {
	address = world.FreeAddress(t)
	host, port, _ := net.SplitHostPort(address)
	_, bus, _ := net.SplitHostPort(world.FreeAddress(t)) // 10,000 above the port there may be none
	server := exec.Command("redis-server", "--port", port, "--cluster-port", bus, "--bind", host, "--save", "", "--dir", t.TempDir(), "--cluster-enabled", "yes")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	client := redis.NewClient(&redis.Options{Addr: address})
	defer func() { _ = client.Close() }()
	eventually(t, "the cluster answers", func() bool { return client.Ping(t.Context()).Err() == nil })
	return address
}
