//go:build integration

package main

import (
	"os"
	"testing"
)

// TestAxeFindsNothing lets axe-core look at the page in eight states, dark and light, on a desktop and on
// a phone, where AXE names its file:
//
//	npm pack axe-core && tar xzf axe-core-*.tgz
//	AXE=$PWD/package/axe.min.js go test -tags integration ./cmd/playground -run Axe
func TestAxeFindsNothing(t *testing.T) {
	file := os.Getenv("AXE")
	if file == "" {
		t.Skip("AXE does not name the file axe.min.js of axe-core")
	}
	axe, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	chrome := startBrowser(t)
	for device, l := range map[string]look{"desktop": desktop(), "phone": phone()} {
		t.Run(device, func(t *testing.T) {
			b := chrome.visit(t, l)
			b.evaluate("load axe", string(axe)+"; undefined")
			for _, state := range axeStates() {
				state.come(b)
				for name, light := range map[string]bool{"dark": false, "light": true} {
					b.lights(light)
					for _, found := range asks[[]string](b, axeFinds) {
						t.Errorf("%s, %s: %s", state.name, name, found)
					}
				}
			}
		})
	}
}

type axeState struct {
	name string
	come func(*tab)
}

// axeStates are what one comes to, one after the other.
func axeStates() []axeState {
	shows := func(tool, text string) func(*tab) {
		return func(b *tab) {
			b.presses("#tools", tool)
			b.sees(".pane:not([hidden])", text)
		}
	}
	goes := func(b *tab, channel, text string) {
		if asks[bool](b, `document.querySelector("#open-side").checkVisibility()`) {
			b.clicks("#open-side")
		}
		b.presses("#channels", channel)
		b.sees("#messages", text)
	}
	return []axeState{
		{"the beginning", func(b *tab) { b.sees("#messages", "Status of the bots") }},
		{"a list", func(b *tab) { b.reads("/bot list", "", "Your bots") }},
		{"a card and suggestions", func(b *tab) {
			b.reads("/bot show", "Shop", "Limits: 512 MB RAM")
			b.clicks("#command")
			b.types("/")
			b.sees("#picker", "/bot")
		}},
		{"a history", func(b *tab) {
			b.evaluate("empty the box", `document.querySelector("#command").value = ""`)
			b.reads("/bot history", "Shop", "24 h: ")
		}},
		{"a form", func(b *tab) {
			b.uses("/bot create", "")
			b.presses(last, "Continue")
			b.until("the form is open", `document.querySelector("#modal").open`)
		}},
		{"direct messages", func(b *tab) {
			b.presses("#modal", "Cancel")
			goes(b, "hostbot", "")
		}},
		{"members", shows("Members", "Staff")},
		{"underneath", func(b *tab) {
			shows("Underneath", "By itself")(b)
			b.evaluate("open what the bot does by itself", `document.querySelector("#underneath [data-id=rounds] summary").click()`)
			b.evaluate("open the newest", `document.querySelector("#underneath .latest details").open = true`)
			b.until("there is a step", `document.querySelector("#underneath .latest .steps summary") !== null`)
			b.evaluate("open it", `document.querySelector("#underneath .latest .steps summary").click()`)
			b.sees("#underneath .content pre", "")
		}},
		{"what is broken", func(b *tab) {
			shows("Break it", "Hosting service")(b)
			b.clicks("#mode-service-500")
			b.sees("#breaking .broken", "500")
		}},
		{"a log channel", func(b *tab) {
			b.clicks("#close-panel")
			goes(b, "general", "")
			b.presses("#beginning", "Be Sam")
			b.sees("#channel-name", "bot-log")
			goes(b, "bot-lifecycle", "")
			b.sees("#messages", "hostbot")
		}},
	}
}

// axeFinds has what axe-core objects to: the rule, and where.
const axeFinds = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
	violations.flatMap((v) => v.nodes.map((n) => v.id + " (" + v.impact + "): " + n.html.slice(0, 160) + " " + (n.failureSummary ?? "").split("\n").slice(1).join(";").slice(0, 200))))`
