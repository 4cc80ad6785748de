package commands_test

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
	"hostbot/commands"
	"hostbot/hostapi"
	"hostbot/hostapi/redistest"
)

func TestActionSaysHowItEnded(t *testing.T) {
	tests := map[string]struct {
		request interaction.Request
		status  string // before; "" for RUNNING
		action  func() (string, error)
		running string
		want    []string
		outcome interaction.Outcome
		done    string
	}{
		"restart": {
			request: press("restart/a"), running: "Restarting **Shop**",
			want: []string{"✅ Restarted.\n\nRunning\nLimits"}, outcome: interaction.Done, done: "restart a",
		},
		"stop that ends in an unknown status": {
			request: press("stop/a"), action: func() (string, error) { return "SLEEPING", nil }, running: "Stopping",
			want: []string{"⚠️ Stopped.\n\nSLEEPING\n"}, outcome: interaction.Done, done: "stop a",
		},
		"restart that ends in another status": {
			request: press("restart/a"), action: func() (string, error) { return "CRASHED", nil }, running: "Restarting",
			want: []string{"⚠️ Restarted.\n\nCrashed\n"}, outcome: interaction.Done, done: "restart a",
		},
		"start": {
			request: onBot("bot start", "a"), status: "STOPPED", running: "Starting **Shop**",
			want: []string{"✅ Started.\n\nRunning\n"}, outcome: interaction.Done, done: "start a",
		},
		"stop": {
			request: press("stop/a"), running: "Stopping **Shop**",
			want: []string{"✅ Stopped.\n\nStopped\n"}, outcome: interaction.Done, done: "stop a",
		},
		"reinstall": {
			request: press("packages/a"), running: "Reinstalling",
			want: []string{"✅ Packages reinstalled.\n\nRunning\n"}, outcome: interaction.Done, done: "reinstall a",
		},
		"refused": {
			request: press("packages/a"), action: func() (string, error) { return "", &hostapi.Error{Code: hostapi.CodeConflict} },
			running: "Reinstalling", want: []string{"couldn't be reinstalled", "busy", "REF1234"}, outcome: interaction.Failed, done: "reinstall a",
		},
		"uncertain": {
			request: onBot("bot restart", "a"), running: "Restarting", action: func() (string, error) {
				return "", &hostapi.Error{Code: hostapi.CodeUnavailable, Op: hostapi.OpRestart, Uncertain: true}
			},
			want: []string{"don't know yet whether", "REF1234"}, outcome: interaction.Unconfirmed, done: "restart a",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := &world{list: account(server("a", "Shop", cmp.Or(test.status, "RUNNING"))), action: test.action}
			first := answer(t, newCommands(t, w), test.request)
			w.wantDone(t)
			wantText(t, first.Message, test.running, ":R>")
			if b := buttons(first.Message); !b["Restart"].Disabled || !b["Stop"].Disabled || !b["Start"].Disabled || !b["Reinstall packages"].Disabled {
				t.Error("another action is offered while it runs")
			}
			last := must(t)(first.Then.Run(t.Context()))
			wantText(t, last.Message, test.want...)
			w.wantDone(t, test.done)
			if a := last.Action; a == nil || a.Outcome != test.outcome || a.BotID != "a" || a.BotName != "Shop" {
				t.Errorf("staff are told %+v, want outcome %s", a, test.outcome)
			}
			if (last.Failure != nil) != (test.outcome != interaction.Done) {
				t.Errorf("failure %v", last.Failure)
			}
			if test.outcome == interaction.Unconfirmed && w.expired != 1 {
				t.Error("the next look would show what was cached before")
			}
			if b, offered := buttons(last.Message)["Reinstall packages"]; !offered || b.Disabled {
				t.Error("nothing is offered afterwards")
			}
		})
	}
}

func TestActionIsRefusedWhileAnotherRuns(t *testing.T) {
	c := newCommands(t, &world{list: account(server("a", "Shop", "RUNNING"), server("b", "Radio", "RUNNING"))})
	running := answer(t, c, press("restart/a"))
	for _, r := range []interaction.Request{press("reinstall/a"), onBot("bot start", "a")} { // though it runs
		refused(t, c, r, "Restarting **Shop**", "already running on this bot")
	}
	wantText(t, answer(t, c, press("show/a")).Message, "Restarting **Shop**")
	wantText(t, answer(t, c, command("bot list", nil)).Message, "🟡 Shop · Restarting\n", "🟢 Radio · Running\n")
	must(t)(running.Then.Run(t.Context()))
	for range 29 { // as many as a user may start in a minute
		ending(t, c, press("restart/b"))
	}
	refused(t, c, press("restart/b"), "a lot of actions", "after <t:", ":T>")
}

func TestActionThatNeverRanHoldsNoLock(t *testing.T) {
	_, c := shop(t, "RUNNING")
	ctx, cancel := context.WithCancel(t.Context())
	r := press("restart/a")
	must(t)(serve(ctx, t, c, &r))
	cancel() // Discord did not take the response
	for deadline := time.Now().Add(10 * time.Second); ; {
		if _, err := ask(t, c, press("restart/a")); err == nil {
			return
		} else if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func TestActionIsFollowedUntilTheStatusIsSettled(t *testing.T) {
	const s = time.Second
	tests := map[string]struct {
		command  string
		answer   string                   // of the action
		statuses map[time.Duration]string // since then
		silent   bool
		want     []string
		outcome  interaction.Outcome
		atMost   time.Duration
	}{
		"it comes up": {
			"bot start", "STARTING", map[time.Duration]string{0: "STARTING", 5 * s: "RUNNING"}, false,
			[]string{"✅ Started in 7.0 s.\n\nRunning\n"}, interaction.Done, 15 * s,
		},
		"it crashes": {
			"bot start", "STARTING", map[time.Duration]string{0: "STARTING", 5 * s: "CRASHED"}, false,
			[]string{"⚠️ Started in 7.0 s.\n\nCrashed\n"}, interaction.Done, 15 * s,
		},
		"it hangs": {
			"bot start", "STARTING", map[time.Duration]string{0: "STARTING"}, false,
			[]string{"is taking longer than usual", "🟡 Starting", "REF1234"}, interaction.Unconfirmed, time.Minute,
		},
		"it is deleted meanwhile": {
			"bot start", "STARTING", map[time.Duration]string{0: "STARTING", 5 * s: ""}, false,
			[]string{"don't know yet whether **Shop** was started", "REF1234"}, interaction.Unconfirmed, 15 * s,
		},
		"the service falls silent": {
			"bot start", "STARTING", nil, true, []string{"is taking longer than usual", "REF1234"}, interaction.Unconfirmed, time.Minute,
		},
		"no status is named, and it starts at once": {
			"bot start", "", map[time.Duration]string{0: "RUNNING"}, false, []string{"✅ Started.\n\nRunning\n"}, interaction.Done, 0,
		},
		"no status is named, and it installs for a while": {
			"bot reinstall", "", map[time.Duration]string{0: "INSTALLING", 20 * s: "STOPPED"}, false,
			[]string{"✅ Packages reinstalled in 25 s.\n\nStopped\n"}, interaction.Done, 30 * s,
		},
		"no status is named, and nobody knows": {
			"bot start", "", nil, true, []string{"✅ Started.\n\nUnknown\n"}, interaction.Done, 5 * s,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &world{list: account(server("a", "Shop", "STOPPED")), silent: test.silent}
				w.action = func() (string, error) { return test.answer, nil }
				first := answer(t, newCommands(t, w), onBot(test.command, "a"))
				w.statuses, w.began = test.statuses, time.Now()
				last := must(t)(first.Then.Run(t.Context()))
				wantText(t, last.Message, test.want...)
				if last.Action.Outcome != test.outcome {
					t.Errorf("outcome %s, want %s", last.Action.Outcome, test.outcome)
				}
				if took := time.Since(w.began); took > test.atMost || w.looks > 12 {
					t.Errorf("it was followed for %v, with %d looks", took, w.looks)
				}
			})
		})
	}
}

func TestActionIsNotFollowedPastTheEndOfTheInteraction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{list: account(server("a", "Shop", "RUNNING")), action: func() (string, error) { return "STOPPING", nil }, began: time.Now()}
		first := answer(t, newCommands(t, w), onBot("bot stop", "a"))
		w.statuses = map[time.Duration]string{0: "STOPPING"}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		last := must(t)(first.Then.Run(ctx))
		if last.Action.Outcome != interaction.Unconfirmed || time.Since(w.began) != 3*time.Second {
			t.Errorf("outcome %s after %v", last.Action.Outcome, time.Since(w.began))
		}
	})
}

func TestActionThatTheServiceDoesNotHave(t *testing.T) {
	tests := map[string]struct {
		request     interaction.Request
		status      int
		code        hostapi.Code
		unsupported bool
	}{
		"405":                               {press("start/a"), 405, hostapi.CodeInternal, true},
		"405 in a page":                     {press("start/a"), 405, hostapi.CodeUnavailable, true},
		"501":                               {press("stop/a"), 501, hostapi.CodeInternal, true},
		"turned off":                        {press("restart/a"), 0, hostapi.CodeNotOffered, true},
		"a gateway's 404":                   {press("start/a"), 404, hostapi.CodeUnavailable, false},
		"404 of a documented one":           {press("restart/a"), 404, hostapi.CodeUnavailable, false},
		"404 in the service's words":        {press("stop/a"), 404, hostapi.CodeNotFound, false},
		"refused":                           {press("stop/a"), 403, hostapi.CodeForbidden, false},
		"404 although the account is there": {submit("create/512/2048/100", newBot("Radio")), 404, hostapi.CodeUnavailable, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := newCommands(t, &world{list: account(server("a", "Shop", "Odd")), action: func() (string, error) {
				return "", &hostapi.Error{Code: test.code, Op: hostapi.OpStart, Status: test.status, Uncertain: test.status >= 500, Detail: "no such route"}
			}})
			last := ending(t, c, test.request)
			if got := strings.Contains(text(last.Message), "don't offer"); got != test.unsupported {
				t.Fatalf("the customer reads:\n%s", text(last.Message))
			}
			if last.Failure == nil || last.Action.Outcome != interaction.Failed {
				t.Errorf("staff are told %v, outcome %s", last.Failure, last.Action.Outcome)
			}
		})
	}
	w := &world{list: account()}
	w.action = func() (string, error) {
		w.err = &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpList, Status: 404} // the account was closed in the meantime
		return "", &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpCreate, Status: 404}
	}
	wantText(t, ending(t, newCommands(t, w), submit("create/512/2048/100", newBot("Radio"))).Message, "couldn't be created", "No hosting account is linked")

	w = &world{list: account(server("a", "Shop", "STOPPED"))}
	page := &hostapi.Error{Code: hostapi.CodeUnavailable, Status: 405}
	w.action = func() (string, error) {
		w.err = page // a firewall lets nothing through any more
		return "", page
	}
	wantText(t, ending(t, newCommands(t, w), press("start/a")).Message, "couldn't be started", "can't be reached")
}

// TestNothingToDoIsNoFailure: also where that is only known to the service.
func TestNothingToDoIsNoFailure(t *testing.T) {
	for name, test := range map[string]struct {
		command, cached, now, want string
		done                       bool
	}{
		"start":                          {"bot start", "RUNNING", "RUNNING", "**Shop** is already running.", false},
		"stop":                           {"bot stop", "STOPPED", "STOPPED", "**Shop** is already stopped.", false},
		"started elsewhere":              {"bot start", "STOPPED", "RUNNING", "**Shop** is already running.", true},
		"crashed since it was looked at": {"bot start", "RUNNING", "CRASHED", "busy with something else", true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &world{list: account(server("a", "Shop", test.cached)), began: time.Now()}
				w.action = func() (string, error) {
					return "", &hostapi.Error{Code: hostapi.CodeConflict, Op: hostapi.OpStart, Status: 409}
				}
				w.changed = test.now
				got := answer(t, newCommands(t, w), onBot(test.command, "a"))
				if (got.Then != nil) != test.done {
					t.Fatalf("it acts: %t", got.Then != nil)
				}
				if got.Then != nil {
					got = must(t)(got.Then.Run(t.Context()))
				}
				wantText(t, got.Message, test.want)
				if neutral := strings.Contains(test.want, "already"); neutral != !strings.Contains(text(got.Message), "REF1234") || neutral != (got.Failure == nil) {
					t.Errorf("failure %v:\n%s", got.Failure, text(got.Message))
				}
			})
		})
	}
}

// TestServiceSaysWhy has the service refuse an action in its own words.
func TestServiceSaysWhy(t *testing.T) {
	for name, test := range map[string]struct {
		refusal hostapi.Error
		state   string // after the refusal
		want    []string
		not     string
	}{
		"conflict":              {hostapi.Error{Code: hostapi.CodeConflict, Status: 409, Words: "Pay *first*"}, "RUNNING", []string{`says: Pay \*first\*`}, "busy with"},
		"conflict, no words":    {hostapi.Error{Code: hostapi.CodeConflict, Status: 409}, "RUNNING", []string{"busy with something else"}, "says"},
		"suspended":             {hostapi.Error{Code: hostapi.CodeConflict, Status: 409, Words: "Pay first"}, "SUSPENDED", []string{"We've suspended this bot.", "says: Pay first"}, "busy with"},
		"suspended, forbidden":  {hostapi.Error{Code: hostapi.CodeForbidden, Status: 403}, "SUSPENDED", []string{"couldn't be stopped", "We've suspended this bot."}, "isn't allowed"},
		"forbidden":             {hostapi.Error{Code: hostapi.CodeForbidden, Status: 403, Words: "Pay first"}, "RUNNING", []string{"isn't allowed", "says: Pay first"}, ""},
		"limit":                 {hostapi.Error{Code: hostapi.CodeLimitReached, Status: 402, Words: "Pay first"}, "RUNNING", []string{"You've reached your plan's limit", "says: Pay first"}, ""},
		"our own mistake":       {hostapi.Error{Code: hostapi.CodeInternal, Status: 400, Words: "chatUserId?"}, "RUNNING", []string{"Something broke on our side"}, "chatUserId"},
		"broken":                {hostapi.Error{Code: hostapi.CodeUnavailable, Status: 500, Words: "SQL"}, "RUNNING", []string{"having problems"}, "SQL"},
		"already as it is told": {hostapi.Error{Code: hostapi.CodeConflict, Status: 200, Words: "It has *stopped*"}, "STOPPED", []string{"already stopped"}, "says"},
	} {
		w := &world{list: account(server("a", "Shop", "RUNNING")), changed: test.state}
		w.action = func() (string, error) { return "", &test.refusal }
		end := ending(t, newCommands(t, w), press("stop/a"))
		sendable(t, end)
		wantText(t, end.Message, test.want...)
		if said := text(end.Message); test.not != "" && strings.Contains(said, test.not) {
			t.Errorf("%s:\n%s", name, said)
		}
	}
}

func TestUnconfirmedActionIsHeldBackAndRefreshIsTheBlueButton(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{list: account(server("a", "Shop", "RUNNING")), action: func() (string, error) {
			return "", &hostapi.Error{Code: hostapi.CodeUnavailable, Op: hostapi.OpRestart, Uncertain: true}
		}}
		c := newCommands(t, w)
		unconfirmed := func(m interaction.Message, words ...string) {
			t.Helper()
			wantText(t, m, append(words, "don't know yet whether **Shop** was restarted")...)
			for label, b := range buttons(m) {
				if (b.Style == discordgo.PrimaryButton) != (label == "Refresh") {
					t.Errorf("the style of %s is %d", label, b.Style)
				}
			}
		}
		unconfirmed(ending(t, c, press("restart/a")).Message)
		for _, again := range []interaction.Request{press("restart/a"), onBot("bot restart", "Shop")} {
			r := answer(t, c, again)
			unconfirmed(r.Message, "again after <t:", ":T>")
			sendable(t, r)
		}
		if len(w.done) != 1 {
			t.Errorf("done: %q", w.done)
		}
		w.action = nil
		ending(t, c, press("stop/a")) // something else
		time.Sleep(actions.Pause)
		wantText(t, ending(t, c, press("restart/a")).Message, "✅ Restarted.")
		time.Sleep(actions.Window) // until the process has forgotten all
	})
}

func TestDurationThatRoundsToNothingIsLeftOut(t *testing.T) {
	for took, want := range map[time.Duration]string{0: "Restarted.", 49 * time.Millisecond: "Restarted.", 50 * time.Millisecond: "Restarted in 0.1 s."} {
		synctest.Test(t, func(t *testing.T) {
			w := &world{list: account(server("a", "Shop", "RUNNING")), action: func() (string, error) {
				time.Sleep(took)
				return "RUNNING", nil
			}}
			m := ending(t, newCommands(t, w), press("restart/a")).Message
			wantText(t, m, want)
			time.Sleep(actions.Window)
		})
	}
}

func TestReinstallAsksFirstWhereTheBotRuns(t *testing.T) {
	for status, asks := range map[string]bool{
		"RUNNING": true, "Hibernating": true, "STOPPED": false, "CRASHED": false,
	} {
		for _, request := range []interaction.Request{onBot("bot reinstall", "Shop"), press("reinstall/a")} {
			w := &world{list: account(server("a", "Shop", status), server("b", "Radio", "RUNNING"))}
			c := newCommands(t, w)
			response := answer(t, c, request)
			if asked := response.Then == nil; asked != asks {
				t.Fatalf("%s, %s: asked %t:\n%s", status, request.Name, asked, text(response.Message))
			}
			if !asks {
				continue
			}
			sendable(t, response)
			wantText(t, response.Message, "Reinstall packages?", "**Shop** (", "may be offline")
			b := buttons(response.Message)
			wantText(t, answer(t, c, press(b["Cancel"].CustomID)).Message, "Shop")
			wantText(t, answer(t, c, press(b["Reinstall packages"].CustomID)).Message, "Reinstalling the packages of **Shop**")
		}
	}
}

// TestEndOfADeadProcessIsToldAsItWas has a process die once it knew how an action had ended, or
// before.
func TestEndOfADeadProcessIsToldAsItWas(t *testing.T) {
	for name, test := range map[string]struct {
		outcome interaction.Outcome
		died    bool // before it had ended
		words   string
		failure error
	}{
		"done":        {interaction.Done, false, "was restarted", nil},
		"failed":      {interaction.Failed, false, "couldn't be restarted", interaction.ErrInterrupted},
		"unconfirmed": {interaction.Unconfirmed, false, "don't know yet whether", interaction.ErrInterrupted},
		"refused":     {interaction.Refused, false, "❌ **Shop** couldn't be restarted", nil},
		"not sent":    {interaction.Failed, true, "❌ **Shop** couldn't be restarted.\nThis was interrupted before it finished. Try again", interaction.ErrUnsent},
		"not known":   {interaction.Unconfirmed, true, "don't know yet whether", interaction.ErrInterrupted},
	} {
		r := press("restart/a")
		a := interaction.Action{Name: "restart", BotID: "a", BotName: "Shop", Outcome: test.outcome, Interrupted: test.died}
		got := newCommands(t, &world{}).Interrupted(&r, a)
		wantText(t, got.Message, "Shop", test.words)
		sendable(t, got)
		if !errors.Is(got.Failure, test.failure) || *got.Action != a {
			t.Errorf("%s: %+v, %v", name, got.Action, got.Failure)
		}
		if !commands.ShowsEnd(got.Message) {
			t.Errorf("%s: it does not show an end", name)
		}
	}
}

// TestWhatWasReportedAsNotDoneIsNotSent has a process stop before it sends an action, and go on once
// another one has reported it.
func TestWhatWasReportedAsNotDoneIsNotSent(t *testing.T) {
	client := redistest.Connect(t, redistest.StartMiniredis(t).URL())
	w, _ := shop(t, "RUNNING")
	w.actions = actions.New(actions.Config{Redis: client, Timing: actions.DefaultTiming()})
	running := answer(t, newCommands(t, w), pressed("restart/a"))
	if commands.ShowsEnd(running.Message) {
		t.Errorf("an action that runs has ended: %s", text(running.Message))
	}
	leads := actions.New(actions.Config{
		Redis: client, Reached: func() time.Duration { return time.Hour }, Report: func(context.Context, actions.Report) error { return nil },
	})
	due := leads.Work()
	for _, name := range client.ZRange(t.Context(), due.Due, 0, -1).Val() {
		if _, err := due.Reconcile(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	end := must(t)(running.Then.Run(t.Context()))
	wantText(t, end.Message, "❌ **Shop** couldn't be restarted.\nThis was interrupted before it finished.")
	if end.Action.Outcome != interaction.Failed || !errors.Is(end.Failure, interaction.ErrUnsent) {
		t.Errorf("%+v, %v", end.Action, end.Failure)
	}
	w.wantDone(t)
}
