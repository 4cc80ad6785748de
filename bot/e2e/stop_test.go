package e2e_test

import (
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

func TestStoppingLetsCustomersSeeTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop")
	stop := w.start(t)
	reply := anna.Types(t, "/bot restart", discordtest.Options{"bot": "Shop"})
	w.clock.BlockUntil(t, 1)
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	w.log.waitFor(t, "hostbot stops")
	w.clock.Advance(4 * time.Second)
	reply.WaitFor(t, "**Shop** was restarted")
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	w.waitForLog(t, "✅ Restart")
	w.waitForLog(t, "🛑")
	if n := w.service.Count(hostapitest.OpRestart); n != 1 {
		t.Errorf("restarted %d times", n)
	}
}

func TestWhoComesWhileTheProgramStopsIsTold(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, discordtest.Config{NoRateLimits: true}, "", "HTTP_ADDR=127.0.0.1:0")
	anna := w.addAnna(t, "Shop", "Radio")
	stop := w.start(t)
	restart := anna.Types(t, "/bot restart", discordtest.Options{"bot": "Shop"})
	w.clock.BlockUntil(t, 1)
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	w.log.waitFor(t, "hostbot stops")
	w.ready(t, false)

	late := anna.Types(t, "/bot restart", discordtest.Options{"bot": "Radio"})
	late.WaitFor(t, "We are restarting for a moment")
	if choices := anna.Completes(t, "/bot restart", "bot", "s"); len(choices) != 0 {
		t.Errorf("suggested %+v", choices)
	}
	w.clock.Advance(4 * time.Second)
	restart.WaitFor(t, "**Shop** was restarted")
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if n := w.service.Count(hostapitest.OpRestart); n != 1 {
		t.Errorf("restarted %d times", n)
	}
}

func TestWhileOneReplicaStopsTheOtherServes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.StartMiniredis(t).URL())
	w.discord.ExpectFailures() // the second to answer is told that the first has
	anna := w.addAnna(t, "Shop", "Radio")
	stop := w.start(t)
	anna.Types(t, "/bot restart", discordtest.Options{"bot": "Shop"}).WaitFor(t, "Restarting **Shop**")
	w.clock.BlockUntil(t, 1)
	w.start(t)
	w.log.waitForTimes(t, "the commands are registered", 2)
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	w.log.waitFor(t, "hostbot stops")
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Radio")
	w.clock.Advance(4 * time.Second)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	w.waitForLog(t, "✅ Restart")
}

// TestStoppingIsBounded has the service hang: what runs is given up, and the
// customer told so.
func TestStoppingIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", "HOSTAPI_TIMEOUT=1m")
	anna := w.addAnna(t, "Shop")
	stop := w.start(t)
	restart := anna.Types(t, "/bot restart", discordtest.Options{"bot": "Shop"})
	w.clock.BlockUntil(t, 1) // and nobody moves it
	started := time.Now()
	if err := stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(started); took > 25*time.Second {
		t.Errorf("it took %v", took)
	}
	if v := restart.View(); !v.Contains("not confirmed") {
		t.Errorf("the customer sees:\n%s", v.Text())
	}
	w.waitForLog(t, "⚠️ Restart", "Not confirmed")
}
