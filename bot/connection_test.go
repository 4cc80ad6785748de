package bot_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/hostapitest"
)

// waitGateway waits until the gateway has seen enough.
func (w *world) waitGateway(t *testing.T, enough func(discordtest.GatewayStats) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := w.discord.WaitGateway(ctx, enough); err != nil {
		t.Fatalf("%v; the log says:\n%s", err, w.log)
	}
}

func resumed(n int) func(discordtest.GatewayStats) bool {
	return func(s discordtest.GatewayStats) bool { return s.Resumes >= n && s.Open == 1 }
}

func TestALostConnectionIsResumed(t *testing.T) {
	for name, lose := range map[string]func(*discordtest.Server){
		"dropped":              func(d *discordtest.Server) { d.Drop() },
		"closed":               func(d *discordtest.Server) { d.CloseWith(4000) },
		"asked to reconnect":   func(d *discordtest.Server) { d.AskReconnect() },
		"session still valid":  func(d *discordtest.Server) { d.InvalidateSession(true) },
		"reconnect when ready": func(d *discordtest.Server) { d.AskReconnectInsteadOfReady(1); d.Drop() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			anna := w.addAnna(t, "Shop")
			w.start(t)
			lose(w.discord)
			w.waitGateway(t, resumed(1))
			anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
			w.waitForLog(t, "🔌")
			w.waitForLog(t, "🔗")
			if n := w.discord.Gateway().Identifies; n != 1 {
				t.Errorf("it identified %d times, so the session was not resumed", n)
			}
		})
	}
}

func TestAnInvalidSessionIsReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop")
	w.start(t)
	w.discord.InvalidateSession(false)
	w.waitGateway(t, func(s discordtest.GatewayStats) bool { return s.Identifies == 2 })
	w.log.waitFor(t, "connected to discord")
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
}

func TestAGatewayThatIsAwayComesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop")
	w.start(t)
	w.discord.RefuseConnections(true)
	w.discord.Drop()
	w.log.waitFor(t, "connection to discord lost")
	w.discord.RefuseConnections(false)
	w.waitGateway(t, resumed(1))
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
}

func TestASilentGatewayIsReplaced(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, discordtest.Config{HeartbeatInterval: time.Second}, "")
	anna := w.addAnna(t, "Shop")
	w.start(t)
	w.discord.Silence(true)
	w.log.waitFor(t, "acknowledged no heartbeat")
	w.discord.Silence(false)
	w.waitGateway(t, resumed(1))
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
}

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

func TestStoppingLetsCustomersSeeTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop")
	stop := w.start(t)
	reply := anna.Types(t, "/bot restart", discordtest.Options{"bot": "Shop"})
	w.clock.BlockUntil(t, 1)
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	w.log.waitFor(t, "hostbot stops")
	w.clock.Advance(4 * time.Second)
	reply.WaitFor(t, "**Shop** was restarted")
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	w.waitForLog(t, "✅ Restart")
	w.waitForLog(t, "🛑")
	if n := w.service.Count(hostapitest.OpRestart); n != 1 {
		t.Errorf("restarted %d times", n)
	}
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
