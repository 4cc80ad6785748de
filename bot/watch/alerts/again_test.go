package alerts_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/redis/go-redis/v9"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
	"hostbot/hostapi/redistest"
)

// settled waits until nothing waits to be told soon: a recovery may wait for others, or for the bot to have run for
// ten minutes.
func settled(t *testing.T, a *alerts.Alerts) {
	t.Helper()
	soon := strconv.FormatInt(time.Now().Add(time.Minute).UnixMilli(), 10)
	eventually(t, func() bool {
		n, err := a.Redis().ZCount(t.Context(), a.Work().Due, "-inf", soon).Result()
		return err == nil && n == 0
	})
}

// TestFallAfterARecoveryIsAnotherMessage, since an edit notifies nobody.
func TestFallAfterARecoveryIsAnotherMessage(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		a, _ := start(t, discord, url, &watched{}, nil)
		anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
		turnOn(t, a, anna)
		tell(t, a, fell(anna, "shop", now))
		anna.InDM().Sees(t, "shop c fell 1 times, ran 1h0m0s")
		settled(t, a)
		if slices.ContainsFunc(discord.Calls(), func(c discordtest.Call) bool { return c.Method == http.MethodPatch }) {
			t.Error("what was just posted was edited")
		}
		tell(t, a, back(anna, "shop", now.Add(time.Minute)))
		anna.InDM().Sees(t, "back after 1m0s")
		tell(t, a, fell(anna, "shop", now), back(anna, "shop", now.Add(time.Minute))) // again, as a process died
		second := []watcher.Change{fell(anna, "shop", now.Add(5*time.Minute)), back(anna, "shop", now.Add(6*time.Minute))}
		tell(t, a, second[0])
		anna.InDM().Sees(t, "fell 2 times")
		tell(t, a, second[0])
		tell(t, a, second[1])
		tell(t, a, second...)
		anna.InDM().Sees(t, "fell 2 times, back after 1m0s")
		later := now.Add(30 * time.Minute)
		tell(t, a, fell(anna, "shop", later), watcher.Change{CustomerID: anna.ID, ServerID: "shop", From: hostapi.StateCrashed, To: history.Gone, At: later.Add(time.Minute)})
		anna.InDM().Sees(t, "fell 1 times, ran")
		settled(t, a)
		wantAlerts(t, anna, "shop c fell 1 times, back after 1m0s, ran 1h0m0s", "shop c fell 2 times, back after 1m0s, ran 1h0m0s", "shop c fell 1 times, ran 1h0m0s")
	})
}

// wantNoneSilent fails if a message was posted that notifies nobody.
func wantNoneSilent(t *testing.T, discord *discordtest.Server) {
	t.Helper()
	silent := fmt.Appendf(nil, `"flags":%d`, discordgo.MessageFlagsSuppressNotifications)
	if slices.ContainsFunc(discord.Calls(), func(c discordtest.Call) bool { return bytes.Contains(c.Request, silent) }) {
		t.Error("a message notifies nobody")
	}
}

// flaps has a bot fall, n times a minute apart from its recovery, and returns when the next fall is.
func flaps(t *testing.T, a *alerts.Alerts, u *discordtest.User, at time.Time, n int) time.Time {
	t.Helper()
	for range n {
		tell(t, a, fell(u, "shop", at))
		settled(t, a)
		tell(t, a, back(u, "shop", at.Add(time.Minute)))
		settled(t, a)
		at = at.Add(2 * time.Minute)
	}
	return at
}

// TestBotThatKeepsFallingNotifiesNobodyUntilItHasRun has a bot fall six times in twelve minutes, and
// once more after it has run for ten.
func TestBotThatKeepsFallingNotifiesNobodyUntilItHasRun(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t, discordtest.Config{NoRateLimits: true}) // minutes pass at once here
		a, _ := start(t, discord, url, &watched{}, nil)
		anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
		turnOn(t, a, anna)
		next := flaps(t, a, anna, now, 6)
		told := []string{
			"shop c fell 1 times, back after 1m0s, ran 1h0m0s", "shop c fell 2 times, back after 1m0s, ran 1h0m0s",
			"shop c fell 6 times, back after 1m0s, ran 1h0m0s, keeps falling",
		}
		wantAlerts(t, anna, told...)
		tell(t, a, fell(anna, "shop", next.Add(8*time.Minute))) // nine after it was back
		settled(t, a)
		told[2] = "shop c fell 7 times, ran 1h0m0s, keeps falling"
		wantAlerts(t, anna, told...)
		tell(t, a, back(anna, "shop", next.Add(9*time.Minute)))
		settled(t, a)
		told[2] = "shop c fell 7 times, back after 1m0s, ran 1h0m0s, keeps falling"
		tell(t, a, fell(anna, "shop", next.Add(19*time.Minute)))
		settled(t, a)
		wantAlerts(t, anna, append(told, "shop c fell 1 times, ran 1h0m0s")...)
	})
}

// refall is a further fall of a bot that was not seen to run since the last.
func refall(u *discordtest.User, server string, at time.Time) watcher.Change {
	c := fell(u, server, at)
	c.From, c.Since = hostapi.StateStarting, at.Add(-time.Second)
	return c
}

// silence is after which time another message tells of a fall, where a test lets it pass.
const silence = time.Hour

// awaitNotify waits until the only alert is due when another message is to tell of a fall, and returns
// that time.
func awaitNotify(t *testing.T, client redis.UniversalClient, a *alerts.Alerts) (next time.Time) {
	t.Helper()
	eventually(t, func() bool {
		due, err := client.ZRangeWithScores(t.Context(), a.Work().Due, 0, 0).Result()
		if err != nil || len(due) == 0 {
			return false
		}
		next = time.UnixMilli(int64(due[0].Score)).Add(2 * time.Millisecond) // Redis's clock shows whole ones, as what is added to it
		return time.Until(next) > silence/2
	})
	return next
}

// passNotify lets the time pass after which another message tells of the fall of a user's bot.
func passNotify(t *testing.T, client redis.UniversalClient, a *alerts.Alerts, u *discordtest.User) {
	t.Helper()
	passNotifyOf(t, client, a, strings.TrimPrefix(recordKey(t, client, u), "hostbot:{alerts}:record:"))
}

// passNotifyOf is passNotify for one alert.
func passNotifyOf(t *testing.T, client redis.UniversalClient, a *alerts.Alerts, id string) {
	t.Helper()
	const script = `
local past = string.gsub(redis.call('HGET', KEYS[1], 'r'), '"notify":"[^"]*"', '"notify":"2020-01-01T00:00:00Z"')
redis.call('HSET', KEYS[1], 'r', past)
return redis.call('ZADD', KEYS[2], 'XX', 0, ARGV[1])`
	key := "hostbot:{alerts}:record:" + id
	if err := client.Eval(t.Context(), script, []string{key, a.Work().Due}, id).Err(); err != nil {
		t.Fatal(err)
	}
}

// TestFallThatOnlyAnEditToldOfNotifiesLater has a bot fall again before it was back, and another one
// soon after it. If they stay down, another message takes the place of the edited one, once, whichever
// process does it.
func TestFallThatOnlyAnEditToldOfNotifiesLater(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]string{"again": "shop", "another": "radio"} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, url string) {
				discord, client := discordtest.RunT(t), redistest.Connect(t, url)
				tune := func(c *setup) { c.Notify = silence }
				a, kill := start(t, discord, url, &watched{}, tune)
				anna, now := discord.User("anna"), time.Now()
				turnOn(t, a, anna)
				tell(t, a, fell(anna, "shop", now))
				first := anna.InDM().Sees(t, "shop c fell 1 times")
				settled(t, a)
				edited := time.Now()
				tell(t, a, refall(anna, second, edited))
				text := map[string]string{"shop": "shop c fell 2 times", "radio": "radio c fell 1 times"}[second]
				if v := anna.InDM().Sees(t, text); v.ID != first.ID {
					t.Error("another message tells of it at once")
				}
				if next := awaitNotify(t, client, a); next.Before(edited.Add(silence)) {
					t.Errorf("another message is to tell of it after %v", next.Sub(edited))
				}
				kill()
				endLease(t, url)
				b, _ := start(t, discord, url, &watched{}, tune)
				tell(t, b, refall(anna, second, edited))
				passNotify(t, client, b, anna)
				eventually(t, func() bool { return calls(discord, http.MethodPost, discordtest.RouteMessages) == 3 })
				settled(t, b)
				if left := anna.InDM().Messages(); len(left) != 2 || left[1].ID == first.ID || !left[1].Contains(text) {
					t.Errorf("anna reads %+v", left)
				}
				wantNoneSilent(t, discord)
				pressed := back(anna, second, time.Now())
				pressed.Acted = time.Now()
				tell(t, b, pressed)
				anna.InDM().Sees(t, "back after")
				settled(t, b)
				if n := calls(discord, http.MethodPost, discordtest.RouteMessages); n != 3 {
					t.Errorf("%d messages were posted", n)
				}
			})
		})
	}
}

// TestFallThatIsOverNotifiesNobody has a bot that fell again be back, stopped by its owner, gone or
// muted before another message is due.
func TestFallThatIsOverNotifiesNobody(t *testing.T) {
	t.Parallel()
	ended := func(to hostapi.State) func(*testing.T, *alerts.Alerts, *discordtest.User) {
		return func(t *testing.T, a *alerts.Alerts, u *discordtest.User) {
			tell(t, a, watcher.Change{CustomerID: u.ID, ServerID: "shop", Name: "shop", From: hostapi.StateCrashed, To: to, At: time.Now(), Acted: time.Now()})
		}
	}
	for name, end := range map[string]func(*testing.T, *alerts.Alerts, *discordtest.User){
		"back": ended(hostapi.StateRunning), "stopped": ended(hostapi.StateStopped), "gone": ended(history.Gone),
		"muted": func(t *testing.T, a *alerts.Alerts, u *discordtest.User) {
			if err := a.Mute(t.Context(), u.ID, "shop", time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, url string) {
				discord, client := discordtest.RunT(t), redistest.Connect(t, url)
				a, _ := start(t, discord, url, &watched{}, func(c *setup) { c.Notify = silence })
				anna := discord.User("anna")
				turnOn(t, a, anna)
				tell(t, a, fell(anna, "shop", time.Now()))
				first := anna.InDM().Sees(t, "shop c fell 1 times")
				settled(t, a)
				tell(t, a, refall(anna, "shop", time.Now()))
				anna.InDM().Sees(t, "shop c fell 2 times")
				awaitNotify(t, client, a)
				end(t, a, anna)
				passNotify(t, client, a, anna)
				settled(t, a)
				if shown := anna.InDM().Messages(); len(shown) != 2 || shown[1].ID != first.ID {
					t.Errorf("anna reads %+v", shown)
				}
			})
		})
	}
}

// TestLostAnswerToTheNextMessageMakesNoThird has Discord post the message that takes the place of
// another, and nobody know.
func TestLostAnswerToTheNextMessageMakesNoThird(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		discord.ExpectFailures()
		a, _ := start(t, discord, url, &watched{}, func(c *setup) { c.Notify = time.Millisecond })
		anna := discord.User("anna")
		turnOn(t, a, anna)
		tell(t, a, fell(anna, "shop", time.Now()))
		anna.InDM().Sees(t, "shop c fell 1 times")
		settled(t, a)
		discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, Times: 1, After: true, Reset: true})
		tell(t, a, refall(anna, "shop", time.Now()))
		settled(t, a)
		wantAlerts(t, anna, "shop c fell 2 times")
		wantNoneSilent(t, discord)
	})
}

// TestAlertFromBeforeIsGoneOnWith has Redis hold an alert as an earlier version of the program wrote
// it, of a bot that has fallen twice.
func TestAlertFromBeforeIsGoneOnWith(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord, client := discordtest.RunT(t), redistest.Connect(t, url)
		a, _ := start(t, discord, url, &watched{}, func(c *setup) { c.Notify = time.Millisecond })
		anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
		turnOn(t, a, anna)
		tell(t, a, fell(anna, "shop", now))
		first := anna.InDM().Sees(t, "shop c fell 1 times")
		settled(t, a)
		at := now.Format(time.RFC3339)
		before := fmt.Sprintf(`{"id":"%020d","first":%q,"bots":[{"server":"shop","name":"shop","state":%d,"down":%q,"count":2,"last":"x"}],"message":{"id":%q,"posts":1},"sent":true}`,
			1, at, hostapi.StateCrashed, at, first.ID)
		if err := client.HSet(t.Context(), recordKey(t, client, anna), "r", before).Err(); err != nil {
			t.Fatal(err)
		}
		tell(t, a, back(anna, "shop", now.Add(time.Minute)))
		anna.InDM().Sees(t, "shop c fell 2 times, back after 1m0s")
		tell(t, a, fell(anna, "shop", now.Add(2*time.Minute)))
		anna.InDM().Sees(t, "shop c fell 3 times, ran 1h0m0s")
		settled(t, a)
		wantAlerts(t, anna, "shop c fell 2 times, back after 1m0s", "shop c fell 3 times, ran 1h0m0s")
	})
}
