package shards_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/rs/zerolog"

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

// TestReplicasRunOneNumberOfShards: who starts goes by those who are there, whatever Discord recommends by then,
// and who starts alone asks Discord.
func TestReplicasRunOneNumberOfShards(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		s := newScene(t, redis)
		s.discord.RecommendShards(2)
		a := s.start(0)
		s.spread(2, a)
		s.discord.RecommendShards(4)
		b, c := s.start(0), s.start(0)
		s.await("one of those who came stands by", func() bool { return b.Standby() != c.Standby() })
		s.spread(2, a, b, c)
		s.wantIdentifies(2)
		for _, r := range []*replica{a, b, c} {
			_ = r.end()
		}
		s.spread(4, s.start(0))
	})
}

// TestRefusedNumberOfShardsIsReplaced has Discord refuse one of two replicas' shards. It is the other's as well that
// goes on with more, once the former has started again.
func TestRefusedNumberOfShardsIsReplaced(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		s := newScene(t, redis)
		s.discord.RecommendShards(2)
		a, b := s.start(0), s.start(0)
		s.spread(2, a, b)
		s.discord.RecommendShards(4)
		s.discord.RequireShards(4)
		s.discord.InvalidateSession(false)
		s.await("one is refused", func() bool {
			a.mu.Lock()
			defer a.mu.Unlock()
			return len(a.refused) > 0
		})
		_ = a.end()
		s.spread(4, s.start(0), b)
	})
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
