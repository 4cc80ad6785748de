package shards_test

import (
	"errors"
	"slices"
	"testing"

	"hostbot/bot/discord/gateway"
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
