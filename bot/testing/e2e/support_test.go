package e2e_test

import (
	"net/http"
	"slices"
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
)

// supported is a world with a support channel, and anna's card of an action that failed.
func supported(t *testing.T) (w *world.World, channel *discordtest.Channel, failed *discordtest.Reply) {
	t.Helper()
	w = world.New(t, world.Options{Staff: true})
	channel = w.Discord.AddChannel("support")
	channel.Hide()
	w.Env = append(w.Env, "SUPPORT_CHANNEL_ID="+channel.ID)
	anna := w.AddCustomer("anna", "Shop")
	w.Start(t)
	card := openShop(t, anna)
	w.Service.Fail(hostapitest.OpRestart, hostapitest.Fault{Status: http.StatusForbidden, Body: `{"error":"forbidden"}`}, 1)
	failed = card.Press(t, "Restart")
	failed.WaitFor(t, "Reference: ")
	return w, channel, failed
}

// threads returns the threads that were started from a channel's messages.
func threads(w *world.World, channel *discordtest.Channel) []*discordtest.Channel {
	return slices.DeleteFunc(w.Discord.Channels(), func(ch *discordtest.Channel) bool {
		parent := ch.Parent()
		return parent == nil || parent.ID != channel.ID
	})
}

// TestSupportSeesWhatTheCustomerSees hands a failure over: staff look behind it from the thread, and a second
// press finds that they have it.
func TestSupportSeesWhatTheCustomerSees(t *testing.T) {
	t.Parallel()
	w, channel, failed := supported(t)
	failed.Press(t, "Tell support").WaitFor(t, "Our team has the details")
	opened := threads(w, channel)
	if len(opened) != 1 {
		t.Fatalf("%d threads", len(opened))
	}
	thread := opened[0]
	sam := w.AddStaff("sam").In(channel)
	shown := sam.Sees(t, "anna asks for help")
	for _, text := range []string{"Shop `id-shop`", "Running", "restart: forbidden (403)"} {
		if !shown.Contains(text) {
			t.Errorf("no %q in:\n%s", text, shown.Text())
		}
	}
	if shown.ThreadID != thread.ID || !shown.Contains(thread.Name[len(thread.Name)-7:]) {
		t.Errorf("the thread is %q", thread.Name)
	}
	sam.Presses(t, shown, "Reference").WaitFor(t, "403")
	sam.Presses(t, shown, "Look up").WaitFor(t, "Whatever you do here affects")

	failed.Press(t, "Tell support").WaitFor(t, "already has this one")
	if n := len(threads(w, channel)); n != 1 || len(channel.Messages()) != 1 {
		t.Errorf("a second press leads to %d threads", n)
	}
}
