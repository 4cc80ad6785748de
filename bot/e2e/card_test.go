package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"hostbot/bot/discordtest"
	"hostbot/bot/e2e/world"
	"hostbot/configs"
	"hostbot/hostapi"
	"hostbot/hostapi/hostapitest"
)

func TestRefreshAsksForThatBotAlone(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{}, "Shop", "Radio")
	card := openShop(t, anna)
	w.Service.SetStatus(anna.ID, "id-shop", hostapitest.Crashed)
	anna.Types(t, "/bot show", bot("Shop")).WaitFor(t, "🟢 Running") // as it is cached
	crashed := card.Press(t, "Refresh").WaitFor(t, "🔴 Crashed")
	if !strings.Contains(crashed.Text(), "Last updated <t:") {
		t.Errorf("it is not said when that was:\n%s", crashed.Text())
	}
	list := anna.Types(t, "/bot list")
	list.WaitFor(t, "1 🟢 · 1 🔴") // what a card told

	// At once again the service is not asked.
	w.Service.SetStatus(anna.ID, "id-shop", hostapitest.Running)
	card.Press(t, "Refresh").WaitFor(t, "🔴 Crashed")
	list.Press(t, "Refresh").WaitFor(t, "1 🟢 · 1 🔴")
	w.WantCalls(t, hostapitest.OpGet, 1)
	w.WantCalls(t, hostapitest.OpList, 1)
}

func TestListServesWhereTheServiceHasNoGetBot(t *testing.T) {
	t.Parallel()
	off := false
	for name, test := range map[string]struct {
		tune  func(*configs.Settings)
		fault hostapitest.Fault
		gets  int
	}{
		"turned off": {tune: func(s *configs.Settings) {
			s.HostAPI.Operations = map[hostapi.Operation]hostapi.Override{hostapi.OpGet: {Enabled: &off}}
		}},
		"404":        {fault: hostapitest.Fault{Status: http.StatusNotFound, Body: `{"error":"no such path"}`}, gets: 1},
		"404 a page": {fault: hostapitest.Fault{Status: http.StatusNotFound, Body: "<html>Cannot GET"}, gets: 1},
		"405":        {fault: hostapitest.Fault{Status: http.StatusMethodNotAllowed}, gets: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, anna := world.Serving(t, world.Options{Tune: test.tune}, "Shop", "Radio")
			if test.fault.Status != 0 {
				w.Service.Fail(hostapitest.OpGet, test.fault, 0)
			}
			card := openShop(t, anna)
			w.Service.SetStatus(anna.ID, "id-shop", hostapitest.Crashed)
			card.Press(t, "Refresh").WaitFor(t, "🔴 Crashed")
			w.WantCalls(t, hostapitest.OpList, 2)

			reinstall := card.Press(t, "Reinstall packages") // which is followed
			w.Finish(t)
			reinstall.WaitFor(t, "were reinstalled")
			w.WantCalls(t, hostapitest.OpGet, test.gets)
			w.WantCalls(t, hostapitest.OpList, 3)
			w.StaffReadNothingOf(t, "Failure")
		})
	}
}

// TestImpatientPressDoesNothing has a customer press Stop again just when the bot has
// stopped and Start has taken the place of Restart.
func TestImpatientPressDoesNothing(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{}, "Shop")
	card := openShop(t, anna).Press(t, "Stop")
	card.WaitFor(t, "Stopping **Shop**")
	w.Finish(t)
	stopped := card.WaitFor(t, "**Shop** was stopped").Text()
	if again := card.Press(t, "Start").View().Text(); again != stopped {
		t.Errorf("the card has become:\n%s", again)
	}
	w.WantCalls(t, hostapitest.OpStart, 0)
	pressSettled(t, card, "Start", "Starting **Shop**")
}

func TestRestartWithoutAnArgument(t *testing.T) {
	t.Parallel()
	w, anna := world.Serving(t, world.Options{}, "Shop", "Radio", "Wiki")
	stop := anna.Types(t, "/bot stop", bot("Radio"))
	w.Finish(t)
	stop.WaitFor(t, "⚫ Stopped · <t:")
	w.Service.SetStatus(anna.ID, "id-wiki", hostapitest.Crashed)
	anna.Types(t, "/bot list").Press(t, "Refresh").WaitFor(t, "🔴 Wiki")
	asked := anna.Types(t, "/bot restart")
	asked.WaitFor(t, "Which bot do you want to restart?")
	var order []string
	for _, o := range asked.View().Selects()[0].Options {
		order = append(order, o.Label)
	}
	if got := strings.Join(order, " "); got != "Wiki Radio Shop" {
		t.Errorf("offered: %s", got)
	}
	restart := asked.Choose(t, "Choose a bot", "Wiki")
	restart.WaitFor(t, "Restarting **Wiki**")
	w.Finish(t)
	restart.WaitFor(t, "🟢 Running · restarted <t:")

	ben := w.Discord.User("ben")
	w.Service.AddAccount(ben.ID, hostapitest.Plan{Name: "Basic", RAMMB: 1024, MaxServers: 2})
	w.Service.AddServer(ben.ID, hostapitest.Server{ID: "id-blog", Name: "Blog", Status: hostapitest.Running, RAMMB: 512})
	only := ben.Types(t, "/bot restart", discordtest.Options{})
	w.Finish(t)
	only.WaitFor(t, "**Blog** was restarted")
}
