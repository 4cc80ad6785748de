package commands_test

import (
	"context"
	"testing"
	"time"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

func TestActionsSayHowTheyEnded(t *testing.T) {
	tests := map[string]struct {
		request interaction.Request
		action  func() (string, error)
		running string
		want    []string
		outcome interaction.Outcome
		done    string
	}{
		"restart": {
			request: press("restart/a"), running: "Restarting **Shop**",
			want: []string{"**Shop** was restarted", "🟢 Running", "took 0"}, outcome: interaction.Done, done: "restart 42 a",
		},
		"restart that ends in another status": {
			request: press("restart/a"), action: func() (string, error) { return "CRASHED", nil }, running: "Restarting",
			want: []string{"⚠️ **Shop** was restarted", "🔴 Crashed", "🔴 Shop"}, outcome: interaction.Done, done: "restart 42 a",
		},
		"start": {
			request: onBot("bot start", "a"), running: "Starting **Shop**",
			want: []string{"**Shop** was started", "🟢 Running"}, outcome: interaction.Done, done: "start 42 a",
		},
		"stop": {
			request: press("stop/a"), running: "Stopping **Shop**",
			want: []string{"**Shop** was stopped", "⚫ Stopped", "⚫ Shop"}, outcome: interaction.Done, done: "stop 42 a",
		},
		"reinstall": {
			request: onBot("bot reinstall", "Shop"), running: "Reinstalling",
			want: []string{"were reinstalled", "🟢 Shop"}, outcome: interaction.Done, done: "reinstall 42 a",
		},
		"refused": {
			request: press("reinstall/a"), action: func() (string, error) { return "", &hostapi.Error{Code: hostapi.CodeConflict} },
			running: "Reinstalling", want: []string{"could not be reinstalled", "busy", "REF1234"}, outcome: interaction.Failed, done: "reinstall 42 a",
		},
		"uncertain": {
			request: onBot("bot restart", "a"), running: "Restarting", action: func() (string, error) {
				return "", &hostapi.Error{Code: hostapi.CodeUnavailable, Op: hostapi.OpRestart, Uncertain: true}
			},
			want: []string{"not confirmed", "REF1234"}, outcome: interaction.Unconfirmed, done: "restart 42 a",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := &world{list: account(server("a", "Shop", "RUNNING")), action: test.action}
			first := answer(t, newCommands(t, w), test.request)
			if len(w.done) != 0 {
				t.Error("it acted before the customer was told")
			}
			wantText(t, first.Message, test.running, ":R>", "🟡 Shop")
			if b := buttons(first.Message); !b["Restart"].Disabled || !b["Reinstall"].Disabled || !b["Delete"].Disabled {
				t.Error("another action is offered while it runs")
			}

			last := must(t)(first.Then(t.Context()))
			wantText(t, last.Message, test.want...)
			if len(w.done) != 1 || w.done[0] != test.done {
				t.Errorf("done %q, want %q", w.done, test.done)
			}
			if a := last.Action; a == nil || a.Outcome != test.outcome || a.BotID != "a" || a.BotName != "Shop" {
				t.Errorf("staff are told %+v, want outcome %s", a, test.outcome)
			}
			if (last.Failure != nil) != (test.outcome != interaction.Done) {
				t.Errorf("failure %v", last.Failure)
			}
			if test.outcome == interaction.Unconfirmed && w.expired != 1 {
				t.Error("the next look would show what was cached before")
			}
			if buttons(last.Message)["Reinstall"].Disabled {
				t.Error("nothing is offered afterwards")
			}
		})
	}
}

func TestOneActionAtATimeRunsOnABot(t *testing.T) {
	c := newCommands(t, &world{list: account(server("a", "Shop", "RUNNING"), server("b", "Radio", "RUNNING"))})
	running := answer(t, c, press("restart/a"))
	refused(t, c, press("reinstall/a"), "already running", "Shop")
	wantText(t, answer(t, c, press("show/a")).Message, "Restarting **Shop**")
	wantText(t, answer(t, c, command("bot list", nil)).Message, "🟡 Shop\nRestarting", "🟢 Radio")
	answer(t, c, press("restart/b"))
	must(t)(running.Then(t.Context()))
	answer(t, c, press("reinstall/a"))
}

func TestLockIsReleasedOnce(t *testing.T) {
	c := newCommands(t, &world{list: account(server("a", "Shop", "RUNNING"))})
	ctx, over := context.WithCancel(t.Context())
	first := must(t)(askUntil(ctx, t, c, press("restart/a")))
	must(t)(first.Then(t.Context()))
	answer(t, c, press("restart/a")) // while the end of the first is still being told
	over()
	for range 1000 { // the end of ctx is noticed at some time of its own
		refused(t, c, press("reinstall/a"), "already running")
	}
}

func TestActionThatNeverRanHoldsNoLock(t *testing.T) {
	c := newCommands(t, &world{list: account(server("a", "Shop", "RUNNING"))})
	ctx, cancel := context.WithCancel(t.Context())
	must(t)(askUntil(ctx, t, c, press("restart/a")))
	cancel() // Discord did not take the response
	for deadline := time.Now().Add(10 * time.Second); ; {
		if _, err := ask(t, c, press("restart/a")); err == nil {
			return
		} else if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func TestThirtyActionsAMinute(t *testing.T) {
	c := newCommands(t, &world{list: account(server("a", "Shop", "RUNNING"))})
	for range 30 {
		ending(t, c, press("restart/a"))
	}
	refused(t, c, press("restart/a"), ":R>")
}
