package bot_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"hostbot/locale"
)

// The README's table of faults stands between these lines.
const (
	readme       = "../README.md"
	tableBegins  = "<!-- what follows is written by: go test ./bot -run Readme -update -->\n"
	tableEnds    = "<!-- the end of what is written so -->\n"
	discordsWord = "*The application did not respond*"
)

func TestTheReadmeSaysWhatHappens(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), tableBegins)
	shown, after, ends := strings.Cut(rest, tableEnds)
	if !begins || !ends {
		t.Fatal("the README has no place for the table")
	}
	want := newPhrasebook(t).tables(dependencies())
	switch {
	case shown == want:
	case flagValue[bool]("update"):
		if err := os.WriteFile(readme, []byte(before+tableBegins+want+tableEnds+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the README is not up to date; run: go test ./bot -run Readme -update\n%s", want)
	}
}

// tables says what becomes of all faults.
func (p phrasebook) tables(all []dependency) string {
	var text strings.Builder
	for _, d := range all {
		fmt.Fprintf(&text, "\n| %s | who looks reads | who acts reads | staff read |\n|---|---|---|---|\n", d.name)
		for _, same := range alike(d.faults) {
			var names []string
			for _, x := range same {
				names = append(names, x.name)
			}
			x := same[0]
			fmt.Fprintf(&text, "| %s | %s | %s | %s |\n", strings.Join(names, ", "), p.lookers(x), p.actors(x), p.staffs(x))
		}
	}
	return text.String() + "\n"
}

// alike groups faults of which the same is told, in the order of their first.
func alike(faults []fault) [][]fault {
	var groups [][]fault
	for _, x := range faults {
		i := slices.IndexFunc(groups, func(g []fault) bool {
			y := g[0]
			return x.unknown == y.unknown && x.known == y.known && x.acts == y.acts && x.staff == y.staff && x.lifecycle == y.lifecycle && x.trips == y.trips
		})
		if i < 0 {
			groups = append(groups, []fault{x})
		} else {
			groups[i] = append(groups[i], x)
		}
	}
	return groups
}

func (p phrasebook) lookers(x fault) string {
	if x.known == aged {
		return "what was known, with its age; where nothing was, " + p.quoted(x.unknown)
	}
	return p.quoted(x.unknown)
}

func (p phrasebook) actors(x fault) string {
	text := p.quoted(x.acts)
	if x.trips && x.acts == unconfirmed {
		text += "; once five accounts have failed in a row " + p.quoted(failed("error.unavailable"))
	}
	return text
}

// quoted is what is read at an ending.
func (p phrasebook) quoted(e ending) string {
	bot := locale.Args{"Bot": "…"}
	quote := func(sentences ...string) string {
		return "*" + strings.ReplaceAll(strings.Join(sentences, ". "), "**…**", "…") + ".*"
	}
	switch e {
	case usual:
		return "the usual"
	case unconfirmed:
		return quote(p.sentence("action.restart.unconfirmed", bot))
	case unheard:
		return discordsWord + "; nothing was done"
	case unfinished:
		return "*Restarting …*, and can press **Refresh**"
	}
	if key, ok := strings.CutPrefix(string(e), "failed: "); ok {
		return quote(p.sentence("action.restart.failed", bot), p.sentence(key, nil))
	}
	return quote(p.sentence(string(e), nil))
}

func (p phrasebook) staffs(x fault) string {
	var told []string
	if x.lifecycle != "" {
		told = append(told, "*"+x.lifecycle+"*")
	}
	switch {
	case x.keeps != "":
		told = append(told, "failures of `/admin flush` and `/admin reference` alone")
	case x.staff != "":
		said := strings.NewReplacer(`\`, "", "|", "` or `").Replace(strings.TrimSpace(x.staff))
		told = append(told, "failures: `"+said+"`")
	}
	if len(told) == 0 {
		return "what was done"
	}
	return strings.Join(told, "; ")
}
