package commands_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"hostbot/bot/interaction"
	"hostbot/commands"
	"hostbot/hostapi"
)

// away is the failure of a service that cannot be reached.
func away() error {
	return &hostapi.Error{Op: hostapi.OpList, Code: hostapi.CodeUnavailable, Status: 503}
}

// TestWhatMayPassCanBeTriedAgain presses the button below each failure once the service is back.
func TestWhatMayPassCanBeTriedAgain(t *testing.T) {
	for name, test := range map[string]struct {
		request interaction.Request
		says    string
	}{
		"/bot list":        {command("bot list", nil), "Your bots"},
		"/plan":            {command("plan", nil), "Pro"},
		"/bot show":        {onBot("bot show", "b"), "⚫ Radio"},
		"/bot start":       {onBot("bot start", "b"), "Starting **Radio**"},
		"/bot show, asked": {command("bot show", nil), "Which bot"},
		"/bot create":      {command("bot create", nil), "left. Choose sizes"},
		"a button":         {press("details/b"), "⚫ Radio"},
		"a menu":           {press("open", "b"), "⚫ Radio"},
		"a page":           {press("pages", "0"), "Your bots"},
		"a menu of bots":   {press("start", "b"), "Starting **Radio**"},
		"a menu of sizes":  {press("create/ram/512/2048/100", "128"), "left. Choose sizes"},
		"in an alert":      {press("aside/show/b"), "⚫ Radio"},
	} {
		w := &world{err: away()}
		c := newCommands(t, w)
		r := test.request
		_, err := serve(t.Context(), t, c, &r)
		again, found := buttons(c.Explain(&r, err).Message)["Try again"]
		if !found {
			t.Errorf("%s: nothing can be tried again", name)
			continue
		}
		w.err, w.list = nil, account(server("a", "Shop", "RUNNING"), server("b", "Radio", "STOPPED"))
		wantText(t, answer(t, c, press(again.CustomID)).Message, test.says)
	}
}

func TestWhatDoesNotPassIsNotTriedAgain(t *testing.T) {
	uncertain := &hostapi.Error{Op: hostapi.OpRestart, Code: hostapi.CodeUnavailable, Uncertain: true}
	c := newCommands(t, &world{links: commands.Links{Support: "https://a.example/help"}})
	for _, test := range []struct {
		request interaction.Request
		err     error
		want    bool
	}{
		{press("show/b"), errors.New("unforeseen"), true},
		{press("show/b"), interaction.ErrStopping, true},
		{press("startup/b"), interaction.ErrTooSlow, true},
		{press("show/b"), interaction.ErrNoRoute, false},
		{press("restart/b"), uncertain, false}, // it may be done
		{press("restart/b"), interaction.ErrUnacknowledged, false},
		{press("restart/b"), errors.Join(interaction.ErrOutcomeUnknown, interaction.ErrPanic), false},
		{press("restart/b"), &interaction.UnshownError{Action: interaction.Action{Name: "restart", Outcome: interaction.Failed}}, false},
		{press("show/b"), &hostapi.Error{Code: hostapi.CodeForbidden}, false},
		{press("show/b"), &hostapi.Error{Op: hostapi.OpList, Code: hostapi.CodeNotFound}, false}, // no account
		{submit("startup/b", nil), away(), false},                                                // the form stands there
		{command("admin lookup", nil), away(), false},
		{press("for/42/show/b"), away(), false},
		{onBot("bot show", "Rädio"), away(), false}, // what may not come back from Discord as it was sent
		{onBot("bot show", strings.Repeat("x", 90)), away(), false},
	} {
		r := test.request
		r.Locale = "en-US"
		if _, found := buttons(c.Explain(&r, test.err).Message)["Try again"]; found != test.want {
			t.Errorf("%s %q, %v: it can be tried again is %t", r.Kind, r.Name, test.err, found)
		}
	}
}

func TestABusyBotCanBeTriedAgain(t *testing.T) {
	w := &world{list: account(server("a", "Shop", "RUNNING"))}
	c := newCommands(t, w)
	running := answer(t, c, press("restart/a"))
	again := buttons(explained(t, c, onBot("bot reinstall", "a")))["Try again"]
	must(t)(running.Then.Run(t.Context()))
	if got := answer(t, c, press(again.CustomID)); !strings.Contains(text(got.Message), "may be offline") {
		t.Errorf("%s", text(got.Message))
	}
}

// TestWhatPassesLeadsToTheStatusPage if there is one, and not to support, who can only wait as well.
func TestWhatPassesLeadsToTheStatusPage(t *testing.T) {
	const support, status = "https://a.example/help", "https://a.example/status"
	for code, want := range map[hostapi.Code]string{
		hostapi.CodeUnavailable: status, hostapi.CodeRateLimited: "", hostapi.CodeCanceled: "", hostapi.CodeConflict: "",
		hostapi.CodeForbidden: support, hostapi.CodeUnauthorized: support,
	} {
		for _, page := range []string{status, ""} {
			c := newCommands(t, &world{links: commands.Links{Support: support, Status: page}})
			e := c.Explain(&interaction.Request{Locale: "en-US"}, &hostapi.Error{Code: code, RetryAfter: time.Second})
			if got := links(e.Message); got != strings.ReplaceAll(want, status, page) || !e.Fault {
				t.Errorf("%s leads to %q, want %q, where the status page is %q", code, got, want, page)
			}
		}
	}
}
