package commands_test

import (
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/commands"
	"hostbot/hostapi"
)

// links returns the addresses of the link buttons of a message.
func links(m interaction.Message) string {
	var urls []string
	for _, c := range m.Components {
		for _, b := range c.(discordgo.ActionsRow).Components {
			if b, ok := b.(discordgo.Button); ok && b.Style == discordgo.LinkButton {
				urls = append(urls, b.URL)
			}
		}
	}
	return strings.Join(urls, " ")
}

func TestEveryEndHasAWayOn(t *testing.T) {
	const panel, signUp, upgrade, support = "https://a.example/panel", "https://a.example/new", "https://a.example/up", "https://a.example/help"
	failing := func(e hostapi.Error) func() (string, error) { return func() (string, error) { return "", &e } }
	for name, test := range map[string]struct {
		world   world
		request interaction.Request
		says    string
		want    string
	}{
		"no account":     {world{err: &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpList}}, command("bot list", nil), "No hosting account", signUp + " " + panel},
		"no bot":         {world{list: account(), off: map[hostapi.Operation]bool{hostapi.OpCreate: true}}, command("bot list", nil), "no bots yet", panel},
		"no room":        {world{list: shopWithPlan(512, 1)}, command("bot create", nil), "no room", upgrade},
		"a full plan":    {world{list: shopWithPlan(4096, 1)}, command("plan", nil), "bigger plan", upgrade},
		"a suspension":   {world{list: account(server("a", "Shop", "SUSPENDED"))}, onBot("bot show", "a"), "suspended this bot", support + " " + panel},
		"a fault":        {world{err: &hostapi.Error{Code: hostapi.CodeInternal, Op: hostapi.OpList}}, command("bot list", nil), "contact support", support},
		"the plan's end": {world{list: account(server("a", "Shop", "RUNNING")), action: failing(hostapi.Error{Code: hostapi.CodeLimitReached})}, press("restart/a"), "plan does not allow", upgrade},
		"forbidden":      {world{list: account(server("a", "Shop", "RUNNING")), action: failing(hostapi.Error{Code: hostapi.CodeForbidden})}, press("restart/a"), "contact support", support},
		"nothing":        {world{list: account(server("a", "Shop", "RUNNING"))}, press("restart/a"), "was restarted", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := test.world
			shown := func() interaction.Message {
				c := newCommands(t, &w)
				r, err := ask(t, c, test.request)
				switch {
				case err != nil:
					return c.Explain(&interaction.Request{Locale: "en-US"}, err).Message
				case r.Then != nil:
					r = must(t)(r.Then(t.Context()))
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
