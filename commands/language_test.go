package commands_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/actionlock"
	"hostbot/bot/alerts"
	"hostbot/bot/history"
	"hostbot/bot/incident"
	"hostbot/bot/interaction"
	"hostbot/bot/logchannel"
	"hostbot/bot/panel"
	"hostbot/bot/shards"
	"hostbot/bot/watcher"
	"hostbot/commands"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
	"hostbot/locale"
)

// long is a name, or whatever else may stand in a text, as long as it gets.
func long(letter string) string { return strings.Repeat(letter, 400) }

// drawn is what one reader is shown.
type drawn struct {
	t      *testing.T
	locale string
}

// keyed matches the key of a text, which is read where there is no such text.
var keyed = regexp.MustCompile(`\b(action|alerts?|button|card|create|error|history|panel|staff|status|which)\.[a-z]`)

// see fails where Discord does not take a response, or a text is missing in it.
func (d *drawn) see(r interaction.Response) {
	d.t.Helper()
	sendable(d.t, r)
	if key := keyed.FindString(text(r.Message)); key != "" {
		d.t.Errorf("%s… is missing in:\n%s", key, text(r.Message))
	}
}

// ask sees everything that comes of a request, errors included.
func (d *drawn) ask(c *commands.Commands, r interaction.Request) {
	d.t.Helper()
	r.Locale = d.locale
	ctx, cancel := context.WithCancel(d.t.Context())
	defer cancel()
	for response, err := serve(ctx, d.t, c, &r); ; response, err = response.Then(ctx) {
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

// TestEveryLanguageIsSendable draws in each language what customers and staff read, with
// the longest values.
func TestEveryLanguageIsSendable(t *testing.T) {
	for _, name := range locale.DiscordLocales() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { (&drawn{t, name}).everything() })
		})
	}
}

// everything asks for all there is to see.
func (d *drawn) everything() {
	pages := commands.Links{Panel: "https://a.example/1", SignUp: "https://a.example/2", Upgrade: "https://a.example/3", Support: "https://a.example/4"}
	bots := func(status string, n int) hostapi.List {
		l := hostapi.List{Account: hostapi.Account{PlanName: long("P"), PlanRAMMB: 99_999 << 10, MaxServers: 99_999, ServerCount: 12_345}}
		for i := range n {
			s := server(fmt.Sprint("id-", i), long("W")+fmt.Sprint(i), status)
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
			time.Sleep(actionlock.Window)
		}
	}
	d.accounts(bots, fresh)
	d.actions(fresh)
	d.errors(with)
	d.forms(fresh)
	d.staff(bots, pages)
	d.watching(bots)
	d.alerts(bots)
}

type asking func(change func(w *world), requests ...interaction.Request)

// accounts draws lists, cards and plans.
func (d *drawn) accounts(bots func(status string, n int) hostapi.List, fresh asking) {
	for _, status := range []string{"RUNNING", "STOPPED", "STARTING", "STOPPING", "RESTARTING", "INSTALLING", "CRASHED", "ERROR", "SUSPENDED", "", long("S")} {
		fresh(func(w *world) { w.list = bots(status, 1) }, onBot("bot show", "id-0"), press("details/id-0"), press("more/id-0"))
	}
	for _, action := range []string{"start", "restart", "stop", "reinstall"} {
		note := map[string]accounts.Note{"id-0": {Action: action, At: time.Unix(1, 0)}}
		fresh(func(w *world) { w.notes = note }, press("show/id-0"))
		fresh(func(w *world) { w.notes, w.list = note, bots("STOPPED", 1) }, press("show/id-0"))
	}
	for _, n := range []int{0, 2, 30} {
		fresh(func(w *world) { w.list = bots("RUNNING", n) },
			command("bot list", nil), command("bot show", nil), command("bot start", nil), command("bot restart", nil), command("bot stop", nil), command("bot reinstall", nil))
	}
	fresh(func(w *world) { w.list, w.off = bots("", 0), map[hostapi.Operation]bool{hostapi.OpCreate: true} }, command("bot list", nil))
	for _, failure := range []error{nil, errors.New("away"), &hostapi.Error{Code: hostapi.CodeUnavailable, Status: 500}} {
		fresh(func(w *world) { w.old, w.failure = true, failure }, press("show/id-0"), command("plan", nil))
	}
	fresh(func(w *world) {
		w.old, w.update = true, func(context.Context) (accounts.Snapshot, error) { return accounts.Snapshot{}, errors.New("down") }
	}, press("show/id-0"))
	full := shopWithPlan(512, 1)
	fresh(func(w *world) { w.list = full }, command("plan", nil), command("bot create", nil))
	fresh(func(*world) {}, command("help", nil), onBot("bot show", long("W")[:80]+"x"), onBot("bot show", "quite another"), onBot("bot show", ""))
}

// actions draws each action in each of its ends.
func (d *drawn) actions(fresh asking) {
	failed := func() (string, error) {
		return "", &hostapi.Error{Code: hostapi.CodeConflict, Status: 409, Detail: long("D")}
	}
	uncertain := func() (string, error) { return "", &hostapi.Error{Code: hostapi.CodeUnavailable, Uncertain: true} }
	slow := func() (string, error) { time.Sleep(83 * time.Minute); return "RUNNING", nil }
	stopped := func(w *world) { w.list.Servers[0].Status = "STOPPED" }
	requests := []interaction.Request{
		press("start/id-0"), press("restart/id-0"), press("stop/id-0"), press("reinstall/id-0"), press("packages/id-0"),
		submit("startup/id-0", map[string]string{"command": "x", "entry": "y"}), submit("startup/id-0", map[string]string{"command": "node index.js", "entry": "index.js"}),
		submit("delete/id-0", map[string]string{"name": long("W") + "0"}), submit("delete/id-0", map[string]string{"name": "another"}), submit("delete/id-0", nil), submit("startup/id-0", nil),
		submit("create/512/2048/100", map[string]string{"name": long("N"), "language": "NODE"}),
		submit("create/512/2048/100", map[string]string{"name": long("N"), "language": "NODE", "start": interaction.Ticked}),
		submit("create/513/2048/100", map[string]string{"name": "x"}),
	}
	for _, ends := range []func() (string, error){nil, failed, uncertain, slow} {
		fresh(func(w *world) { w.action = ends }, requests...)
		fresh(func(w *world) { stopped(w); w.action = ends }, requests...)
	}
	crashes := func() (string, error) { return "CRASHED", nil }
	fresh(func(w *world) { stopped(w); w.action, w.changed = crashes, "CRASHED" }, press("start/id-0"), press("restart/id-0"), press("packages/id-0"))
	never := func() (string, error) { return "STARTING", nil }
	fresh(func(w *world) { stopped(w); w.action, w.changed = never, "STARTING" }, press("start/id-0"))
	fresh(func(w *world) { w.action = never }, submit("create/512/2048/100", map[string]string{"name": "x", "language": "NODE", "start": interaction.Ticked}))
}

// errors draws each error.
func (d *drawn) errors(with func(func(*world)) (*world, *commands.Commands)) {
	_, c := with(func(*world) {})
	r := interaction.Request{UserID: "42", CustomerID: "42"}
	for _, code := range []hostapi.Code{
		hostapi.CodeUnauthorized, hostapi.CodeForbidden, hostapi.CodeNotFound, hostapi.CodeConflict, hostapi.CodeLimitReached, hostapi.CodeRateLimited,
		hostapi.CodeUnavailable, hostapi.CodeMalformed, hostapi.CodeCanceled, hostapi.CodeNotOffered, hostapi.CodeInternal,
	} {
		for _, status := range []int{0, 500, 504} {
			d.explain(c, r, &hostapi.Error{Code: code, Op: hostapi.OpStop, Status: status, RetryAfter: time.Hour})
		}
	}
	for _, outcome := range []interaction.Outcome{interaction.Done, interaction.Failed, interaction.Unconfirmed} {
		for _, action := range []string{"start", "restart", "stop", "reinstall", "startup", "delete", "create"} {
			a := interaction.Action{Name: action, Outcome: outcome, BotID: "id-0", BotName: long("W")}
			d.explain(c, r, &interaction.UnshownError{Action: a, Cause: errors.New("refused")})
			asked := r
			asked.Locale, asked.Reference = d.locale, "REF1234"
			d.see(c.Interrupted(&asked, a))
		}
	}
}

// forms draws forms, and what comes before them.
func (d *drawn) forms(fresh asking) {
	fresh(func(*world) {}, command("bot create", nil), press("create/512/2048/100"), press("startup/id-0"), press("delete/id-0"), onBot("bot delete", "id-0"))
	w := &world{list: account(server("id-0", long("W"), "RUNNING"))}
	c := commands.New(w, w, actionlock.New(nil), mustTexts(d.t), commands.Staff{}, w.links,
		commands.Forms{Drafts: drafts{}, Languages: []hostapi.Language{{ID: "RUST", Label: long("L")[:100]}}}, commands.Watch{})
	d.ask(c, press("create/512/2048/100"))
}

// staff draws what staff see.
func (d *drawn) staff(bots func(status string, n int) hostapi.List, pages commands.Links) {
	known := map[string]bool{"42": true}
	health := commands.Health{Version: long("v"), Shards: []shards.Status{{}, {ID: 1, Ready: true, Latency: time.Hour}}, Window: 83 * time.Minute}
	at := incident.Incident{
		Reference: "REF1234", InteractionID: "900", UserID: "1", CustomerID: "42", CustomerName: long("N"), Kind: "command", Route: long("r"),
		Operation: "restart", Code: "unavailable", Status: 503, Uncertain: true, Attempts: 99_999, Took: time.Hour, Answer: long("a"), Detail: long("d"), Cause: "midway",
	}
	w := &world{list: bots("RUNNING", 30), links: pages, staff: commands.Staff{
		TestLogs: func(*interaction.Request) {}, Health: func(context.Context) commands.Health { return health },
		Forget: func(_ context.Context, id string) (bool, error) { was := known[id]; known[id] = false; return was, nil },
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
			command("admin lookup", of("")), command("admin action", of("id-1")), command("admin action", of("nobody")), command("admin action", of(long("W")[:80])),
			command("admin flush", of("")), command("admin flush", of("")), command("admin reference", of("REF1234")), command("admin reference", of("K7Q2M9X")),
			command("admin status", nil), command("admin logs test", nil), press("for/42/show/id-3"), press("for/42/show/gone"), command("admin lookup", nil), command("admin action", map[string]string{"user": "42"}),
		} {
			for _, name := range []string{long("N"), ""} {
				r := by("1", r)
				r.TargetName = name
				d.ask(c, r)
				time.Sleep(actionlock.Window)
			}
		}
	}
	all()
	health.Log = []logchannel.Status{{Channel: "9", Waiting: 12_345, Oldest: time.Unix(1, 0)}, {Channel: "9", Trouble: long("x")}, {Channel: "9", Trouble: "403", Forbidden: true}}
	health.Calls, health.Failed, health.DownSince, health.RedisErr = 99_999, 54_321, time.Unix(1, 0), errors.New("refused")
	all()
	health.RedisErr, health.RedisEmbedded = nil, true
	w.list = bots("", 0)
	all()
	w.err = &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpList}
	all()
	health = commands.Health{Shards: []shards.Status{{Ready: true}}}
	all()
	health.Shards, health.Watching = []shards.Status{}, true
	health.Watch, health.Alerts = watcher.Status{Accounts: 99_999, Interval: time.Hour, Lag: time.Hour, Grown: true}, alerts.Status{Sent: 99_999, Refused: 99_999, Waiting: 99_999}
	all()
	d.ask(c, by("2", command("admin status", nil)))
	elsewhere := by("1", command("admin status", nil))
	elsewhere.GuildID = "8"
	d.ask(c, elsewhere)
}

// watching draws the history of bots, and panels.
func (d *drawn) watching(bots func(status string, n int) hostapi.List) {
	d.ask(newCommands(d.t, &world{list: bots("RUNNING", 1)}), press("history/id-0"))
	with := func(change func(h *watched), requests ...interaction.Request) {
		for _, r := range requests {
			h := &watched{w: &world{list: bots("RUNNING", 2)}}
			change(h)
			d.ask(watching(d.t, h), r)
		}
	}
	var crashes []any
	for range 400 {
		crashes = append(crashes, time.Hour, hostapi.StateRunning, time.Hour, hostapi.StateCrashed)
	}
	with(func(*watched) {}, press("more/id-0"), press("history/id-0"), command("bot history", nil))
	for _, spans := range [][]history.Span{
		past(crashes...), past(20*aDay, history.Unwatched, aDay, hostapi.StateCrashed, aDay, hostapi.StateRunning), past(30*aDay, hostapi.StateRunning),
	} {
		with(func(h *watched) { h.spans = spans }, press("history/id-0"))
	}
	with(func(h *watched) { h.err = errors.New("away") }, press("history/id-0"), here(command("panel", nil)))

	post := here(press("panel/new", "id-0"))
	with(func(*watched) {}, here(command("panel", nil)), post, press("aside/panel/43/id-0"))
	with(func(h *watched) { h.slow = true }, post)
	with(func(h *watched) { h.refusal = panel.ErrTooMany }, post)
	full := func(h *watched) {
		for i := range panel.MostPanels {
			h.panels = append(h.panels, panel.Panel{ID: fmt.Sprint(i), ChannelID: "9", Bots: []string{"id-0", "id-1"}, Trouble: "x"})
		}
	}
	with(full, here(command("panel", nil)), here(press("panel/remove", "1")))

	for _, spans := range [][]history.Span{past(aDay, hostapi.StateCrashed, aDay, hostapi.StateRunning), past(aDay, history.Unwatched, aDay, hostapi.StateRunning)} {
		for _, ids := range [][]string{{"id-0", "id-1"}, {"gone"}} {
			h := &watched{w: &world{list: bots("RUNNING", panel.MostBots)}, spans: spans}
			m, err := watching(d.t, h).DrawPanel(d.t.Context(), panel.Panel{OwnerID: "42", Bots: ids, Locale: d.locale})
			if err != nil {
				d.t.Fatal(err)
			}
			d.see(interaction.Reply(m))
		}
	}
}
