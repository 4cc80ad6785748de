package recovery_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"hostbot/bot/actions/recovery"
	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/redistest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(redistest.WithCluster(m), redistest.Dialing())
}

// quick is DefaultTiming at a twentieth.
func quick() recovery.Timing {
	return recovery.Timing{Lease: 400 * time.Millisecond, Renew: 100 * time.Millisecond}
}

// replica is a process that keeps records, as far as Redis can tell.
type replica struct {
	*recovery.Records
	client   redis.UniversalClient
	finished chan recovery.Record
	kill     func() // ends it, with its records left where they are
}

func start(t *testing.T, address string) *replica {
	t.Helper()
	client := redistest.Connect(t, address)
	r := &replica{client: client, finished: make(chan recovery.Record, 10)}
	r.Records = recovery.New(recovery.Config{
		Redis: client, Finish: func(record recovery.Record) { r.finished <- record }, Log: zerolog.Nop(), Timing: quick(),
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.Run(ctx)
	}()
	r.kill = func() { cancel(); <-ended }
	t.Cleanup(func() { r.kill() })
	return r
}

// restart is the record of a restart that began some time ago.
func restart(id string, ago time.Duration) recovery.Record {
	return recovery.Record{
		Request: interaction.Request{
			ID: id, UserID: "200", CustomerID: "200", Locale: "de", Reference: "ABC", ReceivedAt: time.Now().Add(-ago),
			Fields: map[string]string{"name": "typed"},
		},
		Action: interaction.Action{Name: "restart", BotID: "b1", BotName: "Shop"},
		To:     rest.Callback{InteractionID: id, ApplicationID: "1", Token: "the-token"},
	}
}

// await returns what a replica finishes next.
func (r *replica) await(t *testing.T) recovery.Record {
	t.Helper()
	select {
	case record := <-r.finished:
		return record
	case <-time.After(world.Patience):
		t.Fatal("nothing is taken over")
		return recovery.Record{}
	}
}

// awaitKeys waits until Redis holds so many keys of a pattern.
func (r *replica) awaitKeys(t *testing.T, pattern string, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), world.Patience)
	defer cancel()
	var keys []string
	if !world.Eventually(ctx, func() (yes bool) {
		var err error
		keys, err = redistest.Keys(ctx, r.client, pattern)
		return err == nil && len(keys) == n
	}) {
		t.Fatalf("Redis holds %q, want %d of %s", keys, n, pattern)
	}
}

// awaitEmpty waits until Redis holds no record and no token.
func (r *replica) awaitEmpty(t *testing.T) { t.Helper(); r.awaitKeys(t, "*", 0) }

func TestRecordOfADeadProcessIsTakenOverOnce(t *testing.T) {
	redistest.Each(t, func(t *testing.T, address string) {
		dead, first, second := start(t, address), start(t, address), start(t, address)
		ended := dead.Add(restart("1", 0))
		further := restart("1", 0) // of the same interaction
		further.Action.Name = "start"
		dead.Add(further)
		ended()
		dead.Add(restart("2", 20*time.Minute))
		dead.kill()
		got := make(map[string]recovery.Record)
		for len(got) < 2 {
			var record recovery.Record
			select {
			case record = <-first.finished:
			case record = <-second.finished:
			case <-time.After(world.Patience):
				t.Fatal("not all is taken over:", got)
			}
			if _, again := got[record.Request.ID]; again {
				t.Error("taken over twice:", record.Request.ID)
			}
			got[record.Request.ID] = record
		}
		one := got["1"]
		if one.To.Token.Reveal() != "the-token" || one.To.InteractionID != "1" || one.To.ApplicationID != "1" {
			t.Errorf("to %+v", one.To)
		}
		if one.Action.Name != "start" || one.Action.BotName != "Shop" || one.Request.Locale != "de" || one.Request.Fields != nil {
			t.Errorf("%+v of %+v", one.Action, one.Request)
		}
		if token := got["2"].To.Token.Reveal(); token != "" {
			t.Errorf("a token that is not good any more was kept: %q", token)
		}
		first.awaitEmpty(t)
	})
}

func TestRecordOfALivingProcessIsLeftToIt(t *testing.T) {
	redistest.Each(t, func(t *testing.T, address string) {
		living, other := start(t, address), start(t, address)
		remove := living.Add(restart("1", 0))
		dead := start(t, address)
		dead.Add(restart("2", 0))
		dead.kill()
		var record recovery.Record
		select { // what is taken over shows that a lease's time has passed
		case record = <-living.finished:
		case record = <-other.finished:
		}
		if record.Request.ID != "2" {
			t.Error("an action that runs was taken over")
		}
		remove()
		if left, _ := redistest.Keys(t.Context(), living.client, "*record:1:*"); len(left) > 0 {
			t.Error("left:", left)
		}
	})
}

func TestRecordSurvivesAnOutageOfRedis(t *testing.T) {
	server := redistest.StartMiniredis(t)
	living, other := start(t, server.URL()), start(t, server.URL())
	server.Stop()
	removeEnded, _ := living.Add(restart("1", 0)), living.Add(restart("2", 0))
	removeEnded()
	server.Restart()
	// Once Redis is back it knows of the action that runs, and of no other.
	other.awaitKeys(t, "hostbot:{actions}:record:2:restart", 1)
	living.kill()
	if record := other.await(t); record.Request.ID != "2" {
		t.Error("taken over:", record.Request.ID)
	}
	other.awaitEmpty(t)
}

// A failover to a replica that lags behind takes Redis back to before the removal.
func TestRecordThatIsThereAgainIsNotTakenOver(t *testing.T) {
	redistest.Each(t, func(t *testing.T, address string) {
		living, other := start(t, address), start(t, address)
		const record, due = "hostbot:{actions}:record:1:restart", "hostbot:{actions}:due"
		remove := living.Add(restart("1", 0))
		value, err := living.client.Get(t.Context(), record).Result()
		score := living.client.ZScore(t.Context(), due, "1:restart").Val()
		if err != nil || score == 0 {
			t.Fatal("no record is kept: ", err)
		}
		remove()
		living.client.Set(t.Context(), record, value, 0)
		living.client.ZAdd(t.Context(), due, redis.Z{Score: score, Member: "1:restart"})
		living.awaitEmpty(t)
		if n := len(living.finished) + len(other.finished); n > 0 {
			t.Error("an action that has ended was taken over")
		}
	})
}

func TestRecordThatCannotBeReadIsDropped(t *testing.T) {
	redistest.Each(t, func(t *testing.T, address string) {
		r := start(t, address)
		for id, value := range map[string]any{"1": "not JSON", "2": `{"request":{"ID":"2"}}`} {
			if err := r.client.Set(t.Context(), "hostbot:{actions}:record:"+id, value, 0).Err(); err != nil {
				t.Fatal(err)
			}
			r.client.ZAdd(t.Context(), "hostbot:{actions}:due", redis.Z{Score: 1, Member: id})
		}
		if record := r.await(t); record.Request.ID != "2" {
			t.Error(record.Request.ID)
		}
		r.awaitEmpty(t)
	})
}

func TestRecordHoldsTheTokenForFifteenMinutesAtMost(t *testing.T) {
	redistest.Each(t, func(t *testing.T, address string) {
		r := start(t, address)
		record := restart("1", 5*time.Minute)
		r.Add(record)
		keys, err := redistest.Keys(t.Context(), r.client, "*")
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, key := range keys {
			value, _ := r.client.Get(t.Context(), key).Result() // "" of the sorted set
			if !strings.Contains(value, "the-token") {
				continue
			}
			found = true
			if ttl := r.client.PTTL(t.Context(), key).Val(); ttl <= 0 || ttl > 10*time.Minute {
				t.Errorf("%s is kept for %v", key, ttl)
			}
		}
		if !found {
			t.Error("no token is kept")
		}
		if text, err := json.Marshal(record); err != nil || strings.Contains(string(text), "the-token") {
			t.Errorf("%s, %v", text, err)
		}
	})
}
