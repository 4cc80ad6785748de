package commands_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/commands"
	"hostbot/hostapi"
)

// crashed is an account of so many bots that have crashed, and of one that runs.
func crashed(n int) hostapi.List {
	servers := []hostapi.Server{server("up", "Runs", "RUNNING")}
	for i := range n {
		servers = append(servers, server("b"+strconv.Itoa(i+1), fmt.Sprintf("Bot %d.", i+1), "CRASHED"))
	}
	return account(servers...)
}

// pressed is a press as Discord would have it: with an ID.
func pressed(customID string) interaction.Request {
	r := press(customID)
	r.ID = "1001"
	return r
}

// batchOf is what became of a restart of all bots.
type batchOf struct {
	steps []interaction.Response
	ended []interaction.Ended
}

func (b batchOf) last() interaction.Message { return b.steps[len(b.steps)-1].Message }

// outcomes are how actions ended, by the IDs of their bots.
func (b batchOf) outcomes() map[string]interaction.Outcome {
	found := make(map[string]interaction.Outcome)
	for _, e := range b.ended {
		found[e.Action.BotID] = e.Action.Outcome
	}
	return found
}

// restartAll presses the button that confirms it, and goes on to the end as a responder does.
func restartAll(ctx context.Context, t *testing.T, c *commands.Commands) batchOf {
	t.Helper()
	return restartBy(ctx, t, c, "restartcrashed/now")
}

// restartBy is restartAll by another button.
func restartBy(ctx context.Context, t *testing.T, c *commands.Commands, customID string) batchOf {
	t.Helper()
	r := pressed(customID)
	b := batchOf{steps: []interaction.Response{must(t)(serve(ctx, t, c, &r))}}
	var locks []interaction.Lock
	for last := b.steps[0]; last.Then != nil; {
		last = must(t)(last.Then.Run(ctx))
		sendable(t, last)
		batch := interaction.Batch{}
		if last.Then != nil {
			batch, _ = last.Then.Does.(interaction.Batch)
		}
		locks = append(locks, batch.Locks...)
		for _, e := range last.Ended {
			e.Lock.Logged()
			locks = append(locks, e.Lock)
		}
		b.steps, b.ended = append(b.steps, last), append(b.ended, last.Ended...)
	}
	for _, lock := range locks {
		lock.Close()
	}
	return b
}

// TestListOffersToRestartAllThatCrashed where they are more than have buttons of their own. Those of other pages count.
func TestListOffersToRestartAllThatCrashed(t *testing.T) {
	for n, want := range map[int]bool{3: false, 30: true} {
		list := answer(t, newCommands(t, &world{list: crashed(n)}), command("bot list", nil))
		if _, offered := buttons(list.Message)[fmt.Sprintf("Restart crashed bots (%d)", n)]; offered != want {
			t.Errorf("%d crashed: %s", n, buttonLabels(list.Message))
		}
	}
}

func TestRestartOfAllAsksFirst(t *testing.T) {
	w := &world{list: crashed(12)}
	c := newCommands(t, w)
	for _, id := range []string{"restartcrashed", "aside/restartcrashed"} {
		question := answer(t, c, press(id))
		wantText(t, question.Message, "12 bots have crashed", "**Bot 1.** · **Bot 2.**", "**Bot 10.** · … +2")
		if got := labels(question.Message); got != "Restart 12 bots Cancel" {
			t.Errorf("%s: buttons %s", id, got)
		}
	}
	if len(w.asked) != 2 {
		t.Errorf("asked %q: the question names bots that may run again", w.asked)
	}
	w.wantDone(t)
	w.list = crashed(0)
	wantText(t, answer(t, c, press("restartcrashed")).Message, "You have no crashed bots", "Runs")
	wantText(t, answer(t, c, press("restartcrashed/now")).Message, "You have no crashed bots")
	w.wantDone(t)
}

// TestRestartOfAnAlertIsOfItsBots has seven bots be down, of which an alert tells of four, and one of these come back.
func TestRestartOfAnAlertIsOfItsBots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &watched{w: &world{list: crashed(7)}, alerted: map[string][]string{"x": {"b1", "b3", "b5", "b7"}}}
		c := watching(t, h)
		alert := alerts.Alert{ID: "x", CustomerID: "42", First: time.Now()}
		for _, id := range h.alerted["x"] {
			alert.Bots = append(alert.Bots, alerts.Outage{ServerID: id, Name: id, State: hostapi.StateCrashed})
		}
		question := answer(t, c, press(buttons(c.Alert(alert))["Restart all (4)"].CustomID))
		wantText(t, question.Message, "4 bots have crashed", "**Bot 1.** · **Bot 3.** · **Bot 5.** · **Bot 7.**")
		h.w.list.Servers[3].Status = "RUNNING" // b3
		h.w.restart = func(id string) (string, error) {
			if id == "b7" {
				return "", &hostapi.Error{Op: hostapi.OpRestart, Code: hostapi.CodeInternal}
			}
			return "RUNNING", nil
		}
		b := restartBy(t.Context(), t, c, buttons(question.Message)["Restart 4 bots"].CustomID)
		slices.Sort(h.w.done)
		h.w.wantDone(t, "restart b1", "restart b5", "restart b7")
		wantText(t, answer(t, c, press(buttons(b.last())["Try again"].CustomID)).Message, "3 bots have crashed", "**Bot 1.** · **Bot 5.** · **Bot 7.**")
		for _, i := range []int{1, 5, 7} {
			h.w.list.Servers[i].Status = "RUNNING"
		}
		wantText(t, answer(t, c, press("restartcrashed/of/x")).Message, "None of these bots are crashed right now", "🔴 Bot 2.")
		for _, h.err = range []error{nil, errors.New("redis is away")} { // nobody knows which are meant
			for _, id := range []string{"restartcrashed/of/gone", "restartcrashed/of/gone/now"} {
				question = answer(t, c, press(id))
				if wantText(t, question.Message, "3 bots have crashed", "**Bot 2.**"); buttons(question.Message)["Restart 3 bots"].CustomID != "restartcrashed/now" {
					t.Errorf("the buttons are %+v", buttons(question.Message))
				}
			}
		}
	})
}

// TestRestartOfAnAlertGoesOnAtThePace has an alert tell of sixty bots.
func TestRestartOfAnAlertGoesOnAtThePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &watched{w: &world{list: crashed(60)}, alerted: map[string][]string{}}
		for _, s := range h.w.list.Servers {
			h.alerted["x"] = append(h.alerted["x"], s.ID)
		}
		c := watching(t, h)
		wantText(t, answer(t, c, press("aside/restartcrashed/of/x")).Message, "60 bots have crashed", "At most 30 bots are restarted each minute. The rest follow automatically.")
		wantText(t, restartBy(t.Context(), t, c, "restartcrashed/of/x/now").last(), "All 60 bots were restarted")
	})
}

func TestRestartOfAllRestartsEachOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{list: crashed(7)}
		var now, most atomic.Int32
		w.restart = func(string) (string, error) {
			most.Store(max(most.Load(), now.Add(1)))
			time.Sleep(2 * time.Second)
			now.Add(-1)
			return "RUNNING", nil
		}
		c := newCommands(t, w)
		b := restartAll(t.Context(), t, c)
		slices.Sort(w.done)
		w.wantDone(t, "restart b1", "restart b2", "restart b3", "restart b4", "restart b5", "restart b6", "restart b7")
		if got := most.Load(); got != 4 {
			t.Errorf("%d requests at once, want 4", got)
		}
		wantText(t, b.steps[0].Message, "Restarting 7 bots… started <t:", "Done: 0 of 7", "▫️ Bot 1. · waiting")
		wantText(t, b.steps[3].Message, "Done: 4 of 7", "✅ Bot", "🟡 Bot")
		wantText(t, b.last(), "✅ All 7 bots were restarted.", "⏱ took 4.0 s", "✅ Bot 7. · restarted")
		if got := labels(b.last()); got != "All bots" {
			t.Errorf("buttons %s", got)
		}
		ids := make(map[string]bool)
		for _, e := range b.ended {
			ids[e.Request.ID] = true
			if e.Action.Name != "restart" || e.Action.Outcome != interaction.Done || e.Action.Duration != 2*time.Second {
				t.Errorf("staff are told %+v", e.Action)
			}
		}
		if len(ids) != 7 {
			t.Errorf("staff are told of %d actions: %v", len(ids), ids)
		}
		answer(t, c, press("restart/b1")) // the bots are free
	})
}

func TestRestartOfAllSaysHowEachEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{list: crashed(5)}
		w.restart = func(id string) (string, error) {
			switch id {
			case "b1":
				return "", &hostapi.Error{Op: hostapi.OpRestart, Code: hostapi.CodeUnavailable}
			case "b2":
				return "", &hostapi.Error{Op: hostapi.OpRestart, Code: hostapi.CodeUnavailable, Uncertain: true}
			case "b3":
				return "CRASHED", nil
			case "b4":
				panic("a mistake")
			}
			return "RUNNING", nil
		}
		c := newCommands(t, w)
		b := restartAll(t.Context(), t, c)
		wantText(t, b.last(), "⚠️ Restarted 1 of 5 bots.", "❌ Bot 1. · couldn't be restarted\n⚠️ Bot 2. · not confirmed\n⚠️ Bot 4. · not confirmed\n🔴 Bot 3. · crashed again\n✅ Bot 5. · restarted",
			"can't be reached", "Don't restart them again right away", "REF1234")
		want := map[string]interaction.Outcome{
			"b1": interaction.Failed, "b2": interaction.Unconfirmed, "b3": interaction.Done, "b4": interaction.Unconfirmed, "b5": interaction.Done,
		}
		if got := b.outcomes(); !maps.Equal(got, want) {
			t.Errorf("staff are told %v, want %v", got, want)
		}
		for _, e := range b.ended {
			if (e.Failure == nil) != (e.Action.Outcome == interaction.Done) {
				t.Errorf("%s: %v", e.Action.BotID, e.Failure)
			}
		}
		if got := labels(b.last()); got != "Try again All bots" {
			t.Errorf("buttons %s", got)
		}
		w.restart = nil
		again := restartAll(t.Context(), t, c) // of what is not known, nothing is done twice
		wantText(t, again.last(), "Restarted 3 of 5 bots", "⚠️ Bot 2. · not confirmed; try again after <t:")
	})
}

func TestRestartOfAllGoesOnAtThePaceThatIsAllowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{list: crashed(64)}
		w.restart = func(id string) (string, error) {
			if id == "b30" { // while the others wait, their owner restarts one elsewhere
				w.mu.Lock()
				defer w.mu.Unlock()
				w.list.Servers = slices.Clone(w.list.Servers)
				w.list.Servers[64].Status = "RUNNING"
			}
			return "RUNNING", nil
		}
		c := newCommands(t, w)
		wantText(t, answer(t, c, press("restartcrashed")).Message, "64 bots have crashed", "At most 30 bots are restarted each minute. The rest follow automatically.")
		began := time.Now()
		b := restartAll(t.Context(), t, c)
		slices.Sort(w.done)
		if n := len(slices.Compact(w.done)); n != 63 || len(b.ended) != 63 || slices.Contains(w.done, "restart b64") {
			t.Errorf("%d were restarted, and staff told of %d", n, len(b.ended))
		}
		if took := time.Since(began); took < 2*actions.Window || took > 3*actions.Window {
			t.Errorf("it took %v", took)
		}
		wantText(t, b.steps[2].Message, "Done: 30 of 64\n⏸️ At most 30 bots are restarted each minute")
		wantText(t, b.last(), "Restarted 63 of 64 bots", "➖ Bot 64. · no longer crashed")
		time.Sleep(actions.Window)
		w.list = crashed(3)
		wantText(t, restartAll(t.Context(), t, c).last(), "All 3 bots were restarted")
	})
}

// TestRestartOfAllWaitsAsTheServiceWants has the service take five requests, and none for a while.
func TestRestartOfAllWaitsAsTheServiceWants(t *testing.T) {
	for name, test := range map[string]struct {
		wait     time.Duration
		again    time.Duration // for how long it refuses
		restarts int
		want     []string
	}{
		"three seconds":        {3 * time.Second, 3 * time.Second, 30, []string{"✅ All 30 bots were restarted"}},
		"for an unsaid time":   {0, 20 * time.Second, 30, []string{"✅ All 30 bots were restarted"}},
		"again and again":      {2 * time.Second, 9 * time.Second, 30, []string{"✅ All 30 bots were restarted"}},
		"longer than it shows": {20 * time.Minute, time.Hour, 5, []string{"⚠️ Restarted 5 of 30 bots", " · not restarted", "too many requests"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &world{list: crashed(30)}
				var taken atomic.Int32
				var over atomic.Pointer[time.Time]
				w.restart = func(string) (string, error) {
					if taken.Add(1) <= 5 {
						return "RUNNING", nil
					}
					until := time.Now().Add(test.again)
					over.CompareAndSwap(nil, &until)
					if time.Now().Before(*over.Load()) {
						return "", &hostapi.Error{Op: hostapi.OpRestart, Code: hostapi.CodeRateLimited, Status: 429, RetryAfter: test.wait}
					}
					return "RUNNING", nil
				}
				c := newCommands(t, w)
				b := restartAll(t.Context(), t, c)
				done := 0
				for _, outcome := range b.outcomes() {
					if outcome == interaction.Done {
						done++
					}
				}
				if done != test.restarts {
					t.Errorf("%d were restarted", done)
				}
				wantText(t, b.last(), test.want...)
				if test.restarts < 30 { // what was never sent does not count
					w.restart, w.list = nil, crashed(20)
					wantText(t, restartAll(t.Context(), t, c).last(), "All 20 bots were restarted")
					return
				}
				if !slices.ContainsFunc(b.steps, func(r interaction.Response) bool {
					return strings.Contains(text(r.Message), "⏸️ The hosting service asked me to slow down. I'll continue <t:")
				}) {
					t.Error("it does not say that it waits")
				}
			})
		})
	}
}

func TestRestartOfAllLeavesBotsAloneThatOthersActOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{list: crashed(4), actions: actions.New(actions.Config{})}
		c := newCommands(t, w)
		r := press("restart/b2")
		single, err := serve(t.Context(), t, c, &r)
		if err != nil {
			t.Fatal(err)
		}
		b := restartAll(t.Context(), t, c) // in which b2 is being restarted, so it has not crashed
		wantText(t, b.last(), "All 3 bots were restarted")
		must(t)(single.Then.Run(t.Context()))
		if n := len(slices.DeleteFunc(slices.Clone(w.done), func(d string) bool { return d != "restart b2" })); n != 1 {
			t.Errorf("it was restarted %d times", n)
		}
	})
}

func TestRestartOfAllThatIsStoppedSaysHowFarItCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		w := &world{list: crashed(6)}
		w.restart = func(string) (string, error) {
			time.Sleep(time.Second)
			stop()
			return "", hostapi.Interrupted(ctx, hostapi.OpRestart)
		}
		c := newCommands(t, w)
		b := restartAll(ctx, t, c)
		if len(w.done) != 4 {
			t.Errorf("done: %q", w.done)
		}
		wantText(t, b.last(), "Restarted 0 of 6 bots", "➖ Bot", "not restarted", "Our system is restarting")
		answer(t, c, press("restart/"+left(b)))
	})
}

// left is the ID of a bot of which staff were not told.
func left(b batchOf) string {
	for i := range 6 {
		if _, told := b.outcomes()["b"+strconv.Itoa(i+1)]; !told {
			return "b" + strconv.Itoa(i+1)
		}
	}
	return ""
}

func TestRestartOfAllNeedsToKnowWhoCrashed(t *testing.T) {
	w := &world{list: crashed(5), old: true, failure: &hostapi.Error{Op: hostapi.OpList, Code: hostapi.CodeUnavailable}}
	r := pressed("restartcrashed/now")
	if _, err := serve(t.Context(), t, newCommands(t, w), &r); !errors.Is(err, w.failure) {
		t.Errorf("%v, want %v", err, w.failure)
	}
	w.wantDone(t)
}

func TestOneThatCrashedIsRestartedOnItsCard(t *testing.T) {
	w := &world{list: crashed(1)}
	wantText(t, ending(t, newCommands(t, w), pressed("restartcrashed/now")).Message, "🟢 Bot 1.\n✅ Restarted.")
	w.wantDone(t, "restart b1")
}

func TestBatchThatWasInterruptedLeadsToTheList(t *testing.T) {
	c := newCommands(t, &world{})
	r := interaction.Request{ID: "1001/~x", Route: "restartcrashed/now", UserID: "42", CustomerID: "42", Message: "900", Locale: "en-US", Reference: "REF1234"}
	for outcome, want := range map[interaction.Outcome]error{
		interaction.Unconfirmed: interaction.ErrInterrupted, interaction.Failed: interaction.ErrUnsent, interaction.Done: nil,
	} {
		response := c.Interrupted(&r, interaction.Action{Name: "restart", BotID: "b1", BotName: "Bot 1.", Outcome: outcome, Interrupted: want != nil})
		wantText(t, response.Message, "This was interrupted", "REF1234")
		if strings.Contains(text(response.Message), "Bot 1") {
			t.Error("one bot is named for all")
		}
		if response.Action.Outcome != outcome || !errors.Is(response.Failure, want) {
			t.Errorf("staff are told %+v, %v", response.Action, response.Failure)
		}
	}
}
