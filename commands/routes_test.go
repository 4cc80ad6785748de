package commands_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/staff/health"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/watch/outages"
	"hostbot/bot/watch/panel"
	"hostbot/commands"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// everyRoute returns a request for each route, about the bot "a". All that can be chosen and filled
// in is.
func everyRoute(t testing.TB, c *commands.Commands) (requests []interaction.Request) {
	t.Helper()
	router := interaction.NewRouter()
	c.Route(router)
	params := map[string]string{
		"bot": "a", "user": "42", "name": "Anna", "page": "0", "what": "ram", "ram": "512", "disk": "2048", "cpu": "100",
		"on": "on", "owner": "42", "action": "restart", "code": "REF1234", "id": "1",
	}
	wildcard := regexp.MustCompile(`\{(\w+)(\.\.\.)?\}`)
	for _, kind := range []interaction.Kind{interaction.Command, interaction.Autocomplete, interaction.Component, interaction.Modal} {
		for _, pattern := range router.Patterns(kind) {
			r := interaction.Request{
				ID: "900", Kind: kind, Message: "900", GuildID: "7", ChannelID: "9", UserID: "42", TargetName: "Anna",
				Permissions: discordgo.PermissionAdministrator, AppPermissions: discordgo.PermissionAdministrator,
				Options: map[string]string{"bot": "a", "user": "42", "do": "restart", "code": "REF1234"},
				Fields:  map[string]string{"name": "Shop", "command": "node new.js", "entry": "new.js", "language": "NODE", "text": "We replace a switch", "from": "now"},
				Name: wildcard.ReplaceAllStringFunc(pattern, func(w string) string {
					return params[wildcard.FindStringSubmatch(w)[1]]
				}),
			}
			for _, of := range []string{"admin", "Hosted", "for/", interaction.ReplyPrefix + "lookup", interaction.ReplyPrefix + "reference"} {
				if strings.HasPrefix(pattern, of) {
					r.UserID = "1"
				}
			}
			switch {
			case kind == interaction.Autocomplete:
				words := strings.Fields(r.Name)
				r.Name, r.Focused = strings.Join(words[:len(words)-1], " "), words[len(words)-1]
			case kind == interaction.Component:
				r.Message, r.Values = "800", []string{map[string]string{"alerts": "on/a", "panel/remove": "1", "create/ram/512/2048/100": "512"}[r.Name]}
				if r.Values[0] == "" {
					r.Values[0] = "a"
				}
			case kind == interaction.Modal:
				r.Message = "800"
			case strings.HasPrefix(r.Name, "Hosted"):
				r.TargetID = "42"
			}
			requests = append(requests, r)
		}
	}
	return requests
}

// everything is a world in which everything is on, and its commands.
func everything(t *testing.T, w *world) *commands.Commands {
	t.Helper()
	w.staff = commands.Staff{
		Kept: func(context.Context, string) (commands.Kept, error) { return commands.Kept{Cached: true}, nil },
		Forget: func(context.Context, string, func(string) interaction.Message) (commands.Forgotten, error) {
			return commands.Forgotten{Removal: panel.Removal{Known: true}}, nil
		},
		TestLogs: func(*interaction.Request) {}, RetryDead: func(context.Context) error { return nil },
		Health: func(context.Context) health.Report {
			return health.Report{Log: []logchannel.Status{{Channel: "9"}}}
		},
	}
	w.support = commands.Support{Answers: &desk{}, Texts: mustTexts(t).For("en-US")}
	notices := []outages.Notice{{ID: "1", Text: "We replace a switch"}, {ID: "a", Text: "We replace another one"}}
	return watching(t, &watched{w: w, notices: notices, panels: []panel.Panel{{ID: "1", OwnerID: "42", ChannelID: "9", Bots: []string{"a"}}}})
}

// states are accounts of every size and oddity, and those that are about to become another one.
func states() map[string]func() *world {
	many := func(n int) hostapi.List {
		var servers []hostapi.Server
		for i := range n {
			id := "a"
			if i > 0 {
				id = fmt.Sprint("b", i)
			}
			servers = append(servers, server(id, fmt.Sprint("Shop ", i), "RUNNING"))
		}
		return account(servers...)
	}
	down := &hostapi.Error{Code: hostapi.CodeUnavailable, Op: hostapi.OpList, TimedOut: true}
	states := map[string]func() *world{
		"nothing is named":    func() *world { return &world{list: hostapi.List{Servers: []hostapi.Server{{ID: "a"}}}} },
		"no account is named": func() *world { return &world{list: hostapi.List{}} },
		"nobody answers":      func() *world { return &world{err: down} },
		"no account":          func() *world { return &world{err: &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpList}} },
		"it is old":           func() *world { return &world{list: many(1), old: true, failure: down} },
		"actions fail": func() *world {
			return &world{list: many(2), action: func() (string, error) {
				return "", &hostapi.Error{Code: hostapi.CodeInternal, Op: hostapi.OpRestart}
			}}
		},
	}
	for _, n := range []int{0, 1, 2, 25, 26, 100} {
		states[fmt.Sprint(n, " bots")] = func() *world { return &world{list: many(n)} }
		for _, later := range []int{0, 1} {
			states[fmt.Sprint(n, " bots, and soon ", later)] = func() *world {
				return &world{list: many(n), update: func(context.Context) (accounts.Snapshot, error) {
					return accounts.Snapshot{List: many(later), FetchedAt: time.Unix(1_700_000_000, 0)}, nil
				}}
			}
		}
	}
	for _, status := range []string{"STOPPED", "STARTING", "STOPPING", "CRASHED", "SUSPENDED", "Hibernating", "", " "} {
		states[fmt.Sprintf("the only bot is %q", status)] = func() *world { return &world{list: account(server("a", "Shop", status))} }
	}
	return states
}

// TestEveryRouteAnswersInEveryState uses each route in each state of an account: Discord takes what
// comes first and all that follows it, and nothing is empty.
func TestEveryRouteAnswersInEveryState(t *testing.T) {
	for state, newWorld := range states() {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			for _, r := range everyRoute(t, everything(t, newWorld())) {
				answers(t, everything(t, newWorld()), r)
				r.Values, r.Fields = nil, nil
				if r.Kind == interaction.Command && r.UserID != "1" { // Discord lets staff leave nothing out
					r.Options = nil
				}
				answers(t, everything(t, newWorld()), r)
			}
		})
	}
}

// answers fails unless a request is answered to its end.
func answers(t *testing.T, c *commands.Commands, r interaction.Request) {
	t.Helper()
	response, err := ask(t, c, r)
	for {
		if err != nil {
			explained := r
			explained.CustomerID, explained.Locale, explained.Reference = "42", "en-US", "REF1234"
			response = interaction.Reply(c.Explain(&explained, err).Message)
		}
		if response.Form != interaction.FormDefer || response.Then == nil {
			if sendable(t, response); t.Failed() {
				t.Fatalf("%s %q: %+v", r.Kind, r.Name, response)
			}
		}
		if response.Then == nil {
			return
		}
		response, err = response.Then.Run(t.Context())
	}
}

// TestNoMenuOpensAForm: whoever closes it could not choose the same again (discord-api-docs#4801). It uses
// each route, and then each menu that was drawn.
func TestNoMenuOpensAForm(t *testing.T) {
	newWorld := func() *world {
		w := states()["26 bots"]()
		w.list.Account.PlanRAMMB = 0 // there is room for more
		return w
	}
	more := []interaction.Request{onBot("bot startup", "Shop"), onBot("bot delete", "Shop"), onBot("bot stop", "Shop"), press("panel/open", "1")}
	drawn := map[string]interaction.Request{}
	use := func(r interaction.Request) (forms bool) {
		c := everything(t, newWorld())
		for response, err := ask(t, c, r); ; response, err = response.Then.Run(t.Context()) {
			if err != nil {
				explained := r
				explained.UserID, explained.CustomerID, explained.Reference = "42", "42", "REF1234"
				response = interaction.Reply(c.Explain(&explained, err).Message)
			}
			for _, menu := range componentsOf[discordgo.SelectMenu](response.Message) {
				chosen, value := r, "a"
				if len(menu.Options) > 0 { // otherwise of roles
					value = menu.Options[0].Value
				}
				chosen.Kind, chosen.Name, chosen.Values, chosen.Message = interaction.Component, menu.CustomID, []string{value}, "800"
				drawn[menu.CustomID] = chosen
			}
			if forms = forms || response.Form == interaction.FormOpen; response.Then == nil {
				return forms
			}
		}
	}
	for _, r := range append(everyRoute(t, everything(t, newWorld())), more...) {
		use(r)
	}
	for _, menu := range []string{"open", "pages", "startup", "delete", "stop", "panel/new", "panel/open", "panel/bots/1", "alerts", "create/ram/512/2048/100", "for/42/open", "admin/notice"} {
		if _, found := drawn[menu]; !found {
			t.Errorf("the menu %q was not drawn", menu)
		}
	}
	for id, chosen := range drawn {
		if use(chosen) {
			t.Errorf("the menu %q opens a form", id)
		}
	}
}
