package shards_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/rs/zerolog"

	"hostbot/bot/discord/shards"
	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"
)

// TestReplicasIdleWhileShardsWait has the replica that was there first hold most shards:
// it gives none away whose session is yet to begin.
func TestReplicasIdleWhileShardsWait(t *testing.T) {
	t.Parallel()
	for name, usedUp := range map[string]bool{"for their turn": false, "for another day's sessions": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			redis := miniredis.RunT(t)
			redis.ClockTTL(true)
			s := newScene(t, "redis://"+redis.Addr())
			s.discord = discordtest.RunT(t, discordtest.Config{MaxConcurrency: 1, NoRateLimits: true})
			s.discord.IdentifyAtOnce()
			s.timing.Sync = 100 * time.Millisecond
			s.window = 5 * s.timing.Sync / 2
			if usedUp {
				s.discord.ExhaustSessions(time.Hour)
			}
			var lines lineCount
			s.log, s.turns = zerolog.New(&lines), true
			s.idle(&lines)
		})
	}
}

// idle has three replicas divide the shards, and judges how often they sync by the time that
// passes.
func (s *scene) idle(lines *lineCount) {
	s.t.Helper()
	replicas := []*replica{s.start(many)}
	s.await("the first holds all shards", func() bool { return len(replicas[0].Held()) == many })
	for range 2 {
		r := s.start(many)
		s.await("a further one takes part", func() bool { return r.Standby() || len(r.Held()) > 0 })
		replicas = append(replicas, r)
	}
	spent := func() (syncs, handovers int) {
		for _, r := range replicas {
			syncs += int(r.syncs.Load())
			handovers += int(r.Handovers())
		}
		return syncs, handovers
	}
	began, linesBefore := time.Now(), lines.Load()
	syncsBefore, handoversBefore := spent()
	s.await("some syncs", func() bool {
		now, _ := spent()
		return now >= syncsBefore+6*len(replicas)
	})
	syncs, handovers := spent()
	syncs, handovers = syncs-syncsBefore, handovers-handoversBefore
	written := int(lines.Load() - linesBefore)
	// For so long that would take by the timing for use.
	passed := time.Since(began) * (shards.DefaultTiming().Sync / s.timing.Sync)
	s.t.Logf("in %v: %d syncs, %d lines, %d handovers", passed, syncs, written, handovers)
	// Each replica syncs every 2 s, and may have done so at the beginning and at the end. A
	// handover wakes each replica; one may be under way.
	if most := int((passed.Seconds()/2+2)*float64(len(replicas))) + (handovers+1)*len(replicas); syncs > most || written >= int(5*(passed.Seconds()+1)) {
		s.t.Errorf("%d syncs and %d lines in %v, with %d handovers; want %d syncs at most", syncs, written, passed, handovers, most)
	}
}

// TestOneSyncAnswersAllNoticesBeforeIt has many replicas give shards away at once.
func TestOneSyncAnswersAllNoticesBeforeIt(t *testing.T) {
	t.Parallel()
	redis := redistest.StartMiniredis(t)
	s := newScene(t, redis.URL())
	s.timing.Sync = time.Hour
	a := s.start(1)
	s.spread(1, a)
	const notices, channel = 90, "hostbot:{shards}:changed"
	client := redistest.Connect(t, redis.URL())
	heard := client.Subscribe(t.Context(), channel)
	t.Cleanup(func() { _ = heard.Close() })
	if _, err := heard.Receive(t.Context()); err != nil { // that it listens
		t.Fatal(err)
	}
	a.gate.Lock()
	before := a.syncs.Load()
	for range notices {
		client.Publish(t.Context(), channel, "")
	}
	for range notices {
		if _, err := heard.ReceiveMessage(t.Context()); err != nil {
			t.Error(err)
		}
	}
	a.gate.Unlock()
	last, looks := before, 0
	s.await("no sync follows another", func() bool {
		if now := a.syncs.Load(); now > last {
			last, looks = now, 0
		}
		looks++
		return last > before && looks > 5
	})
	if n := last - before; n > notices/2 {
		t.Errorf("%d syncs for %d notices", n, notices)
	}
}

// lineCount counts the lines of a log.
type lineCount struct{ atomic.Int64 }

func (c *lineCount) Write(line []byte) (int, error) {
	c.Add(1)
	return len(line), nil
}
