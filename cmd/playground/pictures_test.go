package main

import (
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"hostbot/locale"
)

// Two files stand beside each picture: the words that are seen in it (.txt), and the bot's texts of which
// these words are made (.texts), each with its language and its key, as it read when the picture was drawn.
// Who draws the pictures, in a browser, writes both, and compares both with what is seen. So this file needs
// no browser to find the picture in which a text stands that has changed.

const (
	// screenshotsDir has the pictures of the pages that show the bot.
	screenshotsDir = "screenshots"
	// languagesPicture shows one card in eight scripts; locale/README.md has it.
	languagesPicture = "../../locale/cards"
	// filmName is the picture with which the README begins: a bot crashes, its owner is told and
	// restarts it, and the panel in the channel is green again.
	filmName = "film"
	// logName is the picture of what staff read, and the only one with texts of log channels.
	logName = "log"
)

// languagesOf returns the languages of the bot's texts in a picture.
func languagesOf(picture string) []string {
	switch picture {
	case "german":
		return []string{"de"}
	case "japanese":
		return []string{"ja"}
	case "scripts":
		return []string{"ru"}
	case filepath.Base(languagesPicture):
		return []string{"en-US", "ru", "el", "hi", "th", "zh-CN", "ja", "ko"}
	}
	return []string{locale.Default}
}

// TestPicturesShowTheTextsOfToday names each picture in which a text reads otherwise than today, and the words
// in it that are neither a text nor the playground's own.
func TestPicturesShowTheTextsOfToday(t *testing.T) {
	today := map[string]map[string]string{} // by language and key
	sources := pageSources(t)
	files, _ := filepath.Glob(filepath.Join(screenshotsDir, "*.txt"))
	for _, file := range append(files, languagesPicture+".txt") {
		picture := strings.TrimSuffix(file, ".txt")
		words := read(t, file)
		var seen []occurrence
		for line := range strings.Lines(read(t, picture+".texts")) {
			var language, key, text string
			if _, err := fmt.Sscanf(strings.Replace(line, ": ", " ", 1), "%s %s %q", &language, &key, &text); err != nil {
				t.Fatalf("%s.texts: %v in %s", picture, err, line)
			}
			key = strings.Replace(key, "/", " ", 1) // of a plural form
			if today[language] == nil {
				today[language] = textsIn(t, language)
			}
			if now, ok := today[language][key]; !ok || now != text {
				t.Errorf("%s.png shows %s: %q, and locale/texts/%s.yaml has %q. %s", inProject(picture), key, text, language, now, drawAnew(picture))
			}
			seen = append(seen, occurrences(tokens.Replace(words), text)...)
		}
		for _, part := range without(words, seen) {
			if !strings.Contains(sources, part) {
				t.Errorf("%s.png shows %q, which neither a text of the bot's nor the playground has. %s", inProject(picture), part, drawAnew(picture))
			}
		}
	}
}

// A film lasts as long as somebody looks who has just come, and is not too large for a phone.
const (
	filmLasts  = 12 * time.Second
	filmAtMost = 2 << 20 // bytes
)

// TestFilmIsShortAndSmall looks at the film as it is kept.
func TestFilmIsShortAndSmall(t *testing.T) {
	encoded, err := os.ReadFile(filepath.Join(screenshotsDir, filmName+".png"))
	if err != nil {
		t.Fatal(err)
	}
	chunks, err := readChunks(encoded)
	if err != nil {
		t.Fatal(err)
	}
	const control, at = 26, 20 // bytes of a frame, and where its time is among them
	var lasts time.Duration
	for frames := chunks["fcTL"]; len(frames) >= control; frames = frames[control:] {
		lasts += time.Duration(binary.BigEndian.Uint16(frames[at:])) * time.Millisecond
	}
	if lasts != filmLasts || len(encoded) > filmAtMost {
		t.Errorf("the film lasts %v and has %d bytes", lasts, len(encoded))
	}
}

// keptPictures returns the names of the files of a kind among the pictures.
func keptPictures(kind string) (names []string) {
	files, _ := filepath.Glob(filepath.Join(screenshotsDir, "*."+kind))
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), "."+kind))
	}
	return names
}

// TestScreenshotsAreShown compares the pictures that there are with those that the pages show, and with
// the files beside them.
func TestScreenshotsAreShown(t *testing.T) {
	var shown []string
	for _, page := range []string{"../../README.md", "../../commands/README.md"} {
		for _, match := range regexp.MustCompile(`cmd/playground/screenshots/(\w+)\.png`).FindAllStringSubmatch(read(t, page), -1) {
			shown = append(shown, match[1])
		}
	}
	slices.Sort(shown)
	kept := keptPictures("png")
	for what, names := range map[string][]string{"shown": slices.Compact(shown), "written down": keptPictures("txt"), "known by their texts": keptPictures("texts")} {
		if !slices.Equal(names, kept) {
			t.Errorf("%s are %q, and there are %q", what, names, kept)
		}
	}
}

// inProject is the path of a file of this folder in the project.
func inProject(file string) string { return path.Join("cmd/playground", file) }

// drawAnew says how a picture is drawn anew, with the files beside it.
func drawAnew(picture string) string {
	name := filepath.Base(picture)
	test := map[string]string{filmName: "Film$", filepath.Base(languagesPicture): "LanguagePictures$"}[name]
	if test == "" {
		test = "Screenshots$/^" + name + "$"
	}
	return fmt.Sprintf("Draw it anew, in Chromium: UPDATE_SCREENSHOTS=1 go test -tags integration ./cmd/playground -run '%s'", test)
}

// pageSources is all that the playground says by itself, with the captions of the film, what is typed for a
// picture, and the languages that bots may have.
func pageSources(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, pattern := range []string{"*.go", "page/*.js", "page/*.html", "../../configs/*.go"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				all.WriteString(read(t, file))
			}
		}
	}
	for _, file := range []string{"film_test.go", "screenshots_test.go"} {
		for _, own := range regexp.MustCompile(`(?:caption: |types\()".*?"`).FindAllString(read(t, file), -1) {
			all.WriteString(own)
		}
	}
	return all.String()
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// textsIn returns the bot's texts in a language by their keys; a plural form has "key form".
func textsIn(t *testing.T, language string) map[string]string {
	t.Helper()
	var file map[string]any
	if err := yaml.Unmarshal([]byte(read(t, "../../locale/texts/"+language+".yaml")), &file); err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string, len(file))
	for key, value := range file {
		forms, counted := value.(map[string]any)
		if !counted {
			texts[key] = fmt.Sprint(value)
		}
		for form, text := range forms {
			texts[key+" "+form] = fmt.Sprint(text)
		}
	}
	return texts
}

// seenTexts returns the texts of which the words of a picture are made, a line each. Where a text is part of
// a longer one, the longer one is seen. Of texts that read the same, all are: to draw a picture in vain is
// better than to leave one that is out of date.
func seenTexts(t *testing.T, picture, words string) string {
	t.Helper()
	words = tokens.Replace(words)
	found := map[string][]occurrence{}
	for _, language := range languagesOf(picture) {
		for key, text := range textsIn(t, language) {
			section, _, _ := strings.Cut(key, ".")
			switch section {
			case "option", "menu", "staff": // are in no picture
				continue
			case "unit":
			default:
				if (section == "log") != (picture == logName) {
					continue
				}
			}
			for _, o := range occurrences(words, text) {
				line := words[strings.LastIndexByte(words[:o[0].from], '\n')+1:]
				if strings.HasPrefix(line, "/") == (section == "command") {
					seen := fmt.Sprintf("%s %s: %q\n", language, strings.Replace(key, " ", "/", 1), text)
					found[seen] = append(found[seen], o)
				}
			}
		}
	}
	all := slices.Concat(slices.Collect(maps.Values(found))...)
	maps.DeleteFunc(found, func(_ string, own []occurrence) bool {
		return !slices.ContainsFunc(own, func(o occurrence) bool { return !slices.ContainsFunc(all, o.within) })
	})
	return strings.Join(slices.Sorted(maps.Keys(found)), "")
}

// occurrence is where the parts of a text stand that are between its placeholders.
type occurrence []span

type span struct{ from, to int }

// within reports whether all of an occurrence is part of a longer one.
func (o occurrence) within(other occurrence) bool {
	return o.length() < other.length() && !slices.ContainsFunc(o, func(s span) bool {
		return !slices.ContainsFunc(other, func(around span) bool { return around.from <= s.from && s.to <= around.to })
	})
}

func (o occurrence) length() (n int) {
	for _, s := range o {
		n += s.to - s.from
	}
	return n
}

var (
	placeholder = regexp.MustCompile(`\{\{\.[A-Za-z]+\}\}`)
	markdown    = strings.NewReplacer("**", "", "`", "", "-# ", "")
	tokens      = strings.NewReplacer("(time)", "\x01", "(code)", "\x01", "(squares)", "\x01") // of steady
)

// occurrences returns where a text stands among words.
func occurrences(words, text string) (found []occurrence) {
	const hole = "\x00"
	text = steady(hole + markdown.Replace(placeholder.ReplaceAllString(text, hole)) + hole)
	parts := strings.Split(strings.Trim(text, "\n"), hole)
	parts = parts[1 : len(parts)-1]
	if !strings.ContainsFunc(strings.Join(parts, ""), unicode.IsLetter) {
		return nil
	}
	for i, part := range parts {
		parts[i] = "(" + regexp.QuoteMeta(part) + ")"
	}
	for _, at := range regexp.MustCompile(strings.Join(parts, `[^\n]+?`)).FindAllStringSubmatchIndex(words, -1) {
		var o occurrence
		for i := 2; i < len(at); i += 2 {
			if at[i] < at[i+1] {
				o = append(o, span{at[i], at[i+1]})
			}
		}
		if !inWord(words, o[0].from) && !inWord(words, o[len(o)-1].to) {
			found = append(found, o)
		}
	}
	return found
}

// inWord reports whether there are letters before and after a place. In scripts without spaces, no
// place counts as one within a word.
func inWord(words string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(words[:at])
	after, _ := utf8.DecodeRuneInString(words[at:])
	letter := func(r rune) bool {
		return unicode.In(r, unicode.L, unicode.M) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
	}
	return letter(before) && letter(after)
}

// without returns the words that are part of no text, without what is between them.
func without(words string, seen []occurrence) (parts []string) {
	rest := []byte(tokens.Replace(words))
	for _, o := range seen {
		for _, s := range o {
			copy(rest[s.from:s.to], strings.Repeat("\n", s.to-s.from))
		}
	}
	for _, part := range between.Split(string(rest), -1) {
		part = strings.TrimFunc(part, func(r rune) bool { return !unicode.IsLetter(r) })
		if utf8.RuneCountInString(part) > 1 { // and not the letter in a circle
			parts = append(parts, part)
		}
	}
	slices.Sort(parts)
	return slices.Compact(parts)
}

// between is what stands between words: the application's name and IDs of bots, too.
var between = regexp.MustCompile("[\n·•#\x01]| srv-|hostbot")

var unsteady = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`\b[0-9A-Z]{7}\b`), "(code)"}, // a reference
	{regexp.MustCompile(`\d+(?:[.,:\x{202f}\x{a0}]\d+)*`), "#"},
	{regexp.MustCompile(`[\x{1F7E5}-\x{1F7EB}\x{2B1B}\x{2B1C}\x{25AA}\x{25AB}\x{25FB}-\x{25FE}\x{FE0F}]{2,}`), "(squares)"},
	{regexp.MustCompile(`[ \t\x{a0}\x{202f}]+`), " "},
	{regexp.MustCompile(`(?: ?\n ?)+`), "\n"},
}

func steady(words string) string {
	for _, part := range unsteady {
		words = part.pattern.ReplaceAllString(words, part.instead)
	}
	return strings.TrimSpace(words) + "\n"
}

func TestSteady(t *testing.T) {
	for words, want := range map[string]string{
		"Restarted in 4.0 s.\n\n  Reference: K7Q2M9X ": "Restarted in # s.\nReference: (code)\n",
		"Reference: KAQXMBX":                           "Reference: (code)\n",
		"24 h: 99,5 % · 512 MB RAM":                    "# h: # % · # MB RAM\n",
		"🟢 Shop\n🟩🟩🟥🟩":                                 "🟢 Shop\n(squares)\n",
	} {
		if got := steady(words); got != want {
			t.Errorf("%q became %q, want %q", words, got, want)
		}
	}
}
