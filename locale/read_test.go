package locale_test

import (
	"cmp"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"hostbot/locale"
)

var (
	release = flag.Bool("release", false, "hold the texts to what a release requires: all are translated, and read since their English changed")
	markAs  = flag.String("read", "", "mark translations as read against the English of today: keys and languages as patterns, such as alerts.*,follow.began:de,fr; no languages are all")
)

// readFile says against which English text each translation was read last: a key, a hash of the text, and the languages.
// A line without languages is of all that have no line of their own:
//
//	alerts.intro 3f2a9c01
//	alerts.title 99ab12ff
//	alerts.title 1c0d44e2 de fr
//
// Where a key has no line for a language, the text waits for its translation, and the English one stands in (see locale.Bundle).
const readFile = "read.txt"

// readTexts are the hashes of that file by key and language. The language of a line without any is empty.
type readTexts map[string]map[string]string

// of is the hash that a text was read against, and empty if it never was.
func (r readTexts) of(key, language string) string {
	return cmp.Or(r[key][language], r[key][""])
}

// mark notes that the text of a key was read against hash in a language. all are the languages that need it.
func (r readTexts) mark(key, language, hash string, all []string) {
	if r[key] == nil {
		r[key] = map[string]string{}
	}
	r[key][language] = hash
	if !slices.ContainsFunc(all, func(each string) bool { return r.of(key, each) != hash }) {
		r[key] = map[string]string{"": hash}
	}
}

// String is the file.
func (r readTexts) String() string {
	var lines []string
	for key, hashes := range r {
		byHash := map[string][]string{}
		for _, language := range slices.Sorted(maps.Keys(hashes)) {
			if hash := hashes[language]; language == "" || hash != hashes[""] {
				byHash[hash] = append(byHash[hash], language)
			}
		}
		for hash, languages := range byHash {
			lines = append(lines, strings.TrimSpace(key+" "+hash+" "+strings.Join(languages, " ")))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

func parseRead(content string) (readTexts, error) {
	r := readTexts{}
	for line := range strings.Lines(content) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			return nil, fmt.Errorf("%q: want a key, a hash and languages", line)
		}
		if r[fields[0]] == nil {
			r[fields[0]] = map[string]string{}
		}
		for _, language := range append(fields[2:], "")[:max(1, len(fields)-2)] {
			r[fields[0]][language] = fields[1]
		}
	}
	return r, nil
}

// read returns what the file says.
func read(t *testing.T) readTexts {
	t.Helper()
	content, err := os.ReadFile(readFile)
	if err != nil {
		t.Fatal(err)
	}
	r, err := parseRead(string(content))
	if err != nil {
		t.Fatalf("%s: %v", readFile, err)
	}
	return r
}

// hashOf is the same as long as the text of a key is, in all its plural forms.
func hashOf(forms map[string]string) string {
	hash := fnv.New32a()
	for _, form := range slices.Sorted(maps.Keys(forms)) {
		_, _ = fmt.Fprintf(hash, "%s %q\n", form, forms[form])
	}
	return fmt.Sprintf("%08x", hash.Sum32())
}

// TestTranslationsWereRead wants for a release that each text is translated, and was read since its English changed: nobody
// sees by a translation that it says what English said a month ago.
func TestTranslationsWereRead(t *testing.T) {
	files, was := textFiles(t), read(t)
	english := files[locale.Default]
	for key := range was {
		if english.texts[key] == nil {
			t.Errorf("%s: %s: texts/%s.yaml has no such text: remove the line", readFile, key, locale.Default)
		}
	}
	keys, languages, _ := strings.Cut(*markAs, ":")
	for _, key := range english.keys {
		hash, need := hashOf(english.texts[key]), []string{}
		for name, f := range files {
			if f != english && (f.of == nil || f.texts[key] != nil) {
				need = append(need, name)
			}
		}
		for _, name := range need {
			f := files[name]
			if f.texts[key] != nil && matches(keys, key) && (languages == "" || matches(languages, name)) {
				was.mark(key, name, hash, need)
			}
			switch {
			case !*release:
			case f.texts[key] == nil:
				f.fail(key, "read", "not translated yet: %q", english.text(key))
			case was.of(key, name) != hash:
				f.fail(key, "read", "English is %q now: read the translation, then go test ./locale -read %s:%s", english.text(key), key, name)
			}
		}
	}
	if *markAs != "" {
		if err := os.WriteFile(readFile, []byte(was.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// matches reports whether one of the patterns, with commas between them, is of a name.
func matches(patterns, name string) bool {
	return slices.ContainsFunc(strings.Split(patterns, ","), func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}

// TestReadFileIsShort wants a line for what all languages were read against, and one more for those that differ.
func TestReadFileIsShort(t *testing.T) {
	all := []string{"de", "fr", "ja"}
	was, err := parseRead("a.key 1\nb.key 1\nc.key 1 de\n")
	if err != nil {
		t.Fatal(err)
	}
	was.mark("a.key", "fr", "2", all) // English has changed, and one language was read
	for _, language := range all {
		was.mark("b.key", language, "2", all) // all were
	}
	was.mark("c.key", "ja", "1", all) // a new text that French does not have yet
	const want = "a.key 1\na.key 2 fr\nb.key 2\nc.key 1 de ja\n"
	if have := was.String(); have != want {
		t.Errorf("%q, want %q", have, want)
	}
	again, err := parseRead(want)
	if err != nil || again.String() != want || again.of("a.key", "fr") != "2" || again.of("a.key", "ja") != "1" || again.of("c.key", "fr") != "" {
		t.Errorf("read again: %v, %v", again, err)
	}
}
