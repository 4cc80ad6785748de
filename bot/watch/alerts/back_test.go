package alerts_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"
)

// TestRecoveryIsAMessageOfItsOwn in the place of the one that tells of the fall, where nobody acted on the bot or it was
// down for long. It is silent where the bot was not.
func TestRecoveryIsAMessageOfItsOwn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		down   time.Duration
		acted  time.Duration // after the fall; 0 if nobody did
		posted bool
		silent bool
	}{
		"short, by itself":                  {down: 2 * time.Minute, posted: true, silent: true},
		"short, and somebody had acted":     {down: 2 * time.Minute, acted: -time.Minute, posted: true, silent: true},
		"short, after somebody has acted":   {down: 2 * time.Minute, acted: time.Second},
		"long, by itself":                   {down: 3 * time.Minute, posted: true},
		"long, although somebody has acted": {down: 3 * time.Minute, acted: time.Second, posted: true},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, url string) {
				discord := discordtest.RunT(t)
				a, _ := start(t, discord, url, &watched{}, nil)
				anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
				turnOn(t, a, anna)
				tell(t, a, fell(anna, "shop", now))
				first := anna.InDM().Sees(t, "shop c fell 1 times")
				settled(t, a)
				discord.ForgetCalls()
				recovery := back(anna, "shop", now.Add(test.down))
				if test.acted != 0 {
					recovery.Acted = now.Add(test.acted)
				}
				tell(t, a, recovery)
				anna.InDM().Sees(t, "back after")
				settled(t, a)
				tell(t, a, recovery) // again, as a process died
				settled(t, a)
				wantAlerts(t, anna, fmt.Sprintf("shop c fell 1 times, back after %v, ran 1h0m0s", test.down))
				messages := anna.InDM().Messages()
				if another := messages[len(messages)-1].ID != first.ID; another != test.posted || calls(discord, http.MethodPost, discordtest.RouteMessages) > 1 {
					t.Errorf("another message: %t, want %t", another, test.posted)
				}
				silent := fmt.Appendf(nil, `"flags":%d`, discordgo.MessageFlagsSuppressNotifications)
				if is := slices.ContainsFunc(discord.Calls(), func(c discordtest.Call) bool { return bytes.Contains(c.Request, silent) }); is != test.silent {
					t.Errorf("silent: %t, want %t", is, test.silent)
				}
			})
		})
	}
}

// TestRecoveriesOfSeveralBotsAreOneMessage once all are back, or after two minutes.
func TestRecoveriesOfSeveralBotsAreOneMessage(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord, client := discordtest.RunT(t), redistest.Connect(t, url)
		a, _ := start(t, discord, url, &watched{}, nil)
		anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
		turnOn(t, a, anna)
		tell(t, a, fell(anna, "shop", now), fell(anna, "radio", now), fell(anna, "quiz", now))
		anna.InDM().Sees(t, "quiz c fell 1 times")
		settled(t, a)
		discord.ForgetCalls()
		posted := func() int { return calls(discord, http.MethodPost, discordtest.RouteMessages) }
		tell(t, a, back(anna, "shop", now.Add(3*time.Minute)))
		anna.InDM().Sees(t, "shop c fell 1 times, back after 3m0s")
		settled(t, a)
		if n := posted(); n > 0 {
			t.Errorf("%d messages were posted at once", n)
		}
		passNotify(t, client, a, anna)
		eventually(t, func() bool { return posted() == 1 })
		settled(t, a)
		tell(t, a, back(anna, "radio", now.Add(4*time.Minute)), back(anna, "quiz", now.Add(4*time.Minute)))
		eventually(t, func() bool { return posted() == 2 })
		settled(t, a)
		wantAlerts(t, anna, "shop c fell 1 times, back after 3m0s, ran 1h0m0s; radio c fell 1 times, back after 4m0s, ran 1h0m0s; quiz c fell 1 times, back after 4m0s, ran 1h0m0s")
		wantNoneSilent(t, discord)
	})
}

// TestRecoveryOfABotThatKeptFallingIsToldOnceItHasRun for ten minutes.
func TestRecoveryOfABotThatKeptFallingIsToldOnceItHasRun(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord, client := discordtest.RunT(t, discordtest.Config{NoRateLimits: true}), redistest.Connect(t, url)
		a, _ := start(t, discord, url, &watched{}, nil)
		anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
		turnOn(t, a, anna)
		flaps(t, a, anna, now, 3)
		posted := calls(discord, http.MethodPost, discordtest.RouteMessages)
		due, err := client.ZRangeWithScores(t.Context(), a.Work().Due, 0, -1).Result()
		if err != nil || len(due) != 1 || time.UnixMilli(int64(due[0].Score)).Before(now.Add(14*time.Minute)) {
			t.Fatalf("due is %v (%v)", due, err)
		}
		passNotifyOf(t, client, a, due[0].Member.(string))
		eventually(t, func() bool { return calls(discord, http.MethodPost, discordtest.RouteMessages) == posted+1 })
	})
}
