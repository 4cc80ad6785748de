package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/bot/testing/patience"
	"hostbot/hostapi/hostapitest"
)

// TestActionIsNeverBegunByAnAnswer: an answer may be lost, and nobody would know. An
// action waits for what Discord says to a call.
func TestActionIsNeverBegunByAnAnswer(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{HTTP: true}, "Shop")
	card := openShop(t, anna)
	w.Discord.Inject(discordtest.Fault{Route: discordtest.RouteEndpoint, Times: 1, Reset: true}) // the answer is lost
	restartOnce(t, w, card)
	w.Discord.ExpectFailures() // an interaction without a response
	w.Discord.Inject(discordtest.Fault{Route: discordtest.RouteCallback, Status: http.StatusForbidden})
	card = anna.Types(t, "/bot show", bot("Shop"))
	if _, err := card.Click(t.Context(), "Restart"); err != nil {
		t.Fatal(err)
	}
	w.Log.WaitFor(t, "the caller could not be told")
	w.WantCalls(t, hostapitest.OpRestart, 1)
}

// TestEndpointServesUntilALoadBalancerHasNoticed that the bot stops.
func TestEndpointServesUntilALoadBalancerHasNoticed(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Options{HTTP: true, Env: []string{"HTTP_ADDR=127.0.0.1:0"}})
	anna := w.AddCustomer("anna", "Shop")
	stop := w.Start(t)
	wantReady(t, w, true)
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	w.Log.WaitFor(t, "hostbot stops")
	wantReady(t, w, false)
	for range 10 {
		anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	wantCallbacks(t, w, 0)
}

func TestAddressThatIsTakenEndsTheProgram(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Options{HTTP: true})
	w.Env = append(w.Env, "INTERACTIONS_ADDR="+strings.TrimPrefix(w.Service.URL(), "http://"))
	stop := w.Launch(t)
	<-w.Ended
	if err := stop(); err == nil || !strings.Contains(err.Error(), "INTERACTIONS_ADDR") {
		t.Errorf("Run returned %v", err)
	}
}

// TestEndpointAsksItsOwnAddress, and finds itself there.
func TestEndpointAsksItsOwnAddress(t *testing.T) {
	t.Parallel()
	w, _ := world.Serving(t, world.Options{HTTP: true, Env: []string{"HTTP_ADDR=127.0.0.1:0"}})
	patience.Until(t, "the look is shown", func() bool {
		_, metrics := w.Operator(t, "/metrics")
		if strings.Contains(metrics, "\nhostbot_interactions_arrive 0\n") {
			t.Fatalf("it finds somebody else; the log says:\n%s", w.Log)
		}
		return strings.Contains(metrics, "\nhostbot_interactions_arrive 1\n")
	})
}

// TestInteractionsThatDiscordSendsElsewhere: operators, staff and Prometheus learn of it.
func TestInteractionsThatDiscordSendsElsewhere(t *testing.T) {
	t.Parallel()
	world.AboutTheGateway(t)
	w := world.New(t, world.Options{Env: []string{"HTTP_ADDR=127.0.0.1:0"}})
	w.Discord.SetApplication(discordtest.ApplicationSettings{
		Installs: []int{discordtest.GuildInstall, discordtest.UserInstall}, InteractionsEndpointURL: "https://old.example.com/hook?key=1",
	})
	w.Start(t)
	w.Log.WaitFor(t, "no command or button reaches this bot: Discord sends them to old.example.com")
	w.StaffRead(t, "No command or button reaches this bot", "old.example.com")
	for page, want := range map[string]string{"/healthz?verbose": "✗ verdict: No command or button reaches this bot", "/metrics": "\nhostbot_interactions_arrive 0\n"} {
		if _, text := w.Operator(t, page); !strings.Contains(text, want) {
			t.Errorf("%s has no %q:\n%s", page, want, text)
		}
	}
	if strings.Contains(w.Log.String(), "key=1") {
		t.Error("the log has the whole address, which may be secret")
	}
}
