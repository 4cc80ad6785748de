package actions_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
	"hostbot/hostapi/redistest"
	"hostbot/hostapi/secret"
)

const (
	hash  = "hostbot:actions:{200}"
	index = "hostbot:{actions}:due"
)

// restarted is how an action of a test ends that goes well.
var restarted = interaction.Action{Name: "restart", BotID: "b1", Outcome: interaction.Done}

// TestActionOfADeadProcessIsReported has a process die at each moment of an action.
func TestActionOfADeadProcessIsReported(t *testing.T) {
	redistest.Parallel(t)
	for name, test := range map[string]struct {
		goOn        func(lock *actions.Lock)
		outcome     interaction.Outcome
		interrupted bool
		known       bool // to staff
	}{
		"before it is sent": {func(*actions.Lock) {}, interaction.Failed, true, false},
		"once it is sent":   {func(lock *actions.Lock) { _ = lock.Sent() }, interaction.Unconfirmed, true, false},
		"once it has ended": {func(lock *actions.Lock) { lock.End(restarted) }, interaction.Done, false, false},
		"once staff know": {func(lock *actions.Lock) {
			lock.End(restarted)
			lock.Logged()
		}, interaction.Done, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			redistest.Each(t, func(t *testing.T, address string) {
				dead, first, second := start(t, address), start(t, address), start(t, address)
				end(dead.starts(t, "2", "restart", 0), interaction.Done) // which nobody reports
				test.goOn(dead.starts(t, "1", "restart", 0))
				dead.kill()
				r := await(t, first, second)
				if r.Request.ID != "1" || r.Request.Token.Reveal() != "the-token" || r.Request.ApplicationID != "1" || r.Request.Locale != "de" || r.Request.Fields != nil {
					t.Errorf("asked for by %+v", r.Request)
				}
				if r.Action.Name != "restart" || r.Action.Outcome != test.outcome || r.Action.Interrupted != test.interrupted || r.Known != test.known {
					t.Errorf("%+v, which staff know: %t", r.Action, r.Known)
				}
				first.awaitNone(t)
				if len(first.reported)+len(second.reported) > 0 {
					t.Error("it is reported twice")
				}
			})
		})
	}
}

// TestActionsOfADeadProcessAreReportedInOneGo has a process die that acts on many bots of one customer,
// of which some have yet to be sent. The leader has one try for each: it makes no other as long as the
// test runs.
func TestActionsOfADeadProcessAreReportedInOneGo(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, address string) {
		const sent, locked = 10, 20
		dead, other := stopped(t, address), stopped(t, address)
		other.timing.Retry = time.Hour
		for i := range sent + locked {
			if lock := dead.starts(t, fmt.Sprint(i), "restart", 0); i < sent {
				if err := lock.Sent(); err != nil {
					t.Fatal(err)
				}
			}
		}
		other.run()
		outcomes := make(map[interaction.Outcome]int)
		for range sent + locked {
			r := await(t, other, other)
			outcomes[r.Action.Outcome]++
			if r.Action.Outcome == interaction.Failed { // its bot is free
				acquire(t, other.Actions, actions.Claim{
					Request: &interaction.Request{ID: "again " + r.Request.ID, UserID: "201", CustomerID: "200"},
					Action:  interaction.Action{Name: "restart", BotID: r.Action.BotID},
				}).Close()
			}
		}
		if outcomes[interaction.Unconfirmed] != sent || outcomes[interaction.Failed] != locked {
			t.Errorf("reported are %v", outcomes)
		}
		other.awaitNone(t)
	})
}

// TestReportedActionHoldsItsBot has the lock of a dead process hold for the time that it was
// renewed for, and the same action be held back from then on.
func TestReportedActionHoldsItsBot(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	dead, other := stopped(t, "redis://"+server.Addr()), start(t, "redis://"+server.Addr())
	_ = dead.starts(t, "1", "restart", 0).Sent()
	await(t, other, other)
	other.awaitNone(t)
	claim := func(id, action string) actions.Claim {
		return actions.Claim{
			Request: &interaction.Request{ID: id, UserID: "200", CustomerID: "200"},
			Action:  interaction.Action{Name: action, BotID: "b1"},
		}
	}
	_ = refused[*actions.BusyError](t, other.Actions, claim("2", "stop"))
	server.FastForward(31 * time.Second)
	_ = refused[*actions.PausedError](t, other.Actions, claim("3", "restart"))
	acquire(t, other.Actions, claim("4", "stop")).Close()
	server.FastForward(actions.Pause)
	acquire(t, other.Actions, claim("5", "restart")).Close()
}

// TestStoppedProcessGoesOn has a process stop while it runs actions, and go on once another one has
// reported them: what it has sent ends as usual, and what it has not sent it does not send.
func TestStoppedProcessGoesOn(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, address string) {
		dead, other := stopped(t, address), start(t, address)
		sent, locked := dead.starts(t, "1", "restart", 0), dead.starts(t, "2", "restart", 0)
		if err := sent.Sent(); err != nil {
			t.Fatal(err)
		}
		await(t, other, other)
		await(t, other, other)
		other.awaitNone(t)
		dead.run()
		eventually(t, "it is renewed again", func() bool { return len(dead.client.HKeys(t.Context(), hash).Val()) == 7 })
		if err := locked.Sent(); !errors.Is(err, interaction.ErrUnsent) {
			t.Errorf("what was reported as not done may be sent: %v", err)
		}
		for _, lock := range []*actions.Lock{sent, locked} {
			lock.End(restarted)
			lock.Logged()
			lock.Close()
		}
		other.awaitNone(t)
		if len(dead.reported)+len(other.reported) > 0 {
			t.Error("an action is reported again")
		}
	})
}

// TestCallerWhoCannotBeToldIsToldLater has staff know at the first try.
func TestCallerWhoCannotBeToldIsToldLater(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, address string) {
		dead, other := stopped(t, address), start(t, address)
		_ = dead.starts(t, "1", "restart", 0).Sent()
		other.untold.Store(true)
		if r := await(t, other, other); r.Known {
			t.Error("staff know before anybody told them")
		}
		other.untold.Store(false)
		if r := await(t, other, other); !r.Known || r.Action.Outcome != interaction.Unconfirmed || !r.Action.Interrupted {
			t.Errorf("%+v, which staff know: %t", r.Action, r.Known)
		}
		other.awaitNone(t)
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

// TestActionSurvivesAnOutageOfRedis has Redis know of the action that runs once it is back, and of no other.
func TestActionSurvivesAnOutageOfRedis(t *testing.T) {
	redistest.Parallel(t)
	server := redistest.StartMiniredis(t)
	other := start(t, server.URL())
	eventually(t, "the other process leads", func() bool { return len(keys(t, other.client, "*{leader}:lease")) == 1 })
	living := start(t, server.URL())
	before := living.starts(t, "1", "restart", 0)
	listed := other.client.ZRange(t.Context(), index, 0, -1).Val()
	server.Stop()
	during, runs := living.starts(t, "2", "restart", 0), living.starts(t, "3", "restart", 0)
	if during.Shared() || runs.Shared() {
		t.Error("a Redis that is down has granted a lock")
	}
	end(before, interaction.Done)
	end(during, interaction.Done)
	server.Restart()
	eventually(t, "Redis knows of the action that runs", func() bool {
		held := other.client.ZRange(t.Context(), index, 0, -1).Val()
		return len(held) == 1 && !slices.Equal(held, listed) && len(other.client.HKeys(t.Context(), hash).Val()) == 7
	})
	living.kill()
	if r := await(t, other, other); r.Request.ID != "3" || r.Request.Token.Reveal() != "the-token" {
		t.Error("reported:", r.Request.ID)
	}
	other.awaitNone(t)
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
		eventually(t, "it is removed", func() bool { return len(keys(t, other.client, hash)) == 0 })
		if len(other.reported) > 0 {
			t.Error("it is reported")
		}
	})
}

func TestTokenIsKeptForFifteenMinutesAtMost(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, address string) {
		r := stopped(t, address)
		r.starts(t, "1", "restart", 5*time.Minute)
		r.starts(t, "2", "restart", 20*time.Minute)
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

// TestEndOfAProcessThatIsCutOffIsReported to callers, and not what runs yet.
func TestEndOfAProcessThatIsCutOffIsReported(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, address string) {
		cutOff, other := stopped(t, address), start(t, address)
		ended, runs := cutOff.starts(t, "1", "restart", 0), cutOff.starts(t, "2", "restart", 0)
		cutOff.cutOff.Store(true)
		cutOff.run()
		ended.End(restarted)
		ended.Logged()
		r := await(t, cutOff, other)
		if r.Request.ID != "1" || r.Action.Outcome != interaction.Done || !r.Known || r.Request.Token != "the-token" {
			t.Errorf("reported is %+v", r)
		}
		ended.Close()
		end(runs, interaction.Done)
		other.awaitNone(t)
		if len(cutOff.reported)+len(other.reported) > 0 {
			t.Error("another action was reported")
		}
	})
}
