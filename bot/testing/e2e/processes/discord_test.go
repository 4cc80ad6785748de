//go:build integration

package processes_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/hostapitest"
)

// TestSlowDiscordIsStillDiscord has Discord take its time with each first
// response: before it takes it, or between that and its word on it.
func TestSlowDiscordIsStillDiscord(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]discordtest.Fault{
		"taken after 0.8 s":           {Delay: 800 * time.Millisecond},
		"taken at once, said in 0.8s": {Delay: 800 * time.Millisecond, After: true},
		"taken after 1.5 s":           {Delay: 1500 * time.Millisecond},
		"taken at once, said in 1.5s": {Delay: 1500 * time.Millisecond, After: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newScene(t, instantly, discordtest.Config{})
			w.start(t)
			fault.Method, fault.Route = http.MethodPost, discordtest.RouteCallback
			w.discord.Inject(fault)
			if done := restartAll(t, w.customers("c", 10), 10); done != 10 {
				t.Errorf("%d of 10 restarts were done", done)
			}
		})
	}
}

// TestARefusedRegistrationIsTriedAgain has Discord refuse the commands once,
// global ones and those of a guild.
func TestARefusedRegistrationIsTriedAgain(t *testing.T) {
	t.Parallel()
	page := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	for name, refusal := range map[string]discordtest.Fault{
		"403":      {Status: http.StatusForbidden, Body: `{"message": "Missing Access", "code": 50001}`},
		"401":      {Status: http.StatusUnauthorized, Body: `{"message": "401: Unauthorized", "code": 0}`},
		"400":      {Status: http.StatusBadRequest, Body: `{"message": "Invalid Form Body", "code": 50035}`},
		"404 page": {Status: http.StatusNotFound, Header: page, Body: "<html><h1>Not Found</h1></html>"},
	} {
		for _, route := range []string{discordtest.RouteCommands, discordtest.RouteGuildCommands} {
			t.Run(name+" to "+route, func(t *testing.T) {
				t.Parallel()
				w := newScene(t, instantly, discordtest.Config{})
				refusal.Method, refusal.Route, refusal.Times = http.MethodPut, route, 1
				w.discord.Inject(refusal)
				guild := map[string]string{discordtest.RouteGuildCommands: w.discord.GuildID()}
				r := w.launch(t, nil, "DISCORD_GUILD_ID="+guild[route])
				if !wait(func() bool { return len(w.discord.Commands()) > 0 || !r.alive() }) || !r.alive() {
					t.Errorf("the commands are not registered; the process runs: %v", r.alive())
				}
			})
		}
	}
}

// TestTheLastEditIsTriedUntilItIsTaken has Discord take no edits for 20 s, in
// which a restart ends.
func TestTheLastEditIsTriedUntilItIsTaken(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]discordtest.Fault{
		"503":               discordtest.Overloaded("", ""),
		"429":               discordtest.RateLimited("", "", time.Second, false),
		"a lost connection": {Reset: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newScene(t, time.Second, discordtest.Config{})
			w.start(t)
			anna := w.customers("anna", 1)[0]
			card := anna.Types(t, "/bot show", discordtest.Options{"bot": anna.bot}).Press(t, "Restart")
			card.WaitFor(t, "Restarting **")
			fault.Method, fault.Route = http.MethodPatch, ""
			remove := w.discord.Inject(fault)
			<-time.After(20 * time.Second) // which is what an outage takes
			remove()
			eventually(t, "the customer reads the end", func() bool { return card.View().Contains("✅ Restarted") })
			if n := len(slices.DeleteFunc(w.discord.Calls(), func(c discordtest.Call) bool { return c.Method != http.MethodPatch })); n > 40 {
				t.Errorf("%d edits were sent: the intervals do not grow", n)
			}
		})
	}
}

// ahead is a clock of Discord's that is ahead of this machine's. The IDs of
// interactions tell its time.
type ahead struct{ by atomic.Int64 }

func (a *ahead) Now() time.Time { return time.Now().Add(time.Duration(a.by.Load())) }

func (a *ahead) AfterFunc(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }

// TestFormsOpenWhateverTheClocksSay steps Discord's clock, so that interactions
// look older or newer than they are. A form needs the account, for which the
// service takes most of the time that there is.
func TestFormsOpenWhateverTheClocksSay(t *testing.T) {
	t.Parallel()
	clock := &ahead{}
	w := newScene(t, instantly, discordtest.Config{Clock: clock})
	w.start(t)
	w.service.Fail(hostapitest.OpList, hostapitest.Fault{Delay: 700 * time.Millisecond}, 0)
	steps := []time.Duration{0, -2 * time.Second, -20 * time.Second, 30 * time.Second, 0, -50 * time.Second, 10 * time.Second, -5 * time.Minute, 5 * time.Minute, -3 * time.Second}
	for i, c := range w.customers("c", len(steps)) {
		clock.by.Store(int64(steps[i]))
		reply := c.Types(t, "/bot startup", discordtest.Options{"bot": c.bot})
		if v := reply.View(); v.State != discordtest.Asking {
			t.Errorf("where Discord's clock is ahead by %v, no form opens: %v %.100q", steps[i], v.State, v.Text())
		}
	}
}

// TestWhatIsReplayedIsLate has a form asked for while the gateway is away for a
// moment: of the 3 s that Discord waits only the rest is left.
func TestWhatIsReplayedIsLate(t *testing.T) {
	t.Parallel()
	w := newScene(t, instantly, discordtest.Config{})
	w.start(t)
	w.service.Fail(hostapitest.OpList, hostapitest.Fault{Delay: 3 * time.Second}, 0)
	anna := w.customers("anna", 1)[0]
	w.discord.Silence(true)
	w.discord.Drop()
	reply, err := anna.Start("/bot startup", discordtest.Options{"bot": anna.bot})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the replica connects again", func() bool { return w.discord.Gateway().Connections == 2 })
	<-time.After(1800 * time.Millisecond) // which is what an outage takes
	w.discord.Silence(false)
	eventually(t, "the answer comes or its time is over", func() bool { return reply.View().State != discordtest.Waiting })
	if reply.View().State == discordtest.Failed {
		t.Error("nobody answers an interaction that was replayed after 1.8 s or more")
	}
}

// TestAnEventOfAnotherShapeIsSurvived sends events whose data is no object, and
// interactions whose own data is none.
func TestAnEventOfAnotherShapeIsSurvived(t *testing.T) {
	t.Parallel()
	w := newScene(t, instantly, discordtest.Config{})
	r := w.start(t)
	id := 0
	for _, shape := range []string{`"text"`, `5`, `true`, `null`, `[]`, `[{}]`, `{}`} {
		for _, event := range []string{"INTERACTION_CREATE", "READY", "RESUMED", "GUILD_CREATE", "GUILD_DELETE", "NO_SUCH_EVENT"} {
			w.discord.SendEvent(event, json.RawMessage(shape))
		}
		for kind := 1; kind <= 6; kind++ {
			for _, rest := range []string{`"user":{"id":"2"},"data":` + shape, `"data":{},"user":` + shape, `"data":{},"member":` + shape} {
				id++
				w.discord.SendEvent("INTERACTION_CREATE", json.RawMessage(fmt.Sprintf(`{"id":"%d","token":"t","type":%d,%s}`, id, kind, rest)))
			}
		}
	}
	if done := restartAll(t, w.customers("c", 5), 5); done != 5 || !r.alive() {
		t.Errorf("%d of 5 restarts were done afterwards; the process runs: %v", done, r.alive())
	}
}
