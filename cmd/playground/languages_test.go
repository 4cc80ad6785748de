//go:build integration

package main

import (
	"bytes"
	"fmt"
	"image"
	imagedraw "image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hostbot/locale"
)

// TestLanguagePictures draws one card in eight scripts for the page on languages, as
// TestScreenshots does it. Where LANGUAGE_SHEETS names a directory, it draws everything that
// customers see there instead, for a reviewer, in each language (or in those that LANGUAGES
// names, with commas).
func TestLanguagePictures(t *testing.T) {
	if sheets := os.Getenv("LANGUAGE_SHEETS"); sheets != "" {
		chosen := locale.DiscordLocales()
		if named := os.Getenv("LANGUAGES"); named != "" {
			chosen = strings.Split(named, ",")
		}
		chrome := startBrowser(t)
		for _, name := range chosen {
			t.Run(name, func(t *testing.T) {
				save(t, filepath.Join(sheets, name+".png"), grid(3, reader(t, chrome, name).everything()))
			})
		}
		return
	}
	chrome := startBrowser(t)
	var cards []image.Image
	var words strings.Builder
	for _, name := range languagesOf(filepath.Base(languagesPicture)) {
		r := reader(t, chrome, name)
		cards = append(cards, r.card())
		words.WriteString(r.words(last))
	}
	if os.Getenv("UPDATE_SCREENSHOTS") != "" {
		save(t, languagesPicture+".png", grid(4, cards))
	}
	compareTexts(t, languagesPicture, words.String())
}

// reading is a page whose customer reads a language.
type reading struct {
	*tab
	texts *locale.Texts
}

func reader(t *testing.T, chrome browser, name string) reading {
	t.Helper()
	return chrome.visit(t, phone()).in(name)
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

func (r reading) card() image.Image {
	r.reads(r.command("bot show"), "Shop", "512")
	return r.picture(last)
}

func (r reading) everything() (pictures []image.Image) {
	take := func(selector, text string) {
		r.sees(selector, text)
		pictures = append(pictures, r.picture(selector))
	}
	r.uses(r.command("bot list"), "")
	take(last, r.texts.Text("list.title"))
	pictures = append(pictures, r.card())
	r.presses(last, r.label("details"))
	take(last, r.texts.Text("card.created"))
	r.presses(last, r.label("more"))
	r.sees(last, r.label("alerts"))
	r.presses(last, r.label("startup"))
	take("dialog[open]", r.texts.Text("modal.startup.command"))
	r.evaluate("leave the form", `document.querySelector("dialog[open]").close()`)
	r.uses(r.command("alerts"), "")
	take(last, r.texts.Text("alerts.intro"))
	r.uses(r.command("bot history"), "Shop")
	r.until("the picture is there", `document.querySelector("`+last+` .embed img")?.naturalWidth > 0`)
	take(last, "Shop")
	r.uses(r.command("help"), "")
	take(last, r.texts.Text("help.title"))
	r.uses(r.command("plan"), "")
	take(last, "Pro")
	r.uses(r.command("bot restart"), "Shop")
	take(last, "✅")
	r.breaks("#mode-service-down")
	r.uses(r.command("bot restart"), "Shop")
	r.until("it fails with a reference", `/❌|⚠️/.test(document.querySelector("`+last+`").innerText)`)
	take(last, "Shop")
	r.breaks("#mode-service-normal")
	return append(pictures, r.alert())
}

// breaks presses a switch of the panel that breaks things.
func (r reading) breaks(selector string) {
	r.presses("#tools", "Break it")
	r.clicks(selector)
	r.clicks("#close-panel")
}

// alert is that of a bot which crashes and comes back.
func (r reading) alert() image.Image {
	r.clicks("#open-side")
	r.presses("#channels", "hostbot")
	r.uses(r.command("alerts"), "")
	r.presses(last, r.label("alerts_all"))
	r.sees("#messages", r.texts.Text("alerts.turned_on_before"))
	r.presses("#tools", "Underneath")
	r.sees("#underneath", "list") // what the bot looks at by itself
	r.clicks("#close-panel")
	r.breaks("#crash")
	r.sees(last, r.texts.Format("alert.crashed", locale.Args{"Bot": "Shop"}))
	return r.picture(last)
}

// picture is what a selector finds.
func (r reading) picture(selector string) image.Image {
	r.t.Helper()
	r.evaluate("leave the keyboard", `document.activeElement.blur()`)
	return decoded(r.t, r.photograph(selector, 1))
}

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

func save(t *testing.T, path string, picture image.Image) {
	t.Helper()
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, picture); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, encoded.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
