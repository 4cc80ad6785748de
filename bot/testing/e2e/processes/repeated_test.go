//go:build integration

package processes_test

import (
	"bytes"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/hostapitest"
)

// losingWords is a line to Discord, which takes each first response, or refuses it because there
// is one already. A 502 is in the place of Discord's word on every other try, the first included.
func losingWords(t *testing.T, w *scene) (environment string) {
	var mu sync.Mutex
	tries := make(map[string]int)
	return "DISCORD_API_URL=" + line(t, w.discord.URL(), func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		word := httptest.NewRecorder()
		pass.ServeHTTP(word, r)
		if strings.HasSuffix(r.URL.Path, "/callback") {
			mu.Lock()
			if tries[r.URL.Path]++; tries[r.URL.Path]%2 == 1 {
				word = &httptest.ResponseRecorder{Code: http.StatusBadGateway, Body: &bytes.Buffer{}}
			}
			mu.Unlock()
		}
		maps.Copy(w.Header(), word.Header())
		w.WriteHeader(word.Code)
		_, _ = w.Write(word.Body.Bytes())
	})
}

// repeating is a scene in which two replicas get each event, and whoever repeats one has both get
// it again.
type repeating struct {
	*scene
	anna  customer
	sam   *discordtest.User // of the staff
	first *replica
}

func newRepeating(t *testing.T) *repeating {
	t.Helper()
	w := newScene(t, instantly, discordtest.Config{})
	const manageGuild = 1 << 5
	sam := w.discord.User("sam", discordtest.Permissions(manageGuild))
	staff := []string{"ADMIN_GUILD_ID=" + w.discord.GuildID(), "ADMIN_USER_IDS=" + sam.ID}
	first := w.start(t, append(staff, losingWords(t, w))...)
	w.start(t, append(staff, losingWords(t, w), "DISCORD_SHARDS=2")...) // which is another set of shards
	return &repeating{w, w.managers("anna", 1)[0], sam, first}
}

// change is something that an interaction changed, and what undid it since.
type change struct {
	does, undo func(t *testing.T, w *repeating) *discordtest.Reply
	// undone reports whether it has stayed so.
	undone func(t *testing.T, w *repeating) bool
}

func changes() map[string]change {
	alertsBecome := func(press, says string) func(*testing.T, *repeating) *discordtest.Reply {
		return func(t *testing.T, w *repeating) *discordtest.Reply {
			reply := w.anna.InDM().Types(t, "/alerts").Press(t, press)
			reply.WaitFor(t, says)
			return reply
		}
	}
	alertsAre := func(mark string) func(*testing.T, *repeating) bool {
		return func(t *testing.T, w *repeating) bool {
			return w.anna.InDM().Types(t, "/alerts").WaitFor(t, "🔔 Alerts").Contains(mark + " Shop")
		}
	}
	return map[string]change{
		"alerts": {
			does: alertsBecome("All alerts on", "Alerts are on"), undo: alertsBecome("All alerts off", "Alerts are off"), undone: alertsAre("🔕"),
		},
		"a panel": {
			does: func(t *testing.T, w *repeating) *discordtest.Reply {
				panels := w.anna.Types(t, "/panel")
				panels.WaitFor(t, "You don't have a public panel yet")
				reply := panels.Choose(t, "Choose bots for a panel here", "Shop").Submit(t, nil)
				reply.WaitFor(t, "Panel posted")
				return reply
			},
			undo: func(t *testing.T, w *repeating) *discordtest.Reply {
				reply := w.anna.Types(t, "/panel").Choose(t, "Manage a panel", "1. Status of the bots").Press(t, "Remove panel")
				reply.WaitFor(t, "The panel was removed")
				return reply
			},
			undone: func(_ *testing.T, w *repeating) bool { return len(w.discord.Channels()[0].Messages()) == 0 },
		},
		"what staff remove": {
			does: func(t *testing.T, w *repeating) *discordtest.Reply {
				w.anna.InDM().Types(t, "/alerts").Press(t, "All alerts on").WaitFor(t, "Alerts are on")
				reply := w.sam.Types(t, "/admin forget", discordtest.Options{"user": w.anna.User}).Press(t, "Remove everything")
				reply.WaitFor(t, "was removed")
				return reply
			},
			undo: alertsBecome("All alerts on", "Alerts are on"), undone: alertsAre("🔔"),
		},
		"a form for a new bot": {
			does: func(t *testing.T, w *repeating) *discordtest.Reply {
				reply := w.anna.Types(t, "/bot create").Press(t, "Continue").Submit(t, discordtest.Fields{"name": "Radio"})
				reply.WaitFor(t, "✅")
				return reply
			},
			undo: func(t *testing.T, w *repeating) *discordtest.Reply {
				reply := w.anna.Types(t, "/bot delete", discordtest.Options{"bot": "Radio"}).Submit(t, discordtest.Fields{"name": "Radio"})
				reply.WaitFor(t, "✅")
				return reply
			},
			undone: func(t *testing.T, w *repeating) bool {
				form := w.anna.Types(t, "/bot create").Press(t, "Continue")
				v := form.WaitUntil(t, func(v discordtest.View) bool { return v.Modal != nil })
				typed := slices.ContainsFunc(v.Modal.Components, func(c discordtest.Component) bool { return c.Component != nil && c.Component.Value == "Radio" })
				return !typed && w.service.Count(hostapitest.OpCreate) == 1 && w.service.Count(hostapitest.OpDelete) == 1
			},
		},
	}
}

// TestARepeatedEventChangesNothing has both replicas get each event, and Discord's first word on
// each response be lost, so that none of them knows whose response Discord has taken. What was
// changed is undone. Then both events come once more, and again after the first replica was killed.
func TestARepeatedEventChangesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range changes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newRepeating(t)
			event := c.does(t, w)
			w.silence(t, time.Second) // what the other replica makes of it is over
			c.undo(t, w)
			w.silence(t, time.Second)
			repeat := func(when string) {
				w.discord.Redeliver(event)
				w.silence(t, 2*time.Second)
				if !c.undone(t, w) {
					t.Errorf("%s: the repeated event has changed it again", when)
				}
			}
			repeat("both replicas serve")
			w.first.kill()
			repeat("the first replica was killed")
		})
	}
}
