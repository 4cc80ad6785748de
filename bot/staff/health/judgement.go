package health

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"hostbot/bot/discord/message"
	"hostbot/bot/discord/recent"
	"hostbot/bot/sanitize"
	"hostbot/locale"
)

const (
	// reasonLimit is to how many characters a reason is cut.
	reasonLimit = 80
	// errorLimit is to how many characters an error is cut.
	errorLimit = 300
)

// describer describes a report, an item in each method.
type describer struct {
	Report
	t     *locale.Texts
	plain bool // for a terminal, and not for Discord
	now   time.Time
}

// problem is what may be wrong with a thing, or was until lately.
type problem struct {
	is      bool
	state   State
	verdict string         // the key of the verdict, with {{.Failed}} and {{.Calls}}; empty for none
	cure    string         // the key of what is to be done; empty for nothing
	args    locale.Args    // of the cure
	at      time.Time      // since when, or at what time it was over if the state is OK; zero if it is not known
	reason  string         // may be empty
	calls   recent.Summary // for {{.Failed}} and {{.Calls}}
	counted bool           // the calls stand behind the verdict
}

// item returns an item as the first problem has it that there is. Without a problem it is well. title is
// the key of its title; empty for none.
func (d describer) item(name, title, text string, problems ...problem) Item {
	i := Item{Name: name, State: OK, Text: text}
	if title != "" {
		i.Title = d.t.Text(title)
	}
	k := slices.IndexFunc(problems, func(p problem) bool { return p.is })
	if k < 0 {
		return i
	}
	p := problems[k]
	i.State = p.state
	if p.cure != "" {
		i.Cure = d.t.Format(p.cure, p.args)
	}
	if p.verdict != "" {
		i.Verdict = d.verdict(p)
	}
	return i
}

// verdict says what is wrong, since when and why: "Hosting service unreachable · since 12:00 · reset".
func (d describer) verdict(p problem) string {
	args := locale.Args{"Failed": p.calls.Fails, "Calls": p.calls.Calls}
	parts := []string{d.t.Format(p.verdict, args)}
	if !p.at.IsZero() {
		when := d.when(p.at, "t")
		if !d.plain {
			when += " (" + d.when(p.at, "R") + ")"
		}
		if p.state != OK {
			when = d.t.Format("staff.verdict.since", locale.Args{"When": when})
		}
		parts = append(parts, when)
	}
	if p.reason != "" {
		parts = append(parts, d.clean(p.reason, reasonLimit))
	}
	if p.counted && p.calls.Fails > 0 {
		parts = append(parts, d.t.Format("staff.verdict.of", args))
	}
	return strings.Join(parts, " · ")
}

// fared says how many calls there were, and when one succeeded and failed last.
func (d describer) fared(s recent.Summary) string {
	window := locale.Args{"Calls": s.Calls, "Window": d.t.Duration(d.Window)}
	var lines []string
	switch {
	case s.Fails > 0:
		lines = append(lines, d.share(s.Fails, s.Calls, d.Window))
	case s.Calls > 0:
		lines = append(lines, d.t.Format("staff.status.calls_made", window))
	default:
		lines = append(lines, d.t.Format("staff.status.no_calls", window))
	}
	if !s.Succeeded.IsZero() {
		lines = append(lines, d.t.Format("staff.status.last_success", locale.Args{"When": d.when(s.Succeeded, "R")}))
	}
	if !s.Failed.IsZero() {
		lines = append(lines, d.t.Format("staff.status.last_failure", locale.Args{"When": d.when(s.Failed, "R"), "Reason": d.clean(s.Reason, reasonLimit)}))
	}
	return d.lines(lines...)
}

// share says how many of something failed.
func (d describer) share(failed, calls int, window time.Duration) string {
	if d.plain { // the window is that of all items
		return d.t.Format("staff.verdict.of", locale.Args{"Failed": failed, "Calls": calls})
	}
	return d.t.Format("staff.status.calls", locale.Args{
		"Failed": failed, "Calls": calls, "Rate": d.t.Percent(failed * 100 / calls), "Window": d.t.Duration(window),
	})
}

// milliseconds says a latency; "–" if it is not known.
func (d describer) milliseconds(latency time.Duration) string {
	if latency <= 0 {
		return "–"
	}
	return d.t.Milliseconds(latency)
}

// lines joins lines, without those that are empty.
func (d describer) lines(lines ...string) string {
	between := "\n"
	if d.plain {
		between = " · "
	}
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return line == "" }), between)
}

// clean makes text from outside fit to be shown.
func (d describer) clean(text string, limit int) string {
	if d.plain {
		return sanitize.Plain(text, limit)
	}
	return sanitize.Markdown(text, limit)
}

// code shows text from outside as it is.
func (d describer) code(text string, limit int) string {
	if d.plain {
		return sanitize.Plain(text, limit)
	}
	return sanitize.Code(text, limit)
}

// sign is an emoji before text; operators have the sign of the whole item.
func (d describer) sign(emoji string) string {
	if d.plain {
		return ""
	}
	return emoji + " "
}

// when says a time, on Discord in a style of message.Time.
func (d describer) when(at time.Time, style string) string {
	if d.plain {
		return at.UTC().Format("15:04:05 UTC")
	}
	return message.Time(at, style)
}

// number says how many there are.
func number(n int) string { return strconv.Itoa(n) }
