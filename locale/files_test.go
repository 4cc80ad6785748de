package locale_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"hostbot/locale"
)

// file is a text file as it is written.
type file struct {
	t      *testing.T
	locale string
	keys   []string                     // in their order
	texts  map[string]map[string]string // by key and plural form
	marked map[string]bool              // keys of which a comment says that they are as in English
	err    error                        // what cannot be read
	// of is the file that this one varies. nil where it is complete by itself.
	of *file
}

// fail reports that a text breaks a rule.
func (f *file) fail(key, rule, format string, args ...any) {
	f.t.Helper()
	f.t.Errorf("texts/%s.yaml: %s: %s: "+format, append([]any{f.locale, key, rule}, args...)...)
}

// each calls check for every text of a file.
func (f *file) each(check func(key, text string)) {
	for _, key := range f.keys {
		for _, form := range slices.Sorted(maps.Keys(f.texts[key])) {
			check(key, f.texts[key][form])
		}
	}
}

// text is the text of a key, in the file that this one varies where it has none.
func (f *file) text(key string) string {
	if forms := f.texts[key]; forms != nil || f.of == nil {
		return forms["other"]
	}
	return f.of.text(key)
}

// asInEnglish is the comment at the end of a line whose text is rightly that of English.
const asInEnglish = "# as in English"

// alreadyRead are the files that a test has read, by their locales: many tests read all of them.
var alreadyRead sync.Map

// textFile returns a file, which nobody changes.
func textFile(t *testing.T, name string) *file {
	t.Helper()
	if read, ok := alreadyRead.Load(name); ok {
		f := read.(file)
		f.t = t
		return &f
	}
	f := &file{t: t, locale: name, texts: map[string]map[string]string{}, marked: map[string]bool{}}
	f.err = locale.Read(os.DirFS("."), "texts/"+name+".yaml", func(key, form, text string) bool {
		if form == "" {
			form = "other"
		}
		if f.texts[key] == nil {
			f.keys, f.texts[key] = append(f.keys, key), map[string]string{}
		}
		f.texts[key][form] = text
		return true
	})
	content, err := os.ReadFile("texts/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		if key, _, _ := strings.Cut(line, ":"); strings.HasSuffix(strings.TrimSpace(line), asInEnglish) {
			f.marked[key] = true
		}
	}
	alreadyRead.Store(name, *f)
	return f
}

// textFiles returns all text files by their locales.
func textFiles(t *testing.T) map[string]*file {
	t.Helper()
	paths, err := filepath.Glob("texts/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("text files: %v, %v", paths, err)
	}
	files := map[string]*file{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		files[name] = textFile(t, name)
	}
	for variant, of := range map[string]string{"en-GB": locale.Default, "es-419": "es-ES"} {
		if files[variant] != nil {
			files[variant].of = files[of]
		}
	}
	return files
}

// TestFilesAreYAML holds the reader of text files to what YAML says.
func TestFilesAreYAML(t *testing.T) {
	for name, f := range textFiles(t) {
		if f.err != nil {
			t.Errorf("texts/%s.yaml: %v", name, f.err)
			continue
		}
		content, err := os.ReadFile("texts/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		var inYAML map[string]any
		if err := yaml.Unmarshal(content, &inYAML); err != nil {
			t.Errorf("texts/%s.yaml: %v", name, err)
			continue
		}
		want := map[string]map[string]string{}
		for key, value := range inYAML {
			want[key] = map[string]string{}
			forms, ok := value.(map[string]any)
			if !ok {
				forms = map[string]any{"other": value}
			}
			for form, text := range forms {
				want[key][form], _ = text.(string)
			}
		}
		if diff := cmp.Diff(want, f.texts); diff != "" {
			t.Errorf("texts/%s.yaml: YAML: the file has more than a key and a quoted text to a line (-YAML +here):\n%s", name, diff)
		}
	}
}

// TestFilesHaveTheSameKeys wants the same keys in the same order, so that two languages
// can be read side by side. A file that varies another one has but what differs. A file may
// lack a key that was never translated.
func TestFilesHaveTheSameKeys(t *testing.T) {
	files, was := textFiles(t), read(t)
	wanted := files[locale.Default].keys
	for _, f := range files {
		for _, key := range f.keys {
			if !slices.Contains(wanted, key) {
				f.fail(key, "extra key", "%s has no such text", locale.Default)
			}
		}
		for _, key := range wanted {
			if f.of == nil && f.texts[key] == nil && was.of(key, f.locale) != "" {
				f.fail(key, "missing key", "the text in English is %q", files[locale.Default].text(key))
			}
		}
		known := func(key string) bool { return slices.Contains(wanted, key) && f.texts[key] != nil }
		inOrder, have := filter(wanted, known), filter(f.keys, known)
		for i := range have {
			if have[i] != inOrder[i] {
				f.fail(have[i], "order", "%s goes here, as in %s", inOrder[i], locale.Default)
				break
			}
		}
	}
	if i := slices.IndexFunc(wanted, func(key string) bool { return !locale.IsRegistered(key) }); slices.ContainsFunc(wanted[i:], locale.IsRegistered) {
		files[locale.Default].fail(wanted[i], "order", "the texts with which commands are registered come first")
	}
}

func filter(keys []string, keep func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return !keep(key) })
}
