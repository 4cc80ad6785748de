//go:build integration

package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// languagesPicture shows one card in eight scripts; locale/README.md has it.
const languagesPicture = "../../locale/cards"

// wordsOf returns the words that are seen in what a selector finds: of the messages, if it
// finds the whole page, whose own words are no text of the bot's.
const wordsOf = `((selector) => {
	const seen = document.querySelector(selector === "body" ? "#messages" : selector);
	const times = [...seen.querySelectorAll("time")].map((e) => [e, e.textContent]);
	for (const [e] of times) e.textContent = "(time)";
	const fields = [...seen.querySelectorAll("input, textarea")].flatMap((e) => [e.placeholder, e.type === "text" || e.tagName === "TEXTAREA" ? e.value : ""]);
	const pictures = [...seen.querySelectorAll("img")].map((e) => e.alt);
	const words = [seen.innerText, ...fields, ...pictures].join("\n");
	for (const [e, text] of times) e.textContent = text;
	return words;
})`

// words returns the words that are seen in what a selector finds, without what differs from
// one day to the next: numbers, times, references and how many days of each kind are in a
// row of squares.
func (b *tab) words(selector string) string {
	b.t.Helper()
	return steady(asks[string](b, fmt.Sprintf("%s(%q)", wordsOf, selector)))
}

// compareTexts compares the words in a picture with those that stand beside it, as they were when it was drawn.
// Where UPDATE_SCREENSHOTS is set, it writes them.
func compareTexts(t *testing.T, picture, words string) {
	t.Helper()
	file := picture + ".txt"
	if os.Getenv("UPDATE_SCREENSHOTS") != "" {
		if err := os.WriteFile(file, []byte(words), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := read(t, file); words != want {
		t.Errorf("%s.png is out of date. %s. It would show\n%s\nand its words are\n%s", path.Join("cmd/playground", picture), drawAnew(picture), words, want)
	}
}

// drawAnew says how a picture is drawn anew, with the file beside it.
func drawAnew(picture string) string {
	name := filepath.Base(picture)
	test := map[string]string{filmName: "Film$", filepath.Base(languagesPicture): "LanguagePictures$"}[name]
	if test == "" {
		test = "Screenshots$/^" + name + "$"
	}
	return fmt.Sprintf("Draw it anew, in Chromium: UPDATE_SCREENSHOTS=1 go test -tags integration ./cmd/playground -run '%s'", test)
}

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
