package locale_test

import (
	"cmp"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"go.yaml.in/yaml/v4"
	"golang.org/x/text/unicode/norm"

	"hostbot/locale"
)

var placeholder = regexp.MustCompile(`\{\{\.[A-Z][A-Za-z]*\}\}`)

// placeholders returns the different placeholders of a text, sorted.
func placeholders(text string) []string {
	found := placeholder.FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// fixed is a text without its placeholders.
func fixed(text string) string {
	for _, p := range placeholders(text) {
		text = strings.ReplaceAll(text, p, "")
	}
	return text
}

func TestPlaceholders(t *testing.T) {
	const count = "{{.Count}}"
	files := textFiles(t)
	english := files[locale.Default]
	for _, f := range files {
		numbers := numbersOf(t, f.locale)
		for _, key := range f.keys {
			want := placeholders(english.text(key))
			for form, text := range f.texts[key] {
				if rest := fixed(text); strings.Contains(rest, "{{") || strings.Contains(rest, "}}") {
					f.fail(key, "placeholders", "%q: a placeholder looks like {{.Name}}", text)
				}
				have := placeholders(text)
				if len(numbers[form]) == 1 && !slices.Contains(have, count) { // as "a bot" says it
					have = slices.Sorted(slices.Values(append(have, filter(want, func(p string) bool { return p == count })...)))
				}
				if !slices.Equal(want, have) {
					f.fail(key, "placeholders", "%q has %v, want %v", text, have, want)
				}
			}
		}
	}
}

// numbersOf returns for which whole numbers a language has which plural form. It leaves
// out numbers from a million on, which nothing here counts and for which French and
// some others have a form of their own.
func numbersOf(t *testing.T, name string) map[string][]int {
	t.Helper()
	texts := bundleOf(t, map[string]string{locale.Default + ".yaml": "", name + ".yaml": ""}).For(name)
	numbers := map[string][]int{}
	for n := range 1001 {
		numbers[texts.Form(n)] = append(numbers[texts.Form(n)], n)
	}
	return numbers
}

func TestPluralForms(t *testing.T) {
	files := textFiles(t)
	for _, f := range files {
		numbers := numbersOf(t, f.locale)
		want := slices.Sorted(maps.Keys(numbers))
		if !slices.Contains(want, "other") {
			want = append(want, "other") // of fractions in Polish, and where no number is known
		}
		for _, key := range f.keys {
			counts := slices.Contains(placeholders(files[locale.Default].text(key)), "{{.Count}}")
			if !counts {
				want := []string{"other"}
				if have := slices.Sorted(maps.Keys(f.texts[key])); !slices.Equal(have, want) {
					f.fail(key, "plural forms", "%v, but the text counts nothing", have)
				}
				continue
			}
			for _, form := range want {
				if f.texts[key][form] == "" {
					f.fail(key, "plural forms", "%q is missing, which is for %v", form, examples(numbers[form]))
				}
			}
			for form := range f.texts[key] {
				if !slices.Contains(want, form) {
					f.fail(key, "plural forms", "the language has no %q, only %v", form, want)
				}
			}
		}
	}
}

func examples(numbers []int) []int { return numbers[:min(len(numbers), 6)] }

// TestNothingIsLeftInEnglish wants a translation of every text with a word in it. A text
// that is rightly as in English says so at the end of its line.
func TestNothingIsLeftInEnglish(t *testing.T) {
	files := textFiles(t)
	for _, f := range files {
		if f.locale == locale.Default {
			continue
		}
		for _, key := range f.keys {
			of := cmp.Or(f.of, files[locale.Default])
			same := maps.Equal(f.texts[key], of.texts[key])
			words := strings.ContainsFunc(fixed(f.text(key)), unicode.IsLetter) && !strings.HasPrefix(key, "unit.")
			switch {
			case f.of != nil && same:
				f.fail(key, "variant", "as in %s, so the line can go", f.of.locale)
			case f.of == nil && same && words && !f.marked[key]:
				f.fail(key, "English", "%q: translate it, or end the line with %q", f.text(key), asInEnglish)
			case f.marked[key] && (!same || !words):
				f.fail(key, "English", "the line says %q, which is not so", asInEnglish)
			}
		}
	}
}

func TestTypography(t *testing.T) {
	rules := []struct {
		name, why string
		pattern   *regexp.Regexp
		but       []string // languages in which it may be
		only      []string // languages in which it may not be; nil: in none
	}{
		{"spaces", "a space at the end or beside another one", regexp.MustCompile(`^\s|\s$|[ \x{00a0}\x{202f}]{2}`), nil, nil},
		{"mention", "it would ping or link", regexp.MustCompile(`(?i)@everyone|@here|<[@#]`), nil, nil},
		{"characters", "it is invisible or turns the writing direction around", regexp.MustCompile(`[\p{Cc}\p{Co}\x{00ad}\x{200b}\x{200e}\x{200f}\x{061c}\x{202a}-\x{202e}\x{2060}-\x{206f}\x{feff}]`), nil, nil},
		{"characters", "only Hindi joins letters by it", regexp.MustCompile(`[\x{200c}\x{200d}]`), []string{"hi"}, nil},
		{"dots", "write …", regexp.MustCompile(`\.\.\.`), nil, nil},
		{"quotes", "use the quotation marks of the language", regexp.MustCompile(`"`), nil, nil},
		{"apostrophe", "write ’", regexp.MustCompile(`[\p{L}]'[\p{L}]`), []string{"en-US", "en-GB"}, nil},
		{"French spaces", "write \\u00a0 before : ; ? ! » and % and after «", regexp.MustCompile(`[\p{L}\d*})] ?[;!?»%]|[\p{L}\d*})] ?:(?:\s|$)|«[^\x{00a0}]`), nil, []string{"fr"}},
		{"units", "write \\u00a0 between a number and its unit", regexp.MustCompile(`\d (?:MB|GB|ms|s|min|%)(?:\W|$)`), nil, nil},
		{"full width", "write ASCII letters and digits", regexp.MustCompile(`[\x{ff10}-\x{ff19}\x{ff21}-\x{ff3a}\x{ff41}-\x{ff5a}]`), nil, nil},
	}
	for _, f := range textFiles(t) {
		f.each(func(key, text string) {
			if strings.HasPrefix(key, "unit.") || isName.MatchString(key) {
				return
			}
			for _, rule := range rules {
				if slices.Contains(rule.but, f.locale) || rule.only != nil && !slices.Contains(rule.only, f.locale) {
					continue
				}
				if found := rule.pattern.FindString(text); found != "" {
					f.fail(key, rule.name, "%q in %q: %s", found, text, rule.why)
				}
			}
			for _, mark := range []string{"**", "__", "~~", "||", "`"} {
				if strings.Count(text, mark)%2 != 0 {
					f.fail(key, "markdown", "an odd number of %s in %q", mark, text)
				}
			}
			if !norm.NFC.IsNormalString(text) {
				f.fail(key, "characters", "%q is not in normal form C", text)
			}
		})
	}
}

// TestMarkdownIsAsInEnglish wants as many bold parts as in English, each of them closed
// and none of it empty.
func TestMarkdownIsAsInEnglish(t *testing.T) {
	files := textFiles(t)
	bold := regexp.MustCompile(`\*\*[^*\s](?:[^*]*[^*\s])?\*\*`)
	for _, f := range files {
		f.each(func(key, text string) {
			if want, have := len(bold.FindAllString(files[locale.Default].text(key), -1)), len(bold.FindAllString(text, -1)); want != have {
				f.fail(key, "markdown", "%d parts in **bold**, %d in English: %q", have, want, text)
			}
		})
	}
}

// TestUnitsAreThoseOfCLDR wants numbers, sizes and durations as Unicode's CLDR 48 has them. Seconds,
// minutes and milliseconds have their international symbols in Latin script, where CLDR
// itself offers these or an abbreviation of the word.
func TestUnitsAreThoseOfCLDR(t *testing.T) {
	content, err := os.ReadFile("testdata/units.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var wanted map[string]map[string]string
	if err := yaml.Unmarshal(content, &wanted); err != nil {
		t.Fatal(err)
	}
	for _, name := range locale.DiscordLocales() {
		if len(wanted[name]) == 0 {
			t.Errorf("testdata/units.yaml: %s is missing", name)
		}
	}
	for _, f := range textFiles(t) {
		for key, want := range wanted[f.locale] {
			if have := f.text(key); have != want {
				f.fail(key, "CLDR", "%q, want %q", have, want)
			}
		}
	}
}

// TestTextsNameWhatIsThere holds a text that sends the reader to a button to the
// name which that has in the same language.
func TestTextsNameWhatIsThere(t *testing.T) {
	wanted := map[string]string{
		"list.create":                  "create",
		"create.room":                  "continue",
		"create.next":                  "start",
		"create.not_started":           "start",
		"startup.restart":              "restart",
		"action.restart.unconfirmed":   "refresh",
		"action.reinstall.unconfirmed": "refresh",
		"action.start.unconfirmed":     "refresh",
		"action.stop.unconfirmed":      "refresh",
		"action.startup.unconfirmed":   "refresh",
		"action.delete.unconfirmed":    "refresh",
		"action.unsettled":             "refresh",
		"card.stuck_stop":              "stop",
		"restart_all.unconfirmed":      "back",
		"restart_all.interrupted":      "back",
	}
	for _, f := range textFiles(t) {
		for key, button := range wanted {
			named := "**" + f.text("button."+button) + "**"
			forms := slices.AppendSeq([]string{f.text(key)}, maps.Values(f.texts[key]))
			if i := slices.IndexFunc(forms, func(text string) bool { return !strings.Contains(text, named) }); i >= 0 {
				f.fail(key, "button", "%q does not name the button %s", forms[i], named)
			}
		}
	}
}
