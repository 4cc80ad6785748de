//go:build integration

package processes_test

import (
	"syscall"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/faultproxy"
	"hostbot/hostapi/hostapitest"
)

// grace is how long systemd, Compose and Kubernetes wait for the program to stop, as
// configs/deploy has it.
const grace = 30 * time.Second

// TestStoppingEndsThoughNothingAnswers has a replica be asked to stop while it restarts bots, has
// log entries to send and leads, and nothing that it depends on answers. Another one tells how the
// actions ended that the first could not tell of.
func TestStoppingEndsThoughNothingAnswers(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*scene, *testing.T, ...string) *replica{"over the gateway": (*scene).start, "over HTTP": (*scene).startHTTP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stoppingEnds(t, start)
		})
	}
}

func stoppingEnds(t *testing.T, start func(*scene, *testing.T, ...string) *replica) {
	t.Helper()
	w := newScene(t, time.Minute, discordtest.Config{})
	redis := faultproxy.RunT(t, w.redis.Addr())
	stopped := start(w, t, "REDIS_URL=redis://"+redis.Addr())
	who := w.customers("c", 5)
	replies := allRestart(t, who)
	for _, c := range who {
		eventually(t, "the service was told", func() bool { return w.sentOn(c.bot) == 1 })
	}
	w.service.Fail("", hostapitest.Fault{Hang: true}, -1)
	heal := w.discord.Inject(discordtest.Fault{Hang: true})
	redis.Set(faultproxy.Hanging)
	asked := time.Now()
	_ = stopped.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-stopped.ended:
		t.Logf("the replica has stopped after %v", time.Since(asked).Round(time.Second))
	case <-time.After(grace):
		t.Errorf("the replica runs %v after it was asked to stop", grace)
		stopped.kill()
	}
	heal()
	w.service.ClearFaults()
	start(w, t)
	for i, v := range settled(replies) {
		if v.State != discordtest.Shown || !isSettled(v) {
			t.Errorf("%s reads %q", who[i].Name, v.Text())
		}
		eventually(t, "staff read of it", func() bool { return w.logged(who[i].bot) == 1 })
		if n := w.sentOn(who[i].bot); n != 1 {
			t.Errorf("the service was told %d times", n)
		}
	}
}
