//go:build integration

package main

import (
	"bytes"
	"fmt"
	"image"
	imagedraw "image/draw"
	"image/png"
	"os"
	"slices"
	"strings"
	"testing"

	"hostbot/locale"
)

// TestLanguagePictures draws one card in eight scripts for the page on languages, as TestScreenshots does it.
func TestLanguagePictures(t *testing.T) {
	chrome := startBrowser(t)
	var cards []image.Image
	var words strings.Builder
	for _, name := range []string{"en-US", "ru", "el", "hi", "th", "zh-CN", "ja", "ko"} {
		r := chrome.visit(t, phone()).in(name)
		r.reads(r.command("bot show"), "Shop", "512")
		r.evaluate("leave the keyboard", `document.activeElement.blur()`)
		cards = append(cards, decoded(t, r.photograph(last, 1)))
		words.WriteString(r.words(last))
	}
	if os.Getenv("UPDATE_SCREENSHOTS") != "" {
		var encoded bytes.Buffer
		if err := png.Encode(&encoded, grid(4, cards)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(languagesPicture+".png", encoded.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	compareTexts(t, languagesPicture, words.String())
}

// reading is a page whose customer reads a language.
type reading struct {
	*tab
	texts *locale.Texts
}

// in has the customer's Discord be in a language.
func (b *tab) in(name string) reading {
	b.t.Helper()
	bundle, err := locale.Load()
	if err != nil {
		b.t.Fatal(err)
	}
	b.evaluate("choose "+name, fmt.Sprintf(`(() => {
		const menu = document.querySelector("#locale");
		if (menu.value === %[1]q) return; // what is chosen anew clears what is typed, a little later
		menu.value = %[1]q;
		menu.dispatchEvent(new Event("change"));
	})()`, name))
	b.until("the messages are in "+name, fmt.Sprintf(`document.querySelector("#options").lang === %q`, name))
	return reading{b, bundle.For(name)}
}

// command is what one types for a command, by its English name.
func (r reading) command(english string) string {
	words, key := []string{}, "command"
	for word := range strings.FieldsSeq(english) {
		key += "." + word
		words = append(words, r.texts.Text(key+".name"))
	}
	return "/" + strings.Join(words, " ")
}

func (r reading) label(key string) string { return r.texts.Text("button." + key) }

// grid puts pictures side by side, so many in a row.
func grid(columns int, pictures []image.Image) image.Image {
	const gap = 8
	var at []image.Rectangle
	size, top := image.Point{}, 0
	for row := range slices.Chunk(pictures, columns) {
		left, height := 0, 0
		for _, p := range row {
			at = append(at, p.Bounds().Sub(p.Bounds().Min).Add(image.Pt(left, top)))
			left += p.Bounds().Dx() + gap
			height = max(height, p.Bounds().Dy())
		}
		size.X, top = max(size.X, left-gap), top+height+gap
	}
	all := image.NewRGBA(image.Rect(0, 0, size.X, top-gap))
	for i, p := range pictures {
		imagedraw.Draw(all, at[i], p, p.Bounds().Min, imagedraw.Src)
	}
	return all
}
