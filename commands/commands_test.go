package commands_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/turns"
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
	return commands.New(a, h, turns.New(nil), texts)
}

// ask sends a request through the routes and returns what comes first.
func ask(t *testing.T, c *commands.Commands, r interaction.Request) (interaction.Response, error) {
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
