package commands_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/outages"
	"hostbot/bot/watch/panel"
	"hostbot/commands"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// manyStopped is what customers read in an outage of many bots.
const manyStopped = "Many bots we host stopped at the same time. Our team knows about it."

// minutesAgo is an outage of many bots that began so many minutes ago.
func minutesAgo(n time.Duration) outages.Outage {
	began := time.Now().Add(-n * time.Minute)
	return outages.Outage{Bots: 10, First: began, Last: began, Within: time.Minute}
}

// TestOutageOfManyIsSaidWhereBotsAreDown has a bot be down in each way while many are: the status page comes before
// Restart, that does not stand out, and nothing is said of the bot's own crashes.
func TestOutageOfManyIsSaidWhereBotsAreDown(t *testing.T) {
	const minute = time.Minute
	crashed := past(aDay, hostapi.StateRunning, 5*minute, hostapi.StateCrashed)
	for name, test := range map[string]struct {
		outage outages.Outage
		status string
		past   []history.Span
		note   accounts.Note
		err    error
		said   bool
	}{
		"it crashed then":            {outage: minutesAgo(6), status: "CRASHED", past: crashed, said: true},
		"it stopped then":            {outage: minutesAgo(6), status: "STOPPED", past: past(aDay, hostapi.StateRunning, 5*minute, hostapi.StateStopped), said: true},
		"nobody watches it":          {outage: minutesAgo(6), status: "CRASHED", said: true},
		"redis fails":                {outage: minutesAgo(6), status: "CRASHED", err: errors.New("redis is away"), said: true},
		"it was down when looked at": {outage: minutesAgo(6), status: "CRASHED", past: past(aDay, history.Unwatched, aDay/2, hostapi.StateCrashed), said: true},
		"it crashed before":          {outage: minutesAgo(2), status: "CRASHED", past: crashed},
		"it was stopped":             {outage: minutesAgo(6), status: "STOPPED", past: past(aDay, hostapi.StateRunning, 5*minute, hostapi.StateStopped), note: accounts.Note{Action: "stop", At: time.Now()}},
		"nobody saw when it stopped": {outage: minutesAgo(6), status: "STOPPED"},
		"it runs":                    {outage: minutesAgo(6), status: "RUNNING", past: past(aDay, hostapi.StateRunning)},
		"there is none":              {status: "CRASHED", past: crashed},
	} {
		t.Run(name, func(t *testing.T) {
			h := &watched{
				w: &world{
					list: account(server("a", "Shop", test.status), server("b", "Radio", "RUNNING")), links: commands.Links{Status: "https://status.example", Panel: "https://a.example"},
					notes: map[string]accounts.Note{"a": test.note},
				},
				spans: test.past, err: test.err, outage: test.outage,
			}
			c := watching(t, h)
			views := map[string]interaction.Message{"card": answer(t, c, press("show/a")).Message, "list": answer(t, c, command("bot list", nil)).Message}
			if test.status == "CRASHED" {
				views["question"] = answer(t, c, press("restartcrashed")).Message
			}
			if test.err == nil {
				views["panel"] = drawPanel(t, c, panel.Panel{ID: "1", OwnerID: "42", Bots: []string{"a", "b"}})
			}
			for view, m := range views {
				sendable(t, interaction.Reply(m))
				first := componentsOf[discordgo.Button](m)[0]
				if strings.Contains(text(m), manyStopped) != test.said || (first.Label == "Service status") != test.said {
					t.Errorf("the %s, whose first button is %q, says\n%s", view, first.Label, text(m))
				}
				if restart := restartOf(m); test.said && restart.Style == discordgo.PrimaryButton {
					t.Errorf("%s stands out on the %s", restart.Label, view)
				}
			}
			if _, asks := buttons(views["card"])["Alert me next time"]; asks && test.said {
				t.Error("the card is about the bot's own crashes")
			}
			staff := answer(t, c, by("1", press("for/42/show/a"))).Message
			if strings.Contains(text(staff), manyStopped) {
				t.Errorf("staff read\n%s", text(staff))
			}
		})
	}
}

// restartOf is the first button of a message that restarts a bot.
func restartOf(m interaction.Message) discordgo.Button {
	for _, b := range componentsOf[discordgo.Button](m) {
		if strings.HasPrefix(b.Label, "Restart") {
			return b
		}
	}
	return discordgo.Button{}
}

// TestAlertInAnOutageOfMany says that it is not the bots' own doing, also on a lock screen, until they are back.
func TestAlertInAnOutageOfMany(t *testing.T) {
	h := &watched{w: &world{links: commands.Links{Status: "https://status.example"}}, outage: minutesAgo(6)}
	c, at := watching(t, h), h.outage.First
	fallen := func(bots ...string) alerts.Alert {
		alert := alerts.Alert{ID: "x", CustomerID: "42", First: at}
		for _, bot := range bots {
			alert.Bots = append(alert.Bots, alerts.Outage{ServerID: bot, Name: bot, State: hostapi.StateCrashed, DownAt: at, Count: 1})
		}
		return alert
	}
	for _, test := range []struct {
		alert alerts.Alert
		reads string
		first string // buttons
	}{
		{fallen("Shop"), "🔴 Shop has stopped\n" + manyStopped, "Service status Restart "},
		{fallen("Shop", "Radio"), "🔴 2 of your bots are down\n" + manyStopped, "Service status Restart all (2)"},
	} {
		m := c.Alert(test.alert)
		sendable(t, interaction.Reply(m))
		if m.Content != test.reads || !strings.HasPrefix(buttonLabels(m), test.first) || restartOf(m).Style == discordgo.PrimaryButton {
			t.Errorf("with the buttons %q it reads %q", buttonLabels(m), m.Content)
		}
		for i := range test.alert.Bots {
			test.alert.Bots[i].RecoveredAt = at.Add(time.Minute)
		}
		if m = c.Alert(test.alert); strings.Contains(text(m), manyStopped) || strings.Contains(buttonLabels(m), "Service status") {
			t.Errorf("once they are back it reads\n%s", text(m))
		}
	}
	before := fallen("Shop")
	before.Bots[0].DownAt = at.Add(-time.Hour)
	if m := c.Alert(before); m.Content != "🔴 Shop has crashed" {
		t.Errorf("of a crash before it reads %q", m.Content)
	}
}

// TestOldDataLeadsToTheStatusPage in each view, once, if the service fails. While it is slow the view is about to be
// drawn anew.
func TestOldDataLeadsToTheStatusPage(t *testing.T) {
	status := func(m interaction.Message) int { return strings.Count(buttonLabels(m), "Service status") }
	for _, r := range []interaction.Request{
		command("bot list", nil), press("show/a"), press("more/a"), press("details/a"), command("plan", nil), command("bot create", nil), command("bot restart", nil),
		command("bot show", nil), here(command("panel", nil)), press("panel/open", "1"), press("history/a"), press("reinstall/a"), press("restartcrashed"),
	} {
		h := &watched{
			w:      &world{list: crashed(4), old: true, links: commands.Links{Status: "https://status.example"}},
			panels: []panel.Panel{{ID: "1", OwnerID: "42", ChannelID: "9", Bots: []string{"a"}}},
		}
		h.w.list.Servers[0].ID = "a" // which runs
		h.w.failure = &hostapi.Error{Code: hostapi.CodeUnavailable, Op: hostapi.OpList}
		c := watching(t, h)
		m := answer(t, c, r).Message
		sendable(t, interaction.Reply(m))
		if wantText(t, m, "Showing data from"); status(m) != 1 {
			t.Errorf("%s has the buttons %q", r.Name, buttonLabels(m))
		}
		h.w.links = commands.Links{}
		if c = watching(t, h); status(answer(t, c, r).Message) != 0 {
			t.Errorf("%s leads nowhere", r.Name)
		}
	}
	h := &watched{w: &world{list: crashed(4), links: commands.Links{Status: "https://status.example"}}, age: time.Hour}
	c := watching(t, h)
	if m := answer(t, c, command("bot list", nil)).Message; status(m) != 0 {
		t.Errorf("what is new has the buttons %q", buttonLabels(m))
	}
	if m := drawPanel(t, c, panel.Panel{ID: "1", OwnerID: "42", Bots: []string{"b1"}}); status(m) != 1 {
		t.Errorf("an old panel has the buttons %q", buttonLabels(m))
	}
}
