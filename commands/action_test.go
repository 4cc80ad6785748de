package commands_test

import (
	"context"
	"testing"
	"time"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

func TestActionsEndInATruth(t *testing.T) {
	uncertain := &hostapi.Error{Code: hostapi.CodeUnavailable, Op: hostapi.OpRestart, Uncertain: true}
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
		"restart that ends in another state": {
			request: press("restart/a"), action: func() (string, error) { return "CRASHED", nil }, running: "Restarting",
			want: []string{"was restarted", "🔴 Crashed", "🔴 Shop"}, outcome: interaction.Done, done: "restart 42 a",
		},
		"start": {
			request: command("bot start", map[string]string{"bot": "a"}), running: "Starting **Shop**",
			want: []string{"**Shop** was started", "🟢 Running"}, outcome: interaction.Done, done: "start 42 a",
		},
		"stop": {
			request: press("stop/a"), running: "Stopping **Shop**",
			want: []string{"**Shop** was stopped", "⚫ Stopped", "⚫ Shop"}, outcome: interaction.Done, done: "stop 42 a",
		},
		"reinstall": {
			request: command("bot reinstall", map[string]string{"bot": "Shop"}), running: "Reinstalling",
			want: []string{"were reinstalled", "🟢 Shop"}, outcome: interaction.Done, done: "reinstall 42 a",
		},
		"refused": {
			request: press("reinstall/a"), action: func() (string, error) { return "", &hostapi.Error{Code: hostapi.CodeConflict} },
			running: "Reinstalling", want: []string{"could not be reinstalled", "busy", "REF1234"}, outcome: interaction.Failed, done: "reinstall 42 a",
		},
		"not known": {
			request: command("bot restart", map[string]string{"bot": "a"}), action: func() (string, error) { return "", uncertain },
			running: "Restarting", want: []string{"not confirmed", "REF1234"}, outcome: interaction.Unconfirmed, done: "restart 42 a",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := &world{list: account(server("a", "Shop", "RUNNING")), action: test.action}
			c := newCommands(t, w)
			first := must(t)(ask(t, c, test.request))
			if len(w.done) != 0 {
				t.Error("it acted before the customer was told")
			}
			wantText(t, first.Message, test.running, ":R>", "🟡 Shop")
			if b := buttons(first.Message); !b["Restart"].Disabled || !b["Reinstall"].Disabled {
				t.Error("another action is offered meanwhile")
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
				t.Error("the next look would show what was known before")
			}
			if buttons(last.Message)["Reinstall"].Disabled {
				t.Error("nothing is offered afterwards")
			}
		})
	}
}

func TestOneActionAtATime(t *testing.T) {
	w := &world{list: account(server("a", "Shop", "RUNNING"), server("b", "Radio", "RUNNING"))}
	c := newCommands(t, w)
	running := must(t)(ask(t, c, press("restart/a")))

	_, err := ask(t, c, press("reinstall/a"))
	if err == nil {
		t.Fatal("a second action was begun")
	}
	wantText(t, c.Explain(&interaction.Request{Locale: "en-US"}, err).Message, "already running", "Shop")
	card := must(t)(ask(t, c, press("show/a")))
	wantText(t, card.Message, "Restarting **Shop**")
	wantText(t, must(t)(ask(t, c, command("bot list", nil))).Message, "🟡 Shop\nRestarting", "🟢 Radio")
	must(t)(ask(t, c, press("restart/b")))

	must(t)(running.Then(t.Context()))
	must(t)(ask(t, c, press("reinstall/a")))
}

func TestAnActionsEndFreesItsBotOnce(t *testing.T) {
	w := &world{list: account(server("a", "Shop", "RUNNING"))}
	c := newCommands(t, w)
	router := interaction.NewRouter()
	c.Route(router)
	begin := func() (interaction.Response, context.CancelFunc) {
		ctx, cancel := context.WithCancel(t.Context())
		r := press("restart/a")
		r.UserID, r.CustomerID = "42", "42"
		return must(t)(router.Route(&r)(ctx, &r)), cancel
	}
	first, over := begin()
	must(t)(first.Then(t.Context()))
	_, stop := begin() // while the end of the first is still being told
	defer stop()
	over()
	for range 1000 { // the end of ctx is noticed at some time of its own
		if _, err := ask(t, c, press("reinstall/a")); err == nil {
			t.Fatal("a third action was begun beside the second")
		}
	}
}

func TestAnActionThatNeverRanDoesNotBlock(t *testing.T) {
	w := &world{list: account(server("a", "Shop", "RUNNING"))}
	c := newCommands(t, w)
	router := interaction.NewRouter()
	c.Route(router)
	ctx, cancel := context.WithCancel(t.Context())
	r := press("restart/a")
	r.UserID = "42"
	must(t)(router.Route(&r)(ctx, &r))
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
	w := &world{list: account(server("a", "Shop", "RUNNING"))}
	c := newCommands(t, w)
	for range 30 {
		must(t)(must(t)(ask(t, c, press("restart/a"))).Then(t.Context()))
	}
	_, err := ask(t, c, press("restart/a"))
	if err == nil {
		t.Fatal("31 actions were begun")
	}
	wantText(t, c.Explain(&interaction.Request{Locale: "en-US"}, err).Message, ":R>")
}
