package commands_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/commands"
	"hostbot/hostapi"
)

func TestExplain(t *testing.T) {
	c := newCommands(t, &world{})
	service := func(code hostapi.Code) error {
		return errors.Join(errors.New("wrapped"), &hostapi.Error{Code: code, Op: hostapi.OpStop, Detail: "sorry, root secret is x"})
	}
	unshown := func(o interaction.Outcome) error {
		a := interaction.Action{Name: "restart", Outcome: o, BotName: "secret", BotID: "secret"}
		return &interaction.UnshownError{Action: a, Cause: errors.New("secret")}
	}
	for _, test := range []struct {
		err   error
		want  string
		fault bool
	}{
		{service(hostapi.CodeLimitReached), "plan", true},
		{service(hostapi.CodeRateLimited), "Try again", true},
		{service(hostapi.CodeUnavailable), "can't be reached", true},
		{&hostapi.Error{Code: hostapi.CodeUnavailable, Status: 500}, "is having problems", true},
		{&hostapi.Error{Code: hostapi.CodeUnavailable, Status: 502}, "can't be reached", true},
		{&hostapi.Error{Code: hostapi.CodeUnavailable, Status: 504}, "didn't answer in time", true},
		{hostapi.Interrupted(expired(t), hostapi.OpStop), "didn't answer in time", true},
		{&hostapi.Error{Code: hostapi.CodeRateLimited, RetryAfter: time.Minute}, ":T>", true},
		{&hostapi.Error{Code: hostapi.CodeRateLimited, RetryAfter: 24 * time.Hour}, ":f>", true}, // which is the same time of day
		{service(hostapi.CodeCanceled), "was interrupted", true},
		{service(hostapi.CodeNotFound), "no longer exists", true},
		{service(hostapi.CodeNotOffered), "don't offer", false},
		{&hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpList}, "No hosting account", false}, // somebody without an account
		{interaction.ErrNoRoute, "out of date", false},
		{interaction.ErrStopping, "restarting", false},
		{interaction.ErrBusy, "a few seconds", false},
		{interaction.ErrUserBusy, "going a bit fast", false},
		{interaction.ErrBlocked, "in a direct message", true},
		{interaction.ErrNotBegun, "so nothing was done", true},
		{errors.Join(interaction.ErrOutcomeUnknown, interaction.ErrPanic), "may have been done", true},
		{interaction.ErrTooSlow, "the form couldn't open", true},
		{interaction.ErrHandledElsewhere, "was interrupted", true},
		{unshown(interaction.Done), "**Restart**: done", true}, // in words of our own alone
		{unshown(interaction.Failed), "**Restart**: failed", true},
		{unshown(interaction.Unconfirmed), "**Restart**: not confirmed", true},
		{errors.New("unforeseen"), "our side", true},
	} {
		e := c.Explain(&interaction.Request{Locale: "en-US", Reference: "REF1234"}, test.err)
		wantText(t, e.Message, test.want)
		if said := text(e.Message); e.Fault != test.fault || strings.Contains(said, "REF1234") != test.fault || strings.Contains(said, "secret") {
			t.Errorf("%v: fault %t:\n%s", test.err, e.Fault, said)
		}
	}
}

// links returns the addresses of the link buttons of a message.
func links(m interaction.Message) string {
	var urls []string
	for _, b := range componentsOf[discordgo.Button](m) {
		if b.Style == discordgo.LinkButton {
			urls = append(urls, b.URL)
		}
	}
	return strings.Join(urls, " ")
}

func TestEveryEndHasAWayOn(t *testing.T) {
	const panel, signUp, upgrade, support = "https://a.example/panel", "https://a.example/new", "https://a.example/up", "https://a.example/help"
	failing := func(e hostapi.Error) func() (string, error) { return func() (string, error) { return "", &e } }
	for name, test := range map[string]struct {
		world   *world
		request interaction.Request
		says    string
		want    string
	}{
		"no account":     {&world{err: &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpList}}, command("bot list", nil), "No hosting account", signUp + " " + panel},
		"no bot":         {&world{list: account(), off: map[hostapi.Operation]bool{hostapi.OpCreate: true}}, command("bot list", nil), "no bots yet", panel},
		"no room":        {&world{list: shopWithPlan(512, 1)}, command("bot create", nil), "no room", upgrade},
		"a full plan":    {&world{list: shopWithPlan(4096, 1)}, command("plan", nil), "upgrade your plan", upgrade},
		"a suspension":   {&world{list: account(server("a", "Shop", "SUSPENDED"))}, onBot("bot show", "a"), "suspended this bot", support + " " + panel},
		"a fault":        {&world{err: &hostapi.Error{Code: hostapi.CodeInternal, Op: hostapi.OpList}}, command("bot list", nil), "contact support", support},
		"the plan's end": {&world{list: account(server("a", "Shop", "RUNNING")), action: failing(hostapi.Error{Code: hostapi.CodeLimitReached})}, press("restart/a"), "reached your plan's limit", upgrade},
		"forbidden":      {&world{list: account(server("a", "Shop", "RUNNING")), action: failing(hostapi.Error{Code: hostapi.CodeForbidden})}, press("restart/a"), "contact support", support},
		"suspended now":  {&world{list: account(server("a", "Shop", "RUNNING")), changed: "SUSPENDED", action: failing(hostapi.Error{Code: hostapi.CodeForbidden})}, press("restart/a"), "suspended this bot", support + " " + panel},
		"nothing":        {&world{list: account(server("a", "Shop", "RUNNING"))}, press("restart/a"), "✅ Restarted.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := test.world
			shown := func() interaction.Message {
				c := newCommands(t, w)
				r, err := ask(t, c, test.request)
				switch {
				case err != nil:
					return c.Explain(&interaction.Request{Locale: "en-US"}, err).Message
				case r.Then != nil:
					r = must(t)(r.Then.Run(t.Context()))
				}
				sendable(t, r)
				return r.Message
			}
			if got := links(shown()); got != "" {
				t.Errorf("without settings there are links to %s", got)
			}
			w.links = commands.Links{Panel: panel, SignUp: signUp, Upgrade: upgrade, Support: support}
			m := shown()
			wantText(t, m, test.says)
			if got := links(m); got != test.want {
				t.Errorf("links to %q, want %q", got, test.want)
			}
		})
	}
}

func TestTextsNameCommandsThatCanBeClicked(t *testing.T) {
	c := newCommands(t, &world{list: account()})
	wantText(t, answer(t, c, inLanguage("de", command("bot list", nil))).Message, "`/bot erstellen`")
	c.Registered(map[string]string{"bot": "11"})
	c.Registered(map[string]string{"admin": "12"})
	wantText(t, answer(t, c, inLanguage("de", command("bot list", nil))).Message, "</bot create:11>")
	refused(t, c, press("show/gone"), "</bot list:11>")
	wantText(t, explained(t, c, by("1", press("for/42/show/gone"))), "</admin lookup:12>")
}

// TestACrashedBotLeadsToItsConsole follows an address for each bot, into which no ID can put
// anything of its own.
func TestACrashedBotLeadsToItsConsole(t *testing.T) {
	const website = "https://a.example/panel"
	for id, want := range map[string]string{
		"srv-1": "https://a.example/b/srv-1?tab=1", "../a b?x&y": "https://a.example/b/..%2Fa%20b%3Fx%26y?tab=1",
		"..": website, strings.Repeat("/", 200): website, // which is too long for a button
	} {
		w := &world{list: account(server(id, "Shop", "CRASHED"))}
		w.links = commands.Links{Panel: website, PanelBot: "https://a.example/b/{id}?tab=1"}
		if got := links(answer(t, newCommands(t, w), command("bot list", nil)).Message); got != want {
			t.Errorf("the card of %q leads to %q, want %q", id, got, want)
		}
		alert := watching(t, &watched{w: w}).Alert(alerts.Alert{CustomerID: "42", Bots: []alerts.Outage{{ServerID: id, Name: "Shop", State: hostapi.StateCrashed}}})
		if got := links(alert); got != want {
			t.Errorf("the alert of %q leads to %q, want %q", id, got, want)
		}
	}
	w := &world{list: account(server("a", "Shop", "RUNNING")), links: commands.Links{Panel: website}}
	if got := links(answer(t, newCommands(t, w), command("bot list", nil)).Message); got != "" {
		t.Errorf("the card of a bot that runs leads to %q", got)
	}
}
