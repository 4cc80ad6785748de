package alerts_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/watch/alerts"
)

// TestAlertIsGoneWhileItsChannelIsRefused has a customer turn alerts off, or the bot fall again,
// before Discord answers that it refuses the channel once more.
func TestAlertIsGoneWhileItsChannelIsRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"turned off", "another in its place"} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, url string) {
				clock := discordtest.NewManualClock(time.Now())
				discord := discordtest.RunT(t, discordtest.Config{Clock: clock})
				discord.ExpectFailures()
				a, _ := start(t, discord, url, &watched{}, func(timing *alerts.Timing) { timing.Work = 40 * time.Second })
				anna, ben, now := discord.User("anna"), discord.User("ben"), time.Now().Truncate(time.Second)
				turnOn(t, a, anna)
				turnOn(t, a, ben)
				once, again := refusing(403, rest.CodeMissingAccess), refusing(403, rest.CodeMissingAccess)
				once.Times, again.Times, again.After, again.Delay = 1, 1, true, time.Minute
				discord.Inject(once)
				discord.Inject(again)
				tell(t, a, fell(anna, "shop", now))
				anna.InDM().Sees(t, "shop c fell") // and its answer is under way
				if name == "turned off" {
					if _, err := a.TurnOff(t.Context(), anna.ID, func(s *alerts.Settings) { s.SetAll(false) }); err != nil {
						t.Fatal(err)
					}
				} else {
					next := fell(anna, "shop", now.Add(2*time.Hour))
					next.Since = now.Add(time.Hour + 30*time.Minute)
					tell(t, a, next)
				}
				clock.BlockUntil(t, 1)
				clock.Advance(time.Minute)
				tell(t, a, fell(ben, "radio", now))
				ben.InDM().Sees(t, "radio c fell")
				if name != "turned off" {
					anna.InDM().Sees(t, "ran 30m0s")
				}
			})
		})
	}
}

// TestDMThatCannotBeOpenedAnewIsNotOpenedForEver has Discord refuse a DM's channel and that it
// is opened, for good and for each kind of reason.
func TestDMThatCannotBeOpenedAnewIsNotOpenedForEver(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string][2]int{
		"channel": {403, rest.CodeMissingAccess}, "unknown channel": {404, rest.CodeUnknownChannel}, "form": {400, 50035}, "quarantined": {403, rest.CodeQuarantined},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, url string) {
				discord := discordtest.RunT(t)
				a, _ := start(t, discord, url, &watched{}, func(timing *alerts.Timing) { timing.Hold = time.Millisecond })
				anna := discord.User("anna")
				turnOn(t, a, anna)
				discord.ForgetCalls()
				discord.Inject(refusing(403, rest.CodeMissingAccess))
				opening := refusing(refusal[0], refusal[1])
				opening.Route = discordtest.RouteDMs
				discord.Inject(opening)
				tell(t, a, fell(anna, "shop", time.Now()))
				eventually(t, func() bool { s, err := a.Status(t.Context()); return err == nil && s.Waiting == 0 })
				if n := calls(discord, http.MethodPost, discordtest.RouteDMs); n != 1 {
					t.Errorf("the DM was opened %d times", n)
				}
				if n := calls(discord, http.MethodPost, discordtest.RouteMessages); n < 5 || n > 11 {
					t.Errorf("the alert was tried %d times", n)
				}
				if s, err := a.Settings(t.Context(), anna.ID); err != nil || !s.All {
					t.Errorf("settings: %+v (%v)", s, err)
				}
			})
		})
	}
}

// TestFirstMessageWithoutItsEmbedsIsSent has Discord leave out what a first message holds.
func TestFirstMessageWithoutItsEmbedsIsSent(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		a, _ := start(t, discord, url, &watched{}, nil)
		anna := discord.User("anna")
		fault := refusing(200, 0)
		fault.Times, fault.After, fault.Body = 1, true, `{"id": "55", "embeds": []}`
		discord.Inject(fault)
		to := as(anna)
		to.First = interaction.Message{Embeds: []*discordgo.MessageEmbed{{Title: "Alerts"}}}
		now, sent, err := a.TurnOn(t.Context(), to, func(s *alerts.Settings) { s.SetAll(true) })
		if err != nil || !sent || !now.All {
			t.Errorf("settings: %+v, sent %v (%v)", now, sent, err)
		}
	})
}
