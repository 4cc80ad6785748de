//go:build integration

package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// testWidths finds what is needed all the time at any width, whichever panel is
// open, and all labels of that whole.
func testWidths(t *testing.T, chrome browser) {
	b := chrome.visit(t, desktop())
	b.clicks("#command")
	b.picks("/bot restart")
	for _, width := range []int64{1400, 1057, 1055, 705, 703, 480, 320} {
		b.do("resize the window", chromedp.EmulateViewport(width, 480))
		for _, tool := range []string{"", "Members", "Underneath", "Break it"} {
			if tool != "" {
				b.presses("#tools", tool)
				b.sees("#panel-title", tool)
			}
			if wrong := asks[[]string](b, covered); len(wrong) > 0 {
				t.Errorf("%d px, panel %q: out of reach are %s", width, tool, strings.Join(wrong, ", "))
			}
			if wide := asks[int64](b, `document.documentElement.scrollWidth`); wide > width {
				t.Errorf("%d px, panel %q: the page is %d px wide", width, tool, wide)
			}
		}
		b.presses("#tools", "Underneath")
		b.sees("#underneath", "INTERACTION_CREATE")
		if cut := asks[[]string](b, cutLabels); len(cut) > 0 {
			t.Errorf("%d px: not whole are %q", width, cut)
		}
		b.clicks("#close-panel")
	}
}

// covered lists what cannot be pressed, of what is needed all the time.
const covered = `[...document.querySelectorAll("#send, #chosen, #tools button")].filter((e) => {
	const box = e.getBoundingClientRect();
	return !e.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
}).map((e) => e.id || e.innerText)`

// cutLabels lists labels of steps that are not whole.
const cutLabels = `[...document.querySelectorAll("#underneath .title, #underneath .kind, #underneath .outcome")]
	.filter((e) => e.checkVisibility() && getComputedStyle(e).overflow !== "visible" && e.scrollWidth > e.clientWidth)
	.map((e) => e.innerText)`

// After a key has been pressed, the focus is where it was: on what stands in that
// place by then.
func testFocusStays(t *testing.T, chrome browser) {
	b := chrome.visit(t, desktop())
	has := func(label string) {
		t.Helper()
		b.until(label+" has the focus", fmt.Sprintf(`(document.activeElement.innerText ?? "").includes(%q) && document.activeElement.tagName === "BUTTON"`, label))
	}
	press := func(label string) {
		t.Helper()
		b.focuses(fmt.Sprintf("%s [data-control=%q]", last, asks[string](b, fmt.Sprintf(
			`[...document.querySelectorAll(%q)].find((e) => e.innerText.trim() === %q).dataset.control`, last+" [data-control]", label))))
		b.types(kb.Enter)
	}
	b.reads("/bot show", "Radio", "Limits: 1 GB RAM")
	press("Refresh")
	b.until("it is answered", `document.querySelector("#messages [aria-busy]") === null`)
	has("Refresh")
	press("Start")
	b.sees(last, "✅ Started")
	b.until("the focus has stayed in the message", `document.activeElement.closest("`+last+`") !== null`)

	// A form gives it back, even where its message was drawn anew meanwhile.
	b.reads("/bot create", "", "Create a bot")
	press("Continue")
	b.until("the form is open", `document.querySelector("#modal").open`)
	b.types(kb.Escape)
	has("Continue")

	b.focuses(last + " [data-control=dismiss]")
	b.types(kb.Enter)
	b.until("the message before has the focus", `document.activeElement === document.querySelector("`+last+`")`)

	b.presses("#tools", "Members")
	b.focuses("#members li:nth-child(2) .person")
	b.types(kb.Enter)
	b.until("the menu has the focus", `document.activeElement.role === "menuitem"`)
	b.types(kb.Enter)
	b.until("somebody else is used", `document.querySelector("#me").innerText.includes("Ben")`)
	has("Ben")
}

// testPanelAndHistory sees the panel follow a crash, the past as a picture, and makes
// another panel, of two bots.
func testPanelAndHistory(t *testing.T, chrome browser) {
	b := chrome.looks(t, open(t, "--watch=3s"), desktop()) // of which three are between two edits of a panel
	b.sees(last, "🟢 Shop · Running ·")                     // since when, or at least since when if nobody looked for a while
	b.presses("#tools", "Break it")
	b.clicks("#crash")
	b.sees("#crash-bot", "Shop (CRASHED)")

	b.reads("/bot history", "Shop", "24 h: ")
	b.until("the picture is there", `document.querySelector("`+last+` .embed img").naturalWidth === 800`)
	b.until("it has the room that it needs", `((e) => Math.abs(e.clientHeight - e.clientWidth * e.naturalHeight / e.naturalWidth) < 1)(document.querySelector("`+last+` .embed img"))`)
	b.until("it is described", `document.querySelector("`+last+` .embed img").alt.startsWith("Uptime of Shop")`)

	b.reads("/panel", "", "1. Bot status · Guild · #general · ")
	b.focuses(last + " .select")
	b.types(kb.ArrowDown)
	b.sees(".choices:popover-open [aria-selected=true]", "Shop")
	b.types(kb.Enter)
	b.sees(".choices:popover-open [aria-selected=true]", "☑")
	b.types(kb.ArrowDown + kb.Enter)
	b.until("two are ticked", `(document.querySelector(".choices:popover-open").innerText.match(/☑/g) ?? []).length === 2`)
	b.types(kb.Escape)
	b.sees(last, "Continue")
	b.presses(last, "Continue")
	b.sees("#modal", "Panel title")
	b.types(kb.Enter)
	b.sees("#messages", "Panel posted")
	b.sees(last, "Bot status")
	b.until("the third bot is not in it", `!document.querySelector("`+last+`").innerText.includes("Quiz")`)
	b.sees("#messages", "🔴 Shop · Crashed ·")
}

// testQuietHours sets quiet hours, has one bot crash and run again and another crash, and ends the quiet hours.
func testQuietHours(t *testing.T, chrome browser) {
	b := chrome.looks(t, open(t, "--watch=1s"), desktop())
	fills := func(from, until, zone string) {
		t.Helper()
		b.presses(last, "Delay and quiet hours")
		b.sees("#modal", "Alert timing")
		for name, value := range map[string]string{"from": from, "until": until, "zone": zone} {
			b.evaluate("fill in "+name, fmt.Sprintf(`document.querySelector("#modal [name=%s]").value = %q`, name, value))
		}
		b.evaluate("send it", `document.querySelector("#modal form").requestSubmit()`)
	}
	b.reads("/alerts", "", "I'll send you a direct message")
	b.presses(last, "All alerts on")
	b.sees(last, "Alerts are on")
	hour := time.Now().UTC().Hour()
	fills(fmt.Sprint((hour+21)%24), fmt.Sprint((hour+3)%24), "UTC")
	b.sees(last, "Quiet from")
	b.presses("#tools", "Break it")
	b.clicks("#crash")
	b.sees("#messages", "🔴 Shop · Crashed") // on the panel: the bot has seen it
	b.clicks("#run")
	b.sees("#messages", "🟢 Shop · Running")
	b.evaluate("choose Radio", `((e) => { e.value = [...e.options].find((o) => o.text.startsWith("Radio")).value; })(document.querySelector("#crash-bot"))`)
	b.clicks("#crash")
	b.sees("#messages", "🔴 Radio · Crashed")
	b.clicks("#close-panel")
	fills("", "", "")
	b.sees(last, "Saved")
	b.presses("#channels", "hostbot")
	b.sees(last, "Shop is back")
	b.sees(last, "1 of your bots is down")
	if n := asks[int](b, `document.querySelectorAll("#messages > li").length`); n != 2 { // with the one that says that alerts are on
		t.Errorf("%d messages tell of it", n)
	}
}

// testCrashLoop has a bot restarted automatically that crashes again each time, until its owner reads that it stays down.
func testCrashLoop(t *testing.T, chrome browser) {
	v := open(t, "--watch=1s")
	b := chrome.looks(t, v, desktop())
	b.reads("/bot show", "Shop", "Limits")
	b.presses(last, "More…")
	b.presses(last, "Alerts")
	b.presses(last, "Alerts on for Shop")
	b.sees("#messages", "Alerts are on")
	b.presses(last, "Restart it automatically")
	b.sees(last, "I'll restart it: up to 3 times")
	b.presses("#tools", "Break it")
	b.clicks("#mode-service-loop")
	b.sees("#breaking .broken", "Crash loop")
	b.clicks("#crash")
	anna := v.customer()
	v.waitFor("/api/messages?user="+anna.user+"&channel="+directMessages, "Shop keeps crashing and stays down")
	b.clicks("#close-panel")
	b.reads("/bot show", "Shop", "after 3 automatic restarts within 10 min, so it stays down")
}

// testSchedule has a bot restarted by a schedule, of which staff read.
func testSchedule(t *testing.T, chrome browser) {
	b := chrome.looks(t, open(t, "--watch=1s"), desktop())
	b.reads("/bot show", "Shop", "Limits")
	b.presses(last, "More…")
	b.presses(last, "Restart daily…")
	b.sees("#modal", "Restart every day at")
	b.evaluate("fill it in", `(([time, zone]) => { time.value = "04:30"; zone.value = "Berlin"; })(document.querySelectorAll("#modal input"))`)
	b.evaluate("send it", `document.querySelector("#modal form").requestSubmit()`)
	b.sees(last, "Restarts daily at 04:30 (Europe/Berlin)")
	b.presses("#tools", "Break it")
	b.clicks("#once-service-clock")
	b.clicks("#close-panel")
	b.presses("#beginning", "Be Sam")
	b.sees("#channel-name", "bot-log")
	b.sees("#messages", "🕓 scheduled")
}

// Suggestions that begin as what was typed come first.
func testRanks(t *testing.T, chrome browser) {
	b := chrome.visit(t, desktop())
	b.presses("#beginning", "Be Sam")
	b.sees("#channel-name", "bot-log")
	b.clicks("#command")
	b.types("/s")
	b.sees("#picker [aria-selected=true]", "/admin status")
	b.until("what only holds it comes last", `(([...items]) => {
		const at = (name) => items.findIndex((e) => e.innerText.startsWith(name));
		return at("/bot startup") > 0 && at("/bot list") > at("/bot startup");
	})(document.querySelectorAll("#picker b"))`)
	b.types(kb.Escape + "\b\b")
	b.picks("/admin lookup")
	b.types("e")
	b.sees("#picker [aria-selected=true]", "@Eli")
	b.sees("#picker", "@Ben")

	// A command that is typed whole is sent as if it had been picked.
	b.types(kb.Escape + kb.Escape)
	b.until("another command can be typed", `document.activeElement.id === "command"`)
	b.types("/help" + kb.Escape + kb.Enter)
	b.sees(last, "What I can do")
}

// testPageStaysSmall looks underneath while the bot polls for as long as one likes, with everything open
// that can be.
func testPageStaysSmall(t *testing.T, chrome browser) {
	b := chrome.looks(t, open(t, "--watch=20ms"), desktop())
	b.reads("/bot list", "", "Your bots")
	b.presses("#tools", "Underneath")
	b.sees("#underneath .latest", "/bot list")
	b.evaluate("open what the bot does by itself", `document.querySelector("#underneath [data-id=rounds] > details > summary").click()`)
	b.until("it has polled for a while", `Number(document.querySelector("#underneath .others").innerText.match(/(\d+) steps so far/)?.[1]) > 600`)
	if n := asks[int](b, `document.querySelectorAll("*").length`); n > 3000 {
		t.Errorf("the page has %d elements", n)
	}
	b.evaluate("close it", `document.querySelector("#underneath [data-id=rounds] > details > summary").click()`)
	b.until("what is closed is not drawn", `document.querySelectorAll("#underneath [data-id=rounds] *").length < 10`)
}
