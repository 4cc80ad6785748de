package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/bot/e2e/world"
	"hostbot/hostapi/hostapitest"
)

// TestReferencesLeadSomewhere has things go wrong in each way that shows a
// customer a reference, and staff look it up.
func TestReferencesLeadSomewhere(t *testing.T) {
	t.Parallel()
	malformed := discordtest.Fault{
		Method: http.MethodPost, Route: discordtest.RouteCallback, Times: 1, Status: http.StatusBadRequest,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: `{"code":50035,"message":"Invalid Form Body"}`,
	}
	tests := map[string]struct {
		happen func(t *testing.T, w *world.World, anna *discordtest.User) discordtest.View
		story  []string
	}{
		"an action that is not confirmed": {
			func(t *testing.T, w *world.World, anna *discordtest.User) discordtest.View {
				w.Service.Fail(hostapitest.OpRestart, hostapitest.Fault{Status: http.StatusServiceUnavailable, Body: `{"error":"the **node** is @everyone down"}`}, 1)
				return anna.Types(t, "/bot restart", bot("Shop")).WaitFor(t, "not confirmed")
			},
			[]string{"bot restart", "Shop `id-shop`", "restart: unavailable (503)", `\*\*node\*\* is \@everyone down`, "1, ", "test"},
		},
		"a form that comes too late": {
			func(t *testing.T, w *world.World, anna *discordtest.User) discordtest.View {
				w.Service.Fail(hostapitest.OpList, hostapitest.Fault{Delay: time.Minute}, 1)
				late := anna.Types(t, "/bot startup", bot("Shop"))
				w.Clock.BlockUntil(t, 1)
				w.Clock.Advance(time.Minute)
				return late.WaitFor(t, "the form could not be opened")
			},
			[]string{"bot startup", "too slow to open a modal"},
		},
		"a message that Discord finds malformed": {
			func(t *testing.T, w *world.World, anna *discordtest.User) discordtest.View {
				w.Discord.Inject(malformed)
				return anna.Types(t, "/bot restart", bot("Shop")).WaitFor(t, "on our side")
			},
			[]string{"bot restart", "Invalid Form Body"},
		},
		"an old account that cannot be updated": {
			func(t *testing.T, w *world.World, anna *discordtest.User) discordtest.View {
				w.Service.Fail(hostapitest.OpRestart, hostapitest.Fault{Status: http.StatusBadGateway}, 1)
				anna.Types(t, "/bot restart", bot("Shop")).WaitFor(t, "not confirmed") // so it is asked for anew
				w.Service.Fail(hostapitest.OpList, hostapitest.Fault{Delay: time.Minute, Status: http.StatusBadGateway}, 0)
				card := anna.Types(t, "/bot show", bot("Shop"))
				card.WaitFor(t, "Updating…")
				for range 3 { // which includes calls that are tried again
					w.Clock.BlockUntil(t, 1)
					w.Clock.Advance(time.Minute)
				}
				return card.WaitFor(t, "cannot be reached")
			},
			[]string{"bot show", "list: unavailable (502)"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, anna, sam := servingStaffed(t, "", "Shop")
			w.Discord.ExpectFailures() // what is malformed
			code := referenceIn(t, test.happen(t, w, anna))
			story := sam.Types(t, "/admin reference", discordtest.Options{"code": " " + strings.ToLower(code)})
			for _, part := range append(test.story, "Reference "+code, anna.ID) {
				story.WaitFor(t, part)
			}
			w.StaffRead(t, "Staff command", "admin reference", code, sam.ID)
		})
	}
}
