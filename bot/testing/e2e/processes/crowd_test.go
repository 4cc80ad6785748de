//go:build integration

package processes_test

import (
	"fmt"
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
)

// startHTTP starts a replica that receives interactions over HTTP.
func (w *scene) startHTTP(t *testing.T, environment ...string) *replica {
	t.Helper()
	address := world.FreeAddress(t)
	r := w.start(t, append([]string{"INTERACTIONS_ADDR=" + address, "DISCORD_PUBLIC_KEY=" + w.discord.PublicKey()}, environment...)...)
	r.interactions = address
	w.discord.AddEndpoint("http://" + address + "/interactions")
	return r
}

// alerted has customers turn alerts on, in their DMs, so that no first message is sent.
func (w *scene) alerted(t *testing.T, who []customer) {
	t.Helper()
	for _, c := range who {
		c.InDM().Types(t, "/alerts").Press(t, "All alerts on").WaitFor(t, "Alerts are on")
	}
}

// managers returns n new customers who may put panels into the guild's channels.
func (w *scene) managers(name string, n int) []customer {
	const manageMessages = 0x7fcf98637ce41 | 1<<13 // beside what everybody may do
	for i := range n {
		w.discord.User(nameOf(name, i), discordtest.Permissions(manageMessages))
	}
	return w.customers(name, n)
}

// paneled has customers put a panel of their bot into the guild's first channel.
func (w *scene) paneled(t *testing.T, who []customer) {
	t.Helper()
	for _, c := range who {
		panels := c.Types(t, "/panel")
		panels.WaitFor(t, "You don't have a public panel yet")
		panels.Choose(t, "Choose bots for a panel here", "Shop").Press(t, "Continue").Submit(t, nil).WaitFor(t, "Panel posted")
	}
}

// nameOf is the name of a customer.
func nameOf(name string, i int) string { return fmt.Sprintf("%s%04d", name, i) }
