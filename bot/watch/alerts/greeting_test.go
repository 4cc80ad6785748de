package alerts_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/notify"
	"hostbot/hostapi/redistest"
)

// wantContactAlone fails where more is kept of a user than how to reach them, or that for longer than
// 30 days.
func wantContactAlone(t *testing.T, url string, u *discordtest.User) {
	t.Helper()
	client := redistest.Connect(t, url)
	keys, err := redistest.Keys(t.Context(), client, "*"+u.ID+"*")
	slices.Sort(keys)
	want := []string{"hostbot:{contacts}:of:" + u.ID, "hostbot:{contacts}:record:" + u.ID}
	if err != nil || !slices.Equal(keys, want) {
		t.Fatalf("left are %q (%v)", keys, err)
	}
	const most = 30 * 24 * time.Hour
	for _, key := range keys {
		if left := client.PTTL(t.Context(), key).Val(); left <= most-time.Hour || left > most {
			t.Errorf("%s is kept for %v", key, left)
		}
	}
}

// wantNothingKept fails where anything is kept of a user.
func wantNothingKept(t *testing.T, url string, u *discordtest.User) {
	t.Helper()
	if keys, err := redistest.Keys(t.Context(), redistest.Connect(t, url), "*"+u.ID+"*"); err != nil || len(keys) > 0 {
		t.Errorf("left are %q (%v)", keys, err)
	}
}

// TestFirstMessageIsSentOnce has a customer turn all alerts off, and on again: by themselves,
// and after staff had all forgotten.
func TestFirstMessageIsSentOnce(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		a, _ := start(t, discord, url, &watched{}, nil)
		anna := discord.User("anna")
		on := func(want notify.Reached) {
			t.Helper()
			now, reached, err := a.TurnOn(t.Context(), as(anna), func(s *alerts.Settings) { s.Set("shop", true) })
			if err != nil || reached != want || !now.For("shop") {
				t.Errorf("anna was reached: %v, want %v; settings: %+v (%v)", reached, want, now, err)
			}
		}
		off := func() {
			t.Helper()
			if _, err := a.TurnOff(t.Context(), anna.ID, func(s *alerts.Settings) { s.SetAll(false) }); err != nil {
				t.Fatal(err)
			}
			if s, err := a.Settings(t.Context(), anna.ID); err != nil || s.Any() {
				t.Errorf("settings: %+v (%v)", s, err)
			}
			wantContactAlone(t, url, anna)
		}
		on(notify.Greeted)
		off()
		off() // once more
		on(notify.Known)
		tell(t, a, fell(anna, "shop", time.Now()))
		anna.InDM().Sees(t, "shop c fell")
		off()
		if known, err := a.DMs().Forget(t.Context(), anna.ID); err != nil || !known {
			t.Fatal(known, err)
		}
		wantNothingKept(t, url, anna)
		on(notify.Greeted)
	})
}

// TestAlertsAreOffWhileDiscordFails has Discord fail while the DM is opened, or the first message
// is sent there: that is no failure of ours, and all goes well afterwards.
func TestAlertsAreOffWhileDiscordFails(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]discordtest.Fault{
		"opening, 503":        discordtest.Overloaded(http.MethodPost, discordtest.RouteDMs),
		"opening, reset":      {Method: http.MethodPost, Route: discordtest.RouteDMs, Reset: true},
		"first message, 503":  discordtest.Overloaded(http.MethodPost, discordtest.RouteMessages),
		"first message, lost": {Method: http.MethodPost, Route: discordtest.RouteMessages, Reset: true, After: true},
	} {
		t.Run(name, func(t *testing.T) {
			clock := discordtest.NewManualClock(time.Now())
			discord := discordtest.RunT(t, discordtest.Config{Clock: clock})
			a, _ := start(t, discord, redistest.StartMiniredis(t).URL(), &watched{}, nil)
			anna, mend := discord.User("anna"), discord.Inject(fault)
			on := func() (alerts.Settings, error) {
				now, _, err := a.TurnOn(t.Context(), as(anna), func(s *alerts.Settings) { s.SetAll(true) })
				return now, err
			}
			if now, err := on(); !errors.Is(err, notify.ErrLater) || now.Any() {
				t.Errorf("alerts end with %+v, %v", now, err)
			}
			mend()
			clock.Advance(time.Hour) // Discord knows no nonce of then
			if now, err := on(); err != nil || !now.All {
				t.Errorf("afterwards they end with %+v, %v", now, err)
			}
			if n := len(anna.InDM().Messages()); n != 1 {
				t.Errorf("%d first messages are in the DM", n)
			}
		})
	}
}

// TestBeyondTheWindowTheLeaderOpensDMs has nine people turn alerts on at once, by two processes, of whom
// Discord lets the bot write to six, and one with closed DMs.
func TestBeyondTheWindowTheLeaderOpensDMs(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		discord.ExpectFailures()
		window := func(c *setup) { c.Timing.Window = time.Hour }
		first, _ := start(t, discord, url, &watched{}, window)
		second, _ := start(t, discord, url, &watched{}, window)
		var people []*discordtest.User
		ways := make(map[notify.Reached]int)
		for i := range 9 {
			u := discord.User(fmt.Sprint("c", i))
			people = append(people, u)
			u.CloseDMs(i == 8)
			for range 2 { // who presses twice changes nothing
				now, reached, err := []*alerts.Alerts{first, second}[i%2].TurnOn(t.Context(), as(u), func(s *alerts.Settings) { s.SetAll(true) })
				if err != nil || !now.All {
					t.Fatalf("alerts are %+v (%v)", now, err)
				}
				ways[reached]++
			}
		}
		if ways[notify.Greeted] != 5 || ways[notify.OnItsWay] < 4 {
			t.Errorf("people are reached: %v", ways)
		}
		tell(t, first, fell(people[7], "shop", time.Now()))
		people[7].InDM().Sees(t, "shop c fell")
		for _, u := range people[:8] {
			u.InDM().Sees(t, "hello")
			if n := len(u.InDM().Messages()); n > 2 || n == 2 && u != people[7] {
				t.Errorf("%s reads %d messages", u.Name, n)
			}
		}
		eventually(t, func() bool {
			since, err := first.DMs().Refused(t.Context(), people[8].ID)
			return err == nil && !since.IsZero()
		})
		if s, err := first.Settings(t.Context(), people[8].ID); err != nil || !s.All {
			t.Errorf("settings: %+v (%v)", s, err)
		}
		if n := calls(discord, http.MethodPost, discordtest.RouteDMs); n > 2*len(people) {
			t.Errorf("%d DMs were opened", n)
		}
	})
}

// TestStrangersHaveABudget has more strangers be written to than Discord bears, over two processes, while
// customers turn alerts on. A day passes for Redis alone.
func TestStrangersHaveABudget(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord, client := discordtest.RunT(t, discordtest.Config{NewDMsADay: 52, DMsAtOnce: -1, NoRateLimits: true}), redistest.Connect(t, url)
		var notified atomic.Int32
		count := func(c *setup) { c.OnBudget = func() { notified.Add(1) } }
		first, _ := start(t, discord, url, &watched{}, count)
		second, _ := start(t, discord, url, &watched{}, count)
		refused := 0
		for i := range 80 {
			if i%13 == 0 { // ten minutes
				client.Del(t.Context(), "hostbot:{dms}:soon")
			}
			to := as(discord.User(fmt.Sprint("c", i)))
			to.Stranger = true
			_, err := []*alerts.Alerts{first, second}[i%2].DMs().Reach(t.Context(), "follows", to)
			if errors.Is(err, notify.ErrBudget) {
				refused++
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if refused != 30 {
			t.Errorf("%d strangers are refused", refused)
		}
		if n := notified.Load(); n != 1 {
			t.Errorf("staff are notified %d times", n)
		}
		turnOn(t, first, discord.User("anna"))
		client.Del(t.Context(), "hostbot:{dms}:soon", "hostbot:{dms}:day")
		to := as(discord.User("ben"))
		to.Stranger = true
		if _, err := first.DMs().Reach(t.Context(), "follows", to); err != nil {
			t.Errorf("the next day: %v", err)
		}
	})
}
