//go:build integration

package shards_test

import (
	"strconv"
	"testing"
)

// TestDiscordRecommendsWhatMakesNoSense has it do so once, or again and again.
func TestDiscordRecommendsWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	for _, number := range []int{0, -3, 100_000} {
		t.Run(strconv.Itoa(number), func(t *testing.T) {
			t.Parallel()
			s := newScene(t, "")
			s.discord.RecommendShards(number)
			s.spread(1, s.start(0)) // in the end
			asked := len(s.discord.Calls())
			b := s.start(0)
			s.await("it has asked", func() bool { return len(s.discord.Calls()) > asked })
			s.discord.RecommendShards(3)
			s.spread(3, b)
		})
	}
}
