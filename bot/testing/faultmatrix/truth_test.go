package faultmatrix_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/locale"
)

// ending is how something ends for whoever began it: one of the constants, or
// the key of the text of an error that keeps it from being done.
type ending string

const (
	usual       ending = "usual"       // as if nothing were broken
	aged        ending = "aged"        // what was known, with its age
	unconfirmed ending = "unconfirmed" // nobody knows whether it was done
	unheard     ending = "unheard"     // Discord says that the application did not respond
	unsettled   ending = "unsettled"   // it was done, and the bot has not come to rest
	unfinished  ending = "unfinished"  // it is said to run, though it does no more
	nothing     ending = "nothing"     // is suggested
)

// failed is the ending of an action that was refused or never arrived, with the
// text that says why.
func failed(key string) ending { return ending("failed: " + key) }

// phrasebook finds endings in what is read.
type phrasebook struct{ t *locale.Texts }

func newPhrasebook(t testing.TB) phrasebook {
	t.Helper()
	texts, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	return phrasebook{texts.For("en-US")}
}

// sentence is the first sentence of a text, as far as nothing in it varies.
func (p phrasebook) sentence(key string, args locale.Args) string {
	text := p.t.Format(key, args)
	for _, end := range []string{". ", " ? "} {
		text, _, _ = strings.Cut(text, end)
	}
	return strings.TrimSuffix(text, ".")
}

// errorKeys are the texts that may say what is wrong.
func errorKeys() []string {
	return []string{
		"error.away", "error.slow", "error.broken", "error.unauthorized", "error.forbidden", "error.no_account", "staff.no_account", "error.conflict", "error.limit_reached", "error.rate_limited",
		"error.malformed", "error.canceled", "error.stopping", "error.internal", "error.busy", "error.gone", "action.busy", "action.limit", "error.not_offered", "error.too_slow", "error.untold",
		"history.unreadable", "alerts.unreadable", "alerts.later", "panel.unreadable", "panel.later", "schedule.unreadable", "follow.later", "staff.notices.unsaved", "answer.unsaved", "staff.forget.unreadable", "staff.forget.failed",
	}
}

func (p phrasebook) errorIn(text string) string {
	for _, key := range errorKeys() {
		if strings.Contains(text, p.sentence(key, nil)) {
			return strings.Replace(key, "staff.no_account", "error.no_account", 1)
		}
	}
	return ""
}

// goesOn is what is said of an action or a removal that goes on, or of data on the way.
var goesOn = regexp.MustCompile(`… (started|begun) <t:|Updating…|⏳ (Deleting|Posting)`)

// over reports whether nothing more will come.
func over(v discordtest.View) bool {
	switch v.State {
	case discordtest.Failed, discordtest.Deleted, discordtest.Asking:
		return true
	case discordtest.Shown:
		return !goesOn.MatchString(v.Text()) || v.Contains("Another action is already running")
	default:
		return false
	}
}

// endingOf says how a flow ended, by what is read.
func (p phrasebook) endingOf(f flow, r reading) ending {
	text := r.view.Text()
	switch {
	case errors.Is(r.err, errNoSuggestions):
		return nothing
	case r.view.State == discordtest.Failed || r.err != nil && strings.Contains(r.err.Error(), "loading options failed"):
		return unheard
	case r.err != nil:
		return ending("error: " + r.err.Error())
	case f.need == suggests, f.need == asks && r.view.State == discordtest.Asking:
		return usual
	case !over(r.view), r.unchanged:
		return unfinished
	case f.need == acts:
		return p.actionIn(f, text)
	case (f.need == names || f.need == needsNothing) && f.isGood(text):
		return usual
	case strings.Contains(text, "Showing data from"):
		return aged
	case p.errorIn(text) != "":
		return ending(p.errorIn(text))
	case f.isGood(text):
		return usual
	}
	return ending("unknown: " + text)
}

func (f flow) isGood(text string) bool {
	return f.good != "" && regexp.MustCompile(f.good).MatchString(text)
}

func (p phrasebook) actionIn(f flow, text string) ending {
	says := func(end string) bool {
		return strings.Contains(text, p.sentence("action."+f.action+"."+end, locale.Args{"Bot": f.bot}))
	}
	switch {
	case says("unconfirmed"):
		return unconfirmed
	case strings.Contains(text, "is taking longer than usual"):
		return unsettled
	case says("failed"):
		return failed(p.errorIn(text))
	case says("done"), f.action != "delete" && strings.Contains(text, "✅ "+strings.TrimSuffix(p.sentence("action."+f.action+".ended", nil), ".")):
		return usual
	case p.errorIn(text) != "":
		return ending(p.errorIn(text))
	}
	return ending("unknown: " + text)
}

// reading is what somebody reads at the end.
type reading struct {
	view      discordtest.View
	err       error
	unchanged bool // nothing came in the time that there was
}

// read carries a flow out and waits until nothing more will come.
func (p phrasebook) read(ctx context.Context, f flow, c *person, in *discordtest.Reply) reading {
	versions := make(map[string]int)
	for _, u := range []*discordtest.User{c.user, c.user.InDM(), c.staff} {
		for _, v := range u.Messages() {
			versions[v.ID] = v.Version
		}
	}
	reply, err := f.do.now(ctx, c, in)
	if err != nil || reply == nil {
		return reading{err: err}
	}
	last := func() discordtest.View {
		if further := reply.FollowUps(); len(further) > 0 {
			return further[len(further)-1]
		}
		return reply.View()
	}
	came := world.Eventually(ctx, func() bool {
		v := last()
		return over(v) && (v.ID == "" || v.Version > versions[v.ID])
	})
	return reading{view: last(), unchanged: !came}
}

// untrue returns what is not true of what was read, or "".
func untrue(f flow, r reading, is ending, done int, mayBeLost bool) string {
	text := r.view.Text()
	switch {
	case done > 1:
		return fmt.Sprintf("it was done %d times", done)
	case f.need != acts && done != 0:
		return "something was done that nobody asked for"
	case strings.Contains(text, "🟢 "+radio) && is != aged:
		return "what is old is shown as new"
	case f.need != acts:
		return ""
	case (is == usual || is == unsettled) && done != 1:
		return "it was not done"
	case is == unconfirmed:
		if !mayBeLost {
			return "it is certain what became of it"
		}
	case is != usual && is != unsettled && is != unfinished && done != 0:
		return "it was done all the same"
	}
	return ""
}

// checkStaff waits until staff have read what they should, of each action once
// and of each failure, and nothing else.
func (o outcome) checkStaff(t *testing.T, s *scene, trials []*trial) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	once := func(what string, channel *discordtest.Channel, texts ...string) {
		n := 0
		if !world.Eventually(ctx, func() bool {
			n = len(world.Entries(channel.Messages(), texts...))
			return n == 1 || n == 0 && channel == s.errors && s.countsMoreThanItShows() || n > 1 && s.pulse.lateSince(s.began) > 0 // see package logchannel about Redis
		}) {
			t.Errorf("%s: staff read %d entries with %q", what, n, texts)
		}
	}
	some := func(channel *discordtest.Channel, text string) {
		if !world.Eventually(ctx, func() bool { return len(world.Entries(channel.Messages(), text)) > 0 }) {
			t.Errorf("staff do not read %q", text)
		}
	}
	reference := regexp.MustCompile("Reference: `([0-9A-Z]{7})`")
	for _, one := range trials {
		told := one.need == keeps && one.is == usual // what is named is in the support channel
		for _, found := range reference.FindAllStringSubmatch(one.view.Text(), -1) {
			if !told {
				once(one.name(), s.errors, found[1])
			}
		}
		if outcome := one.is.outcome(); one.need == acts && outcome != "" {
			once(one.name(), s.actions, one.user.ID, one.title(), outcome)
		}
	}
	if o.lifecycle != "" {
		some(s.Channel, o.lifecycle)
	}
	said := regexp.MustCompile(cmp.Or(o.staff, "^$")) // nothing
	if o.staff != "" && !world.Eventually(ctx, func() bool { return len(s.failures()) > 0 || s.excused.Load() }) && !s.excuse() {
		t.Error("staff read of no failure")
	}
	for _, entry := range s.failures() {
		// What came over a connection that is back is done all at once, after the flows have ended.
		if !said.MatchString(entry) && !s.excuse() && s.pulse.lateSince(s.began) == 0 {
			t.Errorf("staff read:\n%s", entry)
		}
	}
}

// countsMoreThanItShows reports whether a card counts so many failures that it shows the latest
// references alone.
func (s *scene) countsMoreThanItShows() bool {
	const shown = 25
	times := regexp.MustCompile(`\*\*([0-9]+) times\*\*`)
	return slices.ContainsFunc(s.failures(), func(entry string) bool {
		found := times.FindStringSubmatch(entry)
		if found == nil {
			return false
		}
		n, _ := strconv.Atoi(found[1])
		return n > shown
	})
}

// failures are the entries of failures since the fault struck, without that which /admin logs test writes.
func (s *scene) failures() []string {
	reference := regexp.MustCompile("`([0-9A-Z]{7})`")
	return slices.DeleteFunc(world.Entries(s.errors.Messages(), "❗ "), func(entry string) bool {
		of := reference.FindAllStringSubmatch(entry, -1)
		later := slices.ContainsFunc(of, func(found []string) bool { return !strings.Contains(s.before, found[1]) })
		return strings.Contains(entry, "Test entry from /admin logs test") || len(of) > 0 && !later
	})
}

// title is what an entry about a flow's action is called.
func (f flow) title() string {
	others := map[string]string{"reinstall": "Package reinstall", "startup": "Startup change", "delete": "Deletion", "create": "Creation"}
	return cmp.Or(others[f.action], strings.ToUpper(f.action[:1])+f.action[1:])
}

// outcome is what staff read of an action that ended so; empty where it never
// came to one.
func (e ending) outcome() string {
	switch {
	case e == usual:
		return "Done"
	case e == unconfirmed, e == unsettled:
		return "Not confirmed"
	case strings.HasPrefix(string(e), "failed: "):
		return "Failed"
	default:
		return ""
	}
}
