package commands_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"hostbot/bot/interaction"
	"hostbot/bot/turns"
	"hostbot/commands"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
	"hostbot/locale"
)

// caller is the one user of fuzz tests, whose every interaction is his own.
const caller = "42"

// strict is a world in which nothing but the caller's account may be touched.
type strict struct {
	world
	t *testing.T
}

func (s *strict) own(userID string) {
	if userID != caller {
		s.t.Errorf("the account of %q was touched", userID)
	}
}

func (s *strict) Account(ctx context.Context, userID string, by time.Time) (accounts.Snapshot, error) {
	s.own(userID)
	return s.world.Account(ctx, userID, by)
}

func (s *strict) SetStatus(ctx context.Context, userID, serverID, status string) {
	s.own(userID)
	s.world.SetStatus(ctx, userID, serverID, status)
}

func (s *strict) Expire(ctx context.Context, userID string) {
	s.own(userID)
	s.world.Expire(ctx, userID)
}

// acted fails where something was done for anybody else, or to a server that is
// not the caller's.
func (s *strict) acted() {
	for _, done := range s.done {
		if strings.HasPrefix(done, "create ") {
			continue
		}
		ok := false
		for _, server := range s.list.Servers {
			ok = ok || strings.HasSuffix(done, " "+caller+" "+server.ID)
		}
		if !ok {
			s.t.Errorf("done: %q", done)
		}
	}
}

var kinds = []interaction.Kind{interaction.Command, interaction.Autocomplete, interaction.Component, interaction.Modal}

// FuzzInteractions has somebody send anything: nothing crashes, nothing happens
// to whom it must not, and what is answered Discord can take.
func FuzzInteractions(f *testing.F) {
	for _, name := range []string{"bot list", "bot show", "bot restart", "bot create", "bot startup", "bot delete", "plan", "help", "admin lookup", "Hosted bots"} {
		f.Add(byte(0), name, "Shop", "")
		f.Add(byte(1), name, "sh", "")
	}
	for _, id := range []string{
		"open", "list/0", "list/999999999999999999999", "list/-1", "list/with/id-shop", "show/id-shop", "startup/id-shop", "delete/id-shop",
		"restart/id-shop", "reinstall/~x", "stop/", "create/ram/512/1024/100", "create/512/1024/100", "create/-1/x/", "for/43/restart/id-shop", "for/43/open",
	} {
		f.Add(byte(2), id, "id-shop", "")
		f.Add(byte(3), id, "Shop", "node index.js")
	}
	texts, err := locale.Load()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, kind byte, name, value, field string) {
		w := &strict{t: t, world: world{list: account(server("id-shop", "Shop", "RUNNING"), server("../a b", "Radio", "STOPPED"))}}
		c := commands.New(w, w, turns.New(nil), texts)
		router := interaction.NewRouter()
		c.Route(router)
		commands.NewStaff(c, commands.StaffConfig{Access: commands.Access{GuildID: "1", UserIDs: []string{"7"}}}).Route(router)
		r := &interaction.Request{
			ID: "900", Kind: kinds[int(kind)%len(kinds)], Message: "800", Name: name, UserID: caller, CustomerID: caller, GuildID: "1",
			Reference: "REF1234", Locale: field, Focused: "bot", Values: []string{value}, TargetID: value,
			Options: map[string]string{"bot": value, "user": value, "do": field, "code": value},
			Fields:  map[string]string{"name": value, "command": field, "entry": field},
		}
		follow(t, c, r, router.Route(r))
		w.acted()
	})
}

// FuzzAccounts shows an account in which anything may stand.
func FuzzAccounts(f *testing.F) {
	f.Add("id-shop", "Shop", "RUNNING", "node index.js", "Pro", 512)
	f.Add("../x", "@everyone <@1> [x](https://y) `` **", "\u202eGNINNUR", "```\n# x", "||<t:1>||", -1)
	f.Add("~", strings.Repeat("\u0301", 300), "", strings.Repeat("*", 5000), "\u200b", 1<<40)
	texts, err := locale.Load()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, id, name, status, startup, plan string, size int) {
		for _, text := range []*string{&id, &name, &status, &startup, &plan} {
			*text = strings.ToValidUTF8(*text, "\ufffd") // as what was decoded from JSON is
		}
		if id == "" {
			return // no list has such a server
		}
		s := hostapi.Server{
			ID: id, Name: name, Status: status, Language: plan, EntryFile: startup, StartupCommand: startup, Subdomain: name,
			RAMMB: size, DiskMB: size, CPUPercent: size, PlanName: plan,
		}
		list := hostapi.List{Servers: []hostapi.Server{s}, Account: hostapi.Account{PlanName: plan, PlanRAMMB: size, MaxServers: size, ServerCount: 1}}
		for i := range 11 { // a page is full of them, and there is another
			more := s
			more.ID += strings.Repeat("+", i+1)
			list.Servers = append(list.Servers, more)
		}
		w := &strict{t: t, world: world{list: list, action: func() (string, error) { return "RUNNING", nil }}}
		c := commands.New(w, w, turns.New(nil), texts)
		router := interaction.NewRouter()
		c.Route(router)
		for _, r := range []interaction.Request{
			command("bot list", nil), command("plan", nil), command("bot show", nil), command("bot restart", nil), command("bot startup", nil), command("bot delete", nil), command("bot create", nil),
			{Kind: interaction.Autocomplete, Name: "bot show", Focused: "bot"}, press("list/1"),
		} {
			r.ID, r.UserID, r.CustomerID, r.Reference, r.Locale = "900", caller, caller, "REF1234", "en-US"
			r.Options = map[string]string{"bot": id}
			if r.Kind == interaction.Autocomplete {
				r.Options["bot"] = name
			}
			follow(t, c, &r, router.Route(&r))
		}
		w.acted()
	})
}

// follow calls a handler and what comes after it, and looks at all that is to be
// seen.
func follow(t *testing.T, c *commands.Commands, r *interaction.Request, h interaction.Handler) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	response, err := h(ctx, r)
	for {
		if err != nil {
			sendable(t, interaction.Reply(c.Explain(r, err).Message))
			return
		}
		sendable(t, response)
		if response.Then == nil {
			return
		}
		response, err = response.Then(ctx)
	}
}
