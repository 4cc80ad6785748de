package main

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// screenshots are the README's pictures, by name: how to come to what is seen.
// Each returns the selector of it.
func screenshots() map[string]struct {
	look look
	come func(*tab) (selector string)
} {
	type picture = struct {
		look look
		come func(*tab) (selector string)
	}
	message := look{width: 1000, height: 900}
	return map[string]picture{
		"playground": {look{width: 1140, height: 530}, func(b *tab) string {
			b.uses("/bot list", "")
			b.sees(last, "Your bots")
			b.presses("#tools", "Underneath")
			b.sees("#underneath", "first response: a message")
			b.clicks("#command")
			return "body"
		}},
		"list": {message, func(b *tab) string {
			b.uses("/bot list", "")
			b.sees(last, "Your bots")
			return last
		}},
		"card": {message, func(b *tab) string {
			b.uses("/bot show", "Shop")
			b.sees(last, "node index.js")
			return last
		}},
		"restart": {message, func(b *tab) string {
			b.uses("/bot restart", "Shop")
			b.sees(last, "Restarting Shop")
			return last
		}},
		"plan": {message, func(b *tab) string {
			b.uses("/plan", "")
			b.sees(last, "Pro")
			return last
		}},
		"failure": {message, func(b *tab) string {
			b.uses("/bot list", "") // so that the bots are known while the service is down
			b.sees(last, "Your bots")
			b.presses("#tools", "Break it")
			b.clicks("#mode-service-down")
			b.sees("#breaking .broken", "Down")
			b.clicks("#close-panel")
			b.uses("/bot restart", "Shop")
			b.sees(last, "Reference:")
			return last
		}},
		"log": {message, func(b *tab) string {
			b.uses("/bot restart", "Shop")
			b.sees(last, "Shop was restarted")
			b.uses("/bot stop", "Shop")
			b.sees(last, "Shop was stopped")
			b.presses("#beginning", "Be Sam")
			b.sees(last, "✅ Stop")
			return "#messages"
		}},
		"scripts": {look{width: 1000, height: 900, light: true}, func(b *tab) string {
			b.clicks("#me")
			b.presses("#accounts", "Лейла")
			b.sees("#me", "Лейла")
			b.until("her commands are there", `document.querySelector("#options").lang === "ru"`)
			b.clicks("#command")
			b.types("/bot")
			b.until("commands are offered in her language", `document.querySelector("#picker [aria-selected=true]") !== null`)
			b.types(kb.Enter + kb.Enter)
			b.sees(last, "متجر الألعاب")
			return last
		}},
	}
}

// TestScreenshots renders the README's pictures where UPDATE_SCREENSHOTS is set,
// and else finds out whether the README shows them all and no other.
func TestScreenshots(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, match := range regexp.MustCompile(`cmd/playground/screenshots/(\w+)\.png`).FindAllSubmatch(readme, -1) {
		shown = append(shown, string(match[1]))
	}
	var chrome browser
	update := os.Getenv("UPDATE_SCREENSHOTS") != ""
	if update {
		chrome = startBrowser(t)
	}
	for name, picture := range screenshots() {
		file := filepath.Join("screenshots", name+".png")
		if update {
			t.Run(name, func(t *testing.T) { photograph(chrome.visit(t, picture.look), file, picture.come) })
		}
		if !slices.Contains(shown, name) {
			t.Errorf("the README does not show %s", file)
		}
	}
	for _, name := range shown {
		if _, err := os.Stat(filepath.Join("screenshots", name+".png")); err != nil {
			t.Errorf("the README shows %v", err)
		}
		if _, ok := screenshots()[name]; !ok {
			t.Errorf("the README shows %s.png, of which nobody knows how to render it", name)
		}
	}
}

func photograph(b *tab, file string, come func(*tab) string) {
	t := b.t
	selector := come(b)
	b.evaluate("leave the keyboard and the pointer", `document.activeElement.blur()`)
	picture, err := chromedp.Run(b.ctx, chromedp.ScreenshotScale(chromedp.CSS(selector), 1.15))
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	var small bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, drawn); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, small.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
