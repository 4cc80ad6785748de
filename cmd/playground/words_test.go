//go:build integration

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

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

// compareTexts compares the words in a picture, and the texts of which they are made, with those that stand
// beside it. Where UPDATE_SCREENSHOTS is set, it writes them.
func compareTexts(t *testing.T, picture, words string) {
	t.Helper()
	for file, seen := range map[string]string{picture + ".txt": words, picture + ".texts": seenTexts(t, filepath.Base(picture), words)} {
		if os.Getenv("UPDATE_SCREENSHOTS") != "" {
			if err := os.WriteFile(file, []byte(seen), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want := read(t, file); seen != want {
			t.Errorf("%s.png is out of date. %s. It would show\n%s\nand %s has\n%s", inProject(picture), drawAnew(picture), seen, inProject(file), want)
		}
	}
}
