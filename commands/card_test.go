package commands_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

func TestCardShowsWhatMattersAndDetailsBehindAButton(t *testing.T) {
	s := server("a/b?c", "My *shop*", "RUNNING")
	s.Subdomain = "shop.example"
	w := &world{list: account(s), notes: map[string]accounts.Note{"a/b?c": {Action: "restart", At: time.Unix(1_690_000_000, 0), Seen: time.Unix(1_710_000_000, 0)}}}
	c := newCommands(t, w)
	r := answer(t, c, onBot("bot show", "a/b?c"))
	want := "\n🟢 My \\*shop\\*\n🟢 Running · restarted <t:1690000000:R>\nLimits: 512 MB RAM · 2 GB disk · 1.5 vCPU\n-# Last updated <t:1710000000:R>"
	if got := text(r.Message); got != want {
		t.Errorf("the card is\n%s\nwant\n%s", got, want)
	}
	wantText(t, answer(t, c, inLanguage("de", onBot("bot show", "a/b?c"))).Message, "Läuft · neu gestartet <t:", "1,5 vCPU")

	all := answer(t, c, press(buttons(r.Message)["Details"].CustomID))
	wantText(t, all.Message, want[:strings.Index(want, "\n-#")], "NODE", "Basic", "`index.js`", "`shop.example`", "`node index.js`", "<t:1600000000:D>", "`a/b?c`")
	if got := text(all.Message); !strings.HasSuffix(got, "Last updated\n<t:1710000000:R>") {
		t.Errorf("the details do not end with when they were updated:\n%s", got)
	}
	if len(w.asked) != 0 {
		t.Errorf("the service was asked for %q", w.asked)
	}
}

func TestCardSaysSinceWhenOnlyWhereAnActionLedToTheState(t *testing.T) {
	for _, test := range []struct{ action, status, want string }{
		{"start", "RUNNING", "🟢 Running · started <t:1690000000:R>\n"}, {"stop", "STOPPED", "⚫ Stopped · <t:1690000000:R>\n"},
		{"restart", "CRASHED", "🔴 Crashed · restarted <t:1690000000:R>\n"}, {"reinstall", "RUNNING", "🟢 Running · packages reinstalled <t:1690000000:R>\n"},
		{"stop", "RUNNING", "🟢 Running\n"}, {"start", "STOPPED", "⚫ Stopped\n"}, {"restart", "RESTARTING", "🟡 Restarting\n"}, {"", "RUNNING", "🟢 Running\n"},
		{"", "Hiber*nating", `⚪ Hiber\*nating`},
	} {
		w := &world{list: account(server("a", "Shop", test.status)), notes: map[string]accounts.Note{"a": {Action: test.action, At: time.Unix(1_690_000_000, 0)}}}
		wantText(t, answer(t, newCommands(t, w), press("show/a")).Message, test.want)
	}
}

// labels are those of a message's buttons, row by row; disabled ones are in brackets.
func labels(m interaction.Message) string {
	var rows []string
	for _, c := range m.Components {
		var row []string
		for _, b := range c.(discordgo.ActionsRow).Components {
			label := b.(discordgo.Button).Label
			if b.(discordgo.Button).Disabled {
				label = "(" + label + ")"
			}
			row = append(row, label)
		}
		rows = append(rows, strings.Join(row, " "))
	}
	return strings.Join(rows, " | ")
}

func TestButtonsKeepTheirPlaces(t *testing.T) {
	const ways = " | Refresh Details More… All bots"
	for status, want := range map[string]string{
		"RUNNING": "Restart Stop Reinstall packages", "running": "Restart Stop Reinstall packages", "STOPPED": "Start (Stop) Reinstall packages",
		"CRASHED": "Restart (Stop) Reinstall packages", "Hibernating": "Restart Stop Reinstall packages", "": "Restart Stop Reinstall packages",
		"RESTARTING": "(Restart) (Stop) (Reinstall packages)", "installing": "(Restart) (Stop) (Reinstall packages)",
		"STARTING": "(Start) (Stop) (Reinstall packages)", "STOPPING": "(Restart) (Stop) (Reinstall packages)", "SUSPENDED": "(Restart) (Stop) (Reinstall packages)",
	} {
		if got := labels(answer(t, newCommands(t, &world{list: account(server("a", "Shop", status))}), press("show/a")).Message); got != want+ways {
			t.Errorf("%q has %q, want %q", status, got, want+ways)
		}
	}
	_, c := shop(t, "RUNNING")
	const first = "Restart Stop Reinstall packages | "
	for id, want := range map[string]string{
		"details/a": first + "Refresh (Details) More… All bots", "more/a": first + "Refresh Details (More…) All bots | Startup Delete",
	} {
		if got := labels(answer(t, c, press(id)).Message); got != want {
			t.Errorf("%s has %q, want %q", id, got, want)
		}
	}
	if got := labels(answer(t, c, by("1", press("for/42/show/a"))).Message); got != first+"Refresh Details All bots" {
		t.Errorf("staff have %q", got)
	}
}

func TestPressThatWasMeantForAnotherButtonDoesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat("x", 64)
		w := &world{list: account(server(long, "Shop", "RUNNING")), action: func() (string, error) { return "STOPPED", nil }}
		c := newCommands(t, w)
		first := answer(t, c, by("1", press("for/42/stop/"+long)))
		if got := labels(first.Message); !strings.HasPrefix(got, "(Restart) ") {
			t.Fatalf("while it is stopped there is %s", got)
		}
		last := must(t)(first.Then(t.Context()))
		sendable(t, last)
		start := by("1", press(buttons(last.Message)["Start"].CustomID))
		w.done, w.list.Servers[0].Status = nil, "STOPPED"
		for after, acts := range map[time.Duration]bool{200 * time.Millisecond: false, time.Second: true} {
			start.ReceivedAt = time.Now().Add(after)
			r := answer(t, c, start)
			if (r.Then != nil) != acts || (r.Form == interaction.FormKeep) == acts {
				t.Errorf("pressed after %v: form %d, acts %t", after, r.Form, r.Then != nil)
			}
			if acts {
				must(t)(r.Then(t.Context()))
			}
		}
		w.wantDone(t, "start "+long)
	})
}

func TestButtonIsGuardedOnlyWhereItIsAnotherOne(t *testing.T) {
	for _, test := range []struct {
		action, from, to string
		guarded          bool
	}{
		{"restart", "RUNNING", "RUNNING", false},
		{"restart", "RUNNING", "STOPPED", true},
		{"start", "STOPPED", "RUNNING", true},
		{"stop", "RUNNING", "STOPPED", true},
	} {
		w := &world{list: account(server("a", "Shop", test.from)), action: func() (string, error) { return test.to, nil }}
		end := ending(t, newCommands(t, w), press(test.action+"/a"))
		id := componentsOf[discordgo.Button](end.Message)[0].CustomID
		if strings.HasPrefix(id, "new/") != test.guarded {
			t.Errorf("%q after %s", id, test.action)
		}
	}
}

func TestButtonIsGuardedWhereAMessageIsRedrawn(t *testing.T) {
	for _, test := range []struct {
		before  string // the first button of the message that is redrawn
		status  string
		guarded bool
	}{
		{"restart/a", "RUNNING", false}, {"new/abc/restart/~a", "RUNNING", false}, {"restart/a", "STOPPED", true}, {"start/a", "CRASHED", true},
		{"", "STOPPED", false}, {"show/a", "RUNNING", true}, {"list/with/", "RUNNING", true},
	} {
		refresh := press("show/a")
		refresh.FirstButton = test.before
		_, c := shop(t, test.status)
		id := componentsOf[discordgo.Button](answer(t, c, refresh).Message)[0].CustomID
		if strings.HasPrefix(id, "new/") != test.guarded {
			t.Errorf("%q in the place of %q", id, test.before)
		}
	}
}

func TestButtonIsGuardedWhereTheServiceAnswersLate(t *testing.T) {
	w, c := shop(t, "RUNNING")
	w.old, w.update = true, becoming(account(server("a", "Shop", "STOPPED")))
	if id := componentsOf[discordgo.Button](ending(t, c, onBot("bot show", "a")).Message)[0].CustomID; !strings.HasPrefix(id, "new/") {
		t.Errorf("%q in the place of Restart", id)
	}
}

func TestRefreshAsksTheService(t *testing.T) {
	w := &world{list: account(server("a", "Shop", "RUNNING"), server("b\u00e9", "Radio", "RUNNING"))}
	c := newCommands(t, w)
	list := answer(t, c, command("bot list", nil)).Message
	for _, request := range []interaction.Request{
		onBot("bot show", "a"), press("open", "a"), press("details/a"), press("more/a"), press("list/with/a"), press("pages", "0"), command("plan", nil),
	} {
		if answer(t, c, request); len(w.asked) != 0 {
			t.Errorf("%s asks for %q", request.Name, w.asked)
		}
	}
	for id, want := range map[string]string{
		buttons(list)["Refresh"].CustomID: "", buttons(answer(t, c, press("open", "a")).Message)["Refresh"].CustomID: "a",
		buttons(answer(t, c, command("plan", nil)).Message)["Refresh"].CustomID:       "",
		buttons(answer(t, c, onBot("bot show", "Radio")).Message)["Refresh"].CustomID: "", // whose ID is in the list alone
	} {
		w.asked = nil
		if answer(t, c, press(id)); len(w.asked) != 1 || w.asked[0] != want {
			t.Errorf("%s asks for %q, want %q", id, w.asked, want)
		}
	}
}

func TestPlan(t *testing.T) {
	for name, test := range map[string]struct {
		ramMB, maxServers int
		want              []string
	}{
		"full":     {2048, 2, []string{"Pro", "▰▰▰▰▰▱▱▱▱▱", "1 GB of 2 GB", "▰▰▰▰▰▰▰▰▰▰", "2 of 2", "All places"}},
		"exceeded": {2048, 1, []string{"2 of 1", "more than your plan grants"}},
		"no limit": {0, 0, []string{"1 GB · No limit"}},
	} {
		l := account(server("a", "Shop", "RUNNING"), server("b", "Radio", "RUNNING"))
		l.Account = hostapi.Account{PlanName: "Pro", PlanRAMMB: test.ramMB, MaxServers: test.maxServers, ServerCount: 2}
		t.Run(name, func(t *testing.T) {
			wantText(t, answer(t, newCommands(t, &world{list: l}), command("plan", nil)).Message, append(test.want, "Last updated\n<t:1700000000:R>")...)
		})
	}
}
