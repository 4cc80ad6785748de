package commands_test

import (
	"strings"
	"testing"
	"time"

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
	want := "\n🟢 My \\*shop\\*\nRunning · restarted <t:1690000000:R>\nLimits: 512 MB RAM · 2 GB disk · 1.5 vCPU\n-# Last updated <t:1710000000:R>"
	if got := text(r.Message); got != want {
		t.Errorf("the card is\n%s\nwant\n%s", got, want)
	}
	wantText(t, answer(t, c, inLanguage("de", onBot("bot show", "a/b?c"))).Message, "Läuft · <t:1690000000:R> neu gestartet", "1,5 vCPU")

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
		{"start", "RUNNING", "Running · started <t:1690000000:R>\n"}, {"stop", "STOPPED", "Stopped · <t:1690000000:R>\n"},
		{"restart", "CRASHED", "Crashed · last started <t:1690000000:R>\n"}, {"reinstall", "CRASHED", "Crashed · packages reinstalled <t:1690000000:R>\n"}, {"reinstall", "RUNNING", "Running · packages reinstalled <t:1690000000:R>\n"},
		{"stop", "RUNNING", "Running\n"}, {"start", "STOPPED", "Stopped\n"}, {"restart", "RESTARTING", "Restarting\n"}, {"", "RUNNING", "Running\n"},
		{"", "Hiber*nating", `Hiber\*nating`}, {"restart", "OOM_KILLED", `OOM_KILLED · last started <t:1690000000:R>`},
	} {
		w := &world{list: account(server("a", "Shop", test.status)), notes: map[string]accounts.Note{"a": {Action: test.action, At: time.Unix(1_690_000_000, 0), Settled: true}}}
		wantText(t, answer(t, newCommands(t, w), press("show/a")).Message, test.want)
	}
}

// TestStatusThatSaysMore is shown as it came, with what its state allows.
func TestStatusThatSaysMore(t *testing.T) {
	for _, test := range []struct{ status, says, offers, not string }{
		{"OOM_KILLED", `🔴 Shop\n|OOM_KILLED`, "Restart", "Start Stop"}, {"exited (137)", "🔴 Shop|exited (137)", "Restart", "Start Stop"},
		{"CrashLoopBackOff", "🔴 Shop|CrashLoopBackOff", "Restart", "Start Stop"}, {"install_failed", `🔴 Shop|install_failed`, "Restart", "Start Stop"},
		{"Suspended (non-payment)", "⛔ Shop|We've suspended this bot|Suspended (non-payment)", "", "Start Stop Restart"}, {"exited (0)", "⚫ Shop|Stopped", "Start", "Stop"},
		{"Frozen", "⚪ Shop|Frozen", "Start Stop Restart", ""}, {"On ice", "⚫ Shop|On ice", "Start", "Stop Restart"}, {"on_ice (night)", `⚫ Shop|on_ice (night)`, "Start", "Stop"},
	} {
		s := server("a", "Shop", test.status)
		s.StatusMap, _ = hostapi.ParseStatusMap([]string{"on ice=STOPPED"})
		m := answer(t, newCommands(t, &world{list: account(s)}), press("show/a")).Message
		wantText(t, m, strings.Split(strings.ReplaceAll(test.says, `\n`, "\n"), "|")...)
		for label, b := range buttons(m) {
			if strings.Contains(test.offers, label) && b.Disabled || strings.Contains(test.not, label) && !b.Disabled {
				t.Errorf("%s: %s is disabled: %t", test.status, label, b.Disabled)
			}
		}
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
	w.asked = nil
	if answer(t, c, by("1", command("admin refresh", map[string]string{"user": "42"}))); len(w.asked) != 1 || w.asked[0] != "" {
		t.Errorf("/admin refresh asks for %q", w.asked)
	}
}

// TestCardAndActionAreOnePage has somebody who left a card during an action come back to it: the
// end is told there if both have one subject.
func TestCardAndActionAreOnePage(t *testing.T) {
	c := newCommands(t, &world{list: account(server("a", "Shop", "RUNNING"), server("b", "Radio", "RUNNING"))})
	card, restart := answer(t, c, press("open", "a")).Subject, answer(t, c, press("restart/a")).Subject
	if card == "" || card != restart || card == answer(t, c, press("open", "b")).Subject {
		t.Errorf("the card is %q, the action %q", card, restart)
	}
}

func TestPlan(t *testing.T) {
	for name, test := range map[string]struct {
		ramMB, maxServers int
		want              []string
	}{
		"full":     {2048, 2, []string{"Pro", "▰▰▰▰▰▱▱▱▱▱", "1 GB of 2 GB", "▰▰▰▰▰▰▰▰▰▰", "2 of 2", "All your bot slots"}},
		"exceeded": {2048, 1, []string{"2 of 1", "more than your plan includes"}},
		"no limit": {0, 0, []string{"1 GB · No limit"}},
	} {
		l := account(server("a", "Shop", "RUNNING"), server("b", "Radio", "RUNNING"))
		l.Account = hostapi.Account{PlanName: "Pro", PlanRAMMB: test.ramMB, MaxServers: test.maxServers, ServerCount: 2}
		t.Run(name, func(t *testing.T) {
			wantText(t, answer(t, newCommands(t, &world{list: l}), command("plan", nil)).Message, append(test.want, "Last updated\n<t:1700000000:R>")...)
		})
	}
}
