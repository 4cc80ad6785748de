//go:build integration

package main

import (
	"bytes"
	"image"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

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

// screenshots are the pictures of the pages that show the bot, by name. Each returns the
// selector of what is seen.
func screenshots() map[string]picture {
	message := look{width: 1000, height: 900}
	return map[string]picture{
		"playground": {look{width: 1140, height: 530}, func(b *tab) string {
			b.sees(last, "🔴 Quiz *night* · Crashed") // the panel, which is above
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
			b.clicks("#mode-service-401")
			b.sees("#breaking .broken", "401")
			b.clicks("#close-panel")
			b.reads("/bot restart", "Shop", "Reference:")
			return last
		}},
		"alert": {message, func(b *tab) string {
			b.presses("#channels", "hostbot")
			b.reads("/alerts", "", "All alerts off")
			b.presses(last, "All alerts on")
			b.sees("#messages", "You'll get them as direct messages")
			b.presses("#tools", "Underneath")
			b.sees("#underneath [data-id=rounds]", "By itself")
			b.evaluate("open what the bot does by itself", `document.querySelector("#underneath [data-id=rounds] > details > summary").click()`)
			b.sees("#underneath [data-id=rounds]", "/api/bot/servers")
			b.presses("#tools", "Break it")
			b.clicks("#crash")
			b.clicks("#close-panel")
			b.sees(last, "Shop has crashed")
			return "#messages"
		}},
		"log": {message, func(b *tab) string {
			b.reads("/bot restart", "Shop", "✅ Restarted")
			b.reads("/bot stop", "Shop", "✅ Stopped")
			b.presses("#beginning", "Be Sam")
			b.sees(last, "✅ Stop · Shop")
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
		"create": {message, func(b *tab) string {
			b.uses("/bot create", "")
			b.presses(last, "Continue")
			b.sees("#modal", "python main.py · main.py")
			b.types("Jukebox")
			return "#modal"
		}},
		"german": {message, func(b *tab) string {
			r := b.in("de")
			r.reads(r.command("bot show"), "Quiz", r.texts.Text("status.crashed"))
			return last
		}},
		"japanese": {look{width: 1000, height: 900, light: true}, func(b *tab) string {
			r := b.in("ja")
			r.reads(r.command("bot list"), "", r.texts.Text("list.title"))
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

// TestScreenshots draws the pictures. Where UPDATE_SCREENSHOTS is set, it renders them anew
// and writes down the texts in them; else it compares those with what is seen today, and
// so finds the pictures that are out of date.
func TestScreenshots(t *testing.T) {
	chrome, timing := startBrowser(t), usualTiming()
	timing.Cache = time.Minute // so that no picture depends on how old an account is
	for name, picture := range screenshots() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := chrome.looks(t, start(t, timing), picture.look)
			selector := picture.come(b)
			b.evaluate("leave the keyboard and the pointer", `document.activeElement.blur()`)
			if os.Getenv("UPDATE_SCREENSHOTS") != "" {
				if err := os.WriteFile(filepath.Join(screenshotsDir, name+".png"), b.photograph(selector, 1.15), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			compareTexts(t, filepath.Join(screenshotsDir, name), b.words(selector))
		})
	}
}

// TestScreenshotsAreDrawn compares the pictures that there are with those that the tests draw.
func TestScreenshotsAreDrawn(t *testing.T) {
	drawn := slices.Sorted(maps.Keys(screenshots()))
	drawn = slices.Sorted(slices.Values(append(drawn, filmName)))
	if kept := keptPictures("png"); !slices.Equal(kept, drawn) {
		t.Errorf("there are %q, and the tests draw %q", kept, drawn)
	}
}

// photograph returns a picture of what a selector finds, as a PNG.
func (b *tab) photograph(selector string, scale float64) []byte {
	b.t.Helper()
	picture, err := chromedp.Run(b.ctx, chromedp.ScreenshotScale(chromedp.CSS(selector), scale))
	if err != nil {
		b.t.Fatal(err)
	}
	return picture
}

func decoded(t *testing.T, encoded []byte) image.Image {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}
	return picture
}
