package staff_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hostbot/bot/discord/register"
	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/staff/incident"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/staff/stafflog"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/outages"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
	"hostbot/locale"
)

// posted notes entries by category.
type posted map[logchannel.Category][]logchannel.Entry

func (p posted) Post(e logchannel.Entry) { p[e.Category] = append(p[e.Category], e) }

func newLog(t *testing.T, p posted) *stafflog.Log {
	t.Helper()
	return newLogIn(t, p, locale.Default)
}

func newLogIn(t *testing.T, p posted, language string) *stafflog.Log {
	t.Helper()
	texts, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	return stafflog.New(p.Post, nothingKept{}, texts.For(language))
}

// text is what staff read of an entry by itself.
func text(entry logchannel.Entry) string {
	e := entry.Embed
	if e == nil {
		return entry.Line
	}
	parts := []string{e.Title, e.Description}
	for _, f := range slices.Concat(entry.Own, e.Fields) {
		parts = append(parts, f.Name, f.Value)
	}
	return strings.Join(parts, "\n")
}

func want(t *testing.T, e logchannel.Entry, parts ...string) {
	t.Helper()
	if strings.Contains(text(e), "log.") {
		t.Errorf("a text is missing in:\n%s", text(e))
	}
	for _, part := range parts {
		if !strings.Contains(text(e), part) {
			t.Errorf("no %q in:\n%s", part, text(e))
		}
	}
}

var request = &interaction.Request{
	Kind: interaction.Component, Route: "restart/{bot...}", UserID: "42", CustomerID: "42", GuildID: "7", ChannelID: "8", Reference: "ABC1234",
}

func TestActions(t *testing.T) {
	p := posted{}
	log := newLog(t, p)
	for _, outcome := range []interaction.Outcome{interaction.Done, interaction.Failed, interaction.Unconfirmed} {
		var failure error
		if outcome == interaction.Failed {
			failure = fmt.Errorf("restart: %w", &hostapi.Error{Code: hostapi.CodeConflict, Op: hostapi.OpRestart, Status: 409})
		}
		log.Action(request, interaction.Action{
			Name: "restart", BotID: "id-1", BotName: "My *shop*", Outcome: outcome, Interrupted: outcome == interaction.Unconfirmed, Duration: 4200 * time.Millisecond,
		}, failure)
	}
	refused := &hostapi.Error{Code: hostapi.CodeInvalid, Op: hostapi.OpCreate, Status: 422, Detail: "typed"}
	log.Action(request, interaction.Action{Name: "create", BotName: "Shop", Outcome: interaction.Refused, Duration: time.Second}, refused)
	entries := p["actions"]
	if len(entries) != 4 || len(p) != 1 {
		t.Fatalf("posted %v", p)
	}
	for i, wanted := range []string{
		"<@42> `42` · ✅ Restart · My \\*shop\\* `id-1` · Done · 4.2\u00a0s",
		"<@42> `42` · ❌ Restart · My \\*shop\\* `id-1` · Failed · Hosting service: not possible in the bot's current state (409) · 4.2\u00a0s · `ABC1234`",
		"<@42> `42` · ⚠️ Restart · My \\*shop\\* `id-1` · Not confirmed · the process running it crashed · 4.2\u00a0s · `ABC1234`",
		"<@42> `42` · ↩️ Creation · Shop  · Refused · Hosting service: input not accepted (422) · 1.0\u00a0s",
	} {
		time, rest, _ := strings.Cut(entries[i].Line, "> ")
		if !strings.HasPrefix(time, "<t:") || !strings.HasSuffix(time, ":T") || rest != wanted {
			t.Errorf("an action is told so: %q, want %q", entries[i].Line, wanted)
		}
	}
}

func TestFailures(t *testing.T) {
	p := posted{}
	log := newLog(t, p)
	log.Failure(request, &hostapi.Error{Code: hostapi.CodeUnavailable, Op: hostapi.OpRestart, Status: 503, Detail: "<@1> *down*"})
	inDM := *request
	inDM.GuildID, inDM.Running = "", &interaction.Action{BotID: "id-1", BotName: "My *shop*"}
	log.Failure(&inDM, errors.New(strings.Repeat("@everyone ", 1000)))
	entries := p["errors"]
	if len(entries) != 2 {
		t.Fatalf("posted %v", p)
	}
	want(t, entries[0], "❗ Hosting service: unavailable (503)", "`ABC1234`", "<@42>", "component restart/{bot...}", `\<\@1> \*down\*`)
	want(t, entries[0], "Check that the hosting service is running")
	entries[0].Own = nil // as where it counts
	if shown := text(entries[0]); strings.Contains(shown, "42") || strings.Contains(shown, "ABC1234") {
		t.Errorf("what several failures have in common names one of them:\n%s", shown)
	}
	want(t, entries[1], "Direct message", "My \\*shop\\* `id-1`")
	for _, f := range entries[1].Embed.Fields {
		if n := len([]rune(f.Value)); n == 0 || n > 1024 {
			t.Errorf("%s has %d characters", f.Name, n)
		}
	}
}

func TestProblems(t *testing.T) {
	p := posted{}
	log := newLog(t, p)
	log.RedisEmbedded()
	log.Tell(stafflog.CacheGarbage, stafflog.Facts{Reason: errors.New("*refused*")})
	want(t, p["errors"][0], "⚠️ REDIS_URL isn't set")
	want(t, p["errors"][1], "⚠️ Redis held invalid data about an account", `\*refused\*`)
	log.MessagesPaused(notify.Pause{Code: rest.CodeQuarantined}, errors.New("*flagged*"))
	want(t, p["errors"][2], "⚠️ Discord has quarantined this bot", "Developer Portal", `\*flagged\*`)
	for range 2 { // by two replicas
		log.WatchSlow(watcher.Status{Accounts: 3, Interval: 90 * time.Second})
	}
	slow := p["lifecycle"]
	want(t, slow[0], "🐌 3 accounts are monitored; each round takes", "Raise WATCH_RATE")
	if slow[0].DedupKey == "" || slow[0].DedupKey != slow[1].DedupKey {
		t.Errorf("what two replicas tell has the keys %q and %q", slow[0].DedupKey, slow[1].DedupKey)
	}
}

// TestPollsThatAreLimited are told of by two replicas: some accounts, then all, then none.
func TestPollsThatAreLimited(t *testing.T) {
	p := posted{}
	log := newLog(t, p)
	one := watcher.Limits{Since: time.Now().Add(-time.Minute), Accounts: 1}
	all := one
	all.Accounts, all.All = 7, true
	for _, pair := range [][2]watcher.Limits{{{}, one}, {one, all}, {all, {}}} {
		for range 2 {
			log.PollsLimited(pair[0], pair[1])
		}
	}
	for i, line := range []string{"🚦 The hosting service limits requests: checks of 1 account are waiting (429)", "all account checks are slower (429)", "no longer limits account checks"} {
		e, again := p["lifecycle"][2*i], p["lifecycle"][2*i+1]
		want(t, e, line)
		if e.DedupKey == "" || e.DedupKey != again.DedupKey || i > 0 && e.DedupKey == p["lifecycle"][2*i-2].DedupKey {
			t.Errorf("%s: what two replicas tell has the keys %q and %q", line, e.DedupKey, again.DedupKey)
		}
	}
}

func TestLifecycle(t *testing.T) {
	p := posted{}
	log := newLog(t, p)
	log.Started("1.2.3")
	log.Tell(stafflog.Connected, stafflog.Facts{})
	log.Tell(stafflog.Disconnected, stafflog.Facts{Reason: errors.New("EOF")})
	log.Tell(stafflog.Resumed, stafflog.Facts{After: 90 * time.Second})
	log.CommandsUpdated()
	log.CommandsRefused(errors.New("status 403"))
	log.GuildRefused("77", "https://discord.com/invite", errors.New("*code* 50001"))
	log.Unreached(register.Arrival{Fault: register.Unanswered, Host: "old.example.com", Answer: "*502*"})
	log.Stopping("told to stop")
	log.LocalizationsRefused([]string{"bot: name · tr", "*plan*: description · de, fr"})
	entries := p["lifecycle"]
	for i, part := range []string{"1.2.3 started", "Connected", "EOF", "90\u00a0s", "Commands", "status 403", "server 77", "old.example.com", "told to stop", "English"} {
		if i >= len(entries) {
			t.Fatalf("%d entries", len(entries))
		}
		want(t, entries[i], part)
	}
	want(t, entries[9], "bot: name · tr", `\*plan\*: description · de, fr`)
	want(t, entries[6], "https://discord.com/invite", `\*code\* 50001`)
	want(t, entries[7], "No command or button reaches this bot", `\*502\*`)
}

func TestStaffStandOut(t *testing.T) {
	p := posted{}
	log := newLog(t, p)
	byStaff := *request
	byStaff.CustomerID = "43"
	log.Action(&byStaff, interaction.Action{Name: "restart", BotID: "id-1", BotName: "Shop", Outcome: interaction.Done}, nil)
	log.Audit(&byStaff, interaction.Audit{Detail: "`ABC`"})
	log.Audit(request, interaction.Audit{Refused: true})
	log.Audit(request, interaction.Audit{}) // about nobody: who is staff needs no ID
	log.Action(&byStaff, interaction.Action{Name: "restart", BotID: "id-1", BotName: "Shop", Outcome: interaction.Failed}, errors.New("x"))
	entries := append(p["actions"], p["staff"]...)
	if len(p["actions"]) != 2 || len(p["staff"]) != 3 {
		t.Fatalf("posted %v", p)
	}
	want(t, entries[0], "<@42> 🛟 for <@43> `43` · ✅ Restart")
	want(t, entries[2], "👁️ Staff command · ", "<@42> 🛟 for <@43> `43`", "`ˋABCˋ`", "· `restart` ·")
	want(t, entries[3], "⛔ Staff command refused", "<@42> `42`")
	want(t, entries[4], "<@42> · 👁️ Staff command")
	want(t, entries[1], "<@42> 🛟 for <@43> `43` · ❌ Restart", "Failed · Internal error in this bot")
}

// causes are the failures that staff can do something about, each in its own way.
func causes() []error {
	list := []error{
		interaction.ErrOutcomeUnknown, interaction.ErrUnsettled, fmt.Errorf("%w: %w", interaction.ErrBlocked, &rest.Error{Status: 400}), &rest.Error{Status: 404},
		fmt.Errorf("%w: %w", interaction.ErrTooLate, &rest.Error{Status: 404, Code: 10062}),
		fmt.Errorf("%w: %w", incident.ErrNoThread, &rest.Error{Status: 403, Code: rest.CodeMissingPermissions}),
	}
	for _, code := range []hostapi.Code{
		hostapi.CodeUnauthorized, hostapi.CodeForbidden, hostapi.CodeNotFound, hostapi.CodeConflict, hostapi.CodeLimitReached, hostapi.CodeRateLimited,
		hostapi.CodeUnavailable, hostapi.CodeMalformed, hostapi.CodeCanceled, hostapi.CodeNotOffered, hostapi.CodeInternal,
	} {
		list = append(list, &hostapi.Error{Code: code, Op: hostapi.OpRestart, Status: 503})
	}
	return list
}

// TestEachCauseSaysWhatToDo has each thing fail that staff can do something about.
func TestEachCauseSaysWhatToDo(t *testing.T) {
	p := posted{}
	log := newLog(t, p)
	for _, err := range causes() {
		log.Failure(request, err)
	}
	said := map[string]bool{}
	for _, e := range p["errors"] {
		want(t, e) // a text
		said[e.Embed.Description] = true
	}
	if len(said) != len(causes()) {
		t.Errorf("%d causes have %d cures", len(causes()), len(said))
	}
	if !slices.ContainsFunc(p["errors"], func(e logchannel.Entry) bool { return strings.Contains(e.Embed.Description, "Create Public Threads") }) {
		t.Error("staff do not read what the support channel lacks")
	}
}

// Names from right to left do not move the figures beside them.
func TestALineKeepsItsOrder(t *testing.T) {
	p := posted{}
	newLog(t, p).Action(request, interaction.Action{Name: "restart", BotID: "7", BotName: "متجر", Outcome: interaction.Done}, nil)
	want(t, p["actions"][0], "\u2068متجر\u2069 `7` · Done")
}

// Failures are equal by what failed, whoever met it.
func TestEqualFailuresAreGrouped(t *testing.T) {
	p := posted{}
	log := newLog(t, p)
	other, elsewhere := *request, *request
	other.UserID, other.Reference = "43", "XYZ9876"
	elsewhere.Route = "reinstall/{bot...}"
	unavailable := func(detail string) error {
		return fmt.Errorf("restart: %w", &hostapi.Error{Code: hostapi.CodeUnavailable, Op: hostapi.OpRestart, Status: 503, Detail: detail})
	}
	log.Failure(request, unavailable("node 7"))
	log.Failure(&other, unavailable("node 8"))
	log.Failure(request, &rest.Error{Status: 404, Code: 10062, Message: "a"})
	log.Failure(&other, &rest.Error{Status: 404, Code: 10062, Message: "b"})
	log.Failure(request, fmt.Errorf("%w: %w", interaction.ErrTooLate, &rest.Error{Status: 404, Code: 10062}))
	log.Failure(request, errors.New("panic: index 5"))
	log.Failure(&other, errors.New("panic: index 7"))
	log.Failure(&elsewhere, unavailable("node 7")) // by another command
	log.Failure(request, &hostapi.Error{Code: hostapi.CodeUnavailable, Op: hostapi.OpList})
	var groups []string
	for _, e := range p[logchannel.Errors] {
		groups = append(groups, e.GroupKey)
	}
	if groups[0] != groups[1] || groups[2] != groups[3] || groups[5] != groups[6] || groups[7] != groups[0] || slices.Contains(groups, "") || len(slices.Compact(groups)) != 6 {
		t.Errorf("groups are %q", groups)
	}
	if first, second := p[logchannel.Errors][0].Reference, p[logchannel.Errors][1].Reference; first != "ABC1234" || second != "XYZ9876" {
		t.Errorf("references are %s and %s", first, second)
	}
}

func TestFallSaysWithinWhichTimeBotsStopped(t *testing.T) {
	p := posted{}
	first := time.Unix(1_700_000_000, 0)
	newLog(t, p).Outage(outages.Outage{
		ID: "1", Bots: 12, Customers: 9, Recovered: 3, First: first, Last: first, Within: 2 * time.Minute, Plans: map[string]int{"Pro": 12},
	})
	want(t, p[logchannel.Errors][0], "12 bots stopped within 2\u00a0min (customers: 9)", "<t:1700000000:T>", "Running again\n3", "Pro: 12")
}

// TestATestSaysSoFirst has each entry of a test say that it is one, where a phone shows it.
func TestATestSaysSoFirst(t *testing.T) {
	p := posted{}
	newLog(t, p).Test(request)
	for category, entries := range p {
		for _, e := range entries {
			said := e.Line[strings.Index(e.Line, " ")+1:]
			if e.Embed != nil {
				said = e.Embed.Title
			}
			if !strings.HasPrefix(said, "TEST · ") {
				t.Errorf("%s: %q", category, said)
			}
		}
	}
	if len(p) != 4 {
		t.Errorf("%d categories are tested", len(p))
	}
}

// nothingKept keeps nothing.
type nothingKept struct{}

func (nothingKept) Keep(incident.Incident)      {}
func (nothingKept) Note(string, incident.Event) {}

// TestEntryThatPanicsDelaysNoOther writes entries in the background, of which the first panics.
func TestEntryThatPanicsDelaysNoOther(t *testing.T) {
	t.Parallel()
	var queue stafflog.Async
	written := false
	queue.Go(func() { panic("a mistake") })
	queue.Go(func() { written = true })
	queue.Wait(t.Context())
	if !written {
		t.Error("the second entry is not written")
	}
}
