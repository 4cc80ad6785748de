package commands_test

import (
	"context"
	"testing"

	"hostbot/bot/interaction"
	"hostbot/bot/staff/health"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/watch/panel"
	"hostbot/commands"
)

// TestNothingIsChangedBeforeDiscordHasTakenNote asks for what changes something that is kept.
func TestNothingIsChangedBeforeDiscordHasTakenNote(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}, panels: []panel.Panel{{ID: "1001"}}}
	forgotten, tested, before := false, false, 0 // so many panels
	h.w.staff = commands.Staff{
		Kept: func(context.Context, string) (commands.Kept, error) { return commands.Kept{}, nil },
		Forget: func(context.Context, string, func(string) interaction.Message) (commands.Forgotten, error) {
			forgotten = true
			return commands.Forgotten{Removal: panel.Removal{Known: true}}, nil
		},
		TestLogs: func(*interaction.Request) { tested = true },
		Health: func(context.Context) health.Report {
			return health.Report{Leader: "eu-1", Log: []logchannel.Status{{Channel: "9"}}}
		},
	}
	c := watching(t, h)
	for name, test := range map[string]struct {
		request interaction.Request
		changed func() bool
	}{
		"mute":           {press("aside/mute/a"), func() bool { return h.alerts.Muted != nil }},
		"post a panel":   {posting(t, c, "", "a"), func() bool { return len(h.panels) > before }},
		"remove a panel": {press("panel/remove/now/1001"), func() bool { return len(h.panels) < before }},
		"forget":         {by("1", press("for/42/admin/forget")), func() bool { return forgotten }},
		"test the logs":  {by("1", command("admin logs test", nil)), func() bool { return tested }},
	} {
		before = len(h.panels)
		asked := answer(t, c, test.request)
		if asked.Then == nil || test.changed() {
			t.Errorf("%s: it is done at once", name)
			continue
		}
		if must(t)(asked.Then.Run(t.Context())); !test.changed() {
			t.Errorf("%s: it is not done", name)
		}
	}
}
