package commands_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/panel"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// watching draws the history of bots, and panels.
func (d *drawn) watching(bots func(status string, n int) hostapi.List) {
	d.ask(newCommands(d.t, &world{list: bots("RUNNING", 1)}), press("history/id-0"))
	with := func(change func(h *watched), requests ...interaction.Request) {
		for _, r := range requests {
			h := &watched{w: &world{list: bots("RUNNING", 2)}}
			change(h)
			d.ask(watching(d.t, h), r)
		}
	}
	var crashes []any
	for range 400 {
		crashes = append(crashes, time.Hour, hostapi.StateRunning, time.Hour, hostapi.StateCrashed)
	}
	with(func(*watched) {}, press("more/id-0"), press("history/id-0"), command("bot history", nil), command("help", nil))
	for _, spans := range [][]history.Span{
		past(crashes...), past(20*aDay, history.Unwatched, aDay, hostapi.StateCrashed, 20*time.Hour, hostapi.StateStopped, aDay, hostapi.StateRunning), past(30*aDay, hostapi.StateRunning),
		past(20*aDay, hostapi.StateRunning, 10*time.Minute, hostapi.StateCrashed, aDay, hostapi.StateRunning), past(aDay, hostapi.StateInstalling, aDay, hostapi.StateRunning),
	} {
		with(func(h *watched) { h.spans = spans }, press("history/id-0"))
	}
	crashed, changed := past(crashes...), map[string]accounts.Note{"id-0": {StartupAt: time.Now()}}
	with(func(h *watched) { h.w.list, h.w.notes, h.spans = bots("CRASHED", 1), changed, crashed }, press("show/id-0"), press("alerts/tell/id-0"))
	starting := past(aDay, hostapi.StateStopped, time.Hour, hostapi.StateStarting)
	with(func(h *watched) { h.w.list, h.spans = bots("STARTING", 1), starting }, press("show/id-0"))
	with(func(h *watched) {
		h.w.list, h.spans, h.w.off = bots("STARTING", 1), starting, map[hostapi.Operation]bool{hostapi.OpStop: true}
	}, press("show/id-0"))
	with(func(h *watched) { h.err = errors.New("away") }, press("history/id-0"), here(command("panel", nil)))

	post := here(press("panel/new", "id-0"))
	with(func(*watched) {}, here(command("panel", nil)), post, press("aside/panel/43/id-0"))
	with(func(h *watched) { h.slow = true }, post)
	with(func(h *watched) { h.refusal = panel.ErrTooMany }, post)
	with(func(h *watched) {
		h.refusal = &rest.Error{Status: 200, Code: rest.CodeMissingPermissions, NoEmbeds: true}
	}, post)
	for _, code := range []int{rest.CodeMissingAccess, rest.CodeArchivedThread, 1} {
		with(func(h *watched) { h.refusal = &rest.Error{Status: 403, Code: code} }, post)
	}
	guildless, member, muzzled := here(command("panel", nil)), here(command("panel", nil)), here(command("panel", nil))
	guildless.GuildID, member.Permissions, muzzled.AppPermissions = "", 0, discordgo.PermissionViewChannel
	away := here(command("panel", nil))
	away.BotAbsent, away.ApplicationID = true, "3"
	with(func(*watched) {}, guildless, member, muzzled, away)
	full := func(h *watched) {
		for i := range panel.MostPanels {
			h.panels = append(h.panels, panel.Panel{ID: fmt.Sprint(i), ChannelID: "9", Bots: []string{"id-0", "id-1"}, Trouble: "x"})
		}
	}
	with(full, here(command("panel", nil)), here(press("panel/remove", "1")))
	with(func(h *watched) { h.stays = []string{"9"} }, here(press("panel/remove", "1")))

	for _, spans := range [][]history.Span{past(aDay, hostapi.StateCrashed, aDay, hostapi.StateRunning), past(aDay, history.Unwatched, aDay, hostapi.StateRunning)} {
		for _, ids := range [][]string{{"id-0", "id-1"}, {"gone"}} {
			h := &watched{w: &world{list: bots("RUNNING", panel.MostBots)}, spans: spans}
			m, err := watching(d.t, h).DrawPanel(d.t.Context(), panel.Panel{OwnerID: "42", Bots: ids, Locale: d.locale})
			if err != nil {
				d.t.Fatal(err)
			}
			d.see(interaction.Reply(m))
			d.see(interaction.Reply(watching(d.t, h).BarePanel(panel.Panel{Locale: d.locale})))
		}
	}
}

// described returns what is said of files.
func described(files []interaction.File) (texts []string) {
	for _, f := range files {
		texts = append(texts, f.Description)
	}
	return texts
}
