//go:build integration

package processes_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/store/keyspace"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/bot/testing/loadgen"
	"hostbot/bot/watch/history"
	"hostbot/hostapi"
)

// The rate at which very many accounts are looked at, and what is let go at once after a pause.
const (
	manysRate  = 1000 // a second, the highest that can be set
	manysBurst = manysRate/4 + 64
)

// TestManyAccountsAreTakenOver kills the replica that looks at very many accounts, and sees how
// another goes on.
//
//	WATCHED=1000000 go test ./bot/testing/e2e/processes -run ManyAccounts -v
func TestManyAccountsAreTakenOver(t *testing.T) {
	usually := 0
	if world.Everything() {
		usually = 100_000
	}
	n := setting(t, "WATCHED", usually)
	if n == 0 {
		t.Skip("runs with TEST_EVERYTHING=1, or with WATCHED=1000000")
	}
	t.Parallel()
	w := newScene(t, instantly, discordtest.Config{})
	service, err := loadgen.StartService(1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.Close)
	began := time.Now()
	w.watchMany(t, n)
	t.Logf("%d accounts were written in %v", n, time.Since(began).Round(time.Second))
	environment := []string{"HOSTAPI_URL=" + service.URL(), fmt.Sprint("WATCH_RATE=", manysRate), "WATCH_INTERVAL=1m", "LOG_LEVEL=warn"}
	first := w.start(t, environment...)
	eventually(t, "accounts are looked at", func() bool { return service.Calls() > manysRate })
	second := w.start(t, environment...)

	first.kill()
	killed, before := time.Now(), service.Calls()
	eventually(t, "another replica looks at accounts", func() bool { return service.Calls() > before })
	took(t, "takeover", killed, 8*time.Second)
	before, began = service.Calls(), time.Now()
	<-time.After(10 * time.Second) // the rate is what is measured
	looks, elapsed := service.Calls()-before, time.Since(began).Seconds()
	t.Logf("%.0f looks a second after that", float64(looks)/elapsed)
	within(t, "looks beyond the rate after a takeover", max(0, looks-int(elapsed*manysRate)-manysBurst))
	within(t, "MB of a replica that looks at very many accounts", second.memoryKB(t, "VmHWM:")>>10)
}

// watchMany writes to Redis what there is of n accounts that have been watched for a while, each
// with a bot that runs. They are due one after the other.
func (w *scene) watchMany(t *testing.T, n int) {
	t.Helper()
	client, space, now := w.redisClient(t), keyspace.Space(w.discord.ApplicationID()), time.Now()
	log := history.Encode(history.Entry{At: now.Add(-time.Hour), State: history.Unwatched}, history.Entry{At: now.Add(-time.Hour), State: hostapi.StateRunning})
	const atOnce = 5000
	users := loadgen.Users(n)
	for from := 0; from < n; from += atOnce {
		_, err := client.Pipelined(t.Context(), func(p redis.Pipeliner) error {
			for i := from; i < min(n, from+atOnce); i++ {
				watchOne(t.Context(), p, space, users.ID(i), log, now.Add(time.Duration(i)*time.Second/manysRate))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func watchOne(ctx context.Context, p redis.Pipeliner, space keyspace.Space, id, log string, due time.Time) {
	p.ZAdd(ctx, space.Key("{watch}:due"), redis.Z{Score: float64(due.UnixMilli()), Member: id})
	p.HSet(ctx, history.AccountKey(space, id), "why:alerts", 1, history.FieldAt, due.Add(-time.Minute).Unix(), history.Field(id+"-0"), log)
}
