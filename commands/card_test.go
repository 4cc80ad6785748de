package commands_test

import (
	"strings"
	"testing"

	"hostbot/hostapi"
)

func TestCardShowsEverything(t *testing.T) {
	s := server("a/b?c", "My *shop*", "RUNNING")
	s.Subdomain = "shop.example"
	c := newCommands(t, &world{list: account(s)})
	r := answer(t, c, onBot("bot show", "a/b?c"))
	wantText(t, r.Message, `🟢 My \*shop\*`, "Running", "512 MB", "2 GB", "150 %", "NODE", "Basic", "`index.js`", "`shop.example`",
		"`node index.js`", "<t:1600000000:D>", "`a/b?c`")
	if b := buttons(r.Message)["Restart"]; b.CustomID != "restart/a/b?c" || b.Disabled {
		t.Errorf("Restart is %+v", b)
	}
	wantText(t, answer(t, c, inLanguage("de", onBot("bot show", "a/b?c"))).Message, "Läuft")
}

func TestButtonsFitTheStatus(t *testing.T) {
	for status, want := range map[string]string{
		"RUNNING": "Restart Stop Reinstall", "running": "Restart Stop Reinstall", "STOPPED": "Start Reinstall",
		"CRASHED": "Start Restart Reinstall", "Hibernating": "Start Restart Stop Reinstall", "": "Start Restart Stop Reinstall",
		"RESTARTING": "", "installing": "", "STARTING": "", "STOPPING": "", "SUSPENDED": "",
	} {
		b := buttons(answer(t, newCommands(t, &world{list: account(server("a", "Shop", status))}), press("show/a")).Message)
		var enabled []string
		for _, label := range []string{"Start", "Restart", "Stop", "Reinstall"} {
			if button, shown := b[strings.Replace(label, "Reinstall", "Reinstall packages", 1)]; shown && !button.Disabled {
				enabled = append(enabled, label)
			}
		}
		if got := strings.Join(enabled, " "); got != want || b["Refresh"].Disabled {
			t.Errorf("%q offers %q, want %q", status, got, want)
		}
	}
}

func TestUnknownStatusIsShownAsItCame(t *testing.T) {
	c := newCommands(t, &world{list: account(server("a", "Shop", "Hiber*nating"))})
	wantText(t, answer(t, c, press("show/a")).Message, `Hiber\*nating`)
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
			wantText(t, answer(t, newCommands(t, &world{list: l}), command("plan", nil)).Message, test.want...)
		})
	}
}
