package commands_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/commands"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
	"hostbot/locale"
)

// world is a customer's account and what is done to it.
type world struct {
	list     hostapi.List
	old      bool
	update   func(context.Context) (accounts.Snapshot, error)
	err      error
	action   func() (string, error)
	done     []string
	statuses []string
	expired  int
	lacking  map[hostapi.Operation]bool
}

func (w *world) Offers(op hostapi.Operation) bool { return !w.lacking[op] }

func (w *world) Account(context.Context, string, time.Time) (accounts.Snapshot, error) {
	return accounts.Snapshot{List: w.list, FetchedAt: time.Unix(1_700_000_000, 0), Old: w.old, Update: w.update}, w.err
}

func (w *world) SetStatus(_ context.Context, _, serverID, status string) {
	w.statuses = append(w.statuses, serverID+"="+status)
}

func (w *world) Expire(context.Context, string) { w.expired++ }

func (w *world) Restart(_ context.Context, userID, serverID string) (string, error) {
	return w.act("restart", "RUNNING", userID, serverID)
}

// act notes an action and answers as the test says, or else with status.
func (w *world) act(name, status, userID, serverID string) (string, error) {
	w.done = append(w.done, name+" "+userID+" "+serverID)
	if w.action == nil {
		return status, nil
	}
	return w.action()
}

func (w *world) Start(_ context.Context, userID, serverID string) (string, error) {
	return w.act("start", "RUNNING", userID, serverID)
}

func (w *world) Stop(_ context.Context, userID, serverID string) (string, error) {
	return w.act("stop", "STOPPED", userID, serverID)
}

func (w *world) Reinstall(_ context.Context, userID, serverID string) error {
	_, err := w.act("reinstall", "", userID, serverID)
	return err
}

func (w *world) UpdateStartup(_ context.Context, userID, serverID string, s hostapi.Startup) (hostapi.Server, error) {
	_, err := w.act("startup "+s.Command+" "+s.EntryFile, "", userID, serverID)
	return hostapi.Server{ID: serverID, StartupCommand: s.Command, EntryFile: s.EntryFile}, err
}

func (w *world) Delete(_ context.Context, userID, serverID string) error {
	_, err := w.act("delete", "", userID, serverID)
	return err
}

func (w *world) Create(_ context.Context, userID string, n hostapi.NewServer) (hostapi.Server, error) {
	_, err := w.act(fmt.Sprintf("create %+v", n), "", userID, "")
	return server("new", n.Name, "STOPPED"), err
}

func server(id, name, status string) hostapi.Server {
	return hostapi.Server{
		ID: id, Name: name, Status: status, Language: "NODE", EntryFile: "index.js", StartupCommand: "node index.js",
		RAMMB: 512, DiskMB: 2048, CPUPercent: 150, PlanName: "Basic", CreatedAt: time.Unix(1_600_000_000, 0),
	}
}

func account(servers ...hostapi.Server) hostapi.List {
	return hostapi.List{Servers: servers, Account: hostapi.Account{PlanName: "Pro", PlanRAMMB: 4096, MaxServers: 100, ServerCount: len(servers)}}
}

func newCommands(t *testing.T, w *world) *commands.Commands {
	t.Helper()
	return newCommandsWith(t, w, w)
}

func newCommandsWith(t *testing.T, a commands.Accounts, h commands.Hosting) *commands.Commands {
	t.Helper()
	texts, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	return commands.New(a, h, texts)
}

// ask sends a request through the routes and returns what comes first.
func ask(t *testing.T, c *commands.Commands, r interaction.Request) (interaction.Response, error) {
	t.Helper()
	router := interaction.NewRouter()
	c.Route(router)
	if err := router.Err(); err != nil {
		t.Fatal(err)
	}
	r.UserID, r.Reference = "42", "REF1234"
	if r.Locale == "" {
		r.Locale = "en-US"
	}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return router.Route(&r)(ctx, &r)
}

func command(name string, options map[string]string) interaction.Request {
	return interaction.Request{Kind: interaction.Command, Name: name, Options: options}
}

func press(customID string, values ...string) interaction.Request {
	return interaction.Request{Kind: interaction.Component, Name: customID, Values: values, Message: "900"}
}

// must fails the test where a request was refused.
func must(t *testing.T) func(interaction.Response, error) interaction.Response {
	return func(r interaction.Response, err error) interaction.Response {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

// text is all that a person reads in a message.
func text(m interaction.Message) string {
	parts := []string{m.Content}
	for _, e := range m.Embeds {
		parts = append(parts, e.Title, e.Description)
		for _, f := range e.Fields {
			parts = append(parts, f.Name, f.Value)
		}
		if e.Footer != nil {
			parts = append(parts, e.Footer.Text)
		}
	}
	return strings.Join(parts, "\n")
}

func buttons(m interaction.Message) map[string]discordgo.Button {
	found := make(map[string]discordgo.Button)
	for _, c := range m.Components {
		for _, b := range c.(discordgo.ActionsRow).Components {
			if b, ok := b.(discordgo.Button); ok {
				found[b.Label] = b
			}
		}
	}
	return found
}

func selectMenu(t *testing.T, m interaction.Message) discordgo.SelectMenu {
	t.Helper()
	for _, c := range m.Components {
		for _, s := range c.(discordgo.ActionsRow).Components {
			if s, ok := s.(discordgo.SelectMenu); ok {
				return s
			}
		}
	}
	t.Fatal("there is no select menu")
	return discordgo.SelectMenu{}
}

func wantText(t *testing.T, m interaction.Message, parts ...string) {
	t.Helper()
	got := text(m)
	for _, part := range parts {
		if !strings.Contains(got, part) {
			t.Errorf("no %q in:\n%s", part, got)
		}
	}
}

func TestListPages(t *testing.T) {
	w := &world{}
	for i := range 25 {
		w.list.Servers = append(w.list.Servers, server(fmt.Sprintf("id-%d", i), fmt.Sprintf("Bot %d", i), "RUNNING"))
	}
	w.list.Account = hostapi.Account{PlanName: "Pro", PlanRAMMB: 16384, MaxServers: 30, ServerCount: 25}
	c := newCommands(t, w)

	first := must(t)(ask(t, c, command("bot list", nil)))
	wantText(t, first.Message, "Your bots", "Bot 0\n", "Bot 9\n", "12.5 GB", "16 GB", "512 MB", "2 GB", "150 %", "Page 1 of 3")
	if got := len(first.Message.Embeds[0].Fields); got != 10 {
		t.Errorf("the first page lists %d bots", got)
	}
	if b := buttons(first.Message); !b["Previous"].Disabled || b["Next"].Disabled {
		t.Error("paging buttons do not fit the first page")
	}
	last := must(t)(ask(t, c, press("list/2")))
	if last.Form != interaction.FormUpdate {
		t.Error("a page does not take the other's place")
	}
	wantText(t, last.Message, "Bot 20\n", "Bot 24\n", "Page 3 of 3")
	for _, beyond := range []string{"list/99", "list/-5", "list/x", "list/"} {
		r := must(t)(ask(t, c, press(beyond)))
		wantText(t, r.Message, "of 3")
	}
	wantText(t, must(t)(ask(t, c, press("list/with/id-17"))).Message, "Page 2 of 3")
}

func TestListWithoutBots(t *testing.T) {
	c := newCommands(t, &world{list: account()})
	r := must(t)(ask(t, c, command("bot list", nil)))
	wantText(t, r.Message, "Your bots", "no bots yet")
	if len(r.Message.Components) != 1 {
		t.Errorf("%d rows, want Refresh alone: an empty menu is refused", len(r.Message.Components))
	}
}

func TestOldAccountIsShownAndThenUpdated(t *testing.T) {
	w := &world{list: account(server("a", "Shop", "STOPPED")), old: true}
	w.update = func(context.Context) (accounts.Snapshot, error) {
		return accounts.Snapshot{List: account(server("a", "Shop", "RUNNING")), FetchedAt: time.Now()}, nil
	}
	for _, request := range []interaction.Request{command("bot list", nil), command("bot show", map[string]string{"bot": "a"}), press("show/a")} {
		r := must(t)(ask(t, newCommands(t, w), request))
		wantText(t, r.Message, "<t:1700000000:R>", "Updating", "Stopped")
		next := must(t)(r.Then(t.Context()))
		wantText(t, next.Message, "Running")
		if strings.Contains(text(next.Message), "<t:1700000000:R>") {
			t.Error("the new data are shown as old")
		}
	}

	w.update = func(context.Context) (accounts.Snapshot, error) {
		return accounts.Snapshot{}, &hostapi.Error{Code: hostapi.CodeUnavailable, Op: hostapi.OpList}
	}
	r := must(t)(ask(t, newCommands(t, w), command("plan", nil)))
	next := must(t)(r.Then(t.Context()))
	wantText(t, next.Message, "did not answer", "<t:1700000000:R>", "REF1234", "4 GB")
	if next.Failure == nil {
		t.Error("staff are not told that the service did not answer")
	}

	w.update = nil
	wantText(t, must(t)(ask(t, newCommands(t, w), command("plan", nil))).Message, "slow right now", "<t:1700000000:R>")
}

func TestCardShowsEverything(t *testing.T) {
	s := server("a/b?c", "My *shop*", "RUNNING")
	s.Subdomain = "shop.example"
	c := newCommands(t, &world{list: account(s)})
	r := must(t)(ask(t, c, command("bot show", map[string]string{"bot": "a/b?c"})))
	wantText(t, r.Message, `🟢 My \*shop\*`, "Running", "512 MB", "2 GB", "150 %", "NODE", "Basic", "`index.js`", "`shop.example`",
		"`node index.js`", "<t:1600000000:D>", "`a/b?c`")
	if b := buttons(r.Message); b["Restart"].CustomID != "restart/a/b?c" || b["Restart"].Disabled {
		t.Errorf("Restart is %+v", b["Restart"])
	}
	german := command("bot show", map[string]string{"bot": "a/b?c"})
	german.Locale = "de"
	wantText(t, must(t)(ask(t, c, german)).Message, "Läuft")
}

func TestButtonsFitTheState(t *testing.T) {
	for status, offered := range map[string]string{
		"RUNNING": "Restart Stop Reinstall", "running": "Restart Stop Reinstall", "STOPPED": "Start Reinstall",
		"CRASHED": "Start Restart Reinstall", "Hibernating": "Start Restart Stop Reinstall", "": "Start Restart Stop Reinstall",
		"RESTARTING": "", "installing": "", "STARTING": "", "STOPPING": "", "SUSPENDED": "",
	} {
		r := must(t)(ask(t, newCommands(t, &world{list: account(server("a", "Shop", status))}), press("show/a")))
		b := buttons(r.Message)
		var enabled []string
		for _, label := range []string{"Start", "Restart", "Stop", "Reinstall"} {
			if button, shown := b[label]; shown && !button.Disabled {
				enabled = append(enabled, label)
			}
		}
		if got := strings.Join(enabled, " "); got != offered || b["Refresh"].Disabled {
			t.Errorf("%q offers %q, want %q", status, got, offered)
		}
	}
}

func TestAnUnknownStatusIsShownAsItCame(t *testing.T) {
	r := must(t)(ask(t, newCommands(t, &world{list: account(server("a", "Shop", "Hiber*nating"))}), press("show/a")))
	wantText(t, r.Message, `Hiber\*nating`)
}

func TestBotsAreFound(t *testing.T) {
	long := strings.Repeat("x", 300)
	list := account(server("1", "Shop", "RUNNING"), server("2", "shop", "RUNNING"), server("3", "Radio", "RUNNING"),
		server("4", "Twin", "RUNNING"), server("5", "Twin", "RUNNING"), server("Radio", "Other", "RUNNING"), server("8", " ", "RUNNING"), server(long, "Long", "RUNNING"))
	tests := map[string]struct{ wanted, name, refusal string }{
		"id":                     {wanted: "3", name: "Radio"},
		"name":                   {wanted: " Long ", name: "Long"},
		"name in its own case":   {wanted: "shop", name: "shop"},
		"name in another case":   {wanted: "LONG", name: "Long"},
		"id before name":         {wanted: "Radio", name: "Other"},
		"several":                {wanted: "Twin", refusal: "`4`, `5`"},
		"several in other cases": {wanted: "SHOP", refusal: "`1`, `2`"},
		"none":                   {wanted: "No*pe", refusal: `No\*pe`},
		"nearly":                 {wanted: "Radoi", refusal: "Did you mean **Radio**?"},
		"nothing":                {wanted: "", refusal: "–"},
		"nothing but space":      {wanted: "  ", refusal: "–"},
		"huge":                   {wanted: strings.Repeat("@everyone ", 500), refusal: `\@everyone`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := newCommands(t, &world{list: list})
			r, err := ask(t, c, command("bot show", map[string]string{"bot": test.wanted}))
			if test.refusal == "" {
				wantText(t, must(t)(r, err).Message, " "+test.name+"\n")
				return
			}
			if err == nil {
				t.Fatalf("it found:\n%s", text(r.Message))
			}
			explained := c.Explain(&interaction.Request{Locale: "en-US"}, err)
			wantText(t, explained.Message, test.refusal)
			if explained.Fault {
				t.Error("staff would be told of a name that was mistyped")
			}
		})
	}
}

func TestCompleteSuggestsWhatIsUnderstood(t *testing.T) {
	list := account(server("shop-1", "Web radio", "RUNNING"), server("1", "Web shop", "RUNNING"), server("2", "Shop", "STOPPED"), server(strings.Repeat("é", 200), strings.Repeat("n", 300), "RUNNING"))
	c := newCommands(t, &world{list: list})
	complete := func(typed string) []interaction.Choice {
		r := interaction.Request{Kind: interaction.Autocomplete, Name: "bot show", Focused: "bot", Options: map[string]string{"bot": typed}}
		return must(t)(ask(t, c, r)).Choices
	}
	if got := complete("SHO"); len(got) != 3 || got[0].Value != "2" || got[1].Value != "1" || got[2].Value != "shop-1" {
		t.Errorf("suggested %+v, want names that begin with it, names that have it, IDs", got)
	}
	all := complete("")
	if len(all) != 4 {
		t.Fatalf("suggested %+v", all)
	}
	for _, choice := range all {
		if len([]rune(choice.Name)) > 100 || len([]rune(choice.Value)) > 100 {
			t.Errorf("%+v is too long for Discord", choice)
		}
		must(t)(ask(t, c, command("bot show", map[string]string{"bot": choice.Value})))
		must(t)(ask(t, c, press("open", choice.Value)))
	}
	for i := range 60 {
		list.Servers = append(list.Servers, server(fmt.Sprint(100+i), "Shop", "RUNNING"))
	}
	c = newCommands(t, &world{list: list})
	got := complete("shop")
	if len(got) != 25 {
		t.Errorf("%d suggestions", len(got))
	}
	if !strings.Contains(got[1].Name, got[1].Value) {
		t.Errorf("%q does not tell one of many bots of this name from another", got[1].Name)
	}
}

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
		r.UserID = "42"
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

func TestNobodyElsesBot(t *testing.T) {
	w := &world{list: account(server("a", "Shop", "RUNNING"))}
	for _, request := range []interaction.Request{
		press("restart/b"), press("reinstall/"), press("show/b"), press("open", "b"), press("open"),
		command("bot restart", map[string]string{"bot": "b"}), command("bot reinstall", nil),
	} {
		c := newCommands(t, w)
		if r, err := ask(t, c, request); err == nil {
			t.Errorf("%s %q was answered:\n%s", request.Kind, request.Name, text(r.Message))
		}
	}
	if len(w.done) != 0 {
		t.Errorf("done: %q", w.done)
	}
}

func TestPlan(t *testing.T) {
	l := account(server("a", "Shop", "RUNNING"), server("b", "Radio", "RUNNING"))
	l.Account = hostapi.Account{PlanName: "Two", PlanRAMMB: 2048, MaxServers: 2, ServerCount: 2}
	r := must(t)(ask(t, newCommands(t, &world{list: l}), command("plan", nil)))
	wantText(t, r.Message, "Two", "▰▰▰▰▰▱▱▱▱▱", "1 GB of 2 GB", "▰▰▰▰▰▰▰▰▰▰", "2 of 2")

	l.Account = hostapi.Account{}
	r = must(t)(ask(t, newCommands(t, &world{list: l}), command("plan", nil)))
	wantText(t, r.Message, "1 GB · ", "–")
}

func TestExplain(t *testing.T) {
	c := newCommands(t, &world{})
	for code, want := range map[hostapi.Code]string{
		hostapi.CodeUnauthorized: "turned us away", hostapi.CodeForbidden: "not allowed", hostapi.CodeConflict: "busy",
		hostapi.CodeLimitReached: "plan", hostapi.CodeRateLimited: "Try again", hostapi.CodeUnavailable: "cannot be reached",
		hostapi.CodeMalformed: "makes no sense", hostapi.CodeCanceled: "cut short", hostapi.CodeInternal: "our side", "else": "our side",
	} {
		e := c.Explain(&interaction.Request{Locale: "en-US", Reference: "REF1234"}, fmt.Errorf("wrapped: %w", &hostapi.Error{Code: code, Op: hostapi.OpList, Detail: "sorry, root password is x"}))
		wantText(t, e.Message, want, "REF1234")
		if !e.Fault {
			t.Errorf("staff are not told of %s", code)
		}
		if strings.Contains(text(e.Message), "password") {
			t.Errorf("%s shows the customer what is for staff", code)
		}
	}
	e := c.Explain(&interaction.Request{Locale: "de"}, &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpList})
	wantText(t, e.Message, "Discord")
	if e.Fault {
		t.Error("somebody without an account is no fault")
	}
	for _, err := range []error{interaction.ErrNoRoute, interaction.ErrStopping, interaction.ErrBusy} {
		if e := c.Explain(&interaction.Request{}, err); e.Fault || text(e.Message) == "" {
			t.Errorf("%v: %+v", err, e)
		}
	}
	if e := c.Explain(&interaction.Request{Reference: "REF1234"}, errors.New("x")); !e.Fault {
		t.Error("an unforeseen error is not a fault")
	}
}

// TestEveryMessageFits draws the largest account with the most hostile texts.
func TestEveryMessageFits(t *testing.T) {
	evil := strings.Repeat("*@everyone* [x](http://y) \u202e`", 400)
	l := hostapi.List{Account: hostapi.Account{PlanName: evil, PlanRAMMB: 1 << 60, MaxServers: 1 << 60, ServerCount: 1 << 60}}
	for i := range 60 {
		s := server(fmt.Sprintf("%d%s", i, evil), evil, evil)
		s.Language, s.EntryFile, s.StartupCommand, s.Subdomain, s.PlanName = evil, evil, evil, evil, evil
		s.RAMMB, s.DiskMB, s.CPUPercent = -1<<60, 1<<60, 1<<60
		l.Servers = append(l.Servers, s)
	}
	c := newCommands(t, &world{list: l})
	for _, locale := range []string{"en-US", "de", "tr"} {
		for _, request := range []interaction.Request{command("bot list", nil), press("list/5"), command("plan", nil)} {
			request.Locale = locale
			fits(t, must(t)(ask(t, c, request)).Message)
		}
		list := must(t)(ask(t, c, command("bot list", nil)))
		open := press("open", selectMenu(t, list.Message).Options[3].Value)
		open.Locale = locale
		card := must(t)(ask(t, c, open))
		fits(t, card.Message)
		for _, label := range buttons(card.Message) {
			if len(label.CustomID) > 100 {
				t.Errorf("custom ID of %d characters", len(label.CustomID))
			}
		}
	}
}

func fits(t *testing.T, m interaction.Message) {
	t.Helper()
	total := 0
	within := func(what, text string, limit int) {
		t.Helper()
		n := len([]rune(text))
		total += n
		if n > limit {
			t.Errorf("%s has %d characters of %d", what, n, limit)
		}
		if strings.ContainsAny(text, "\u202e") || strings.Contains(strings.ReplaceAll(text, `\@`, ""), "@everyone") && what != "option" {
			if !strings.Contains(text, "`") {
				t.Errorf("%s shows %q", what, text)
			}
		}
	}
	for _, e := range m.Embeds {
		within("title", e.Title, 256)
		within("description", e.Description, 4096)
		for _, f := range e.Fields {
			within("field name", f.Name, 256)
			within("field value", f.Value, 1024)
			if f.Name == "" || f.Value == "" {
				t.Error("a field is empty")
			}
		}
	}
	if total > 6000 {
		t.Errorf("%d characters in all embeds", total)
	}
	for _, c := range m.Components {
		for _, s := range c.(discordgo.ActionsRow).Components {
			if menu, ok := s.(discordgo.SelectMenu); ok {
				for _, o := range menu.Options {
					within("option", o.Label, 100)
					within("option", o.Value, 100)
					within("option", o.Description, 100)
				}
			}
		}
	}
}
