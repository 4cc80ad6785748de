package discordtest_test

import (
	"context"
	"strings"
	"testing"

	"hostbot/bot/testing/discordtest"
)

// card has components of each kind that a user can use.
const card = `[{"type":1,"components":[{"type":2,"style":1,"label":"Rename","custom_id":"rename"},
	{"type":2,"style":4,"label":"Stop","custom_id":"stop","disabled":true}]},
	{"type":1,"components":[{"type":3,"custom_id":"open","placeholder":"Open a bot","options":[{"label":"Shop","value":"1"},{"label":"Music","value":"2"}]}]}]`

// TestTheSameChoiceIsNotSentAgain until the message of the menu is updated.
func TestTheSameChoiceIsNotSentAgain(t *testing.T) {
	s := newStage(t, discordtest.Config{NoRateLimits: true})
	reply, _ := s.message(card)
	menu := strings.Replace(card, `"value":"1"`, `"value":"1","default":true`, 1)
	const beside, later, update = `{"type":4,"data":{"content":"x"}}`, `{"type":6}`, `{"type":7}`
	for i, step := range []struct {
		label, answer string
		sent          bool
	}{
		{"Shop", beside, true},
		{"Shop", beside, false},
		{"Music", later, true},
		{"Music", later, false},
		{"Shop", update, true},
		{"Shop", `{"type":7,"data":{"components":` + menu + `}}`, true},
		{"Shop", update, false}, // it stands there by default
		{"Music", update, true},
	} {
		if !step.sent {
			if _, err := reply.Pick(limit(t), "Open a bot", step.label); err == nil || !strings.Contains(err.Error(), "sends nothing") {
				t.Errorf("step %d: %v", i, err)
			}
			continue
		}
		done := make(chan error, 1)
		go func() { _, err := reply.Pick(limit(t), "Open a bot", step.label); done <- err }()
		s.do("POST", s.wire.interaction().path(), step.answer).want(t, 204, 0)
		if err := <-done; err != nil {
			t.Errorf("step %d: %v", i, err)
		}
	}
}

func TestUserIsToldWhatClientsRefuse(t *testing.T) {
	s := newStage(t, discordtest.Config{})
	s.register(`[{"name":"bot","description":"d","options":[{"type":1,"name":"list","description":"d"},
		{"type":1,"name":"show","description":"d","options":[{"type":3,"name":"bot","description":"d","required":true}]}]}]`).want(t, 200, 0)
	reply := s.uses(s.anna, "/bot list", nil)
	s.do("POST", s.wire.interaction().path(), `{"type":4,"data":{"flags":64,"components":`+card+`}}`).want(t, 204, 0)
	e, pressed := s.press(reply, "Rename")
	s.do("POST", e.path(), `{"type":9,"data":{"custom_id":"name","title":"Rename","components":[
		{"type":1,"components":[{"type":4,"style":1,"label":"New name","custom_id":"to","max_length":10}]}]}}`).want(t, 204, 0)
	modal, id := pressed(), reply.View().ID

	types := func(command string, options discordtest.Options) func(context.Context) error {
		return func(context.Context) error { _, err := s.anna.Start(command, options); return err }
	}
	for want, do := range map[string]func(context.Context) error{
		"/bot":                               types("/plan", nil),
		`"list", "show"`:                     types("/bot stop", nil),
		"needs a subcommand":                 types("/bot", nil),
		`"bot" is required`:                  types("/bot show", nil),
		`no option "page"`:                   types("/bot list", discordtest.Options{"page": 1}),
		`there: "Rename", "Stop" (disabled)`: func(ctx context.Context) error { _, err := reply.Click(ctx, "Start"); return err },
		`button "Stop" is disabled`:          func(ctx context.Context) error { _, err := reply.Click(ctx, "Stop"); return err },
		`"Shop", "Music"`:                    func(ctx context.Context) error { _, err := reply.Pick(ctx, "Open a bot", "Web"); return err },
		"1 to 1":                             func(ctx context.Context) error { _, err := reply.Pick(ctx, "Open a bot", "Shop", "Music"); return err },
		"takes 1 to 10": func(ctx context.Context) error {
			_, err := modal.Fill(ctx, discordtest.Fields{"to": x(11)})
			return err
		},
		"no field": func(ctx context.Context) error {
			_, err := modal.Fill(ctx, discordtest.Fields{"to": "a", "from": "b"})
			return err
		},
		"ben sees no message": func(ctx context.Context) error { _, err := s.discord.User("ben").Click(ctx, id, "rename"); return err },
	} {
		t.Run(want, func(t *testing.T) {
			if err := do(limit(t)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want an error with %q", err, want)
			}
		})
	}
	if mine, others := len(s.anna.Messages()), len(s.discord.User("ben").Messages()); mine != 1 || others != 0 {
		t.Errorf("anna sees %d messages and ben %d, want hers alone", mine, others)
	}
	if err := s.anna.Dismiss(id); err != nil {
		t.Error(err)
	}
	if v := reply.View(); v.State != discordtest.Deleted {
		t.Errorf("state %v after it was dismissed", v.State)
	}
}
