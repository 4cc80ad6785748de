package e2e_test

import (
	"net/http"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/hostapitest"
)

func TestUnchangedCommandsAreNotSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	stop := w.start(t)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	w.log = &logBuffer{}
	w.start(t)
	writes := 0
	for _, call := range w.discord.Calls() {
		if call.Method == http.MethodPut {
			writes++
		}
	}
	if writes != 1 {
		t.Errorf("the commands were sent %d times", writes)
	}
}

// TestAGuildThatRefusesStaffsCommands gives staff a guild that the bot is not in.
func TestAGuildThatRefusesStaffsCommands(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", "ADMIN_GUILD_ID=1", "ADMIN_USER_IDS=1")
	anna := w.addAnna(t, "Shop")
	w.discord.ExpectFailures()
	w.launch(t)
	w.waitForLog(t, "Discord does not take the commands")
	anna.Types(t, "/help").WaitFor(t, "</bot list:")
}

func TestButtonsOutliveTheProgram(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop")
	stop := w.start(t)
	card := anna.Types(t, "/bot show", discordtest.Options{"bot": "Shop"})
	card.WaitFor(t, "node index.js")
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	w.log = &logBuffer{}
	w.start(t)
	card = card.Press(t, "Restart")
	w.clock.BlockUntil(t, 1)
	w.clock.Advance(4 * time.Second)
	card.WaitFor(t, "**Shop** was restarted")
	card.Press(t, "All bots").WaitFor(t, "🟢 Shop")
}

func TestInADirectMessageAndAnotherLanguage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	ben := w.discord.User("ben", discordtest.Locale("de"))
	w.service.AddAccount(ben.ID, hostapitest.Plan{Name: "Basis", RAMMB: 1024, MaxServers: 1})
	w.service.AddServer(ben.ID, hostapitest.Server{Name: "Laden", Status: hostapitest.Running, RAMMB: 1536})
	w.start(t)
	ben.InDM().Types(t, "/bot list").WaitFor(t, "1,5 GB")
	ben.InDM().Types(t, "/bot show", discordtest.Options{"bot": "laden"}).WaitFor(t, "Läuft")
}
