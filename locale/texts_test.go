package locale_test

import (
	"strconv"
	"testing"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"

	"hostbot/locale"
)

// small is two languages with everything that a text can be.
var small = map[string]string{
	"en-US.yaml": `
fixed: "Hello"
named: "{{.Bot}} of {{.User}}, {{.Bot}}"
english.only: "Only {{.Here}}"
english.count:
  one: "{{.Count}} bot of {{.User}}"
  other: "{{.Count}} bots of {{.User}}"
counted:
  one: "{{.Count}} bot"
  other: "{{.Count}} bots"
unnumbered:
  one: "a bot"
  other: "bots"
`,
	"pl.yaml": `
fixed: "Cześć"
named: "{{.User}}: {{.Bot}}"
counted:
  one: "{{.Count}} bot"
  few: "{{.Count}} boty"
  many: "{{.Count}} botów"
  other: "{{.Count}} bota"
`,
	"de.yaml": `
counted: "Bots: {{.Count}}"
`,
}

func TestFormat(t *testing.T) {
	b := bundleOf(t, small)
	tests := map[string]struct {
		locale string
		key    string
		args   locale.Args
		want   string
	}{
		"fixed":                   {"pl", "fixed", nil, "Cześć"},
		"fixed with arguments":    {"pl", "fixed", locale.Args{"Bot": "a"}, "Cześć"},
		"named":                   {"en-US", "named", locale.Args{"Bot": "a", "User": "b"}, "a of b, a"},
		"order of the language":   {"pl", "named", locale.Args{"Bot": "a", "User": "b"}, "b: a"},
		"only in the default":     {"pl", "english.only", locale.Args{"Here": 1}, "Only 1"},
		"missing argument":        {"en-US", "named", locale.Args{"Bot": "a"}, "a of ?, a"},
		"no arguments":            {"en-US", "named", nil, "? of ?, ?"},
		"nil argument":            {"en-US", "named", locale.Args{"Bot": nil, "User": "b"}, "? of b, ?"},
		"other arguments":         {"en-US", "named", locale.Args{"Bot": 1.5, "User": true}, "1.5 of true, 1.5"},
		"empty argument":          {"en-US", "named", locale.Args{"Bot": "", "User": "b"}, " of b, "},
		"argument is no template": {"en-US", "named", locale.Args{"Bot": "{{.User}}", "User": "<b> & \"c\""}, `{{.User}} of <b> & "c", {{.User}}`},
		"unknown key":             {"pl", "no.such.key", locale.Args{"Bot": "a"}, "no.such.key"},
		"empty key":               {"pl", "", nil, ""},
		"part of a key":           {"pl", "english", nil, "english"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := b.For(test.locale).Format(test.key, test.args); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestText(t *testing.T) {
	texts := bundleOf(t, small).For("pl")
	for key, want := range map[string]string{
		"fixed": "Cześć", "named": "?: ?", "english.only": "Only ?", "counted": "? bota", "no.such.key": "no.such.key",
	} {
		if got := texts.Text(key); got != want {
			t.Errorf("Text(%q) = %q, want %q", key, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	b := bundleOf(t, small)
	tests := map[string]struct {
		locale string
		key    string
		n      int
		args   locale.Args
		want   string
	}{
		"one":                            {"en-US", "counted", 1, nil, "1 bot"},
		"none":                           {"en-US", "counted", 0, nil, "0 bots"},
		"many":                           {"en-US", "counted", 21, nil, "21 bots"},
		"form without placeholders":      {"en-US", "unnumbered", 1, nil, "a bot"},
		"negative":                       {"en-US", "counted", -1, nil, "-1 bot"},
		"Polish one":                     {"pl", "counted", 1, nil, "1 bot"},
		"Polish few":                     {"pl", "counted", 22, nil, "22 boty"},
		"Polish many":                    {"pl", "counted", 12, nil, "12 botów"},
		"argument":                       {"en-US", "english.count", 2, locale.Args{"User": "b"}, "2 bots of b"},
		"missing argument":               {"en-US", "english.count", 2, nil, "2 bots of ?"},
		"the number wins":                {"en-US", "counted", 2, locale.Args{"Count": 9}, "2 bots"},
		"default's text, default's rule": {"pl", "english.count", 22, locale.Args{"User": "b"}, "22 bots of b"},
		"language without forms":         {"de", "counted", 1, nil, "Bots: 1"},
		"no forms anywhere":              {"de", "fixed", 1, nil, "Hello"},
		"unknown key":                    {"pl", "no.such.key", 3, nil, "no.such.key"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := b.For(test.locale).Count(test.key, test.n, test.args); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// TestFormsAreThoseOfGoI18n compares with go-i18n, which has newer rules. For
// numbers that somebody may have of something they differ in Vietnamese alone,
// where a newer one sets 0 and 1 apart.
func TestFormsAreThoseOfGoI18n(t *testing.T) {
	forms := &i18n.Message{ID: "form", Zero: "zero", One: "one", Two: "two", Few: "few", Many: "many", Other: "other"}
	for _, name := range locale.DiscordLocales() {
		if name == "vi" {
			continue
		}
		texts := everyForm(t, name)
		tag := language.Make(name)
		theirs := i18n.NewBundle(tag)
		if err := theirs.AddMessages(tag, forms); err != nil {
			t.Fatal(err)
		}
		localizer := i18n.NewLocalizer(theirs, name)
		for n := range 1001 {
			want, err := localizer.Localize(&i18n.LocalizeConfig{MessageID: "form", PluralCount: n})
			if err != nil {
				t.Fatal(err)
			}
			if got := texts.Count("form", n, nil); got != want {
				t.Errorf("%s: %d takes the form %s, want %s", name, n, got, want)
			}
		}
	}
}

func TestArgumentsAreLeftAsTheyAre(t *testing.T) {
	texts := bundleOf(t, small).For("en-US")
	args := locale.Args{"Bot": "a"}
	texts.Format("named", args)
	texts.Count("english.count", 3, args)
	if len(args) != 1 || args["Bot"] != "a" {
		t.Errorf("arguments became %v", args)
	}
}

func TestTextDoesNotAllocate(t *testing.T) {
	texts := embedded(t).For("en-GB")
	if n := testing.AllocsPerRun(100, func() { texts.Text("button.restart") }); n != 0 {
		t.Errorf("%v allocations for a fixed text, want none", n)
	}
}

func BenchmarkText(b *testing.B) {
	texts := embedded(b).For("de")
	b.ReportAllocs()
	for b.Loop() {
		texts.Text("button.restart")
	}
}

func BenchmarkFormat(b *testing.B) {
	texts := embedded(b).For("de")
	args := locale.Args{"RAM": "512 MB", "Disk": "2 GB", "CPU": "150 %"}
	b.ReportAllocs()
	for b.Loop() {
		texts.Format("list.line", args)
	}
}

func BenchmarkCount(b *testing.B) {
	for _, n := range []int{1, 25} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			texts := embedded(b).For("de")
			b.ReportAllocs()
			for b.Loop() {
				texts.Count("list.count", n, nil)
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := locale.Load(); err != nil {
			b.Fatal(err)
		}
	}
}
