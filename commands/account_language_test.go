package commands_test

import (
	"context"
	"errors"
	"strings"
	"time"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
	"hostbot/commands"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

type asking func(change func(w *world), requests ...interaction.Request)

// accounts draws lists, cards and plans.
func (d *drawn) accounts(bots func(status string, n int) hostapi.List, fresh asking) {
	for _, status := range []string{"RUNNING", "STOPPED", "STARTING", "STOPPING", "RESTARTING", "INSTALLING", "CRASHED", "ERROR", "SUSPENDED", "", long(wide)} {
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
	fresh(func(w *world) { w.list = bots("CRASHED", 30) }, command("bot list", nil))
	fresh(func(w *world) { w.list = bots("SUSPENDED", 2) }, command("bot list", nil))
	fresh(func(w *world) { w.list, w.off = bots("", 0), map[hostapi.Operation]bool{hostapi.OpCreate: true} }, command("bot list", nil))
	for _, failure := range []error{nil, errors.New("away"), &hostapi.Error{Code: hostapi.CodeUnavailable, Status: 500}} {
		fresh(func(w *world) { w.old, w.failure = true, failure }, press("show/id-0"), command("plan", nil))
	}
	fresh(func(w *world) {
		w.old, w.update = true, func(context.Context) (accounts.Snapshot, error) { return accounts.Snapshot{}, errors.New("down") }
	}, press("show/id-0"))
	for _, account := range []hostapi.List{shopWithPlan(512, 1), shopWithPlan(512, 0), shopWithPlan(0, 0)} {
		fresh(func(w *world) { w.list = account }, command("plan", nil), command("bot create", nil))
	}
	over := shopWithPlan(512, 1)
	over.Account.ServerCount = 2
	fresh(func(w *world) { w.list = over }, command("plan", nil))
	fresh(func(*world) {}, command("help", nil), onBot("bot show", strings.Repeat(wide, 80)+"x"), onBot("bot show", "quite another"), onBot("bot show", ""))
	fresh(func(w *world) { w.list = account(server("a", "Twin", "RUNNING"), server("b", "Twin", "RUNNING")) }, onBot("bot show", "Twin"))
	fresh(func(w *world) { w.list = account(server("a", "Radio", "RUNNING")) }, onBot("bot show", "Rabbio"))
}

// actions draws each action in each of its ends.
func (d *drawn) actions(fresh asking) {
	failed := func() (string, error) {
		return "", &hostapi.Error{Code: hostapi.CodeConflict, Status: 409, Words: long("D")}
	}
	refused := func() (string, error) {
		return "", &hostapi.Error{Code: hostapi.CodeInvalid, Status: 422, Words: long("D")}
	}
	uncertain := func() (string, error) { return "", &hostapi.Error{Code: hostapi.CodeUnavailable, Uncertain: true} }
	slow := func() (string, error) { time.Sleep(83 * time.Minute); return "RUNNING", nil }
	stopped := func(w *world) { w.list.Servers[0].Status = "STOPPED" }
	requests := []interaction.Request{
		press("start/id-0"), press("restart/id-0"), press("stop/id-0"), press("reinstall/id-0"), press("packages/id-0"),
		submit("startup/id-0", map[string]string{"command": "x", "entry": "y"}), submit("startup/id-0", map[string]string{"command": "node index.js", "entry": "index.js"}),
		submit("startup/id-0", map[string]string{"command": "node —x", "entry": "“y”"}),
		submit("delete/id-0", map[string]string{"name": long(wide) + "0"}), submit("delete/id-0", map[string]string{"name": "another"}), submit("delete/id-0", nil), submit("startup/id-0", nil),
		submit("create/512/2048/100", map[string]string{"name": long("N"), "language": "NODE"}),
		submit("create/512/2048/100", map[string]string{"name": long("N"), "language": "NODE", "start": interaction.Ticked}),
		submit("create/513/2048/100", map[string]string{"name": "x"}),
	}
	for _, ends := range []func() (string, error){nil, failed, refused, uncertain, slow} {
		fresh(func(w *world) { w.action = ends }, requests...)
		fresh(func(w *world) { stopped(w); w.action = ends }, requests...)
	}
	crashes := func() (string, error) { return "CRASHED", nil }
	fresh(func(w *world) { stopped(w); w.action, w.changed = crashes, "CRASHED" }, press("start/id-0"), press("restart/id-0"), press("packages/id-0"))
	never := func() (string, error) { return "STARTING", nil }
	fresh(func(w *world) { stopped(w); w.action, w.changed = never, "STARTING" }, press("start/id-0"))
	fresh(func(w *world) { w.action = never }, submit("create/512/2048/100", map[string]string{"name": "x", "language": "NODE", "start": interaction.Ticked}))
	d.refusals(uncertain)
	d.restartsOfAll(fresh)
	d.severals(fresh)
}

// errors draws each error.
func (d *drawn) errors(with func(func(*world)) (*world, *commands.Commands)) {
	_, c := with(func(*world) {})
	r := interaction.Request{UserID: "42", CustomerID: "42"}
	for _, code := range []hostapi.Code{
		hostapi.CodeUnauthorized, hostapi.CodeForbidden, hostapi.CodeNotFound, hostapi.CodeConflict, hostapi.CodeInvalid, hostapi.CodeLimitReached, hostapi.CodeRateLimited,
		hostapi.CodeUnavailable, hostapi.CodeMalformed, hostapi.CodeCanceled, hostapi.CodeNotOffered, hostapi.CodeInternal,
	} {
		for _, wait := range []time.Duration{0, time.Hour} {
			for _, status := range []int{0, 500, 504} {
				d.explain(c, r, &hostapi.Error{Code: code, Op: hostapi.OpList, Status: status, RetryAfter: wait})
				d.explain(c, r, &hostapi.Error{Code: code, Op: hostapi.OpStop, Status: status, RetryAfter: wait})
			}
		}
	}
	for _, err := range []error{
		interaction.ErrNoRoute, interaction.ErrStopping, interaction.ErrBusy, interaction.ErrUserBusy, interaction.ErrBlocked, interaction.ErrNotBegun,
		interaction.ErrOutcomeUnknown, interaction.ErrTooSlow, interaction.ErrHandledElsewhere, errors.New("unforeseen"),
	} {
		d.explain(c, r, err)
	}
	for _, outcome := range []interaction.Outcome{interaction.Done, interaction.Failed, interaction.Unconfirmed} {
		for _, action := range []string{"start", "restart", "stop", "reinstall", "startup", "delete", "create"} {
			a := interaction.Action{Name: action, Outcome: outcome, BotID: "id-0", BotName: long(wide)}
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
	w := &world{list: account(server("id-0", long(wide), "RUNNING"))}
	c := commands.New(commands.Config{
		Accounts: w, Hosting: w, Actions: actions.New(actions.Config{}), Texts: mustTexts(d.t), Links: w.links,
		Forms: commands.Forms{Drafts: drafts{}, Languages: []hostapi.Language{{ID: "RUST", Label: long("L")[:100]}}},
	})
	d.ask(c, press("create/512/2048/100"))
}
