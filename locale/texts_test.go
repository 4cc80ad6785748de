package locale_test

import (
	"testing"

	"hostbot/locale"
)

// small is three languages with everything that a text can be.
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

func TestFormatAndCount(t *testing.T) {
	const none = -999 // no number
	b := bundleOf(t, small)
	tests := map[string]struct {
		locale string
		key    string
		n      int
		args   locale.Args
		want   string
	}{
		"fixed":                          {"pl", "fixed", none, nil, "Cześć"},
		"fixed with arguments":           {"pl", "fixed", none, locale.Args{"Bot": "a"}, "Cześć"},
		"named":                          {"en-US", "named", none, locale.Args{"Bot": "a", "User": "b"}, "a of b, a"},
		"order of the language":          {"pl", "named", none, locale.Args{"Bot": "a", "User": "b"}, "b: a"},
		"only in the default":            {"pl", "english.only", none, locale.Args{"Here": 1}, "Only 1"},
		"missing argument":               {"en-US", "named", none, locale.Args{"Bot": "a"}, "a of ?, a"},
		"other arguments":                {"en-US", "named", none, locale.Args{"Bot": 1.5, "User": true}, "1.5 of true, 1.5"},
		"empty argument":                 {"en-US", "named", none, locale.Args{"Bot": "", "User": "b"}, " of b, "},
		"argument is no template":        {"en-US", "named", none, locale.Args{"Bot": "{{.User}}", "User": "<b>"}, "{{.User}} of <b>, {{.User}}"},
		"several forms and no number":    {"pl", "counted", none, nil, "? bota"},
		"unknown key":                    {"pl", "no.such.key", none, locale.Args{"Bot": "a"}, "no.such.key"},
		"part of a key":                  {"pl", "english", none, nil, "english"},
		"one":                            {"en-US", "counted", 1, nil, "1 bot"},
		"zero":                           {"en-US", "counted", 0, nil, "0 bots"},
		"many":                           {"en-US", "counted", 21, nil, "21 bots"},
		"form without placeholders":      {"en-US", "unnumbered", 1, nil, "a bot"},
		"negative":                       {"en-US", "counted", -1, nil, "-1 bot"},
		"Polish few":                     {"pl", "counted", 22, nil, "22 boty"},
		"Polish many":                    {"pl", "counted", 12, nil, "12 botów"},
		"the number wins":                {"en-US", "counted", 2, locale.Args{"Count": 9}, "2 bots"},
		"default's text, default's rule": {"pl", "english.count", 22, locale.Args{"User": "b"}, "22 bots of b"},
		"language without forms":         {"de", "counted", 1, nil, "Bots: 1"},
		"unknown key with a number":      {"pl", "no.such.key", 3, nil, "no.such.key"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			texts, got := b.For(test.locale), ""
			if before := len(test.args); test.n == none {
				got = texts.Format(test.key, test.args)
			} else if got = texts.Count(test.key, test.n, test.args); len(test.args) != before {
				t.Errorf("arguments became %v", test.args)
			}
			if got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
