//go:build integration

package main

import "testing"

// testSupport hands a failure to staff, who find it in a thread and look behind its reference there.
func testSupport(t *testing.T, chrome browser) {
	b := chrome.visit(t, desktop())
	b.reads("/bot list", "", "Your bots") // so that the bots are known while the service refuses
	b.presses("#tools", "Break it")
	b.clicks("#mode-service-401")
	b.sees("#breaking .broken", "401")
	b.clicks("#close-panel")
	b.reads("/bot restart", "Shop", "Reference:")
	b.presses(last, "Tell support")
	b.sees(last, "Our team has the details")

	b.clicks("#me")
	b.presses("#accounts", "Sam")
	b.sees("#me", "Sam")
	b.presses("#channels", "support")
	b.sees(last, "Anna asks for help")
	b.clicks(last + " [data-control=thread]")
	b.sees("#channel-name", "Anna · Shop")
	b.sees("#channels", "Anna · Shop")
	b.presses(last, "Reference")
	b.sees(last, "Call to the service")
}

// testSupportAnswers has Sam answer Anna, who takes no direct messages: she reads it above her bots, and replies.
func testSupportAnswers(t *testing.T, chrome browser) {
	b := chrome.visit(t, desktop())
	b.reads("/bot list", "", "Your bots")
	b.presses("#tools", "Break it")
	b.clicks("#mode-service-401")
	b.clicks("#mode-dms-closed")
	b.clicks("#close-panel")
	b.reads("/bot restart", "Shop", "Reference:")
	b.presses(last, "Tell support")
	b.sees(last, "their answer as a direct message")

	is := func(name string) {
		t.Helper()
		b.clicks("#me")
		b.presses("#accounts", name)
		b.sees("#me", name)
	}
	submits := func(title, text string) {
		t.Helper()
		b.sees("#modal", title)
		b.types(text)
		b.presses("#modal", "Submit")
	}
	is("Sam")
	b.presses("#channels", "support")
	b.clicks(last + " [data-control=thread]")
	b.sees("#channel-name", "Anna · Shop")
	b.presses("#messages", "Answer")
	submits("Answer the customer", "Try again in an hour.")
	b.sees(last, "doesn't accept direct messages")

	is("Anna")
	b.reads("/bot list", "", "Our team has answered you: Try again in an hour.")
	b.presses(last, "Read answer")
	b.sees(last, "has answered you about")
	b.presses(last, "Reply")
	submits("Reply to our team", "Thank you!")
	b.sees(last, "Our team has your reply")
}
