package shards_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/discord/gateway"
	"hostbot/bot/store/keyspace"
	"hostbot/hostapi/redistest"
)

// TestWhoHasTooFewShardsIsTold has Discord refuse each session that is begun for as few, as
// the bot has come to be in more guilds. The next process begins as many as Discord wants.
func TestWhoHasTooFewShardsIsTold(t *testing.T) {
	t.Parallel()
	for name, redis := range map[string]string{"redis": redistest.StartMiniredis(t).URL(), "none": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, redis)
			s.discord.RecommendShards(2)
			a := s.start(0)
			s.spread(2, a)
			s.discord.RecommendShards(4)
			s.discord.RequireShards(4)
			s.discord.InvalidateSession(false)
			s.await("it is told of both", func() bool {
				a.mu.Lock()
				defer a.mu.Unlock()
				return len(a.refused) == 2
			})
			if final, ok := errors.AsType[*gateway.FinalError](a.refused[0]); !ok || final.Code != gateway.CodeTooFewShards {
				t.Errorf("told %v", a.refused[0])
			}
			if a.Leave(t.Context()) {
				t.Error("it finds somebody to give its shards to")
			}
			if err := a.end(); err != nil {
				t.Errorf("Run() = %v", err)
			}
			s.spread(4, s.start(0))
		})
	}
}

// TestLargerSetTakesOver has a replica begin a larger set beside one that runs, which
// leaves it for that.
func TestLargerSetTakesOver(t *testing.T) {
	t.Parallel()
	s := newScene(t, redistest.StartMiniredis(t).URL())
	a := s.start(0)
	s.spread(1, a)
	s.discord.RecommendShards(4)
	b := s.start(0)
	s.spread(4, a, b)
	if left := s.connected(1); len(left) > 0 {
		t.Error("the former set still runs")
	}
	s.discord.RecommendShards(2) // which three replicas need not be told
	s.spread(4, a, b, s.start(0))
}

// TestSessionsAreLeftToAProcessThatNeedsFewer replaces the only process while Discord
// recommends fewer shards than run.
func TestSessionsAreLeftToAProcessThatNeedsFewer(t *testing.T) {
	t.Parallel()
	s := newScene(t, redistest.StartMiniredis(t).URL())
	s.discord.RecommendShards(3)
	a := s.start(0)
	s.spread(3, a)
	s.discord.RecommendShards(2)
	_ = a.end()
	s.spread(3, s.start(0))
	s.wantIdentifies(3)
}

func TestGrowthIsToldOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t, "")
	s.discord.RecommendShards(3)
	r := s.start(2)
	s.spread(2, r)
	s.discord.InvalidateSession(false)
	s.await("it is told", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return slices.Equal(r.told, []string{"3 of 2"})
	})
}

// TestNumbersOfShardsThatMakeNoSense has Redis say that a replica of another number of shards runs
// that Discord recommended.
func TestNumbersOfShardsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		for _, number := range []string{"100000", "49", "abc", "inf", "nan", "1e9", "0x7f", "9.5", "-4", "0", strings.Repeat("9", 400)} {
			s := newScene(t, redis)
			s.space = keyspace.Space(number)
			s.discord.RecommendShards(3)
			client := redistest.Connect(t, redis)
			say := func() {
				value := fmt.Sprint(time.Now().UnixMilli(), " ", number, " 1 member")
				if err := client.HSet(t.Context(), s.space.Key("{shards}:held"), "replica x", value).Err(); err != nil {
					t.Fatal(err)
				}
			}
			say()
			a := s.start(0)
			s.await("all recommended shards are served with "+number, func() bool {
				say()
				return len(a.Held()) == 3 && a.Ready() && slices.Equal(s.connected(3), numbers(3))
			})
			_ = a.end()
		}
	})
}

// TestSettingOfFarTooManyShards has operators want more than 16 times as many as Discord recommends.
func TestSettingOfFarTooManyShards(t *testing.T) {
	t.Parallel()
	var lines lineCount
	s := newScene(t, redistest.StartMiniredis(t).URL())
	s.log = zerolog.New(&lines).Level(zerolog.ErrorLevel)
	s.discord.RecommendShards(2)
	a, b := s.start(33), s.start(33)
	s.spread(2, a, b)
	if n := lines.Load(); n != 2 {
		t.Errorf("operators read of it %d times in the log, want once from each replica", n)
	}
	c := newScene(t, "")
	c.discord.RecommendShards(2)
	c.spread(32, c.start(32))
}
