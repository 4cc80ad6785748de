package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
)

// odd is text as nobody should write it: long, and with all that Discord makes
// something of.
var odd = strings.Repeat("@everyone <@1> [x](https://y.example) **__`\u202e||# ", 80)

// TestOddBotsAreShownWhole has Discord check all that a customer and staff see of
// a thousand bots of which everything is as long and strange as can be.
func TestOddBotsAreShownWhole(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Options{Staff: true})
	sam := w.AddStaff("sam")
	anna := w.Discord.User("anna", discordtest.ID("18446744073709551615"))
	w.Service.AddAccount(anna.ID, hostapitest.Plan{Name: odd, RAMMB: 1 << 40, MaxServers: 5000})
	bots := 1000
	if world.RaceDetector { // which makes drawing them take longer than Discord waits
		bots = 200
	}
	for i := range bots {
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
		w.Service.AddServer(anna.ID, hostapitest.Server{
			ID: id, Name: text, Language: text, Status: text, Subdomain: text, PlanName: text,
			StartupCommand: text, EntryFile: text, RAMMB: 1 << 30, DiskMB: 1 << 40, CPUPercent: 1 << 30,
		})
	}
	w.Start(t)

	walk := func(t *testing.T, who *discordtest.User, list *discordtest.Reply) {
		second := fmt.Sprint("Page 2 of ", bots/10)
		list.WaitFor(t, fmt.Sprint("of ", bots/10))
		list = list.Choose(t, fmt.Sprint("Page 1 of ", bots/10), second)
		for i := range 3 {
			menu := list.View().Selects()[0]
			card, err := who.Pick(t.Context(), list.View().ID, menu.CustomID, menu.Options[i].Value) // all are called the same
			if err != nil {
				t.Fatal(err)
			}
			card = refreshed(t, card).Press(t, "Details")
			card.WaitFor(t, "Entry file")
			card = card.Press(t, "Restart")
			card.WaitFor(t, "Restarting")
			w.Finish(t)
			card.WaitFor(t, "✅ Restarted")
			list = card.Press(t, "All bots")
			list.WaitFor(t, second)
		}
	}
	walk(t, anna, anna.Types(t, "/bot list"))
	walk(t, sam, sam.Types(t, "/admin lookup", discordtest.Options{"user": anna}))
	if choices := anna.Completes(t, "/bot show", "bot", "everyone"); len(choices) != 25 {
		t.Errorf("%d suggestions", len(choices))
	}
	anna.Types(t, "/bot show", bot(odd)).WaitFor(t, "More than one of your bots")
	anna.Types(t, "/bot show", bot("x"+odd)).WaitFor(t, "You don't have a bot called")
	opensForm(t, anna, "/bot startup", "~2").Submit(t, discordtest.Fields{"command": odd[:3900]}).WaitFor(t, "✅ Startup settings changed")
	opensForm(t, anna, "/bot delete", "~2").Submit(t, discordtest.Fields{"name": odd[:3900]}).WaitFor(t, "nothing was deleted")
	w.Service.Fail(hostapitest.OpReinstall, hostapitest.Fault{Status: 409, Body: odd}, 1)
	code := referenceIn(t, anna.Types(t, "/bot reinstall", bot("~2")).Press(t, "Reinstall packages").WaitFor(t, "couldn't be reinstalled"))
	sam.Types(t, "/admin reference", discordtest.Options{"code": code}).WaitFor(t, "Reference "+code)
	sam.Types(t, "/admin reference", discordtest.Options{"code": odd}).WaitFor(t, "There's no record of")
	w.StaffRead(t, "❗ ", code)
	for _, entry := range w.Channel.Messages() {
		if len(entry.Pings) > 0 {
			t.Errorf("an entry pings %v", entry.Pings)
		}
	}
}

// refreshed presses Refresh for as long as there is no card, as the bot took too long on a slow
// machine.
func refreshed(t *testing.T, card *discordtest.Reply) *discordtest.Reply {
	t.Helper()
	for tries := 0; tries < 20; tries++ {
		if _, err := card.View().Button("Details"); err == nil {
			break
		}
		t.Logf("the bot was late:\n%.300s", card.View().Text())
		card = card.Press(t, "Refresh")
	}
	return card
}

// opensForm types a command that opens a form, and again where that came too late: a form
// has to be the first response, and a slow machine may need more time for a thousand bots.
func opensForm(t *testing.T, who *discordtest.User, command, of string) *discordtest.Reply {
	t.Helper()
	form := who.Types(t, command, bot(of))
	for tries := 1; tries < 20 && form.View().Contains("the form couldn't open"); tries++ {
		form = who.Types(t, command, bot(of))
	}
	return form
}

// forget has staff forget what is cached of a customer, as time would.
func forget(t *testing.T, sam, customer *discordtest.User) {
	t.Helper()
	askForget(t, sam, customer).Press(t, "Remove everything").WaitFor(t, "was removed")
}

// askForget has staff be asked whether what is kept of a customer is to be removed. It may
// be cached a moment after the customer has the answer.
func askForget(t *testing.T, sam, customer *discordtest.User) (asked *discordtest.Reply) {
	t.Helper()
	limit, cancel := context.WithTimeout(t.Context(), world.Patience)
	defer cancel()
	if !world.Eventually(limit, func() bool {
		asked = sam.Types(t, "/admin forget", discordtest.Options{"user": customer})
		return asked.WaitUntil(t, isShown).Contains("would be removed")
	}) {
		t.Fatalf("staff are not asked:\n%s", asked.View().Text())
	}
	return asked
}

func isShown(v discordtest.View) bool { return v.State == discordtest.Shown }

func TestMessageOfBotThatIsGone(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{Staff: true}, "Shop", "Radio")
	sam := w.AddStaff("sam")
	list := anna.Types(t, "/bot list")
	card := openShop(t, anna)
	card = card.Press(t, "More…")
	startup, deletion := card.Press(t, "Startup"), card.Press(t, "Delete")
	w.Service.Remove(anna.ID, "id-shop")
	forget(t, sam, anna)

	startup.Submit(t, discordtest.Fields{"command": "node other.js"}).WaitFor(t, "no longer exists")
	deletion.Submit(t, discordtest.Fields{"name": "Shop"}).WaitFor(t, "no longer exists")
	list.Choose(t, "Open a bot", "Shop").WaitFor(t, "no longer exists")
	for _, button := range []string{"Restart", "Stop", "Reinstall packages", "Startup", "Delete", "Details", "Refresh"} {
		card.Press(t, button).WaitFor(t, "no longer exists")
	}
	if back := card.Press(t, "All bots").WaitFor(t, "🟢 Radio"); back.Contains("Shop") {
		t.Errorf("the list still has it:\n%s", back.Text())
	}
	for _, call := range w.Service.Requests() {
		if call.Operation != hostapitest.OpList {
			t.Errorf("the service was told to %s", call.Operation)
		}
	}
}

func TestMessagesOutliveTheProgram(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Options{})
	anna := w.AddCustomer("anna", "Shop")
	stop := w.Start(t)
	modal := anna.Types(t, "/bot startup", bot("Shop"))
	list, card := anna.Types(t, "/bot list"), openShop(t, anna)
	w.Restart(t, stop) // with nothing cached
	modal.Submit(t, discordtest.Fields{"command": "node other.js"}).WaitFor(t, "✅ Startup settings changed")
	list.Press(t, "Details").WaitFor(t, "node other.js")
	restartOnce(t, w, card)
}

// TestComponentsOfAnotherVersion presses what this version never made.
func TestComponentsOfAnotherVersion(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{}, "Shop")
	for customID, answer := range map[string]string{
		"panel:restart:id-shop": "out of date", "restart": "no longer exists", "list/": "🟢 Shop", "list/x/y": "out of date", "for/1": "out of date",
		"create/1/2": "out of date", "open/": "out of date", "show/id-of-another": "out of date", "for/42/show/a": "out of date",
	} {
		pressPosted(t, w, anna, customID).WaitFor(t, answer)
	}
}
