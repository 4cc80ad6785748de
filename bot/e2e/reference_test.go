package e2e_test

import (
	"net/http"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/hostapitest"
)

// TestEveryReferenceLeadsSomewhere has things go wrong in each way that shows a
// customer a reference, and staff look it up.
func TestEveryReferenceLeadsSomewhere(t *testing.T) {
	t.Parallel()
	malformed := discordtest.Fault{
		Method: http.MethodPost, Route: discordtest.RouteCallback, Times: 1, Status: http.StatusBadRequest,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: `{"code":50035,"message":"Invalid Form Body"}`,
	}
	tests := map[string]struct {
		happen func(t *testing.T, w *world, anna *discordtest.User) discordtest.View
		story  []string
	}{
		"a refused creation": {
			func(t *testing.T, w *world, anna *discordtest.User) discordtest.View {
				w.service.Fail(hostapitest.OpCreate, hostapitest.Fault{Status: http.StatusConflict, Body: `{"error":"the name is taken"}`}, 1)
				form := anna.Types(t, "/bot create").Press(t, "Continue")
				return form.Submit(t, discordtest.Fields{"name": "Radio"}).WaitFor(t, "the name is taken")
			},
			[]string{"create/{ram}", "create: conflict (409)", "the name is taken"},
		},
		"what the service lacks": {
			func(t *testing.T, w *world, anna *discordtest.User) discordtest.View {
				w.service.Fail(hostapitest.OpStop, hostapitest.Fault{Status: http.StatusNotImplemented}, 1)
				return anna.Types(t, "/bot stop", discordtest.Options{"bot": "Shop"}).WaitFor(t, "does not offer")
			},
			[]string{"bot stop", "stop: not_offered (501)"},
		},
		"a deletion that is not confirmed": {
			func(t *testing.T, w *world, anna *discordtest.User) discordtest.View {
				w.service.Fail(hostapitest.OpDelete, hostapitest.Fault{ResetAfter: true}, 1)
				form := anna.Types(t, "/bot delete", discordtest.Options{"bot": "Shop"})
				return form.Submit(t, discordtest.Fields{"name": "shop"}).WaitFor(t, "not confirmed")
			},
			[]string{"delete/{bot...}", "may have been carried out"},
		},
		"a form that comes too late": {
			func(t *testing.T, w *world, anna *discordtest.User) discordtest.View {
				w.service.Fail(hostapitest.OpList, hostapitest.Fault{Delay: time.Minute}, 1)
				late := anna.Types(t, "/bot startup", discordtest.Options{"bot": "Shop"})
				w.clock.BlockUntil(t, 1)
				w.clock.Advance(time.Minute)
				return late.WaitFor(t, "the form could not be opened")
			},
			[]string{"bot startup", "too slow to open a modal"},
		},
		"a message that Discord finds malformed": {
			func(t *testing.T, w *world, anna *discordtest.User) discordtest.View {
				w.discord.Inject(malformed)
				return anna.Types(t, "/bot list").WaitFor(t, "on our side")
			},
			[]string{"bot list", "Invalid Form Body"},
		},
		"an old account that cannot be updated": {
			func(t *testing.T, w *world, anna *discordtest.User) discordtest.View {
				w.service.Fail(hostapitest.OpRestart, hostapitest.Fault{Status: http.StatusBadGateway}, 1)
				anna.Types(t, "/bot restart", discordtest.Options{"bot": "Shop"}).WaitFor(t, "not confirmed") // so it is asked for anew
				w.service.Fail(hostapitest.OpList, hostapitest.Fault{Delay: time.Minute, Status: http.StatusBadGateway}, 0)
				card := anna.Types(t, "/bot show", discordtest.Options{"bot": "Shop"})
				card.WaitFor(t, "Updating…")
				for range 3 { // which includes calls that are tried again
					w.clock.BlockUntil(t, 1)
					w.clock.Advance(time.Minute)
				}
				return card.WaitFor(t, "did not answer")
			},
			[]string{"bot show", "list: unavailable (502)"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, sam, _ := newStaffedWorld(t, "")
			w.discord.ExpectFailures() // what is malformed
			anna := w.addAnna(t, "Shop")
			w.start(t)
			code := referenceIn(t, test.happen(t, w, anna))
			story := sam.Types(t, "/admin reference", discordtest.Options{"code": code})
			for _, part := range append(test.story, "Reference "+code, anna.ID) {
				story.WaitFor(t, part)
			}
		})
	}
}
