//go:build integration

package main

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// testSeveral chooses three bots, of which one is stopped and one is suspended before the restart is confirmed.
func testSeveral(t *testing.T, chrome browser) {
	b := chrome.visit(t, desktop())
	b.reads("/bot list", "", "Your bots")
	b.presses(last, "Choose several…")
	b.sees(last, "Choose up to 25 bots")
	tick := func(keys string) {
		b.focuses(last + " .select")
		b.types(kb.ArrowDown)
		b.sees(".choices:popover-open [aria-selected=true]", "Quiz")
		b.types(keys + kb.Escape)
	}
	next := kb.ArrowDown + kb.Enter
	tick(kb.Enter + next + next)
	b.sees(last, "Chosen (3)")
	tick(kb.Enter + next + next) // all are taken back
	b.until("nothing is chosen", `!document.querySelector("`+last+`").innerText.includes("Chosen")`)
	tick(kb.Enter + next + next)
	b.sees(last, "Chosen (3)")
	b.presses(last, "Restart")
	b.sees(last, "Restart 2 bots?")
	b.sees(last, "These stay as they are:")
	b.presses("#tools", "Break it")
	b.clicks("#suspend")
	b.sees("#crash-bot", "Shop (SUSPENDED)")
	b.clicks("#close-panel")
	b.presses(last, "Restart 2 bots")
	b.sees(last, "Restarted 1 of 2 bots")
	b.sees(last, "Shop · left as it is")
	b.presses("#tools", "Break it")
	b.clicks("#run")
	b.sees("#crash-bot", "Shop (RUNNING)")
}
