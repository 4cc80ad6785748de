package health

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"hostbot/bot/discord/recent"
	"hostbot/bot/sanitize"
	"hostbot/locale"
)

// reasonLimit is to how many characters a reason is cut.
const reasonLimit = 80

// judgement is what a verdict says: what is wrong or is well again, when that began, and why.
type judgement struct {
	key     string // of staff's text: staff.verdict.<key>
	english string
	at      time.Time // zero if it is not known
	reason  string    // may be empty
	of      recent.Summary
	unit    string // of what the summary counts; empty if english says it
}

// judged gives an item a verdict.
func (d describer) judged(i Item, j judgement) Item {
	reason := []rune(j.reason)
	reason = reason[:min(len(reason), reasonLimit)]
	i.Verdict = j.english
	i.Staff.Verdict = d.t.Format("staff.verdict."+j.key, locale.Args{"Failed": j.of.Fails, "Calls": j.of.Calls})
	if !j.at.IsZero() {
		word, when := " since ", timestamp(j.at, "t")+" ("+timestamp(j.at, "R")+")"
		if strings.HasSuffix(j.key, "_back") {
			word = " at "
		} else {
			when = d.t.Format("staff.verdict.since", locale.Args{"When": when})
		}
		i.Verdict += word + clock(j.at)
		i.Staff.Verdict += " · " + when
	}
	if len(reason) > 0 {
		i.Verdict += ", " + string(reason)
		i.Staff.Verdict += " · " + sanitize.Markdown(string(reason), reasonLimit)
	}
	if j.unit != "" && j.of.Fails > 0 {
		i.Verdict += fmt.Sprintf(", %d of %d %s", j.of.Fails, j.of.Calls, j.unit)
		i.Staff.Verdict += " · " + d.t.Format("staff.verdict.of", locale.Args{"Failed": j.of.Fails, "Calls": j.of.Calls})
	}
	return i
}

// fared returns an item about calls, by their unit and the text of their title: how many there
// were, and when one succeeded and failed last.
func (d describer) fared(name, unit, title string, s recent.Summary) Item {
	var found, staff []string
	add := func(english, text string) {
		found, staff = append(found, english), append(staff, text)
	}
	switch {
	case s.Fails > 0:
		add(fmt.Sprintf("%d of %d %s failed within %v", s.Fails, s.Calls, unit, d.Window), d.share(s.Fails, s.Calls, d.Window))
	case s.Calls > 0:
		add(fmt.Sprintf("%d %s within %v", s.Calls, unit, d.Window), d.t.Format("staff.status.calls_made", locale.Args{"Calls": s.Calls, "Window": d.t.Duration(d.Window)}))
	default:
		add(fmt.Sprintf("no %s within %v", unit, d.Window), d.t.Format("staff.status.no_calls", locale.Args{"Window": d.t.Duration(d.Window)}))
	}
	if !s.Succeeded.IsZero() {
		add("last success "+clock(s.Succeeded), d.t.Format("staff.status.last_success", locale.Args{"When": timestamp(s.Succeeded, "R")}))
	}
	if !s.Failed.IsZero() {
		reason := sanitize.Plain(s.Reason, reasonLimit)
		add("last failure "+clock(s.Failed)+" ("+reason+")", d.t.Format("staff.status.last_failure", locale.Args{
			"When": timestamp(s.Failed, "R"), "Reason": sanitize.Markdown(reason, reasonLimit),
		}))
	}
	i := item(name, "%s", strings.Join(found, "; "))
	i.Staff = Staff{Title: d.t.Text(title), Text: strings.Join(staff, "\n")}
	return i
}

// clock says a time to operators, on whichever day.
func clock(at time.Time) string { return at.UTC().Format("15:04:05 UTC") }

// timestamp shows a time as Discord does, in the reader's zone: R ticks ("5 minutes ago")
// (https://discord.com/developers/docs/reference#message-formatting-timestamp-styles).
func timestamp(at time.Time, style string) string {
	return "<t:" + strconv.FormatInt(at.Unix(), 10) + ":" + style + ">"
}
