package actions_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
	"hostbot/hostapi/redistest"
	"hostbot/hostapi/secret"
)

const (
	hash  = "hostbot:actions:{200}"
	index = "hostbot:{actions}:due"
)

func TestActionOfADeadProcessIsReportedOnce(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, address string) {
		dead, first, second := start(t, address), start(t, address), start(t, address)
		end(dead.starts(t, "1", "restart", 0), interaction.Done)
		dead.starts(t, "2", "start", 0)
		dead.starts(t, "3", "restart", 20*time.Minute)
		dead.kill()
		got := make(map[string]actions.Report)
		for len(got) < 2 {
			r := await(t, first, second)
			if _, again := got[r.Request.ID]; again {
				t.Error("reported twice:", r.Request.ID)
			}
			got[r.Request.ID] = r
		}
		r := got["2"]
		if r.Request.Token.Reveal() != "the-token" || r.Request.ApplicationID != "1" || r.Request.Locale != "de" || r.Request.Fields != nil {
			t.Errorf("asked for by %+v", r.Request)
		}
		if r.Action.Name != "start" || r.Action.BotName != "Shop" || r.Action.Outcome != "" || r.Told {
			t.Errorf("%+v", r)
		}
		if token := got["3"].Request.Token.Reveal(); token != "" {
			t.Errorf("a token that is not good any more was kept: %q", token)
		}
		first.awaitNone(t)
	})
}

// TestReportedActionHoldsItsBot has the lock of a dead process hold for the time that it was
// renewed for, and the same action be held back from then on.
func TestReportedActionHoldsItsBot(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	dead, other := stopped(t, "redis://"+server.Addr()), start(t, "redis://"+server.Addr())
	dead.starts(t, "1", "restart", 0)
	await(t, other, other)
	other.awaitNone(t)
	claim := func(id, action string) actions.Claim {
		return actions.Claim{
			Request: &interaction.Request{ID: id, UserID: "200", CustomerID: "200"},
			Action:  interaction.Action{Name: action, BotID: "b1"},
		}
	}
	_ = refused[*actions.BusyError](t, other.Actions, claim("2", "stop"))
	server.SetTime(time.Now().Add(31 * time.Second))
	_ = refused[*actions.HeldError](t, other.Actions, claim("3", "restart"))
	acquire(t, other.Actions, claim("4", "stop")).Close()
	acquire(t, other.Actions, claim("5", "restart")).Close()
}

// TestStoppedProcessDoesNotReportAgain has a process stop while it runs an action, and go on once
// another one has reported that, and others have acted on the bot.
func TestStoppedProcessDoesNotReportAgain(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, address string) {
		dead, other := stopped(t, address), start(t, address)
		ends, renews := dead.starts(t, "1", "restart", 0), dead.starts(t, "2", "restart", 0)
		await(t, other, other)
		await(t, other, other)
		other.awaitNone(t)
		other.client.Del(t.Context(), hash) // as time would do, with what others did
		if ends.End(interaction.Action{Outcome: interaction.Done}) {
			t.Error("staff are to be told again of what has ended")
		}
		dead.run()
		eventually(t, "the process knows of the report", func() bool { return !renews.End(interaction.Action{Outcome: interaction.Done}) })
		for _, lock := range []*actions.Lock{ends, renews} {
			lock.Told()
			lock.Close()
		}
		if r := dead.Actions.Running("200", "b2"); r != nil {
			t.Errorf("%+v still runs", r)
		}
		if dead.holdsRecord(t) {
			t.Error("what was reported is recorded again")
		}
	})
}

// TestEndThatNobodyWasToldOfIsReported has a process die at each moment after an action has ended.
func TestEndThatNobodyWasToldOfIsReported(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, address string) {
		dead, other := stopped(t, address), start(t, address)
		for i, told := range []bool{false, true} {
			lock := dead.starts(t, fmt.Sprint(i), "restart", 0)
			lock.End(interaction.Action{Name: "restart", BotID: fmt.Sprint("b", i), Outcome: interaction.Done})
			if told {
				lock.Told()
			}
			if r := await(t, other, other); r.Action.Outcome != interaction.Done || r.Told != told {
				t.Errorf("reported: %+v, and told: %t", r.Action, r.Told)
			}
			other.awaitNone(t)
		}
	})
}

func TestActionOfALivingProcessIsLeftToIt(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, address string) {
		living, other, dead := start(t, address), start(t, address), start(t, address)
		lock := living.starts(t, "1", "restart", 0)
		dead.starts(t, "2", "restart", 0)
		dead.kill()
		// What is reported shows that the time has passed.
		if r := await(t, living, other); r.Request.ID != "2" {
			t.Error("an action that runs was reported")
		}
		end(lock, interaction.Done)
		living.awaitNone(t)
	})
}

func TestActionSurvivesAnOutageOfRedis(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]func(t *testing.T, server *redistest.Server, other *replica, refuses *atomic.Bool) (over func()){
		"away": func(_ *testing.T, server *redistest.Server, _ *replica, _ *atomic.Bool) func() {
			server.Stop()
			return server.Restart
		},
		"takes no writes": func(t *testing.T, _ *redistest.Server, other *replica, refuses *atomic.Bool) func() {
			refuses.Store(true)
			return func() {
				eventually(t, "the first action counts as abandoned", func() bool {
					due := other.client.ZRangeByScore(t.Context(), index, &redis.ZRangeBy{Min: "-inf", Max: fmt.Sprint(time.Now().UnixMilli())}).Val()
					return len(due) == 1
				})
				refuses.Store(false)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redistest.StartMiniredis(t)
			other, living := stopped(t, server.URL()), stopped(t, server.URL())
			var refuses atomic.Bool
			for _, r := range []*replica{other, living} {
				r.client.AddHook(takesNoWrites(&refuses))
				r.run()
				eventually(t, "one leads", func() bool { return len(keys(t, r.client, "*{leader}:lease")) == 1 }) // which is the other
			}
			before := living.starts(t, "1", "restart", 0)
			listed := other.client.ZRange(t.Context(), index, 0, -1).Val()
			over := fails(t, server, other, &refuses)
			during, runs := living.starts(t, "2", "restart", 0), living.starts(t, "3", "restart", 0)
			if during.Shared() || runs.Shared() {
				t.Error("a Redis that is down has granted a lock")
			}
			end(before, interaction.Done)
			end(during, interaction.Done)
			over()
			// Once Redis is back it knows of the action that runs, and of no other.
			eventually(t, "Redis knows of the action that runs", func() bool {
				held := other.client.ZRange(t.Context(), index, 0, -1).Val()
				return len(held) == 1 && strings.HasPrefix(held[0], "200/") && !slices.Equal(held, listed) && len(other.client.HKeys(t.Context(), hash).Val()) == 6
			})
			living.kill()
			if r := await(t, other, other); r.Request.ID != "3" || r.Request.Token.Reveal() != "the-token" {
				t.Error("reported:", r.Request.ID)
			}
			other.awaitNone(t)
		})
	}
}

// noReplicas is what a Redis says that has lost the replicas that min-replicas-to-write wants.
type noReplicas struct{}

func (noReplicas) Error() string { return "NOREPLICAS Not enough good replicas to write." }
func (noReplicas) RedisError()   {}

// takesNoWrites has a Redis refuse what writes, while it is to, and answer what only reads.
func takesNoWrites(refuses *atomic.Bool) redistest.Requests {
	reads := []string{"client", "get", "hello", "hgetall", "hkeys", "hmget", "keys", "ping", "subscribe", "time", "zcard", "zrange", "zrangebyscore", "zscore"}
	return func(ctx context.Context, cmds []redis.Cmder, next redis.ProcessPipelineHook) error {
		writes := func(cmd redis.Cmder) bool { return !slices.Contains(reads, cmd.Name()) }
		if !refuses.Load() || !slices.ContainsFunc(cmds, writes) {
			return next(ctx, cmds)
		}
		for _, cmd := range cmds {
			cmd.SetErr(noReplicas{}) // also of what reads beside it, which nobody asks for then
		}
		return noReplicas{}
	}
}

func TestActionThatRedisLostIsWrittenAnew(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, address string) {
		living, other := start(t, address), start(t, address)
		lock := living.starts(t, "1", "restart", 0)
		living.client.Del(t.Context(), keys(t, living.client, "*{200}*")...)
		living.client.Del(t.Context(), index)
		eventually(t, "the action is recorded again", func() bool {
			return living.holdsRecord(t) && len(keys(t, living.client, "*:token:*")) == 1 && living.client.ZCard(t.Context(), index).Val() == 1
		})
		busy := refused[*actions.BusyError](t, other.Actions, actions.Claim{
			Request: &interaction.Request{ID: "2", UserID: "200", CustomerID: "200"}, Action: interaction.Action{Name: "stop", BotID: "b1"},
		})
		if busy.Running.Action != "restart" {
			t.Errorf("running is %+v", busy.Running)
		}
		end(lock, interaction.Done)
		living.awaitNone(t)
	})
}

// A failover to a replica that lags behind takes Redis back to before the removal.
func TestActionThatIsThereAgainIsNotReported(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, address string) {
		living, other := start(t, address), start(t, address)
		lock := living.starts(t, "1", "restart", 0)
		held := living.client.HGetAll(t.Context(), hash).Val()
		due := living.client.ZRangeWithScores(t.Context(), index, 0, -1).Val()
		if len(held) == 0 || len(due) != 1 {
			t.Fatalf("no record is kept: %v, %v", held, due)
		}
		end(lock, interaction.Done)
		living.client.HSet(t.Context(), hash, held)
		living.client.ZAdd(t.Context(), index, due...)
		living.awaitNone(t)
		if n := len(living.reported) + len(other.reported); n > 0 {
			t.Error("an action that has ended was reported")
		}
	})
}

func TestWhatCannotBeReadKeepsNoBotLocked(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, address string) {
		dead, other := stopped(t, address), start(t, address)
		dead.starts(t, "1", "restart", 0)
		for field := range dead.client.HGetAll(t.Context(), hash).Val() {
			if strings.HasSuffix(field, ":record") {
				dead.client.HSet(t.Context(), hash, field, "{")
			}
		}
		dead.client.ZAdd(t.Context(), index, redis.Z{Score: 1, Member: "x"})
		other.awaitNone(t)
		if len(other.reported) > 0 || other.holdsRecord(t) {
			t.Errorf("%d are reported, and %q is there", len(other.reported), keys(t, other.client, "*"))
		}
	})
}

func TestRecordOfALaterVersionIsLeftAlone(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, address string) {
		other := start(t, address)
		other.client.HSet(t.Context(), hash, "b:id", "x", "b:state", "running", "b:record", `{"format":9,"request":1}`)
		other.client.ZAdd(t.Context(), index, redis.Z{Score: 1, Member: "200/b/x"})
		eventually(t, "it is looked at", func() bool { return other.client.ZScore(t.Context(), index, "200/b/x").Val() > 1 })
		dead := stopped(t, address)
		dead.starts(t, "1", "restart", 0)
		await(t, other, other)
		if !other.holdsRecord(t) {
			t.Error("it is gone")
		}
	})
}

func TestTokenIsKeptForFifteenMinutesAtMost(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, address string) {
		r := stopped(t, address)
		r.starts(t, "1", "restart", 5*time.Minute)
		found := keys(t, r.client, "*:token:*")
		if len(found) != 1 {
			t.Fatalf("keys %q", found)
		}
		if ttl := r.client.PTTL(t.Context(), found[0]).Val(); ttl <= 0 || ttl > 10*time.Minute {
			t.Errorf("the token is kept for %v", ttl)
		}
		if all := fmt.Sprint(r.client.HGetAll(t.Context(), hash).Val()); strings.Contains(all, "the-token") || strings.Contains(all, secret.Text("").String()) {
			t.Error("a token is in a record:", all)
		}
	})
}

// TestActionsOfAProcessThatIsCutOffAreReported by another process, once callers alone do not know
// how they ended. A process that leads itself has nobody to hand them over to.
func TestActionsOfAProcessThatIsCutOffAreReported(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, address string) {
		alone := start(t, address)
		ended, runs := alone.starts(t, "1", "restart", 0), alone.starts(t, "2", "restart", 0)
		ended.End(interaction.Action{Name: "restart", BotID: "b1", Outcome: interaction.Done})
		ended.Told()
		alone.cutOff.Store(true)
		eventually(t, "it is handed over", func() bool {
			due := alone.client.ZRangeByScore(t.Context(), index, &redis.ZRangeBy{Min: "-inf", Max: "0"}).Val()
			return len(due) == 1
		})
		other := start(t, address)
		alone.resigns()
		r := await(t, alone, other)
		if r.Request.ID != "1" || r.Action.Outcome != interaction.Done || !r.Told || r.Request.Token != "the-token" {
			t.Errorf("reported is %+v", r)
		}
		if len(alone.reported) > 0 {
			t.Error("a process has reported its own action")
		}
		ended.Close()
		end(runs, interaction.Done)
		other.awaitNone(t)
		if len(alone.reported)+len(other.reported) > 0 {
			t.Error("another action was reported")
		}
	})
}
