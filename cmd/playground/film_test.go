//go:build integration

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hostbot/locale"
)

const (
	filmScale   = 2 // pixels to a CSS pixel, for screens that have as many
	filmCaption = "film-caption"
)

// shot is what a film shows for a while.
type shot struct {
	caption string
	shown   time.Duration
	come    func(reading) // to what is seen
	press   string        // the label of the button to which the pointer goes, if any
}

// film lists the shots. A crash in it is one of the hosting service, which the bot finds out
// by itself.
func film() []shot {
	return []shot{
		{caption: "A panel in the community’s channel: all is well.", shown: 1800 * time.Millisecond, come: func(r reading) {
			r.enters("general")
			r.sees(last, "🟢 Quiz *night* · "+r.runningSince()) // which was restarted before
		}},
		{caption: "A bot crashes. The panel says so …", shown: 1800 * time.Millisecond, come: func(r reading) {
			anna := r.v.customer()
			r.v.post("/api/become", map[string]string{"user": anna.user, "bot": anna.bot, "mode": "crash"})
			r.sees(last, "🔴 Shop · "+r.texts.Text("status.crashed"))
			r.sees(".channel.news", "hostbot")
		}},
		{caption: "… and its owner gets a direct message.", shown: 2200 * time.Millisecond, come: func(r reading) {
			r.enters("hostbot")
			r.sees(last, r.label("restart"))
		}},
		{caption: "One press …", shown: 1200 * time.Millisecond, press: "restart"},
		{caption: "… restarts it …", shown: 1200 * time.Millisecond, come: func(r reading) {
			r.presses(last, r.label("restart"))
			r.sees(last, "Restarting Shop")
		}},
		{caption: "… and it is back.", shown: 1600 * time.Millisecond, come: func(r reading) {
			r.until("nothing is under way", `!document.querySelector("#messages").innerText.includes("Restarting")`)
			r.sees("#messages", r.texts.Format("alert.back", locale.Args{"Bot": "Shop"}))
		}},
		{caption: "The panel is green again.", shown: 2200 * time.Millisecond, come: func(r reading) {
			r.enters("general")
			r.sees(last, "🟢 Shop · "+r.runningSince())
		}},
	}
}

// runningSince is what a panel says of a bot once a poll has seen since when it runs, up to the time.
func (r reading) runningSince() string {
	return r.texts.Text("status.running") + " · " + strings.TrimSpace(r.texts.Format("panel.since", locale.Args{"When": ""}))
}

// TestFilm draws the film, as TestScreenshots does the pictures.
func TestFilm(t *testing.T) {
	r := startBrowser(t).looks(t, open(t, "--watch=3s"), look{width: 800, height: 500}).in("en-US")
	r.prepares()
	var frames []apngFrame
	var words strings.Builder
	for _, shot := range film() {
		if shot.come != nil {
			shot.come(r)
		}
		r.captions(shot)
		fmt.Fprintf(&words, "— %s\n%s", shot.caption, r.words(last))
		if os.Getenv("UPDATE_SCREENSHOTS") != "" {
			frames = append(frames, apngFrame{opaque(decoded(t, r.photograph("body", filmScale))), shot.shown})
		}
	}
	file := filepath.Join(screenshotsDir, filmName)
	if len(frames) > 0 {
		var encoded bytes.Buffer
		if err := encodeAPNG(&encoded, frames); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file+".png", encoded.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	compareTexts(t, file, words.String())
}

// prepares brings the customer's crashed bot back and has them be told of crashes, and
// leaves out of sight what is for those who use the playground.
func (r reading) prepares() {
	r.t.Helper()
	r.evaluate("leave the playground's own out", `(() => {
		const sheet = new CSSStyleSheet();
		sheet.replaceSync("#tools, #composer, #beginning .steps, #account label { display: none } main { padding-bottom: 3.25rem } #account { padding-bottom: 4rem }");
		document.adoptedStyleSheets.push(sheet);
	})()`)
	anna := r.v.customer()
	command := func(name string) {
		r.v.post("/api/command", map[string]string{"user": anna.user, "channel": directMessages, "name": name})
	}
	command("bot list")
	r.enters("hostbot")
	r.presses(last, "Restart Quiz")
	r.sees(last, "✅")
	r.presses(last, "Dismiss message")
	command("alerts")
	r.presses(last, r.label("alerts_all"))
	r.sees("#messages", r.texts.Text("alerts.turned_on_before"))
	r.presses(last, "Dismiss message")
}

// enters goes to a channel.
func (r reading) enters(channel string) {
	r.t.Helper()
	r.presses("#channels", channel)
	r.sees("#channel-name", channel)
}

// captions puts the caption of a shot where one types otherwise, and the pointer where the
// shot has it.
func (r reading) captions(s shot) {
	r.t.Helper()
	label := ""
	if s.press != "" {
		label = r.label(s.press)
	}
	r.evaluate("put the caption", fmt.Sprintf(`((id, caption, label) => {
		document.activeElement.blur();
		let bar = document.getElementById(id);
		if (!bar) {
			bar = document.createElement("div");
			bar.id = id;
			bar.style = "position:fixed;inset:auto 0 0 0;z-index:9;padding:.7rem 1rem;background:#5865f2;color:#fff;font-size:1.25rem;font-weight:600;text-align:center";
			document.body.append(bar);
		}
		bar.textContent = caption;
		document.querySelectorAll(%[4]q + " button").forEach((e) => {
			e.style.outline = label && e.innerText.trim().startsWith(label) ? "3px solid #fff" : "";
		});
		document.querySelector("#scroller").scrollTop = 1e9;
	})(%[1]q, %[2]q, %[3]q)`, filmCaption, s.caption, label, last))
}
