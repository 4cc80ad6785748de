package commands_test

import (
	"slices"
	"strings"
	"testing"

	"hostbot/bot/interaction"
	"hostbot/commands"
	"hostbot/hostapi"
)

// FuzzInteractions has somebody send anything: nothing crashes, nothing happens to
// anybody else's bot, and Discord takes what is answered.
func FuzzInteractions(f *testing.F) {
	for _, name := range []string{"bot list", "bot show", "bot restart", "bot create", "bot startup", "bot delete", "plan", "help", "admin lookup", "Hosted bots"} {
		f.Add(byte(0), name, "Shop", "")
		f.Add(byte(1), name, "sh", "")
	}
	for _, id := range []string{
		"open", "list/0", "list/999999999999999999999", "list/-1", "list/with/id-shop", "show/id-shop", "startup/id-shop", "delete/id-shop",
		"restart/id-shop", "reinstall/~x", "packages/id-shop", "stop/", "create/ram/512/1024/100", "create/512/1024/100", "create/-1/x/", "for/43/restart/id-shop", "for/43/open",
	} {
		f.Add(byte(2), id, "id-shop", "")
		f.Add(byte(3), id, "Shop", "node index.js")
	}
	kinds := []interaction.Kind{interaction.Command, interaction.Autocomplete, interaction.Component, interaction.Modal}
	f.Fuzz(func(t *testing.T, kind byte, name, value, field string) {
		w := &world{list: account(server("id-shop", "Shop", "RUNNING"), server("../a b", "Radio", "STOPPED"))}
		wantOwn(t, w, newCommands(t, w), interaction.Request{
			ID: "900", Kind: kinds[int(kind)%len(kinds)], Message: "800", Name: name, GuildID: "7",
			Locale: field, Focused: "bot", Values: []string{value}, TargetID: value,
			Options: map[string]string{"bot": value, "user": value, "do": field, "code": value},
			Fields:  map[string]string{"name": value, "command": field, "entry": field, "language": value, "start": field},
		})
	})
}

// FuzzAccounts shows an account in which anything may stand.
func FuzzAccounts(f *testing.F) {
	evil := strings.Repeat("*@everyone* [x](http://y) \u202e`", 400)
	f.Add("id-shop", "Shop", "RUNNING", "node index.js", "Pro", 512)
	f.Add("../x", "@everyone <@1> [x](https://y) `` **", "\u202eGNINNUR", "```\n# x", "||<t:1>||", -1)
	f.Add("~", strings.Repeat("\u0301", 300), "", strings.Repeat("*", 5000), "\u200b", 1<<40)
	f.Add(evil, evil, evil, evil, evil, 1<<60)
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
		w := &world{list: hostapi.List{Account: hostapi.Account{PlanName: plan, PlanRAMMB: size, MaxServers: size, ServerCount: 1}}}
		for i := range 12 { // a page is full of them, and there is another
			w.list.Servers = append(w.list.Servers, s)
			w.list.Servers[i].ID += strings.Repeat("+", i)
		}
		w.action = func() (string, error) { return "RUNNING", nil }
		c := newCommands(t, w)
		for _, locale := range []string{"en-US", "de", "tr"} {
			for _, r := range []interaction.Request{
				command("bot list", nil), press("list/1"), command("plan", nil), command("bot create", nil), typing("bot show", name),
				onBot("bot show", id), onBot("bot restart", id), onBot("bot startup", id), onBot("bot delete", id),
			} {
				wantOwn(t, w, c, inLanguage(locale, r))
			}
		}
	})
}

// wantOwn fails where a request touches anything but the customer's own bots, or where
// Discord would refuse an answer, or what comes after it.
func wantOwn(t *testing.T, w *world, c *commands.Commands, r interaction.Request) {
	t.Helper()
	for response, err := ask(t, c, r); ; response, err = response.Then.Run(t.Context()) {
		if err != nil {
			response = interaction.Reply(c.Explain(&interaction.Request{Name: r.Name, Reference: "REF1234"}, err).Message)
		}
		sendable(t, response)
		if response.Then == nil {
			break
		}
	}
	for _, done := range w.done {
		isOf := func(s hostapi.Server) bool { return strings.HasSuffix(done, " "+s.ID) }
		if !strings.HasPrefix(done, "create ") && !slices.ContainsFunc(w.list.Servers, isOf) {
			t.Errorf("done: %q", done)
		}
	}
	if len(w.others) > 0 {
		t.Errorf("the accounts of %q were touched", w.others)
	}
}
