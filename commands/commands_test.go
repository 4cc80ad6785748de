package commands_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/actionlock"
	"hostbot/bot/interaction"
	"hostbot/commands"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
	"hostbot/locale"
)

// world is a customer's account, and what is done to it.
type world struct {
	list   hostapi.List
	old    bool
	update func(context.Context) (accounts.Snapshot, error)
	err    error                  // of a look at the account
	action func() (string, error) // the service's answer; nil: that all went well
	off    map[hostapi.Operation]bool

	done    []string
	expired int
}

func (w *world) Offers(op hostapi.Operation) bool { return !w.off[op] }

func (w *world) Account(context.Context, string, time.Time) (accounts.Snapshot, error) {
	return accounts.Snapshot{List: w.list, FetchedAt: time.Unix(1_700_000_000, 0), Old: w.old, Update: w.update}, w.err
}

func (w *world) SetStatus(context.Context, string, string, string) {}

func (w *world) Expire(context.Context, string) { w.expired++ }

// act notes an action and answers as the test says, or else with a status.
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

func (w *world) Restart(_ context.Context, userID, serverID string) (string, error) {
	return w.act("restart", "RUNNING", userID, serverID)
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

// account is one with these bots and room for more.
func account(servers ...hostapi.Server) hostapi.List {
	return hostapi.List{Servers: servers, Account: hostapi.Account{PlanName: "Pro", PlanRAMMB: 4096, MaxServers: 100, ServerCount: len(servers)}}
}

// shopWithPlan is an account with one bot of 512 MB and this plan.
func shopWithPlan(ramMB, maxServers int) hostapi.List {
	l := account(server("a", "Shop", "RUNNING"))
	l.Account.PlanRAMMB, l.Account.MaxServers = ramMB, maxServers
	return l
}

func newCommands(t *testing.T, w *world) *commands.Commands {
	t.Helper()
	return newCommandsWith(t, w, w)
}

func newCommandsWith(t *testing.T, a commands.Accounts, h commands.Hosting) *commands.Commands {
	t.Helper()
	return commands.New(a, h, actionlock.New(nil), loadTexts(t), commands.Staff{GuildID: "7", UserIDs: []string{"1"}})
}

func loadTexts(t testing.TB) *locale.Bundle {
	t.Helper()
	texts, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// ask sends a request of customer 42 through the routes and returns what comes first.
func ask(t *testing.T, c *commands.Commands, r interaction.Request) (interaction.Response, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return askUntil(ctx, t, c, r)
}

func askUntil(ctx context.Context, t *testing.T, c *commands.Commands, r interaction.Request) (interaction.Response, error) {
	t.Helper()
	router := interaction.NewRouter()
	c.Route(router)
	if err := router.Err(); err != nil {
		t.Fatal(err)
	}
	r.UserID, r.CustomerID, r.Reference = "42", "42", "REF1234"
	if r.Locale == "" {
		r.Locale = "en-US"
	}
	return router.Route(&r)(ctx, &r)
}

// answer returns the first answer to a request that must not be refused.
func answer(t *testing.T, c *commands.Commands, r interaction.Request) interaction.Response {
	t.Helper()
	return must(t)(ask(t, c, r))
}

// ending returns the last answer to a request that begins an action.
func ending(t *testing.T, c *commands.Commands, r interaction.Request) interaction.Response {
	t.Helper()
	return must(t)(answer(t, c, r).Then(t.Context()))
}

// refused fails unless a request is refused in these words, and staff need not know.
func refused(t *testing.T, c *commands.Commands, r interaction.Request, words ...string) string {
	t.Helper()
	got, err := ask(t, c, r)
	if err == nil {
		t.Fatalf("%s %q is answered:\n%s", r.Kind, r.Name, text(got.Message))
	}
	e := c.Explain(&interaction.Request{Locale: "en-US"}, err)
	wantText(t, e.Message, words...)
	if e.Fault {
		t.Errorf("%s %q: staff are told", r.Kind, r.Name)
	}
	return text(e.Message)
}

func command(name string, options map[string]string) interaction.Request {
	return interaction.Request{Kind: interaction.Command, Name: name, Options: options}
}

// onBot is a command with the option bot.
func onBot(name, bot string) interaction.Request {
	return command(name, map[string]string{"bot": bot})
}

// typing asks for suggestions for the option bot.
func typing(name, typed string) interaction.Request {
	return interaction.Request{Kind: interaction.Autocomplete, Name: name, Focused: "bot", Options: map[string]string{"bot": typed}}
}

func press(customID string, values ...string) interaction.Request {
	return interaction.Request{Kind: interaction.Component, Name: customID, Values: values, Message: "900"}
}

func submit(customID string, fields map[string]string) interaction.Request {
	return interaction.Request{Kind: interaction.Modal, Name: customID, Fields: fields, Message: "900"}
}

// inLanguage is a request of a user with this locale.
func inLanguage(locale string, r interaction.Request) interaction.Request {
	r.Locale = locale
	return r
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

// buttons returns the buttons of a message by their labels.
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

// menus returns the select menus of a message by their placeholders.
func menus(m interaction.Message) map[string]discordgo.SelectMenu {
	found := make(map[string]discordgo.SelectMenu)
	for _, c := range m.Components {
		for _, s := range c.(discordgo.ActionsRow).Components {
			if s, ok := s.(discordgo.SelectMenu); ok {
				found[s.Placeholder] = s
			}
		}
	}
	return found
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
