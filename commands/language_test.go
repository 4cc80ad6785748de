package commands_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.yaml.in/yaml/v4"

	"hostbot/bot/actions"
	"hostbot/bot/discord/recent"
	"hostbot/bot/discord/register"
	"hostbot/bot/discord/rest"
	"hostbot/bot/discord/shards"
	"hostbot/bot/interaction"
	"hostbot/bot/leader"
	"hostbot/bot/staff/health"
	"hostbot/bot/staff/incident"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/outages"
	"hostbot/bot/watch/panel"
	"hostbot/bot/watch/watcher"
	"hostbot/commands"
	"hostbot/hostapi"
	"hostbot/locale"
)

// long is a name, or whatever else may stand in a text, as long as it gets.
func long(letter string) string { return strings.Repeat(letter, 400) }

// wide is a letter that takes four bytes and two columns, of which names are made: they are the largest.
const wide = "𠀀"

// titled is as much of that as the title of a panel may have.
var titled = strings.Repeat(wide, panel.MaxTitle)

// drawn is what one reader has been shown.
type drawn struct {
	t      *testing.T
	locale string
	seen   map[string]bool // what sendable has judged
	known  map[string]bool // each text that was shown
	shown  []shown         // the same, in the order in which they were drawn first
	of     *commands.Commands
	router *interaction.Router // of these commands, which were asked last
}

// shown is a text, and the function that had it drawn first.
type shown struct{ text, scene string }

// see takes note of a response that Discord must take.
func (d *drawn) see(r interaction.Response) {
	d.t.Helper()
	if judged := sendable(d.t, r); judged != "" {
		if d.seen[judged] {
			return
		}
		d.seen[judged] = true
	}
	var collect func(any)
	collect = func(v any) {
		switch v := v.(type) {
		case string:
			if !d.known[v] {
				d.known[v], d.shown = true, append(d.shown, shown{v, scene()})
			}
		case []any:
			for _, inner := range v {
				collect(inner)
			}
		case map[string]any:
			for _, inner := range v {
				collect(inner)
			}
		}
	}
	read := map[string]any{"content": r.Message.Content, "message": r.Message.Embeds, "components": r.Message.Components, "files": described(r.Message.Files)}
	if r.Modal != nil {
		read = map[string]any{"title": r.Modal.Title, "fields": r.Modal.Fields}
	}
	body, err := json.Marshal(read)
	if err != nil {
		d.t.Fatal(err)
	}
	var parts any
	if err := json.Unmarshal(body, &parts); err != nil {
		d.t.Fatal(err)
	}
	collect(parts)
}

// ask sees everything that comes of a request, errors included.
func (d *drawn) ask(c *commands.Commands, r interaction.Request) {
	d.t.Helper()
	r.Locale = d.locale
	ctx, cancel := context.WithCancel(d.t.Context())
	defer cancel()
	if d.of != c {
		d.of, d.router = c, routerOf(d.t, c)
	}
	for response, err := serveBy(ctx, d.router, &r); ; response, err = response.Then.Run(ctx) {
		if err != nil {
			d.explain(c, r, err)
			return
		}
		d.see(response)
		if response.Then == nil {
			return
		}
	}
}

func (d *drawn) explain(c *commands.Commands, r interaction.Request, err error) {
	d.t.Helper()
	r.Locale, r.Reference = d.locale, "REF1234"
	d.see(interaction.Reply(c.Explain(&r, err).Message))
}

// scene names the function that draws what is seen, with its file.
func scene() string {
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers[:])])
	for {
		frame, more := frames.Next()
		name, ofDrawn := strings.CutPrefix(frame.Function, "hostbot/commands_test.(*drawn).")
		helper := strings.Contains(name, ".") || slices.Contains([]string{"see", "ask", "explain"}, name) // with a dot it is a closure
		if ofDrawn && !helper || !more {
			return name + "() of commands/" + path.Base(frame.File)
		}
	}
}

// sceneOf names the function that draws most of the texts whose keys begin as this one does: its
// text should be drawn there, too.
func (d *drawn) sceneOf(key string, texts *locale.Texts, english map[string]string) string {
	for i := strings.LastIndex(key, "."); i > 0; i = strings.LastIndex(key[:i], ".") {
		scenes := map[string]int{}
		for other, text := range english {
			if !strings.HasPrefix(other, key[:i+1]) {
				continue
			}
			forms := formsOf(texts, other, text)
			first := slices.IndexFunc(d.shown, func(s shown) bool {
				return slices.ContainsFunc(forms, func(form string) bool { return has(s.text, form) })
			})
			if first >= 0 {
				scenes[d.shown[first].scene]++
			}
		}
		if len(scenes) > 0 {
			return slices.MaxFunc(slices.Sorted(maps.Keys(scenes)), func(a, b string) int { return cmp.Compare(scenes[a], scenes[b]) })
		}
	}
	return "everything() of commands/language_test.go"
}

// hole stands for a placeholder.
const hole = "\x00"

var placeholder = regexp.MustCompile(`\{\{\.([A-Za-z]+)\}\}`)

// formsOf returns the plural forms of a text with holes for what is put into it.
func formsOf(t *locale.Texts, key, english string) []string {
	holes := locale.Args{}
	for _, found := range placeholder.FindAllStringSubmatch(english, -1) {
		holes[found[1]] = hole
	}
	forms := []string{t.Format(key, holes)}
	for _, n := range []int{0, 1, 2, 5} {
		forms = append(forms, strings.Replace(t.Count(key, n, holes), fmt.Sprint(n), hole, 1))
	}
	return forms
}

// has reports whether a text is part of all that was shown, with anything but a line break in each of
// its holes.
func has(all, text string) bool {
	parts := strings.Split(text, hole)
	for {
		i := strings.Index(all, parts[0])
		if i < 0 {
			return false
		}
		if follow(all[i+len(parts[0]):], parts[1:]) {
			return true
		}
		next := i + 1
		if parts[0] == "" { // wherever it begins in this line
			if next = strings.IndexByte(all, '\n') + 1; next == 0 {
				return false
			}
		}
		all = all[next:]
	}
}

// follow reports whether parts come one after the other, each before the next line begins.
func follow(all string, parts []string) bool {
	for _, part := range parts {
		line := all
		if end := strings.IndexByte(all, '\n'); end >= 0 {
			line = all[:min(len(all), end+len(part))]
		}
		i := strings.Index(line, part)
		if i < 0 {
			return false
		}
		all = all[i+len(part):]
	}
	return true
}

// TestEveryTextOfEveryLanguageIsSendable draws each text in each language in each place
// where customers and staff read it, with the longest values.
func TestEveryTextOfEveryLanguageIsSendable(t *testing.T) {
	content, err := os.ReadFile("../locale/texts/en-US.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var read map[string]any
	if err := yaml.Unmarshal(content, &read); err != nil {
		t.Fatal(err)
	}
	english := map[string]string{}
	for key, text := range read {
		section, _, _ := strings.Cut(key, ".")
		elsewhere := []string{"log", "command", "option", "menu", "unit"}
		if !slices.Contains(elsewhere, section) && key != "button.reference" && key != "history.now" { // which is in a picture
			english[key] = fmt.Sprint(text)
		}
	}
	// A text that nothing draws is missing in all languages, so English alone says it.
	undrawn := false
	drawIn(t, locale.Default, english, func(d *drawn, key string, texts *locale.Texts) {
		undrawn = true
		t.Errorf("%s: nothing draws this text: draw it in %s", key, d.sceneOf(key, texts, english))
	})
	if undrawn {
		return
	}
	for _, name := range locale.DiscordLocales() {
		if name == locale.Default {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			drawIn(t, name, english, func(_ *drawn, key string, texts *locale.Texts) {
				t.Errorf("%s is not drawn: %q", key, formsOf(texts, key, english[key]))
			})
		})
	}
}

// drawIn draws all there is to see in a language, and calls missing for each text that was not seen.
func drawIn(t *testing.T, name string, english map[string]string, missing func(d *drawn, key string, texts *locale.Texts)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := &drawn{t: t, locale: name, seen: map[string]bool{}, known: map[string]bool{}}
		d.everything()
		var lines strings.Builder
		for _, s := range d.shown {
			lines.WriteString(s.text + "\n")
		}
		all, texts := lines.String(), mustTexts(t).For(name)
		if before, _, spaced := strings.Cut(all, "。 "); spaced { // the full stop has its own
			t.Errorf("two sentences are put together as in English: …%q", before[max(0, len(before)-60):])
		}
		for _, key := range slices.Sorted(maps.Keys(english)) {
			if !slices.ContainsFunc(formsOf(texts, key, english[key]), func(form string) bool { return has(all, form) }) {
				missing(d, key, texts)
			}
		}
	})
}

// everything asks for all there is to see.
func (d *drawn) everything() {
	pages := commands.Links{Panel: "https://a.example/1", SignUp: "https://a.example/2", Upgrade: "https://a.example/3", Support: "https://a.example/4", Status: "https://a.example/5", PanelBot: "https://a.example/{id}"}
	bots := func(status string, n int) hostapi.List {
		l := hostapi.List{Account: hostapi.Account{PlanName: long(wide), PlanRAMMB: 99_999 << 10, MaxServers: 99_999, ServerCount: 12_345}}
		if n == 0 {
			l.Account.ServerCount = 0
		}
		for i := range n {
			s := server(fmt.Sprint("id-", i), long(wide)+fmt.Sprint(i), status)
			s.RAMMB, s.DiskMB, s.CPUPercent = 54_321_987, 54_321_987, 99_999
			l.Servers = append(l.Servers, s)
		}
		return l
	}
	with := func(change func(w *world)) (*world, *commands.Commands) {
		w := &world{list: bots("RUNNING", 1), links: pages}
		change(w)
		return w, newCommands(d.t, w)
	}
	fresh := func(change func(w *world), requests ...interaction.Request) {
		for _, r := range requests {
			_, c := with(change)
			d.ask(c, r)
			time.Sleep(actions.Window)
		}
	}
	d.accounts(bots, fresh)
	d.actions(fresh)
	d.errors(with)
	d.forms(fresh)
	d.staff(bots, pages)
	d.watching(bots)
	d.alerts(bots)
	d.support(bots, pages)
}

// staff draws what staff see.
func (d *drawn) staff(bots func(status string, n int) hostapi.List, pages commands.Links) {
	known, asked := map[string]bool{"42": true}, 0
	var trouble error // with what is kept of a customer
	report := health.Report{Version: long("v"), Shards: []shards.Status{{}, {ID: 1, Ready: true, Latency: time.Hour}}, Window: 83 * time.Minute, Unanswered: 9_999_999}
	at := incident.Incident{
		Reference: "REF1234", InteractionID: "900", UserID: "1", CustomerID: "42", CustomerName: long("N"), Kind: "command", Route: long("r"),
		Operation: "restart", Code: "unavailable", Status: 503, Uncertain: true, Attempts: 99_999, Took: time.Hour, Answer: long("a"), Detail: long("d"), Cause: "midway", Shard: "99999",
	}
	w := &world{list: bots("RUNNING", 30), links: pages, staff: commands.Staff{
		TestLogs: func(*interaction.Request) {}, RetryDead: func(context.Context) error { return trouble }, Health: func(context.Context) health.Report { return report },
		Kept: func(_ context.Context, id string) (commands.Kept, error) {
			if !known[id] {
				return commands.Kept{}, trouble
			}
			asked++
			settings := alerts.Settings{All: asked%2 == 0, Bots: map[string]bool{"a": true}, Closed: time.Unix(1, 0)}
			return commands.Kept{Cached: true, Alerts: settings, DM: true, Restarts: 99_999, Scheduled: 99_999, Panels: 99_999, Followers: 99_999, Follows: 25, Answers: 99_999, Events: 10, Since: time.Now().Add(-24 * time.Hour * 90)}, nil
		},
		Forget: func(_ context.Context, id string, goodbye func(string) interaction.Message) (commands.Forgotten, error) {
			d.see(interaction.Reply(goodbye(d.locale)))
			was := known[id]
			known[id] = false
			return commands.Forgotten{Removal: panel.Removal{Known: was, Stays: []string{"9"}}, Told: true}, trouble
		},
		Recent: func(context.Context, string) ([]incident.Event, error) {
			var events []incident.Event
			for _, action := range []string{"", "start", "restart", "stop", "reinstall", "startup", "delete", "create"} {
				events = append(events, incident.Event{
					At: time.Now(), Action: action, Outcome: interaction.Failed, BotName: long("B"), Cause: "conflict", Status: 409, Reference: "REF1234", ByStaff: true,
				})
			}
			return events, nil
		},
		Incident: func(_ context.Context, code string) (incident.Incident, error) {
			if code == "REF1234" {
				return at, nil
			}
			return incident.Incident{}, incident.ErrUnknown
		},
	}}
	c := newCommands(d.t, w)
	of := func(bot string) map[string]string {
		return map[string]string{"user": "42", "bot": bot, "do": "restart", "code": bot}
	}
	all := func() {
		for _, r := range []interaction.Request{
			command("admin lookup", of("")), command("admin action", of("id-1")), command("admin action", of("nobody")), command("admin action", of(strings.Repeat(wide, 80))),
			command("admin forget", of("")), press("for/42/admin/forget/not"), press("for/42/admin/forget"), command("admin forget", of("")), command("admin reference", of("REF1234")), command("admin reference", of("K7Q2M9X")),
			command("admin status", nil), command("admin logs test", nil), press("for/42/show/id-3"), press("for/42/show/gone"), command("admin lookup", nil), command("admin action", map[string]string{"user": "42"}),
		} {
			for _, name := range []string{long("N"), ""} {
				r := by("1", r)
				r.TargetName = name
				d.ask(c, r)
				time.Sleep(actions.Window)
			}
		}
	}
	all()
	report.Log = []logchannel.Status{{Channel: "9", Waiting: 12_345, Oldest: time.Unix(1, 0)}, {Channel: "9", Trouble: long("x")}, {Channel: "9", Trouble: "403", Forbidden: true}}
	fails := failingCalls(long("r"), 54_321, 99_999)
	report.Service, report.Discord, report.Responses, report.Redis, report.P95 = fails, fails, fails, fails, time.Hour
	report.Outage = outages.Outage{Bots: 99_999, Customers: 54_321, Recovered: 9_999, First: time.Unix(1, 0)}
	all()
	gateway := report
	report.Shards, report.Ready = nil, true
	for _, fault := range []register.Fault{register.Elsewhere, register.ForeignKey, register.NoEndpoint, register.Unanswered, register.None} {
		report.Arrival = register.Arrival{Fault: fault, Since: time.Unix(1, 0), Host: long("h"), Answer: long("*"), Expires: time.Unix(1, 0)}
		d.ask(c, by("1", command("admin status", nil)))
	}
	report = gateway
	report.DownSince, report.RedisErr, report.LostSince = time.Unix(1, 0), errors.New("refused"), time.Unix(1, 0)
	report.LostReason, report.Unlocated = errors.New(long("r")), errors.New(long("r"))
	all()
	over := fails
	over.Failed, over.Recovered = time.Unix(1, 0), time.Unix(2, 0)
	report.Service, report.Discord, report.Responses, report.Redis, report.DownSince = over, over, over, over, time.Time{}
	report.Outage.Recovered = 99_999
	report.RedisErr, report.Missing = refusal(long("r")), health.Missing{Accounts: 54_321, Of: 99_999, Since: time.Unix(1, 0)}
	d.ask(c, by("1", command("admin status", nil)))
	report.RedisErr, report.Missing.Of = nil, 0
	d.ask(c, by("1", command("admin status", nil)))
	report.Missing, report.RedisEmbedded = health.Missing{}, true
	report.Requests, report.Invalid = 99_999, 54_321
	w.list = bots("", 0)
	all()
	w.err = &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpList}
	all()
	calls := recent.Summary{Calls: 99_999, Last: recent.Last{Succeeded: time.Unix(1, 0)}}
	report = health.Report{Leader: "eu-1", Shards: []shards.Status{{Ready: true}}, Answered: 99_999, Service: calls, Redis: over}
	all()
	report.Shards, report.Standby, report.Watching = []shards.Status{}, true, true
	report.Dead = slices.Repeat([]leader.Letter{{Kind: "panels", ID: long("i"), Reason: long("*"), Since: time.Unix(1, 0)}}, 99)
	report.Queues = []leader.Queue{{Kind: long("k"), Due: 99_999, Late: 99_999, Dead: 99_999}, {Kind: "panels", Due: 1}, {Kind: "alerts"}}
	d.ask(c, by("1", press("admin/status/retry")))
	report.Use = health.Use{Restarts: 99_999, Scheduled: 99_999, Timed: 99_999, Channels: 99_999, Answers: 99_999, Notices: 10}
	report.Watch, report.Alerts = watcher.Status{Accounts: 99_999, Interval: time.Hour, Delay: time.Hour, Grown: true}, notify.Status{Sent: 99_999, Refused: 99_999, Waiting: 99_999}
	all()
	for _, limited := range []watcher.Limits{{Accounts: 99_999}, {Accounts: 99_999, All: true}} {
		report.Watch.Limits = limited
		d.ask(c, by("1", command("admin status", nil)))
	}
	for _, code := range []int{rest.CodeQuarantined, rest.CodeDMsTooFast} {
		report.Alerts.Pause = notify.Pause{Until: time.Now().Add(time.Hour), Code: code}
		d.ask(c, by("1", command("admin status", nil)))
	}
	for _, trouble = range []error{actions.ErrRunning, errors.New("redis is away")} {
		d.ask(c, by("1", command("admin forget", of(""))))
		d.ask(c, by("1", press("for/42/admin/forget")))
	}
	d.ask(c, by("2", command("admin status", nil)))
	elsewhere := by("1", command("admin status", nil))
	elsewhere.GuildID = "8"
	d.ask(c, elsewhere)
}
