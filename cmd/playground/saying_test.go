//go:build integration

package main

import "testing"

// testOutagesAreSaid has a panel say in its channel that a bot has crashed, with the mention of a role, and that it is
// back.
func testOutagesAreSaid(t *testing.T, chrome browser) {
	b := chrome.looks(t, open(t, "--watch=1s"), desktop())
	b.sees(last, "🟢 Shop · Running ·")
	b.presses(last, "Manage")
	b.sees(last, "Post outages here also sends a message to the channel")
	b.presses(last, "Post outages here")
	b.sees(last, "I post a message in the channel")
	b.opens("Mention a role")
	b.takes("Players")
	b.sees(last, "Each message mentions @Players.")
	b.opens("Mention a role")
	b.takes("Players") // which stands there, so none is chosen then
	b.until("no role is mentioned", `!document.querySelector("`+last+`").innerText.includes("Each message mentions")`)
	b.opens("Mention a role")
	b.takes("Players")
	b.sees(last, "Each message mentions @Players.")
	b.presses(last, "Manage")
	b.sees(last, "Each message mentions @Players.")
	b.presses(last, "Dismiss message")
	b.presses("#tools", "Break it")
	b.clicks("#crash")
	b.sees(last, "@Players 🔴 Shop has crashed")
	b.reads("/bot restart", "Shop", "✅ Restarted")
	b.sees("#messages", "@Players 🟢 Shop is back")
}
