package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/bot/gateway"
	"hostbot/hostapi/redistest"
)

// newGatewayWorld makes a world whose gateway wants a heartbeat each second and
// lets nobody wait: what was asked while the bot was away can still be answered
// when it is back, however slow this machine is.
func newGatewayWorld(t *testing.T) *world {
	t.Helper()
	return newWorldWith(t, discordtest.Config{
		NoRateLimits: true, HeartbeatInterval: time.Second, Clock: discordtest.NewManualClock(time.Now()),
	}, "", "HTTP_ADDR=127.0.0.1:0")
}

// waitGateway waits until the gateway has seen enough.
func (w *world) waitGateway(t *testing.T, enough func(discordtest.GatewayStats) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := w.discord.WaitGateway(ctx, enough); err != nil {
		t.Fatalf("%v; the log says:\n%s", err, w.log)
	}
}

// ready fails the test unless /readyz says so.
func (w *world) ready(t *testing.T, want bool) {
	t.Helper()
	status, body := w.operator(t, "/readyz")
	if (status == http.StatusOK) != want {
		t.Errorf("/readyz says %d %s; ready: %v", status, body, want)
	}
}

// callbacks counts the first responses that Discord was sent.
func (w *world) callbacks() int {
	n := 0
	for _, call := range w.discord.Calls() {
		if call.Method == http.MethodPost && call.Route == discordtest.RouteCallback {
			n++
		}
	}
	return n
}

// lose makes the bot lose its connection, and waits until it says why. It can
// not come back until the gateway lets it.
func (w *world) lose(t *testing.T, strike func(*discordtest.Server), why string) {
	t.Helper()
	w.discord.RefuseConnections(true)
	strike(w.discord)
	w.log.waitFor(t, why)
	w.ready(t, false)
}

// back waits until the bot serves again: it has identified and resumed so many
// times in all, and says for the nth time what it says then.
func (w *world) back(t *testing.T, identifies, resumes int, says string, n int) {
	t.Helper()
	w.waitGateway(t, func(s discordtest.GatewayStats) bool {
		return s.Identifies == identifies && s.Resumes == resumes && s.Open == 1
	})
	w.log.waitForTimes(t, says, n)
	w.ready(t, true)
}

// What the bot says when it serves again.
const (
	newSession = "connected to discord"
	resumption = "connection to discord resumed"
)

func closeWith(code int) func(*discordtest.Server) {
	return func(d *discordtest.Server) { d.CloseWith(code) }
}

// TestFaultsAfterWhichTheSessionIsResumed: what customers did meanwhile is
// answered, once.
func TestFaultsAfterWhichTheSessionIsResumed(t *testing.T) {
	t.Parallel()
	type fault struct {
		strike func(*discordtest.Server)
		why    string
		end    func(*discordtest.Server)
	}
	tests := map[string]fault{
		"asked to reconnect":  {strike: (*discordtest.Server).AskReconnect, why: "asked to reconnect"},
		"session still valid": {strike: func(d *discordtest.Server) { d.InvalidateSession(true) }, why: "asked to reconnect"},
		"cut":                 {strike: (*discordtest.Server).Drop, why: "connection to discord lost"},
		"half open": {
			strike: func(d *discordtest.Server) { d.Silence(true) }, why: "acknowledged no heartbeat",
			end: func(d *discordtest.Server) { d.Silence(false) },
		},
		"nonsense": {strike: func(d *discordtest.Server) { d.SendRaw("null") }, why: "makes no sense"},
		"resuming is left unanswered": {
			strike: func(d *discordtest.Server) { d.IgnoreSessions(1); d.Drop() }, why: "connection to discord lost",
		},
	}
	for _, code := range []int{1000, 4000, 4008} {
		tests[fmt.Sprint("closed with ", code)] = fault{strike: closeWith(code), why: fmt.Sprint("with code ", code)}
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newGatewayWorld(t)
			anna := w.addAnna(t, "Shop")
			w.start(t)
			w.ready(t, true)
			anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")

			w.lose(t, test.strike, test.why)
			missed, err := anna.Start("/bot list", nil)
			if err != nil {
				t.Fatal(err)
			}
			w.discord.RefuseConnections(false)
			if test.end != nil {
				test.end(w.discord)
			}
			w.back(t, 1, 1, resumption, 1)
			missed.WaitFor(t, "🟢 Shop")
			anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
			w.waitForLog(t, "🔌")
			w.waitForLog(t, "🔗")
			if n := w.callbacks(); n != 3 {
				t.Errorf("3 interactions were answered %d times", n)
			}
			if s := w.discord.Gateway(); s.Connections > 3 {
				t.Errorf("it connected %d times", s.Connections)
			}
		})
	}
}

// TestFaultsAfterWhichASessionIsBegunAnew: Discord replays nothing.
func TestFaultsAfterWhichASessionIsBegunAnew(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		strike func(*discordtest.Server)
		why    string
	}{
		"session invalid": {func(d *discordtest.Server) { d.InvalidateSession(false) }, "gave up the session"},
		"timed out":       {closeWith(4009), "with code 4009"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newGatewayWorld(t)
			anna := w.addAnna(t, "Shop")
			w.start(t)
			w.lose(t, test.strike, test.why)
			w.discord.RefuseConnections(false)
			w.back(t, 2, 0, newSession, 2)
			anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
			if s := w.discord.Gateway(); s.Connections != 2 {
				t.Errorf("it connected %d times", s.Connections)
			}
		})
	}
}

func TestTroubleBeforeTheFirstSession(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		before func(*discordtest.Server)
		why    string
		after  func(*discordtest.Server)

		identifies int
	}{
		"asked to reconnect in place of READY": {
			before: func(d *discordtest.Server) { d.AskReconnectInsteadOfReady(1) }, why: "asked to reconnect", identifies: 2,
		},
		"IDENTIFY is left unanswered": {
			before: func(d *discordtest.Server) { d.IgnoreSessions(1) }, why: "READY or RESUMED in time", identifies: 2,
		},
		"IDENTIFY is closed upon": {
			before: func(d *discordtest.Server) { d.RefuseSessions(4008) }, why: "with code 4008",
			after: func(d *discordtest.Server) { d.RefuseSessions(0) }, identifies: 1,
		},
		"connections are refused": {
			before: func(d *discordtest.Server) { d.RefuseConnections(true) }, why: "connection to discord lost",
			after: func(d *discordtest.Server) { d.RefuseConnections(false) }, identifies: 1,
		},
		"the address is not told": {
			before: func(d *discordtest.Server) {
				d.Inject(discordtest.Fault{Route: discordtest.RouteGatewayBot, Times: 2, Status: http.StatusBadGateway})
			},
			why: "ask where the gateway is: discord: status 502", identifies: 1,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newGatewayWorld(t)
			anna := w.addAnna(t, "Shop")
			test.before(w.discord)
			w.launch(t)
			w.log.waitFor(t, test.why)
			if test.after != nil {
				w.ready(t, false)
				test.after(w.discord)
			}
			w.back(t, test.identifies, 0, newSession, 1)
			w.log.waitFor(t, "the commands are registered")
			anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
		})
	}
}

func TestNoSessionIsBegunBeforeDiscordAllowsIt(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, discordtest.Config{}, "", "HTTP_ADDR=127.0.0.1:0")
	w.discord.ExhaustSessions(2 * time.Second)
	w.launch(t)
	w.log.waitFor(t, "too few of the sessions that discord allows")
	w.ready(t, false)
	if s := w.discord.Gateway(); s.Connections != 0 {
		t.Errorf("it connected %d times", s.Connections)
	}
	w.log.waitFor(t, "the commands are registered")
	if s := w.discord.Gateway(); s.Identifies != 1 || s.Connections != 1 {
		t.Errorf("it identified %d times over %d connections", s.Identifies, s.Connections)
	}
}

// TestAnIdentifyTooManyIsNotAnsweredByMore: Discord allows one in five seconds.
func TestAnIdentifyTooManyIsNotAnsweredByMore(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, discordtest.Config{LimitIdentifies: true}, "")
	anna := w.addAnna(t, "Shop")
	stop := w.start(t)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	w.log = &logBuffer{}
	w.start(t) // too soon after the first
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
	if s := w.discord.Gateway(); s.Connections > 3 {
		t.Errorf("it connected %d times", s.Connections)
	}
}

// TestFinalCodesEndTheProgram, whether Discord says so at once or later.
func TestFinalCodesEndTheProgram(t *testing.T) {
	t.Parallel()
	for when, codes := range map[string][]int{
		"at once": {4004, 4010, 4011, 4012, 4013, 4014}, "later": {4004, 4014}, "on resuming": {4004},
	} {
		for _, code := range codes {
			t.Run(fmt.Sprint(code, " ", when), func(t *testing.T) {
				t.Parallel()
				w := newGatewayWorld(t)
				if when == "at once" {
					w.discord.RefuseSessions(code)
					w.endsWith(t, w.launch(t), code)
					return
				}
				stop := w.start(t)
				if when == "later" {
					w.discord.CloseWith(code)
				} else {
					w.discord.RefuseSessions(code)
					w.discord.Drop()
				}
				w.endsWith(t, stop, code)
			})
		}
	}
}

// endsWith waits for the end of a bot that Discord refuses.
func (w *world) endsWith(t *testing.T, stop func() error, code int) {
	t.Helper()
	started := time.Now()
	<-w.ended
	if took := time.Since(started); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	var final *gateway.FinalError
	if err := stop(); !errors.As(err, &final) || final.Code != code || strings.Contains(err.Error(), "\n") {
		t.Errorf("Run returned %v", err)
	}
	if s := w.discord.Gateway(); s.Connections > 2 || s.Identifies > 1 {
		t.Errorf("it identified %d times over %d connections", s.Identifies, s.Connections)
	}
}

func TestTheGatewaysReplayIsAnsweredOnceAlsoForActions(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		t.Parallel()
		w := newWorldWith(t, discordtest.Config{NoRateLimits: true, Clock: discordtest.NewManualClock(time.Now())}, redis, "HTTP_ADDR=127.0.0.1:0")
		anna := w.addAnna(t, "Shop")
		w.start(t)
		w.lose(t, (*discordtest.Server).Drop, "connection to discord lost")
		restart, err := anna.Start("/bot restart", discordtest.Options{"bot": "Shop"})
		if err != nil {
			t.Fatal(err)
		}
		w.discord.RefuseConnections(false)
		restart.WaitFor(t, "Restarting **Shop**")
		w.lose(t, (*discordtest.Server).AskReconnect, "asked to reconnect") // in the middle of it
		w.clock.BlockUntil(t, 1)
		w.clock.Advance(4 * time.Second)
		restart.WaitFor(t, "**Shop** was restarted") // which needs no gateway
		w.discord.RefuseConnections(false)
		w.back(t, 1, 2, resumption, 2)
		if n := w.callbacks(); n != 1 {
			t.Errorf("it was answered %d times", n)
		}
	})
}
