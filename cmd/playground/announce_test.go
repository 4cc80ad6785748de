//go:build integration

package main

import "testing"

// testNoticeIsAnnounced has maintenance announced to a customer who has alerts, and ended in staff's client.
func testNoticeIsAnnounced(t *testing.T, chrome browser) {
	b := chrome.looks(t, open(t, "--watch=1s"), desktop())
	b.reads("/alerts", "", "I'll send you a direct message")
	b.presses(last, "All alerts on")
	b.sees(last, "Alerts are on")
	b.presses("#tools", "Break it")
	b.clicks("#once-service-maintenance")
	b.clicks("#close-panel")
	b.presses("#channels", "hostbot")
	b.sees(last, "has started maintenance")
	b.sees(last, "We move our servers to a new data centre")
	b.presses("#channels", "general")
	b.presses("#beginning", "Be Sam")
	b.sees("#channel-name", "bot-log")
	b.reads("/admin notice", "", "Announced by direct message")
	b.presses(last, "Edit notice")
	b.sees("#modal", "Announce the notice's start and end")
	if ticked := asks[int](b, `document.querySelectorAll("#modal [name=kind]:checked").length`); ticked != 2 {
		t.Errorf("%d boxes are ticked", ticked)
	}
	b.evaluate("send it", `document.querySelector("#modal form").requestSubmit()`)
	b.sees(last, "Saved")
	b.presses(last, "End now")
	b.sees(last, "Notice ended")
	anna := b.v.customer()
	b.v.waitFor("/api/messages?user="+anna.user+"&channel="+directMessages, "has finished maintenance")
}
