package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// picture is how a page is looked at, and how to come to what is seen.
type picture struct {
	look look
	come func(*tab) (selector string)
}

// answered shows the answer to a command, once a text is in it.
func answered(command, suggestion, text string) func(*tab) string {
	return func(b *tab) string {
		b.reads(command, suggestion, text)
		return last
	}
}

// screenshots are the README's pictures, by name. Each returns the selector of what is
// seen.
func screenshots() map[string]picture {
	message := look{width: 1000, height: 900}
	return map[string]picture{
		"playground": {look{width: 1140, height: 530}, func(b *tab) string {
			b.reads("/bot list", "", "Your bots")
			b.presses("#tools", "Underneath")
			b.sees("#underneath", "first response: a message")
			b.clicks("#command")
			return "body"
		}},
		"list":    {message, answered("/bot list", "", "Your bots")},
		"card":    {message, answered("/bot show", "Shop", "Limits: 512 MB RAM")},
		"restart": {message, answered("/bot restart", "Shop", "Restarting Shop")},
		"plan":    {message, answered("/plan", "", "Pro")},
		"phone": {look{width: 390, height: 844}, func(b *tab) string {
			b.sees(last, "🔴 Quiz *night* · Crashed") // the panel, which is above
			b.uses("/bot show", "Quiz")
			b.sees(last+" .embed h3", "Quiz")
			return "body"
		}},
		"failure": {message, func(b *tab) string {
			b.uses("/bot list", "") // so that the bots are known while the service is down
			b.sees(last, "Your bots")
			b.presses("#tools", "Break it")
			b.clicks("#mode-service-down")
			b.sees("#breaking .broken", "Down")
			b.clicks("#close-panel")
			b.reads("/bot restart", "Shop", "Reference:")
			return last
		}},
		"alert": {message, func(b *tab) string {
			b.presses("#channels", "hostbot")
			b.reads("/alerts", "", "All alerts off")
			b.presses(last, "All alerts on")
			b.sees("#messages", "They come to you as direct messages")
			b.presses("#tools", "Underneath")
			b.sees("#underneath", "list")
			b.presses("#tools", "Break it")
			b.clicks("#crash")
			b.clicks("#close-panel")
			b.sees(last, "Shop has crashed")
			return "#messages"
		}},
		"log": {message, func(b *tab) string {
			b.reads("/bot restart", "Shop", "Shop was restarted")
			b.reads("/bot stop", "Shop", "Shop was stopped")
			b.presses("#beginning", "Be Sam")
			b.sees(last, "✅ Stop")
			return "#messages"
		}},
		"history": {message, func(b *tab) string {
			b.reads("/bot history", "Shop", "24 h: ")
			b.until("the picture is there", `document.querySelector("`+last+` .embed img").naturalWidth > 0`)
			return last
		}},
		"panel": {message, func(b *tab) string {
			b.sees(last, "🔴 Quiz *night* · Crashed ·")
			return last
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
	if os.Getenv("UPDATE_SCREENSHOTS") != "" {
		chrome := startBrowser(t)
		for name, picture := range screenshots() {
			t.Run(name, func(t *testing.T) {
				photograph(chrome.visit(t, picture.look), filepath.Join("screenshots", name+".png"), picture.come)
			})
		}
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	known := slices.Sorted(maps.Keys(screenshots()))
	var shown, rendered []string
	for _, match := range regexp.MustCompile(`cmd/playground/screenshots/(\w+)\.png`).FindAllSubmatch(readme, -1) {
		shown = append(shown, string(match[1]))
	}
	files, _ := filepath.Glob("screenshots/*.png")
	for _, file := range files {
		rendered = append(rendered, strings.TrimSuffix(filepath.Base(file), ".png"))
	}
	slices.Sort(shown)
	if !slices.Equal(shown, known) || !slices.Equal(rendered, known) {
		t.Errorf("the README shows %q, there are %q, and the tests render %q", shown, rendered, known)
	}
}

func photograph(b *tab, file string, come func(*tab) string) {
	selector := come(b)
	b.evaluate("leave the keyboard and the pointer", `document.activeElement.blur()`)
	picture, err := chromedp.Run(b.ctx, chromedp.ScreenshotScale(chromedp.CSS(selector), 1.15))
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(file, picture, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
