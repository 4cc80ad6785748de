//go:build integration

package processes_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/hostapitest"
)

// TestKillsLoseNoAnswer kills the only replica that serves and leads while Discord keeps it waiting, on the way of an answer to the
// customer and of the reply to it. Another one stands by. What was said to be on its way comes once, and the thread says so once.
// What was not said to be is asked for again, and comes once, too.
func TestKillsLoseNoAnswer(t *testing.T) {
	t.Parallel()
	const answer, reply = "Which Node version?", "It's Node 18"
	for name, test := range map[string]struct {
		route  string
		before int  // calls of the route that are let through
		after  bool // Discord does what it is asked for, and the answer is lost
		lost   bool // Redis does not have it yet
	}{
		"before it is kept":               {route: discordtest.RouteDMs, lost: true},
		"before Discord has the message":  {route: discordtest.RouteMessages},
		"when Discord has the message":    {route: discordtest.RouteMessages, after: true},
		"before Discord has staff's note": {route: discordtest.RouteMessages, before: 1},
		"when Discord has staff's note":   {route: discordtest.RouteMessages, before: 1, after: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newScene(t, instantly, discordtest.Config{})
			role, channel := w.discord.AddRole("Support"), w.discord.AddChannel("support")
			channel.Hide()
			environment := []string{ // without log channels, so that each message is one that is tested
				"LOG_CHANNEL_ID=", "LOG_CHANNEL_ACTIONS=", "SUPPORT_CHANNEL_ID=" + channel.ID,
				"ADMIN_GUILD_ID=" + w.discord.GuildID(), "ADMIN_ROLE_IDS=" + role.ID,
			}
			first := w.start(t, environment...)
			w.waitServing(t, first)
			second := w.start(t, environment...)
			anna := w.customers("anna", 1)[0]
			const manageGuild = 1 << 5
			sam := w.discord.User("sam", discordtest.Permissions(manageGuild), discordtest.Roles(role.ID))
			w.service.Fail(hostapitest.OpRestart, hostapitest.Fault{Status: http.StatusForbidden, Body: `{"error":"forbidden"}`}, 1)
			failed := allRestart(t, []customer{anna})[0]
			failed.WaitFor(t, "Reference: ")
			failed.Press(t, "Tell support").WaitFor(t, "Our team has the details")
			told := sam.In(channel).Sees(t, "anna")
			all := w.discord.Channels()
			thread := all[slices.IndexFunc(all, func(ch *discordtest.Channel) bool { return ch.Parent() != nil })]

			// hang has Discord keep the replica waiting. caught waits until it does.
			hang := func(route string, before int, after bool) (caught, remove func()) {
				begun := func() (n int) {
					for _, c := range w.discord.Calls() {
						if c.Method == http.MethodPost && c.Route == route {
							n++
						}
					}
					return n
				}
				known := begun()
				if before > 0 {
					w.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: route, Times: before})
				}
				remove = w.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: route, After: after, Hang: true})
				return func() {
					eventually(t, "Discord keeps the replica waiting", func() bool { return begun() > known+before })
				}, remove
			}
			answers := func() *discordtest.Reply {
				return sam.In(channel).Presses(t, told, "Answer").Submit(t, discordtest.Fields{"Answer": answer})
			}
			caught, remove := hang(test.route, test.before, test.after)
			said := answers()
			if !test.lost {
				said.WaitFor(t, "on its way")
			}
			caught()
			first.kill()
			remove()
			w.waitServing(t, second)
			if test.lost {
				if said.View().Contains("on its way") {
					t.Error("staff read that an answer is on its way which nobody keeps")
				}
				answers().WaitFor(t, "on its way")
			}
			thread.WaitFor(t, "The customer got it as a direct message")
			got := anna.InDM().Sees(t, answer)

			third := w.start(t, environment...)
			caught, remove = hang(discordtest.RouteMessages, 0, test.after)
			replies := func() *discordtest.Reply {
				return anna.InDM().Presses(t, got, "Reply").Submit(t, discordtest.Fields{"Reply": reply})
			}
			said = replies()
			caught()
			second.kill()
			remove()
			w.waitServing(t, third)
			if said.View().Contains("has your reply") {
				t.Error("anna reads that staff have her reply before Discord says so")
			}
			replies().WaitFor(t, "Our team has your reply")
			w.silence(t, 15*time.Second)
			read := texts(thread)
			if dms, notes, came := announcedTo(anna, answer), strings.Count(read, answer), strings.Count(read, reply); dms != 1 || notes != 1 || came != 1 {
				t.Errorf("%d direct messages and %d notes have the answer, %d messages the reply: %s", dms, notes, came, read)
			}
		})
	}
}
