//go:build integration

package processes_test

import (
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
)

// startSeveral starts replicas that divide some shards, and waits until they have.
func (w *scene) startSeveral(t *testing.T, n, shards int) []*replica {
	t.Helper()
	replicas := make([]*replica, n)
	for i := range replicas {
		replicas[i] = w.start(t, "LOG_LEVEL=warn", "DISCORD_SHARDS="+strconv.Itoa(shards))
	}
	w.waitSpread(t, shards, replicas...)
	return replicas
}

// TestRollingRestartsLeaveNobodyWithoutAnAnswer replaces three replicas in turn, again
// and again, as deploys do, while customers ask.
func TestRollingRestartsLeaveNobodyWithoutAnAnswer(t *testing.T) {
	const shards = 8
	restarts, rate := setting(t, "ROLLING_RESTARTS", 4), setting(t, "ROLLING_RATE", 50)
	w := newScene(t, instantly, discordtest.Config{Lean: true})
	replicas := w.startSeveral(t, 3, shards)
	began, s := time.Now(), w.stream(t, rate, 10)
	for i := range restarts {
		old := replicas[i%3]
		_ = old.cmd.Process.Signal(syscall.SIGTERM)
		replicas[i%3] = w.start(t, "LOG_LEVEL=warn", "DISCORD_SHARDS="+strconv.Itoa(shards))
		w.waitSpread(t, shards, replicas...)
		select {
		case <-old.ended:
		case <-time.After(25 * time.Second):
			t.Error("a replica does not stop")
		}
	}
	took := time.Since(began)
	if _, unanswered := s.end(t); unanswered > 0 {
		t.Errorf("%d interactions were not answered in time and once", unanswered)
	}
	g := w.discord.Gateway()
	t.Logf("%d restarts in %v: %d IDENTIFYs, %d RESUMEs", restarts, took.Round(time.Second), g.Identifies, g.Resumes)
	if g.Identifies != shards {
		t.Errorf("%d IDENTIFYs were spent on %d shards", g.Identifies, shards)
	}
}

// TestKilledHoldersShardsAreServedElsewhere kills replicas while customers ask.
func TestKilledHoldersShardsAreServedElsewhere(t *testing.T) {
	t.Parallel()
	const shards = 8
	kills, rate := setting(t, "KILLS", 2), setting(t, "KILLS_RATE", 50)
	w := newScene(t, instantly, discordtest.Config{Lean: true})
	replicas := w.startSeveral(t, 3, shards)
	s := w.stream(t, rate, 10)
	var took []time.Duration
	for i := range kills {
		replicas[i%3].kill()
		began := time.Now()
		eventually(t, "Discord notices", func() bool { return !w.connected(shards) })
		eventually(t, "the shards are served elsewhere", func() bool { return w.connected(shards) })
		took = append(took, time.Since(began))
		replicas[i%3] = w.start(t, "LOG_LEVEL=warn", "DISCORD_SHARDS="+strconv.Itoa(shards))
		w.waitSpread(t, shards, replicas...)
	}
	total, unanswered := s.end(t)
	slices.Sort(took)
	g := w.discord.Gateway()
	t.Logf("%d kills: the shards were served elsewhere after %v to %v; of %d interactions %d were not answered; %d IDENTIFYs, %d RESUMEs",
		kills, took[0], took[len(took)-1], total, unanswered, g.Identifies, g.Resumes)
	if spent := g.Identifies - shards; spent > shards*kills/3 {
		t.Errorf("%d IDENTIFYs were spent on what was there", spent)
	}
	if unanswered > 0 {
		w.staffReadOfTheLate(t)
	}
}

// staffReadOfTheLate waits until staff have read that customers had no answer, because
// the bot was too late.
func (w *scene) staffReadOfTheLate(t *testing.T) {
	t.Helper()
	eventually(t, "staff read of those without an answer", func() bool { return strings.Contains(texts(w.staff), "This bot answered too late") })
}
