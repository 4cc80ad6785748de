package e2e_test

import (
	"net/http"
	"slices"
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/bot/testing/patience"
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

// TestSupportAnswersTheCustomer has staff answer in a thread, anna reply, and staff answer once more, while she takes no
// direct messages any more. No line of the process log has what they wrote.
func TestSupportAnswersTheCustomer(t *testing.T) {
	t.Parallel()
	w, channel, failed := supported(t)
	anna, sam := w.Discord.User("anna"), w.AddStaff("sam")
	failed.Press(t, "Tell support").WaitFor(t, "their answer as a direct message")
	thread, told := threads(w, channel)[0], sam.In(channel).Sees(t, "anna asks for help")
	const first, reply, second = "Which Node version? See https://docs.example/node", "It's Node 18, I think", "Node 22 is needed"
	sam.In(channel).Presses(t, told, "Answer").Submit(t, discordtest.Fields{"Answer": first}).WaitFor(t, "on its way")
	answer := anna.InDM().Sees(t, first)
	if !answer.Contains("**Our team** has answered you about") || answer.Contains("sam") {
		t.Errorf("anna reads:\n%s", answer.Text())
	}
	if note := thread.WaitFor(t, "The customer got it as a direct message"); !note.Contains(first) || !note.Contains("<@"+sam.ID+">") {
		t.Errorf("staff read:\n%s", note.Text())
	}
	anna.InDM().Presses(t, answer, "Reply").Submit(t, discordtest.Fields{"Reply": reply}).WaitFor(t, "Our team has your reply")
	replied := thread.WaitFor(t, "anna replied")
	if !replied.Contains(reply) {
		t.Errorf("staff read:\n%s", replied.Text())
	}

	anna.CloseDMs(true)
	sam.In(thread).Presses(t, replied, "Answer").Submit(t, discordtest.Fields{"Answer": second}).WaitFor(t, "on its way")
	thread.WaitFor(t, "doesn't accept direct messages")
	shown := anna.Types(t, "/bot list")
	shown.WaitFor(t, "**Our team** has answered you: "+second)
	shown.Press(t, "Read answer").WaitFor(t, second)
	patience.Until(t, "the answer is read", func() bool { return !anna.Types(t, "/bot list").WaitFor(t, "Shop").Contains(second) })
	wantMessages(t, anna.InDM(), "has answered you", 1)
	w.StaffRead(t, "`answer`", sam.ID, anna.ID)
	for _, text := range []string{first, reply, second} {
		if w.Log.Count(text) > 0 {
			t.Errorf("the log has %q", text)
		}
	}
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

	failed.Press(t, "Tell support").WaitFor(t, "already has this report")
	if n := len(threads(w, channel)); n != 1 || len(channel.Messages()) != 1 {
		t.Errorf("a second press leads to %d threads", n)
	}
}
