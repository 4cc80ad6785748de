package locale_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"go.yaml.in/yaml/v4"

	"hostbot/locale"
)

// forms are the texts of one key by plural form.
type forms map[string]string

// textFiles returns the texts of each file by locale and key, as they are
// written.
func textFiles(t *testing.T) map[string]map[string]forms {
	t.Helper()
	paths, err := filepath.Glob("texts/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("text files: %v, %v", paths, err)
	}
	files := map[string]map[string]forms{}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		messages, err := i18n.ParseMessageBytes(content, yaml.Unmarshal)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		texts := map[string]forms{}
		for _, m := range messages {
			texts[m.ID] = forms{"zero": m.Zero, "one": m.One, "two": m.Two, "few": m.Few, "many": m.Many, "other": m.Other}
			for form, text := range texts[m.ID] {
				if text == "" {
					delete(texts[m.ID], form)
				}
			}
		}
		files[strings.TrimSuffix(filepath.Base(path), ".yaml")] = texts
	}
	return files
}

// eachText calls check for every text of every language.
func eachText(t *testing.T, check func(t *testing.T, key, text string)) {
	t.Helper()
	for name, texts := range textFiles(t) {
		t.Run(name, func(t *testing.T) {
			for key, byForm := range texts {
				for _, text := range byForm {
					check(t, key, text)
				}
			}
		})
	}
}

func keys[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }

// placeholders returns the different placeholders of a text, sorted.
func placeholders(text string) []string {
	found := regexp.MustCompile(`\{\{.*?\}\}`).FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

func TestLanguagesHaveTheSameTexts(t *testing.T) {
	files := textFiles(t)
	wanted := files[locale.Default]
	for name, texts := range files {
		if diff := cmp.Diff(keys(wanted), keys(texts)); diff != "" {
			t.Errorf("%s (-%s +%s):\n%s", name, locale.Default, name, diff)
		}
		for key, byForm := range texts {
			for form, text := range byForm {
				if diff := cmp.Diff(placeholders(wanted[key]["other"]), placeholders(text)); diff != "" {
					t.Errorf("%s: %s, form %s (-%s +%s):\n%s", name, key, form, locale.Default, name, diff)
				}
			}
		}
	}
}

// pluralForms returns the plural forms that whole numbers take in a language.
func pluralForms(t *testing.T, name string) []string {
	t.Helper()
	const all = "form:\n  zero: zero\n  one: one\n  two: two\n  few: few\n  many: many\n  other: other\n"
	texts := bundleOf(t, map[string]string{locale.Default + ".yaml": all, name + ".yaml": all}).For(name)
	picked := []string{"other"} // also for texts shown without a number
	for n := range 1001 {
		picked = append(picked, texts.Count("form", n, nil), texts.Count("form", n*1_000_000, nil))
	}
	slices.Sort(picked)
	return slices.Compact(picked)
}

func TestLanguagesHaveTheirPluralForms(t *testing.T) {
	if diff := cmp.Diff([]string{"few", "many", "one", "other"}, pluralForms(t, "pl")); diff != "" {
		t.Fatalf("forms of Polish (-want +got):\n%s", diff)
	}
	files := textFiles(t)
	counted := 0
	for name, texts := range files {
		want := pluralForms(t, name)
		for key, byForm := range texts {
			if len(files[locale.Default][key]) == 1 && len(byForm) == 1 {
				continue
			}
			counted++
			if diff := cmp.Diff(want, keys(byForm)); diff != "" {
				t.Errorf("%s: forms of %s (-want +got):\n%s", name, key, diff)
			}
		}
	}
	if counted < len(files) {
		t.Errorf("%d texts with plural forms in %d languages", counted, len(files))
	}
}

func TestTextsAreTidy(t *testing.T) {
	mention := regexp.MustCompile(`(?i)@everyone|@here|<[@#]`)
	eachText(t, func(t *testing.T, key, text string) {
		if found := mention.FindString(text); found != "" {
			t.Errorf("%s: %q in %q", key, found, text)
		}
		for _, mark := range []string{"**", "__", "~~", "||", "`"} {
			if strings.Count(text, mark)%2 != 0 {
				t.Errorf("%s: odd number of %s in %q", key, mark, text)
			}
		}
		if text != strings.TrimSpace(text) || strings.Contains(text, "  ") {
			t.Errorf("%s: stray space in %q", key, text)
		}
	})
}

// TestTextsNameWhatIsThere holds a text that sends the reader to a button to the
// name which that has in the same language.
func TestTextsNameWhatIsThere(t *testing.T) {
	b := embedded(t)
	for name := range textFiles(t) {
		texts := b.For(name)
		button := func(name string) string { return "**" + texts.Text("button."+name) + "**" }
		want := map[string]string{
			"list.create":                  button("create"),
			"create.room":                  button("continue"),
			"create.next":                  button("start"),
			"create.not_started":           button("start"),
			"startup.restart":              button("restart"),
			"action.restart.unconfirmed":   button("refresh"),
			"action.reinstall.unconfirmed": button("refresh"),
			"action.start.unconfirmed":     button("refresh"),
			"action.stop.unconfirmed":      button("refresh"),
			"action.startup.unconfirmed":   button("refresh"),
			"action.delete.unconfirmed":    button("refresh"),
			"action.unsettled":             button("refresh"),
		}
		for key, named := range want {
			if got := texts.Text(key); !strings.Contains(got, named) {
				t.Errorf("%s: %s does not name %s: %q", name, key, named, got)
			}
		}
	}
}
