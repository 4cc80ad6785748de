//go:build integration

package processes_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
)

// TestReplicasAtRestHandNothingOver starts four replicas at once, which divide 16 shards of which
// Discord lets one begin in 5 s. Then nobody does anything, first on the machine as it is, then beside
// four processes that take all of its CPU: nothing is handed over, no lease is lost, and the replicas
// do next to nothing.
func TestReplicasAtRestHandNothingOver(t *testing.T) {
	if !world.Everything() {
		t.Skip("runs with TEST_EVERYTHING=1") // it takes four minutes
	}
	const shards, n = 16, 4
	w := newScene(t, instantly, discordtest.Config{MaxConcurrency: 1})
	w.discord.RecommendShards(shards)
	replicas := make([]*replica, n)
	began := time.Now()
	for i := range replicas {
		replicas[i] = w.launch(t, nil)
	}
	eventually(t, "all shards are served", func() bool { return w.connected(shards) })
	t.Logf("all %d shards are served after %.0f s", shards, time.Since(began).Seconds())
	w.waitSpread(t, shards, replicas...)
	t.Logf("and spread after %.0f s", time.Since(began).Seconds())
	if g := w.discord.Gateway(); g.Identifies != shards || g.TooSoon > 0 {
		t.Errorf("%d IDENTIFYs were spent on %d shards, %d of them too soon", g.Identifies, shards, g.TooSoon)
	}
	w.rest(t, "16 shards at rest, 4 replicas", replicas)
	burnCPU(t, 4)
	w.rest(t, "16 shards at rest, 4 replicas, beside a load", replicas)
	for _, r := range replicas {
		r.kill()
		if strings.Contains(r.stderr.String(), "shards are held by others") {
			t.Errorf("a lease was lost: %s", r.stderr.String())
		}
	}
}

// rest has replicas do nothing for a minute, counts what they do all the same, and fails where
// shards or the lead change hands. Half a minute's commands to Redis have a bound, by name.
func (w *scene) rest(t *testing.T, name string, replicas []*replica) {
	t.Helper()
	client := w.redisClient(t)
	w.silence(t, 3*time.Second)
	moves := func() (all string) {
		for _, r := range replicas {
			all += fmt.Sprintf("%d handed over, %d sessions begun, %d resumed, leads: %d\n", r.figure("hostbot_gateway_handovers_total", ""),
				r.figure("hostbot_gateway_identifies_total", ""), r.figure("hostbot_gateway_resumes_total", ""), r.figure("hostbot_leader", ""))
		}
		return all
	}
	before, commands, ticks := moves(), processed(t, client), make([]int, len(replicas))
	for i, r := range replicas {
		ticks[i] = r.cpuTicks(t)
	}
	recording := record(t, w.redis.Addr())
	<-time.After(time.Minute) // which is the time of the figures
	commands = processed(t, client) - commands
	t.Logf("%s: %.1f commands a second, by part: %s", name, float64(commands)/60, byPart(recording.end()))
	for i, r := range replicas {
		// Linux counts CPU time in hundredths of a second (man 5 proc).
		t.Logf("%s: replica %d holds %d shards and takes %.2f %% of a core", name, i+1, r.held(), float64(r.cpuTicks(t)-ticks[i])/60)
	}
	within(t, name, commands/2)
	if after := moves(); after != before {
		t.Errorf("%s: shards or the lead have moved: before\n%sand after\n%s", name, before, after)
	}
}

// cpuTicks is how much CPU time the process has taken, in hundredths of a second.
func (r *replica) cpuTicks(t *testing.T) int {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", r.cmd.Process.Pid))
	_, after, _ := strings.Cut(string(stat), ") ") // the name before it may hold anything
	fields := strings.Fields(after)
	if err != nil || len(fields) < 13 {
		t.Fatal(err, fields)
	}
	var user, system int
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		t.Fatal(err)
	}
	return user + system
}

// burnCPU has so many processes take all the CPU that they get until the test ends.
func burnCPU(t *testing.T, processes int) {
	t.Helper()
	for range processes {
		loop := exec.Command("sh", "-c", "while :; do :; done")
		if err := loop.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = loop.Process.Kill()
			_ = loop.Wait()
		})
	}
}
