package commands_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"hostbot/bot/actionlock"
	"hostbot/bot/interaction"
	"hostbot/commands"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// strict is a world in which nothing but the account of customer 42 may be touched.
type strict struct {
	world
	t *testing.T
}

func (s *strict) own(userID string) {
	if userID != "42" {
		s.t.Errorf("the account of %q was touched", userID)
	}
}

func (s *strict) Account(ctx context.Context, userID string, by time.Time) (accounts.Snapshot, error) {
	s.own(userID)
	return s.world.Account(ctx, userID, by)
}

func (s *strict) SetStatus(_ context.Context, userID, _, _ string) { s.own(userID) }

func (s *strict) Expire(_ context.Context, userID string) { s.own(userID) }

// acted fails where something was done for anybody else, or to a bot that is not the
// customer's.
func (s *strict) acted() {
	for _, done := range s.done {
		isOf := func(server hostapi.Server) bool { return strings.HasSuffix(done, " 42 "+server.ID) }
		if !strings.HasPrefix(done, "create ") && !slices.ContainsFunc(s.list.Servers, isOf) {
			s.t.Errorf("done: %q", done)
		}
	}
}

// FuzzInteractions has somebody send anything: nothing crashes, nothing happens to
// anybody else's bot, and Discord takes what is answered.
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
	texts := loadTexts(f)
	kinds := []interaction.Kind{interaction.Command, interaction.Autocomplete, interaction.Component, interaction.Modal}
	f.Fuzz(func(t *testing.T, kind byte, name, value, field string) {
		w := &strict{t: t, world: world{list: account(server("id-shop", "Shop", "RUNNING"), server("../a b", "Radio", "STOPPED"))}}
		c := commands.New(w, w, actionlock.New(nil), texts, commands.Staff{GuildID: "1", UserIDs: []string{"7"}})
		router := interaction.NewRouter()
		c.Route(router)
		r := &interaction.Request{
			ID: "900", Kind: kinds[int(kind)%len(kinds)], Message: "800", Name: name, UserID: "42", CustomerID: "42", GuildID: "1",
			Reference: "REF1234", Locale: field, Focused: "bot", Values: []string{value}, TargetID: value,
			Options: map[string]string{"bot": value, "user": value, "do": field, "code": value},
			Fields:  map[string]string{"name": value, "command": field, "entry": field},
		}
		response, err := router.Route(r)(t.Context(), r)
		allSendable(t, c, response, err)
		w.acted()
	})
}

// FuzzAccounts shows an account in which anything may stand.
func FuzzAccounts(f *testing.F) {
	f.Add("id-shop", "Shop", "RUNNING", "node index.js", "Pro", 512)
	f.Add("../x", "@everyone <@1> [x](https://y) `` **", "\u202eGNINNUR", "```\n# x", "||<t:1>||", -1)
	f.Add("~", strings.Repeat("\u0301", 300), "", strings.Repeat("*", 5000), "\u200b", 1<<40)
	texts := loadTexts(f)
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
		c := commands.New(w, w, actionlock.New(nil), texts, commands.Staff{})
		for _, r := range []interaction.Request{
			command("bot list", nil), press("list/1"), command("plan", nil), command("bot create", nil), typing("bot show", name),
			onBot("bot show", id), onBot("bot restart", id), onBot("bot startup", id), onBot("bot delete", id),
		} {
			response, err := ask(t, c, r)
			allSendable(t, c, response, err)
		}
		w.acted()
	})
}

// allSendable fails where Discord would refuse an answer, or what comes after it.
func allSendable(t *testing.T, c *commands.Commands, response interaction.Response, err error) {
	t.Helper()
	for {
		if err != nil {
			sendable(t, interaction.Reply(c.Explain(&interaction.Request{Reference: "REF1234"}, err).Message))
			return
		}
		sendable(t, response)
		if response.Then == nil {
			return
		}
		response, err = response.Then(t.Context())
	}
}
