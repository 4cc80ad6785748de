package commands_test

import (
	"strings"
	"testing"
	"time"

	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/hostapi"
)

// TestAlertSaysFirstWhatHappened has the content, which is all that a phone shows of a message in its
// notification, and what else the customer reads, while a bot is down and once it is back.
func TestAlertSaysFirstWhatHappened(t *testing.T) {
	c, at := watching(t, &watched{w: &world{}}), time.Unix(1_700_000_000, 0)
	down := func(state hostapi.State, count int, before ...time.Duration) alerts.Outage {
		o := alerts.Outage{ServerID: "a", Name: "Shop", State: state, Count: count, DownAt: at, FirstDown: at.Add(-time.Hour)}
		for _, ago := range before {
			o.Before = append(o.Before, at.Add(-ago))
		}
		return o
	}
	const quiet, quietUntil = "I won't notify you again until it has run for 10 min.", "If it goes down before <t:1700003600:t>, I'll only update this message."
	for _, test := range []struct {
		outage     alerts.Outage
		down, more string
		back       string // beside that it is back
	}{
		{down(hostapi.StateCrashed, 1), "🔴 Shop has crashed", "Noticed <t:1700000000:R>.", "Back since <t:1700003000:t>, down for 50 min.\nNoticed <t:1700000000:R>."},
		{down(hostapi.StateStopped, 1), "⚫ Shop has stopped", "Noticed <t:1700000000:R>.", "Back since <t:1700003000:t>, down for 50 min.\nNoticed <t:1700000000:R>."},
		{down(hostapi.StateCrashed, 2, time.Minute), "🔴 Shop has crashed again", "2 times since <t:1699996400:t>", "2 times"},
		{down(hostapi.StateStopped, 2, time.Minute), "⚫ Shop has stopped again", "2 times", "2 times"},
		{down(hostapi.StateCrashed, 4, 10*time.Minute, time.Minute), "🔴 Shop has crashed again", "4 times", "4 times"},
		{down(hostapi.StateCrashed, 3, 9*time.Minute, time.Minute), "🔴 Shop keeps crashing", quiet, quietUntil},
		{down(hostapi.StateStopped, 3, 9*time.Minute, time.Minute), "⚫ Shop keeps stopping", quiet, quietUntil},
	} {
		alert := alerts.Alert{CustomerID: "42", First: at, Bots: []alerts.Outage{test.outage}}
		shown := c.Alert(alert)
		if shown.Content != test.down {
			t.Errorf("the content is %q, want %q", shown.Content, test.down)
		}
		wantText(t, shown, test.more)
		alert.Bots[0].RecoveredAt = at.Add(50 * time.Minute)
		shown = c.Alert(alert)
		if shown.Content != "🟢 Shop is back" {
			t.Errorf("after %q the content is %q", test.down, shown.Content)
		}
		wantText(t, shown, test.back)
	}
	restarted := down(hostapi.StateCrashed, 1)
	restarted.Restarts = 1
	restarted.RecoveredAt = restarted.DownAt.Add(6 * time.Second)
	shown := c.Alert(alerts.Alert{CustomerID: "42", First: at, Bots: []alerts.Outage{restarted}})
	if shown.Content != "🟢 Shop crashed and is running again after 6\u00a0s" {
		t.Errorf("after an automatic restart the content is %q", shown.Content)
	}
	wantText(t, shown, "🔁 I restarted it automatically.")
	gaveUp := down(hostapi.StateCrashed, 4, 5*time.Minute, time.Minute)
	gaveUp.StaysDown = true
	shown = c.Alert(alerts.Alert{CustomerID: "42", First: at, Bots: []alerts.Outage{gaveUp}})
	if shown.Content != "🔴 Shop keeps crashing and stays down" {
		t.Errorf("after too many of them the content is %q", shown.Content)
	}
	wantText(t, shown, "after 3 automatic restarts within 10 min, so it stays down until someone starts it")
}

// TestAlertSaysNothingOfABotThatWasHardlyWatched has a bot fall less than a minute after it was looked at first: it may
// have been running for months. The card says as little.
func TestAlertSaysNothingOfABotThatWasHardlyWatched(t *testing.T) {
	for watchedFor, says := range map[time.Duration]string{40 * time.Second: "", 3 * time.Minute: "It had been running for 3 min or longer."} {
		h := &watched{w: &world{list: account(server("a", "Shop", "CRASHED"))}, spans: past(watchedFor, hostapi.StateRunning, time.Second, hostapi.StateCrashed)}
		c, at := watching(t, h), time.Now()
		fell := alerts.Outage{ServerID: "a", Name: "Shop", State: hostapi.StateCrashed, Count: 1, DownAt: at, Uptime: watchedFor, AtLeast: true}
		for _, m := range []interaction.Message{
			c.Alert(alerts.Alert{CustomerID: "42", First: at, Bots: []alerts.Outage{fell}}), answer(t, c, press("show/a")).Message,
		} {
			if got := text(m); !strings.Contains(got, says) || says == "" && strings.Contains(got, "running for") {
				t.Errorf("after %v it says\n%s", watchedFor, got)
			}
		}
	}
}

// TestAlertOfManyBotsIsShort has the first ten of them, leads to the others, and says since when all are back.
func TestAlertOfManyBotsIsShort(t *testing.T) {
	h, at := &watched{w: &world{list: crashed(30)}}, time.Unix(1_700_000_000, 0)
	c := watching(t, h)
	alert := alerts.Alert{CustomerID: "42", First: at}
	for _, s := range h.w.list.Servers[1:] {
		alert.Bots = append(alert.Bots, alerts.Outage{ServerID: s.ID, Name: s.Name, State: hostapi.StateCrashed, DownAt: at, Count: 1})
	}
	for n, test := range map[int]struct {
		lines         int
		more, buttons string
	}{11: {11, "", "Restart all (11)"}, 12: {10, "and 2 more", "Restart all (12) All bots"}, 30: {10, "and 20 more", "Restart all (30) All bots"}} {
		some := alert
		some.Bots = alert.Bots[:n]
		shown := c.Alert(some)
		if got := buttonLabels(shown); got != test.buttons || strings.Count(text(shown), "· Crashed") != test.lines || strings.Contains(text(shown), "more") != (test.more != "") {
			t.Errorf("with %d bots it has the buttons %q and says\n%s", n, got, text(shown))
		}
		wantText(t, shown, test.more, "Noticed <t:1700000000:R>.")
	}
	for i := range alert.Bots {
		alert.Bots[i].RecoveredAt = at.Add(time.Duration(i) * 10 * time.Second)
	}
	wantText(t, c.Alert(alert), "All 30 bots are back", "Back since <t:1700000290:t>, down for 5 min.\nNoticed <t:1700000000:R>.")
	wantText(t, answer(t, c, press("aside/list")).Message, "Your bots", "🔴 Bot 1")
}

// TestAlertOfSeveralBotsIsTrueToTheLast has five bots fall, come back and fall again, of which another
// message tells.
func TestAlertOfSeveralBotsIsTrueToTheLast(t *testing.T) {
	c, at := watching(t, &watched{w: &world{}}), time.Unix(1_700_000_000, 0)
	alert := alerts.Alert{CustomerID: "42", First: at}
	for _, bot := range []string{"Shop", "*Radio* @everyone", strings.Repeat("Long ", 40), "Quiz", "Chess"} {
		alert.Bots = append(alert.Bots, alerts.Outage{ServerID: bot[:2], Name: bot, State: hostapi.StateCrashed, DownAt: at, Count: 1})
	}
	alert.Bots[4].State = hostapi.StateStopped
	reads := func(content string, buttons string, more ...string) {
		t.Helper()
		shown := c.Alert(alert)
		if shown.Content != content {
			t.Errorf("the content is %q, want %q", shown.Content, content)
		}
		wantText(t, shown, more...)
		shown.Components = shown.Components[:len(shown.Components)-1] // without the menu
		if got := labels(shown); got != buttons {
			t.Errorf("the buttons are %q, want %q", got, buttons)
		}
	}
	back := func(bots ...int) {
		for _, i := range bots {
			alert.Bots[i].RecoveredAt = at.Add(time.Minute)
		}
	}
	reads("🔴 5 of your bots are down\nShop · \\*Radio\\* \\@everyone · "+strings.Repeat("Long ", 7)+"Long… · +2", "Restart all (4)", "⚫ **Chess** · Stopped")
	back(0, 1, 2)
	reads("🔴 2 of your bots are down\nQuiz · Chess", "Restart Quiz", "🟢 **Shop** · Running", "🔴 **Quiz** · Crashed")
	alert.Bots[0].Elsewhere = true
	reads("🔴 2 of your bots are down\nQuiz · Chess", "Restart Quiz", "↘️ **Shop** · see the newer message")
	back(3)
	reads("🔴 1 of your bots is down\nChess", "")
	back(4)
	reads("🟢 All 4 bots are back", "", "↘️ **Shop** · see the newer message")
	for i := range alert.Bots {
		alert.Bots[i].Elsewhere = true
	}
	reads("🟢 All 5 bots are back", "", "🟢 **Shop** · Running")
}
