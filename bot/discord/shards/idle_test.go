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
			s.idle(redis, &lines)
		})
	}
}

// idle has three replicas divide the shards, and judges what they cost by the time that
// passes. What scripts do is among the commands.
func (s *scene) idle(redis *miniredis.Miniredis, lines *lineCount) {
	s.t.Helper()
	replicas := []*replica{s.start(many)}
	s.await("the first holds all shards", func() bool { return len(replicas[0].Held()) == many })
	for range 2 {
		r := s.start(many)
		s.await("a further one takes part", func() bool { return r.Standby() || len(r.Held()) > 0 })
		replicas = append(replicas, r)
	}
	spent := func() (scripts, handovers int) {
		for _, r := range replicas {
			scripts += int(r.scripts.Load())
			handovers += int(r.Handovers())
		}
		return scripts, handovers
	}
	began, commandsBefore, linesBefore := time.Now(), redis.CommandCount(), lines.Load()
	scriptsBefore, handoversBefore := spent()
	s.await("some syncs", func() bool {
		now, _ := spent()
		return now >= scriptsBefore+6*len(replicas)
	})
	scripts, handovers := spent()
	scripts, handovers = scripts-scriptsBefore, handovers-handoversBefore
	commands, written := redis.CommandCount()-commandsBefore, int(lines.Load()-linesBefore)
	// For so long that would take by the timing for use.
	passed := time.Since(began) * (shards.DefaultTiming().Sync / s.timing.Sync)
	s.t.Logf("in %v: %d scripts, %d commands, %d lines, %d handovers", passed, scripts, commands, written, handovers)
	// Each replica syncs every 2 s, and may have done so at the beginning and at the end. A
	// handover is a script, and wakes each replica; one may be under way.
	if most := int((passed.Seconds()/2+2)*float64(len(replicas))) + (handovers+1)*(1+len(replicas)); scripts > most {
		s.t.Errorf("%d scripts in %v, with %d handovers; want %d at most", scripts, passed, handovers, most)
	}
	// A script calls TIME, HGETALL, HSET and PEXPIRE, and PUBLISH or HDEL at times. For each of
	// the shards whose turn it is not yet Redis is asked in two commands when that may be.
	turns := 2 * many * int(passed.Seconds()/5+1)
	// With a shard its session is handed over, and whoever takes it asks where the gateway is.
	if most := 6*scripts + turns + 10*(handovers+1); commands > most || written >= int(5*(passed.Seconds()+1)) {
		s.t.Errorf("%d commands and %d lines in %v, want %d at most of the former", commands, written, passed, most)
	}
}

// TestNobodyIsWokenForNothing has a replica leave that stood by.
func TestNobodyIsWokenForNothing(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		s := newScene(t, redis)
		a := s.start(1)
		s.spread(1, a)
		client := redistest.Connect(t, redis)
		notices := client.PSubscribe(t.Context(), "hostbot:*", "end")
		t.Cleanup(func() { _ = notices.Close() })
		for range 2 {
			if _, err := notices.Receive(t.Context()); err != nil { // that it listens
				t.Fatal(err)
			}
		}
		var lines lineCount
		s.log = zerolog.New(&lines)
		b := s.start(1)
		s.await("b says that it stands by", func() bool { return lines.Load() == 1 })
		_ = b.end()
		if n := lines.Load(); n > 1 {
			t.Errorf("%d lines of a replica that never held a shard", n)
		}
		client.Publish(t.Context(), "end", "")
		if got, err := notices.ReceiveMessage(t.Context()); err != nil || got.Channel != "end" {
			t.Errorf("told: %v, %v", got, err)
		}
		_ = a.end()
		if got, err := notices.ReceiveMessage(t.Context()); err != nil || got.Channel == "end" {
			t.Errorf("a shard is free: told %v, %v", got, err)
		}
	})
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
	before := a.scripts.Load()
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
		if now := a.scripts.Load(); now > last {
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
