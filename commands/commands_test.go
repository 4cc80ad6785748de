package commands_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
	"hostbot/bot/staff/incident"
	"hostbot/commands"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
	"hostbot/locale"
)

// world is the account of customer 42, what is done to it, and what was touched of
// anybody else's.
type world struct {
	list   hostapi.List
	old    bool
	update func(context.Context) (accounts.Snapshot, error)
	err    error // of a look at the account
	// failure is why the service has no newer account than the old one.
	failure error
	action  func() (string, error)                // the service's answer; nil: that all went well
	restart func(serverID string) (string, error) // the same of a restart, in which others go on
	off     map[hostapi.Operation]bool
	links   commands.Links
	staff   commands.Staff
	watch   commands.Watch
	support commands.Support

	// statuses are those of the only bot by the time since the world began; the latest
	// counts, and "" is no bot.
	statuses map[time.Duration]string
	began    time.Time
	changed  string // the status of the only bot from the second look on; "" for no change
	silent   bool   // the service answers the first look alone
	looks    int
	notes    map[string]accounts.Note
	beside   map[string]string // what Redis has of the customer's actions

	mu      sync.Mutex       // of what is noted below, and of looks
	actions *actions.Actions // nil for those of a process that decides alone
	asked   []string         // IDs of bots for which the service was asked anew; "" for all
	done    []string
	expired int
	deleted string   // the last bot of which that was noted
	others  []string // users
}

func (w *world) touch(userID string) {
	if userID != "42" {
		w.others = append(w.others, userID)
	}
}

func (w *world) Offers(op hostapi.Operation) bool { return !w.off[op] }

func (w *world) Account(_ context.Context, userID string, _ time.Time) (accounts.Snapshot, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.touch(userID)
	if w.looks++; w.silent && w.looks > 1 {
		return accounts.Snapshot{}, errors.New("down")
	}
	list, latest := w.list, time.Duration(-1)
	for at, status := range w.statuses {
		if at <= time.Since(w.began) && at > latest {
			latest, list.Servers = at, slices.Clone(w.list.Servers)
			if list.Servers[0].Status = status; status == "" {
				list.Servers = nil
			}
		}
	}
	if w.changed != "" && w.looks > 1 {
		list.Servers = slices.Clone(w.list.Servers)
		list.Servers[0].Status = w.changed
	}
	return accounts.Snapshot{List: list, FetchedAt: time.Unix(1_700_000_000, 0), Old: w.old, Failure: w.failure, Update: w.update, Notes: w.notes, Beside: w.beside}, w.err
}

func (w *world) Ask(ctx context.Context, userID, serverID string, by time.Time) (accounts.Snapshot, error) {
	w.mu.Lock()
	w.asked = append(w.asked, serverID)
	w.mu.Unlock()
	return w.Account(ctx, userID, by)
}

func (w *world) Refresh(ctx context.Context, userID, serverID string, by time.Time) (accounts.Snapshot, error) {
	return w.Ask(ctx, userID, serverID, by)
}

func (w *world) Acted(_ context.Context, _ accounts.Snapshot, userID, serverID, action, _ string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.touch(userID)
	w.notes = map[string]accounts.Note{serverID: {Action: action, At: time.Now()}}
}

func (w *world) StartupChanged(_ context.Context, userID, serverID string) {
	w.touch(userID)
	w.notes = map[string]accounts.Note{serverID: {StartupAt: time.Now()}}
}

func (w *world) Deleted(_ context.Context, userID, serverID string) {
	w.touch(userID)
	w.deleted = serverID
}

func (w *world) Expire(_ context.Context, userID string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.touch(userID)
	w.expired++
}

// act notes an action and answers as the test says, or else with a status.
func (w *world) act(name, status, userID, serverID string) (string, error) {
	w.mu.Lock()
	w.touch(userID)
	w.done = append(w.done, name+" "+serverID)
	action := w.action
	w.mu.Unlock()
	if w.restart != nil && name == "restart" {
		return w.restart(serverID)
	}
	if action == nil {
		return status, nil
	}
	return action()
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
	status, err := w.act(fmt.Sprintf("create %+v", n), "STOPPED", userID, "")
	return server("new", n.Name, status), err
}

// wantDone fails unless exactly this was done.
func (w *world) wantDone(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(w.done, want) {
		t.Errorf("done: %q, want %q", w.done, want)
	}
}

// shop is a world with one bot, and its commands.
func shop(t *testing.T, status string) (*world, *commands.Commands) {
	t.Helper()
	w := &world{list: account(server("a", "Shop", status))}
	return w, newCommands(t, w)
}

// drafts keeps drafts as package draft does.
type drafts map[string]map[string]string

func (d drafts) Keep(_ context.Context, userID, form string, fields map[string]string) {
	d[userID+form] = fields
}
func (d drafts) Fields(_ context.Context, userID, form string) map[string]string {
	return d[userID+form]
}
func (d drafts) Forget(_ context.Context, userID, form string) { delete(d, userID+form) }

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

// newCommands returns the commands. User 1 is staff in guild 7.
func newCommands(t testing.TB, w *world) *commands.Commands {
	t.Helper()
	staff := w.staff
	staff.GuildID, staff.UserIDs = "7", []string{"1"}
	if staff.Incident == nil {
		staff.Incident = func(context.Context, string) (incident.Incident, error) {
			return incident.Incident{}, incident.ErrUnknown
		}
	}
	return commands.New(commands.Config{
		Accounts: w, Hosting: w, Actions: cmp.Or(w.actions, actions.New(actions.Config{})), Texts: mustTexts(t), Staff: staff, Links: w.links, Watch: w.watch, Support: w.support,
		Forms: commands.Forms{Drafts: drafts{}, Languages: []hostapi.Language{
			{ID: "NODE", Label: "Node.js", Startup: hostapi.Startup{Command: "node index.js", EntryFile: "index.js"}},
			{ID: "PYTHON", Label: "Python", Startup: hostapi.Startup{Command: "python main.py", EntryFile: "main.py"}},
			{ID: "RUST", Label: "Rust"},
		}},
	})
}

// loadTexts reads each language once for all tests.
var loadTexts = sync.OnceValues(locale.Load)

func mustTexts(t testing.TB) *locale.Bundle {
	t.Helper()
	texts, err := loadTexts()
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// serve sends a request through the routes and returns what comes first. The caller is
// customer 42, unless the request says otherwise.
func serve(ctx context.Context, t *testing.T, c *commands.Commands, r *interaction.Request) (interaction.Response, error) {
	t.Helper()
	return serveBy(ctx, routerOf(t, c), r)
}

func routerOf(t *testing.T, c *commands.Commands) *interaction.Router {
	t.Helper()
	router := interaction.NewRouter()
	c.Route(router)
	if err := router.Err(); err != nil {
		t.Fatal(err)
	}
	return router
}

func serveBy(ctx context.Context, router *interaction.Router, r *interaction.Request) (interaction.Response, error) {
	r.UserID, r.Locale, r.Reference = cmp.Or(r.UserID, "42"), cmp.Or(r.Locale, "en-US"), "REF1234"
	r.CustomerID = r.UserID
	return router.Route(r)(ctx, r)
}

// ask is serve with a context that lasts as long as the test.
func ask(t *testing.T, c *commands.Commands, r interaction.Request) (interaction.Response, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return serve(ctx, t, c, &r)
}

// answer returns the first answer to a request that must not be refused.
func answer(t *testing.T, c *commands.Commands, r interaction.Request) interaction.Response {
	t.Helper()
	return must(t)(ask(t, c, r))
}

// ending returns the last answer to a request that begins an action.
func ending(t *testing.T, c *commands.Commands, r interaction.Request) interaction.Response {
	t.Helper()
	return must(t)(answer(t, c, r).Then.Run(t.Context()))
}

// refused fails unless a request is refused in these words, and staff need not know.
func refused(t *testing.T, c *commands.Commands, r interaction.Request, words ...string) string {
	t.Helper()
	m := explained(t, c, r)
	wantText(t, m, words...)
	return text(m)
}

// explained is what a caller reads whose request must be refused, of which staff need
// not know.
func explained(t *testing.T, c *commands.Commands, r interaction.Request) interaction.Message {
	t.Helper()
	got, err := serve(t.Context(), t, c, &r)
	if err == nil {
		t.Fatalf("%s %q is answered:\n%s", r.Kind, r.Name, text(got.Message))
	}
	e := c.Explain(&r, err)
	if e.Fault {
		t.Errorf("%s %q: staff are told", r.Kind, r.Name)
	}
	return e.Message
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

// text is all that a person reads in a message, to whom a no-break space is a space.
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
	return strings.ReplaceAll(strings.Join(parts, "\n"), "\u00a0", " ")
}

// componentsOf returns the components of a kind that a message has.
func componentsOf[T discordgo.MessageComponent](m interaction.Message) (found []T) {
	for _, row := range m.Components {
		for _, c := range row.(discordgo.ActionsRow).Components {
			if c, ok := c.(T); ok {
				found = append(found, c)
			}
		}
	}
	return found
}

// buttons returns the buttons of a message by their labels.
func buttons(m interaction.Message) map[string]discordgo.Button {
	found := make(map[string]discordgo.Button)
	for _, b := range componentsOf[discordgo.Button](m) {
		found[b.Label] = b
	}
	return found
}

// menus returns the select menus of a message by their placeholders.
func menus(m interaction.Message) map[string]discordgo.SelectMenu {
	found := make(map[string]discordgo.SelectMenu)
	for _, s := range componentsOf[discordgo.SelectMenu](m) {
		found[s.Placeholder] = s
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
