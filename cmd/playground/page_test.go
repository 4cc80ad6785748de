//go:build integration

package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"hostbot/locale"
)

// TestPage uses the playground as people do, in Chromium.
func TestPage(t *testing.T) {
	t.Parallel()
	chrome := startBrowser(t)
	for name, test := range map[string]func(*testing.T, browser){
		"list, open, restart": testListOpenRestart,
		"autocomplete":        testAutocomplete,
		"form":                testForm,
		"form that is left":   testFormThatIsLeft,
		"locale":              testLocale,
		"outage and recovery": testOutageAndRecovery,
		"keyboard":            testByKeyboard,
		"staff":               testStaff,
		"phone":               testOnAPhone,
		"widths":              testWidths,
		"focus":               testFocusStays,
		"ranks":               testRanks,
		"accessibility":       testIsAccessible,
		"drawing":             testDrawing,
		"telling support":     testSupport,
		"support answers":     testSupportAnswers,
		"panel and history":   testPanelAndHistory,
		"several":             testSeveral,
		"quiet hours":         testQuietHours,
		"crash loop":          testCrashLoop,
		"schedule":            testSchedule,
		"outages are said":    testOutagesAreSaid,
		"notice is announced": testNoticeIsAnnounced,
		"bounds":              testPageStaysSmall,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, chrome)
		})
	}
}

// A newcomer uses the bot as a customer, looks underneath, and reads what staff
// read.
func testListOpenRestart(t *testing.T, chrome browser) {
	b := chrome.visit(t, desktop())
	b.presses("#beginning", "Type /bot list")
	b.sees("#picker [aria-selected=true]", "/bot list")
	b.types(kb.Enter + kb.Enter)
	b.sees(last, "Your bots")
	b.sees(last, "Only you can see this")
	b.chooses("Shop")
	b.sees(last, "Limits: 512 MB RAM")

	b.presses(last, "Restart")
	b.sees(last, "Restarting Shop")
	b.sees(last, "✅ Restarted")

	b.presses("#tools", "Underneath")
	b.sees("#underneath", "button: Restart")
	b.sees("#underneath .detail", "POST /api/bot/servers/")
	b.evaluate("open a step", `document.querySelector("#underneath .steps summary").click()`)
	b.sees("#underneath .content pre", `"token": "<secret>"`)

	b.presses("#beginning", "Be Sam")
	b.sees("#channel-name", "bot-log")
	b.sees(last, "✅ Restart")

	b.clicks("#me")
	b.presses("#accounts", "Anna")
	b.until("the staff's channels are gone", `!document.querySelector("#channels").innerText.includes("bot-log")`)
	b.sees(last, "✅ Restarted")
	b.presses(last, "Dismiss message")
	b.until("the message is gone", `document.querySelectorAll("#messages > li").length === 1`) // the panel stays
}

func testAutocomplete(t *testing.T, chrome browser) {
	b := chrome.visit(t, desktop())
	b.clicks("#command")
	b.picks("/bot show")
	b.sees("#picker", "Radio")
	b.types("ni")
	b.until("one bot is left", `document.querySelectorAll("#picker [role=option]").length === 1`)
	b.sees("#picker [aria-selected=true]", "Quiz *night*")
	b.types(kb.Enter + kb.Enter)
	b.sees(last, "Crashed")

	b.picks("/bot startup")
	b.sees("#picker", "Radio")
	b.types(kb.Escape + kb.Enter)
	b.sees("#problem", "This option is required")
}

// testForm fills in a form of radio buttons and a checkbox, makes a mistake, and finds
// what was entered in the form that comes back.
func testForm(t *testing.T, chrome browser) {
	b := chrome.visit(t, desktop())
	b.uses("/bot create", "")
	b.presses(last, "Continue")
	b.sees("#modal", "python main.py · main.py")
	b.evaluate("choose Python", `document.querySelector("#modal [value=PYTHON]").click()`)
	b.evaluate("have it started", `document.querySelector("#modal [type=checkbox]").click()`)
	b.types(kb.Enter)
	b.sees("#modal-problem", "fill")
	b.types(" " + kb.Enter)
	b.sees(last, "Name is missing")
	b.presses(last, "Back to the form")
	b.sees("#modal", "python main.py · main.py")
	b.until("all is as it was", `document.querySelector("#modal [value=PYTHON]").checked && document.querySelector("#modal [type=checkbox]").checked`)
	b.until("the first field has the focus", `document.activeElement.closest("#modal-fields") !== null`)
	b.types("Jukebox" + kb.Enter)
	b.until("the modal is closed", `!document.querySelector("#modal").open`)
	b.sees(last, "✅ Created")
	b.sees(last, "✅ Started")
}

// testFormThatIsLeft has a form not come again, however it was left, and in no other page.
func testFormThatIsLeft(t *testing.T, chrome browser) {
	b := chrome.visit(t, desktop())
	opens := func() {
		t.Helper()
		b.uses("/bot startup", "Shop")
		b.until("the form is open", `document.querySelector("#modal").open`)
	}
	showsNone := func(b *tab, where string) {
		t.Helper()
		b.sees("#messages", "Bot status")
		if asks[bool](b, `document.querySelector("#modal").open`) {
			t.Errorf("the form is open %s", where)
			b.presses("#modal", "Cancel")
		}
	}
	opens()
	b.presses("#modal", "Cancel")
	b.loads()
	showsNone(b, "again: it was closed, and the page loaded anew")

	opens()
	showsNone(chrome.looks(t, b.v, desktop()), "in another page")
	b.loads()
	showsNone(b, "again: the page was loaded anew")

	opens()
	b.types(kb.Escape)
	opens()
	b.types(kb.Enter)
	b.sees(last, "Nothing was changed")
	showsNone(b, "again: it was closed, and another one sent")
}

func testLocale(t *testing.T, chrome browser) {
	b := chrome.visit(t, desktop())
	texts, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range []string{"de", "tr", "en-US"} {
		b.evaluate("choose "+language, `(() => {
			const menu = document.querySelector("#locale");
			menu.value = "`+language+`";
			menu.dispatchEvent(new Event("change"));
		})()`)
		b.until("the messages are in "+language, `document.querySelector("#options").lang === "`+language+`"`)
		b.clicks("#command")
		b.types("/")
		b.sees("#picker", texts.For(language).Text("command.plan.description"))
		b.types(kb.Escape + "\b")
	}
}

func testOutageAndRecovery(t *testing.T, chrome browser) {
	b := chrome.visit(t, desktop())
	be := func(name string) {
		b.clicks("#me")
		b.presses("#accounts", name)
		b.sees("#me", name)
	}
	be("Dora") // of whom nothing is known before
	b.presses("#tools", "Break it")
	b.clicks("#mode-service-500")
	b.sees("#breaking .broken label:has(:checked)", "500: says that it failed")
	b.reads("/plan", "", "Something went wrong")
	b.sees(last, "Reference:")
	b.sees(last, strings.Trim(asks[string](b, `document.querySelector("#mode-service-500-reads q").innerText`), "“”"))
	b.clicks("#mode-service-normal")
	b.until("nothing is broken", `document.querySelector("#breaking .broken") === null`)
	b.tries("Starter", func() { b.uses("/plan", "") }) // the bot waits a little before it asks a failing service again

	be("Anna")
	b.clicks("#mode-discord-5xx")
	b.reads("/plan", "", "The application did not respond")
	b.clicks("#mode-discord-normal")
	b.presses(last, "Dismiss message")
	b.clicks("#mode-redis-down")
	b.reads("/bot list", "", "Your bots")

	b.clicks("#once-gateway-drop")
	b.sees("#breaking", "resumed: 1")
	b.clicks("#mode-gateway-silent")
	b.presses(last, "Refresh")
	b.sees(last, "This interaction failed")
	b.clicks("#mode-gateway-normal")
	b.presses(last, "Refresh") // once more, as on Discord
	b.until("it is answered", `!document.querySelector("`+last+`").innerText.includes("failed")`)

	b.clicks("#crash")
	b.sees("#crash-bot", "Shop (CRASHED)")
	b.tries("🔴 Shop", func() { b.presses(last, "Refresh") })

	// What is broken on purpose is not the bot's mistake, and is repaired at once.
	b.clicks("#mode-service-slow")
	b.clicks("#mode-redis-down")
	b.focuses("#repair")
	b.types(kb.Enter)
	b.until("nothing is broken", `document.querySelector("#breaking .broken, .tool.marked") === null`)
	b.until("the focus has stayed", `document.activeElement.id === "repair"`)
	b.sees("#breaking", "rules that the bot broke: 0")
}

// All of it works without a pointer.
func testByKeyboard(t *testing.T, chrome browser) {
	b := chrome.visit(t, desktop())
	b.types("/")
	b.until("/ leads to the box", `document.activeElement.id === "command"`)
	b.sees("#picker", "/bot list")
	b.types("help")
	b.sees("#picker [aria-selected=true]", "/help")
	b.types(kb.Enter)
	b.until("what is sent next is in focus", `document.activeElement.id === "send"`)
	b.types(kb.Enter)
	b.sees(last, "What I can do")
	b.focuses(last + " [data-command='bot list']")
	b.types(kb.Enter)
	b.sees("#chosen", "/bot list")
	b.types(kb.Enter)
	b.sees(last, "Your bots")

	b.focuses(last + " .select")
	b.types(kb.ArrowDown)
	b.sees(".choices:popover-open [aria-selected=true]", "Quiz")
	b.types(kb.ArrowDown + kb.ArrowDown + kb.Enter)
	b.sees(last, "Limits: 1 GB RAM")

	b.focuses(last + " [data-control]:not(:disabled)")
	b.types(kb.Enter)
	b.sees(last, "✅ Started")
	b.until("the focus has stayed in the message", `document.activeElement.closest("`+last+`") !== null`)
}

// Staff use what is in a person's menu, and name a person in a command.
func testStaff(t *testing.T, chrome browser) {
	b := chrome.visit(t, desktop())
	b.presses("#beginning", "Be Sam")
	b.sees("#channel-name", "bot-log")
	b.presses("#channels", "general")
	b.sees("#channel-name", "general")
	b.presses("#tools", "Members")
	b.presses("#members", "Anna")
	b.sees("[role=menu]", "Apps ▸ Hosted bots")
	b.types(kb.Enter)
	b.sees(last, "Hosted bots")
	b.sees(last, "Shop")

	b.reads("/admin lookup", "Anna", "Radio")
}

// On a phone nothing is wider than the screen, and all of it can be reached.
func testOnAPhone(t *testing.T, chrome browser) {
	b := chrome.visit(t, look{width: 360, height: 740, light: true})
	fits := func(what string) {
		t.Helper()
		if wide := asks[int](b, `document.documentElement.scrollWidth`); wide > 360 {
			t.Errorf("%s is %d pixels wide", what, wide)
		}
	}
	fits("the beginning")
	b.reads("/bot list", "", "Your bots")
	b.chooses("Shop")
	b.sees(last, "Limits: 512 MB RAM")
	fits("a card")
	b.presses(last, "Details")
	b.until("each field has a line of its own", `(([...fields]) => fields.length > 3 &&
		fields.every((e) => e.clientWidth === e.parentElement.clientWidth))(document.querySelectorAll("#messages dl > div"))`)
	fits("the details")
	b.clicks("#open-side")
	fits("the list of channels")
	b.presses("#channels", "hostbot")
	b.sees("#beginning", "direct message history")
	b.until("the list of channels is closed", `!document.querySelector("#side").checkVisibility()`)
	for _, tool := range []string{"Members", "Underneath", "Break it"} {
		b.presses("#tools", tool)
		fits(tool)
		b.clicks("#close-panel")
	}
	b.presses("#tools", "Break it")
	b.uses("/plan", "")
	b.until("the answer is not behind the panel", `document.querySelector("#panel").hidden`)
	b.until("the next command can be typed", `document.activeElement.id === "command"`)
}

// Everything that can be pressed or filled in has a name, and all text has the
// contrast that WCAG's level AA asks for.
func testIsAccessible(t *testing.T, chrome browser) {
	b := chrome.visit(t, desktop())
	b.reads("/bot list", "", "Your bots")
	b.chooses("Shop")
	b.sees(last, "Limits: 512 MB RAM")
	b.clicks("#command")
	b.types("/")
	for _, tool := range []string{"Members", "Underneath", "Break it"} {
		b.presses("#tools", tool)
		b.until("the panel is filled", `document.querySelector(".pane:not([hidden])").children.length > 1`)
		if wrong := asks[[]string](b, unnamed); len(wrong) > 0 {
			t.Errorf("%s: without a name are %s", tool, strings.Join(wrong, ", "))
		}
		for name, light := range map[string]bool{"dark": false, "light": true} {
			b.lights(light)
			if wrong := asks[[]string](b, faint); len(wrong) > 0 {
				t.Errorf("%s, %s: too faint are\n%s", tool, name, strings.Join(wrong, "\n"))
			}
		}
	}
}

// unnamed lists controls that say nothing to somebody who listens.
const unnamed = `[...document.querySelectorAll("button, input, select, textarea, a, [role=listbox]")]
	.filter((e) => e.checkVisibility())
	.filter((e) => !(e.ariaLabel || e.labels?.[0]?.innerText.trim() || e.innerText.trim()))
	.map((e) => e.outerHTML.slice(0, 120))`

// faint lists text whose contrast with what is behind it is under 4.5.
const faint = `(() => {
	const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	const rgba = (color) => {
		canvas.clearRect(0, 0, 1, 1);
		canvas.fillStyle = color;
		canvas.fillRect(0, 0, 1, 1);
		return [...canvas.getImageData(0, 0, 1, 1).data].map((v) => v / 255);
	};
	const over = ([r, g, b, a], back) => [r, g, b].map((v, i) => v * a + back[i] * (1 - a));
	const behind = (e) => {
		if (!e) return [1, 1, 1];
		const color = rgba(getComputedStyle(e).backgroundColor);
		return color[3] === 1 ? color.slice(0, 3) : over(color, behind(e.parentElement));
	};
	const light = (color) => color.map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const found = new Set();
	for (const e of document.body.querySelectorAll("*")) {
		if (!e.checkVisibility() || e.closest(":disabled, [aria-hidden=true], [aria-busy]")) continue;
		const text = [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()).join("");
		if (!text) continue;
		const back = behind(e);
		const [a, b] = [light(over(rgba(getComputedStyle(e).color), back)), light(back)].sort((a, b) => b - a);
		const contrast = (a + 0.05) / (b + 0.05);
		if (contrast < 4.5) found.add(contrast.toFixed(2) + " " + e.tagName + "." + e.className + " " + text.slice(0, 40));
	}
	return [...found];
})()`
