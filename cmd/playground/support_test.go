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
