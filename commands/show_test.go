package commands_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

func TestOldAccountIsShownAndThenUpdated(t *testing.T) {
	w := &world{list: account(server("a", "Shop", "STOPPED")), old: true}
	w.update = func(context.Context) (accounts.Snapshot, error) {
		return accounts.Snapshot{List: account(server("a", "Shop", "RUNNING")), FetchedAt: time.Now()}, nil
	}
	for _, request := range []interaction.Request{command("bot list", nil), command("bot show", map[string]string{"bot": "a"}), press("show/a")} {
		r := must(t)(ask(t, newCommands(t, w), request))
		wantText(t, r.Message, "<t:1700000000:R>", "Updating", "Stopped")
		next := must(t)(r.Then(t.Context()))
		wantText(t, next.Message, "Running")
		if strings.Contains(text(next.Message), "<t:1700000000:R>") {
			t.Error("the new data are shown as old")
		}
	}

	w.update = func(context.Context) (accounts.Snapshot, error) {
		return accounts.Snapshot{}, &hostapi.Error{Code: hostapi.CodeUnavailable, Op: hostapi.OpList}
	}
	r := must(t)(ask(t, newCommands(t, w), command("plan", nil)))
	next := must(t)(r.Then(t.Context()))
	wantText(t, next.Message, "did not answer", "<t:1700000000:R>", "REF1234", "4 GB")
	if next.Failure == nil {
		t.Error("staff are not told that the service did not answer")
	}

	w.update = nil
	wantText(t, must(t)(ask(t, newCommands(t, w), command("plan", nil))).Message, "slow right now", "<t:1700000000:R>")
}

func TestNothingIsRefusedByWhatMayHaveChanged(t *testing.T) {
	full := account(server("a", "Shop", "RUNNING"))
	full.Account = hostapi.Account{PlanName: "Pro", PlanRAMMB: 8192, MaxServers: 1, ServerCount: 1}
	now := account(server("a", "Shop", "RUNNING"), server("b", "Radio", "RUNNING"))
	filled := map[string]string{"name": "Third", "language": "node", "entry": "x", "command": "y"}
	for _, request := range []interaction.Request{
		command("bot show", map[string]string{"bot": "Radio"}), press("restart/b"), press("startup/b"),
		command("bot create", nil), press("create/512/2048/100"), submit("create/512/2048/100", filled),
	} {
		w := &world{list: full, old: true}
		w.update = func(context.Context) (accounts.Snapshot, error) {
			return accounts.Snapshot{List: now, FetchedAt: time.Now()}, nil
		}
		c := newCommands(t, w)
		if r := must(t)(ask(t, c, request)); strings.Contains(text(r.Message), "Updating") {
			t.Errorf("%s: the new account is shown as old:\n%s", request.Name, text(r.Message))
		}

		w.update = func(context.Context) (accounts.Snapshot, error) {
			return accounts.Snapshot{}, &hostapi.Error{Code: hostapi.CodeUnavailable, Op: hostapi.OpList}
		}
		_, err := ask(t, newCommands(t, w), request)
		if hostapi.CodeOf(err) != hostapi.CodeUnavailable {
			t.Errorf("%s: %v, though nobody knows", request.Name, err)
		}
	}
}

func TestCardShowsEverything(t *testing.T) {
	s := server("a/b?c", "My *shop*", "RUNNING")
	s.Subdomain = "shop.example"
	c := newCommands(t, &world{list: account(s)})
	r := must(t)(ask(t, c, command("bot show", map[string]string{"bot": "a/b?c"})))
	wantText(t, r.Message, `🟢 My \*shop\*`, "Running", "512 MB", "2 GB", "150 %", "NODE", "Basic", "`index.js`", "`shop.example`",
		"`node index.js`", "<t:1600000000:D>", "`a/b?c`")
	if b := buttons(r.Message); b["Restart"].CustomID != "restart/a/b?c" || b["Restart"].Disabled {
		t.Errorf("Restart is %+v", b["Restart"])
	}
	german := command("bot show", map[string]string{"bot": "a/b?c"})
	german.Locale = "de"
	wantText(t, must(t)(ask(t, c, german)).Message, "Läuft")
}

func TestButtonsFitTheState(t *testing.T) {
	for status, offered := range map[string]string{
		"RUNNING": "Restart Stop Reinstall", "running": "Restart Stop Reinstall", "STOPPED": "Start Reinstall",
		"CRASHED": "Start Restart Reinstall", "Hibernating": "Start Restart Stop Reinstall", "": "Start Restart Stop Reinstall",
		"RESTARTING": "", "installing": "", "STARTING": "", "STOPPING": "", "SUSPENDED": "",
	} {
		r := must(t)(ask(t, newCommands(t, &world{list: account(server("a", "Shop", status))}), press("show/a")))
		b := buttons(r.Message)
		var enabled []string
		for _, label := range []string{"Start", "Restart", "Stop", "Reinstall"} {
			if button, shown := b[label]; shown && !button.Disabled {
				enabled = append(enabled, label)
			}
		}
		if got := strings.Join(enabled, " "); got != offered || b["Refresh"].Disabled {
			t.Errorf("%q offers %q, want %q", status, got, offered)
		}
	}
}

func TestAnUnknownStatusIsShownAsItCame(t *testing.T) {
	r := must(t)(ask(t, newCommands(t, &world{list: account(server("a", "Shop", "Hiber*nating"))}), press("show/a")))
	wantText(t, r.Message, `Hiber\*nating`)
}
