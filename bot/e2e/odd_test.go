package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/hostapitest"
)

// odd is text as nobody should write it: long, and with all that Discord makes
// something of.
var odd = strings.Repeat("@everyone <@1> [x](https://y.example) **__`\u202e||# ", 80)

// TestOddBotsAreShownWhole has Discord check all that a customer and staff see of
// a thousand bots of which everything is as long and strange as can be.
func TestOddBotsAreShownWhole(t *testing.T) {
	t.Parallel()
	w, sam, _ := newStaffedWorld(t, "")
	anna := w.discord.User("anna", discordtest.ID("18446744073709551615"))
	w.service.AddAccount(anna.ID, hostapitest.Plan{Name: odd, RAMMB: 1 << 40, MaxServers: 5000})
	for i := range 1000 {
		id := fmt.Sprintf("%04d%s", i, odd)[:1000]
		switch i % 3 {
		case 1:
			id = fmt.Sprintf("%04d/%s", i, strings.Repeat("x", 59)) // the longest that stands for itself
		case 2:
			id = fmt.Sprintf("~%d", i)
		}
		text := odd
		if i >= 30 { // as the service's answer is bounded
			text = odd[:300]
		}
		w.service.AddServer(anna.ID, hostapitest.Server{
			ID: id, Name: text, Language: text, Status: text, Subdomain: text, PlanName: text,
			StartupCommand: text, EntryFile: text, RAMMB: 1 << 30, DiskMB: 1 << 40, CPUPercent: 1 << 30,
		})
	}
	w.start(t)

	walk := func(t *testing.T, who *discordtest.User, list *discordtest.Reply) {
		list.WaitFor(t, "of 100") // pages
		list = list.Press(t, "Next")
		for i := range 3 {
			menu := list.View().Selects()[0]
			card, err := who.Pick(t.Context(), list.View().ID, menu.CustomID, menu.Options[i].Value) // all are called the same
			if err != nil {
				t.Fatal(err)
			}
			card.WaitFor(t, "Entry file")
			card = card.Press(t, "Restart")
			card.WaitFor(t, "Restarting")
			w.clock.BlockUntil(t, 1)
			w.clock.Advance(4 * time.Second)
			card.WaitFor(t, "was restarted")
			list = card.Press(t, "All bots")
			list.WaitFor(t, "Page 2 of 100")
		}
	}
	walk(t, anna, anna.Types(t, "/bot list"))
	walk(t, sam, sam.Types(t, "/admin lookup", discordtest.Options{"user": anna}))
	if choices := anna.Completes(t, "/bot show", "bot", "everyone"); len(choices) != 25 {
		t.Errorf("%d suggestions", len(choices))
	}
	anna.Types(t, "/bot show", discordtest.Options{"bot": odd}).WaitFor(t, "Several of your bots")
	anna.Types(t, "/bot show", discordtest.Options{"bot": "x" + odd}).WaitFor(t, "You have no bot")
	startup := anna.Types(t, "/bot startup", discordtest.Options{"bot": "~2"})
	startup.Submit(t, discordtest.Fields{"command": odd[:3900]}).WaitFor(t, "was changed")
	anna.Types(t, "/bot delete", discordtest.Options{"bot": "~2"}).Submit(t, discordtest.Fields{"name": odd[:3900]}).WaitFor(t, "nothing was deleted")
	w.service.Fail(hostapitest.OpReinstall, hostapitest.Fault{Status: 409, Body: odd}, 1)
	code := referenceIn(t, anna.Types(t, "/bot reinstall", discordtest.Options{"bot": "~2"}).WaitFor(t, "could not be reinstalled"))
	sam.Types(t, "/admin reference", discordtest.Options{"code": code}).WaitFor(t, "Reference "+code)
	sam.Types(t, "/admin reference", discordtest.Options{"code": odd}).WaitFor(t, "Nothing is known")
	w.waitForLog(t, "❗ Failure", code)
	for _, entry := range w.channel.Messages() {
		if len(entry.Pings) > 0 {
			t.Errorf("an entry pings %v", entry.Pings)
		}
	}
}

// TestAFurtherMessageIsAMessageOfItsOwn has a customer act in the message that
// told of an action's end, while the first message shows something else.
func TestAFurtherMessageIsAMessageOfItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop", "Radio")
	w.start(t)
	finish := func() {
		w.clock.BlockUntil(t, 1)
		w.clock.Advance(4 * time.Second)
	}
	first := anna.Types(t, "/bot restart", discordtest.Options{"bot": "Shop"})
	list := first.Press(t, "All bots")
	list.WaitFor(t, "🟡 Shop")
	finish()
	further := first.WaitForFollowUp(t, "**Shop** was restarted")
	again := further.Press(t, "Restart")
	again.WaitFor(t, "Restarting **Shop**")
	list.Press(t, "Refresh").WaitFor(t, "🟡 Shop")
	finish()
	again.WaitFor(t, "**Shop** was restarted")
	if n := len(again.FollowUps()); n != 0 {
		t.Errorf("%d more messages", n)
	}
}

func TestStaffMeanSomebodyOdd(t *testing.T) {
	t.Parallel()
	w, sam, _ := newStaffedWorld(t, "")
	w.service.AddAccount(sam.ID, hostapitest.Plan{Name: "Pro", RAMMB: 1024, MaxServers: 3})
	w.service.AddServer(sam.ID, hostapitest.Server{ID: "id-own", Name: "Own", Status: hostapitest.Running, RAMMB: 512})
	empty := w.discord.User("empty")
	w.service.AddAccount(empty.ID, hostapitest.Plan{Name: "Pro", RAMMB: 1024, MaxServers: 3})
	nobody := w.discord.User("nobody")
	w.start(t)

	own := sam.Types(t, "/admin lookup", discordtest.Options{"user": sam})
	own.WaitFor(t, "🟢 Own")
	w.waitForLog(t, "Staff command", "admin lookup", sam.ID)
	stop := own.Choose(t, "Open a bot", "Own").Press(t, "Stop")
	stop.WaitFor(t, "Stopping **Own**")
	w.clock.BlockUntil(t, 1)
	w.clock.Advance(2 * time.Second)
	stop.WaitFor(t, "**Own** was stopped")

	none := sam.Types(t, "/admin lookup", discordtest.Options{"user": empty})
	none.WaitFor(t, "no bots yet")
	none.WaitFor(t, "Staff view")
	none.Press(t, "Refresh").WaitFor(t, "0 of 3")
	for _, command := range []string{"/admin flush", "/admin lookup", "/admin action"} {
		options := discordtest.Options{"user": nobody}
		want := "No hosting account is linked with this user"
		switch command {
		case "/admin action":
			options["bot"], options["do"] = "Shop", "start"
		case "/admin flush":
			want = "Nothing was cached"
		}
		sam.Types(t, command, options).WaitFor(t, want)
	}
	sam.Uses(t, "Hosted bots", nobody).WaitFor(t, "No hosting account is linked with this user")
	sam.Types(t, "/admin action", discordtest.Options{"user": empty, "bot": "Shop", "do": "start"}).WaitFor(t, "This customer has no bot")
	if choices := sam.Completes(t, "/admin action", "bot", "", discordtest.Options{"user": nobody}); len(choices) != 0 {
		t.Errorf("suggested %+v", choices)
	}
	for _, entry := range w.channel.Messages() {
		if entry.Contains("Failure") {
			t.Errorf("staff read: %s", entry.Text())
		}
	}
}
