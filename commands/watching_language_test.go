package commands_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/announce"
	"hostbot/bot/watch/following"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/outages"
	"hostbot/bot/watch/panel"
	"hostbot/bot/watch/schedule"
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
	for _, action := range []string{"start", "restart"} { // crashed an hour after it, or nobody saw when
		acted := map[string]accounts.Note{"id-0": {Action: action, At: time.Now().Add(-2 * time.Hour)}}
		with(func(h *watched) { h.w.list, h.w.notes, h.spans = bots("CRASHED", 1), acted, crashed }, press("show/id-0"))
		with(func(h *watched) { h.w.list, h.w.notes = bots("CRASHED", 1), acted }, press("show/id-0"))
	}
	for _, is := range []map[string]alerts.AutoRestart{{}, {"id-0": {}}, {"id-0": {Notify: true, Pending: time.Minute}}, {"id-0": {StaysDown: true}}} {
		with(func(h *watched) { h.w.list, h.spans, h.autoRestarts = bots("CRASHED", 25), crashed, maps.Clone(is) }, press("show/id-0"), command("alerts", nil),
			press("alerts/of/id-0"), press("autorestart/on/id-0"), press("alerts/autorestart/notify/id-0"), press("alerts/autorestart", "off/id-0"))
	}
	for _, s := range []schedule.Schedule{{Hours: 1}, {Hours: schedule.MostHours}, {At: 1439, Zone: "America/Argentina/Buenos_Aires"}} {
		with(func(h *watched) { h.schedules = map[string]schedule.Schedule{"id-0": s} }, press("more/id-0"), press("schedule/id-0"),
			submit("schedule/id-0", nil), submit("schedule/id-0", map[string]string{"hours": "5"}), submit("schedule/id-0", map[string]string{"hours": "x"}))
	}
	with(func(h *watched) { h.schedules, h.unscheduled = map[string]schedule.Schedule{}, schedule.ErrTooMany }, submit("schedule/id-0", map[string]string{"hours": "5"}))
	with(func(h *watched) { h.err = errors.New("away") }, press("schedule/id-0"))
	starting := past(aDay, hostapi.StateStopped, time.Hour, hostapi.StateStarting)
	with(func(h *watched) { h.w.list, h.spans = bots("STARTING", 1), starting }, press("show/id-0"))
	with(func(h *watched) {
		h.w.list, h.spans, h.w.off = bots("STARTING", 1), starting, map[hostapi.Operation]bool{hostapi.OpStop: true}
	}, press("show/id-0"))
	with(func(h *watched) { h.err = errors.New("away") }, press("history/id-0"), here(command("panel", nil)))

	post := here(submit("panel/new", map[string]string{"name": "Our bots"}))
	with(func(*watched) {}, here(command("panel", nil)), post, press("aside/panel/43/manage/1"), press("panel/open", "1"))
	posting := func(change func(h *watched)) {
		h := &watched{w: &world{list: bots("RUNNING", 2)}}
		change(h)
		c := watching(d.t, h)
		d.ask(c, here(press("panel/new", "id-0")))
		d.ask(c, here(press("panel/new/form")))
		d.ask(c, post)
	}
	posting(func(*watched) {})
	posting(func(h *watched) { h.slow = true })
	posting(func(h *watched) { h.refusal = panel.ErrTooMany })
	posting(func(h *watched) {
		h.refusal = &rest.Error{Status: 200, Code: rest.CodeMissingPermissions, NoEmbeds: true}
	})
	for _, code := range []int{rest.CodeMissingAccess, rest.CodeArchivedThread, 1} {
		posting(func(h *watched) { h.refusal = &rest.Error{Status: 403, Code: code} })
	}
	guildless, member, muzzled := here(command("panel", nil)), here(command("panel", nil)), here(command("panel", nil))
	guildless.GuildID, member.Permissions, muzzled.AppPermissions = "", 0, discordgo.PermissionViewChannel
	threaded := here(command("panel", nil))
	threaded.AppPermissions, threaded.InThread = discordgo.PermissionViewChannel|discordgo.PermissionSendMessages, true
	away := here(command("panel", nil))
	away.BotAbsent, away.ApplicationID = true, "3"
	with(func(*watched) {}, guildless, member, muzzled, threaded, away)
	full := func(h *watched) { // as much as there may be, with the longest IDs
		h.w.list = bots("RUNNING", panel.MostBots)
		for i := range h.w.list.Servers[2:] {
			h.w.list.Servers[2+i].ID += strings.Repeat("x", 59)
		}
		codes := []int{rest.CodeMissingAccess, rest.CodeLockedThread, 1}
		for i := range panel.MostPanels {
			p := panel.Panel{ID: fmt.Sprint(i), OwnerID: "42", ChannelID: "9", Title: titled, Guild: titled, Trouble: "x", TroubleCode: codes[i%len(codes)]}
			for _, s := range h.w.list.Servers {
				p.Bots = append(p.Bots, s.ID)
			}
			h.panels = append(h.panels, p)
		}
	}
	nearly := func(h *watched) { full(h); h.panels = h.panels[1:] }
	everything := func(h *watched) {
		full(h)
		h.alerts.Muted = make(map[string]time.Time)
		for _, s := range h.w.list.Servers {
			h.alerts.Set(s.ID, true)
			h.alerts.Muted[s.ID] = time.Now().Add(time.Hour)
		}
		h.followed = slices.Repeat(h.panels[:1], following.MostPanels)
		for i := range h.followed {
			h.followed[i].ID = fmt.Sprint(math.MaxUint64 - uint64(i))
		}
	}
	with(func(h *watched) { // with as many options as three menus may have
		full(h)
		h.w.list.Servers = h.w.list.Servers[:16]
	}, press("panel/open", "1"))
	with(everything, command("alerts", nil), press("alerts", "off/id-1"))
	with(nearly, here(command("panel", nil)), here(press("panel/new", "id-0", "id-1")), here(press("panel/new/form")))
	with(full, here(command("panel", nil)), here(press("panel/remove/now/1")), here(press("panel/new/all")), press("aside/panel/42/manage/1"), press("panel/open", "1"), press("panel/title/1"),
		submit("panel/title/1", map[string]string{"name": "Ours"}), press("panel/bots/1", "id-1"), press("panel/top/1", "id-1"))
	with(func(h *watched) { h.stays = []string{"9"} }, here(press("panel/remove/now/1")))
	with(func(h *watched) { full(h); h.followers = 99_999 }, press("panel/remove/1"))
	with(func(h *watched) { full(h); h.panels[1].All = true }, press("panel/open", "1"), press("panel/every/1"))
	said := func(h *watched) {
		full(h)
		h.said = &alerts.Channel{RoleID: strings.Repeat("9", 20), Trouble: 1}
	}
	role := here(press("panel/role/1", "55"))
	permitted := role
	permitted.Permissions |= discordgo.PermissionMentionEveryone
	with(full, press("panel/say/1"))
	with(said, press("panel/open", "1"), here(press("panel/say/1")), here(press("panel/hush/1")), press("panel/say/1"), role, permitted)
	d.panels(bots)
	d.following(with)
	d.notices(with)
}

// notices draws what the company says, and the form for that.
func (d *drawn) notices(with func(change func(h *watched), requests ...interaction.Request)) {
	form := func(id, from, until string) interaction.Request {
		return by("1", submit("admin/notice/form/"+id, map[string]string{"text": long(wide), "from": from, "until": until}))
	}
	with(func(*watched) {}, by("1", command("admin notice", nil)), form("1", "now", "+2h"), form("1", "now", "+0h"), form("1", long("*"), ""), by("1", press("admin/notice")))
	full := func(h *watched) {
		for i := range 10 {
			h.notices = append(h.notices, outages.Notice{ID: fmt.Sprint(math.MaxUint64 - uint64(i)), Text: long("*"), From: time.Unix(1, 0), Until: time.Now().Add(time.Hour), Maintenance: true, Announce: true})
		}
		h.notices[0].Prefix = long("`")
	}
	with(full, by("1", command("admin notice", nil)), by("1", press("admin/notice", fmt.Sprint(uint64(math.MaxUint64)))), form("1", "now", ""), by("1", press("admin/notice/end/"+fmt.Sprint(uint64(math.MaxUint64)))), command("bot list", nil))
	with(func(h *watched) { h.err = errors.New("away") }, form("1", "now", ""))
	h := &watched{w: &world{}}
	h.w.support.Brand = long("B")
	for i := range 8 {
		m := announce.Message{Locale: d.locale, Notice: outages.Notice{Text: long("*"), Until: time.Unix(1, 0), Maintenance: i%2 == 0}, Over: i/2%2 == 0}
		m.Bots = slices.Repeat([]announce.Bot{{ID: "a", Name: long(wide)}}, 100)
		if i < 4 {
			m.PanelID = fmt.Sprint(uint64(math.MaxUint64))
		}
		d.see(interaction.Reply(watching(d.t, h).Announcement(m)))
	}
}

// following draws what those see who follow panels.
func (d *drawn) following(with func(change func(h *watched), requests ...interaction.Request)) {
	follow := press("aside/panel/43/follow/1")
	one := func(h *watched) {
		h.panels = []panel.Panel{{ID: "1", OwnerID: "43", ChannelID: "9", Title: titled}}
	}
	with(func(*watched) {}, follow)
	with(one, follow)
	with(func(h *watched) { one(h); h.followed = h.panels }, follow, press("aside/unfollow/1"), command("alerts", nil), press("alerts/unfollow", "1"))
	inGuild := follow
	inGuild.GuildID = "7"
	for _, refusal := range []error{notify.ErrClosed, notify.ErrLater, notify.ErrBudget, following.ErrFull, following.ErrTooMany, errors.New("away")} {
		with(func(h *watched) { h.unfollowable = refusal }, follow, inGuild)
	}
	h := &watched{w: &world{}}
	bot := following.Bot{ID: "a", Name: long(wide), State: hostapi.StateCrashed, At: time.Unix(1, 0)}
	p := panel.Panel{ID: "1", GuildID: "7", ChannelID: "9", Title: titled, Guild: titled}
	p.Message.ID = "8"
	for _, bots := range [][]following.Bot{{bot}, slices.Repeat([]following.Bot{bot}, panel.MostBots)} {
		d.see(interaction.Reply(watching(d.t, h).FollowerNews(following.News{Locale: d.locale, Panel: p, Down: bots})))
		d.see(interaction.Reply(watching(d.t, h).FollowerNews(following.News{Locale: d.locale, Panel: p, Back: bots})))
	}
	one(h)
	c := watching(d.t, h)
	d.ask(c, follow)
	d.see(interaction.Reply(interaction.Message{Content: h.recipient.Greeting}))
}

// panels draws public panels of one bot to as many as there may be, that fare well, badly and not
// at all, or are of a while ago.
func (d *drawn) panels(bots func(status string, n int) hostapi.List) {

	all := []string{"gone"}
	for i := range panel.MostBots {
		all = append(all, fmt.Sprint("id-", i))
	}
	for _, spans := range [][]history.Span{past(aDay, hostapi.StateCrashed, aDay, hostapi.StateRunning), past(aDay, history.Unwatched, aDay, hostapi.StateRunning)} {
		for _, ids := range [][]string{all[:1], all[1:2], all[1:6], all[1:]} {
			for status, age := range map[string]time.Duration{"RUNNING": 0, "CRASHED": 0, "STOPPED": 0, long(wide): 0, "": time.Hour} {
				h := &watched{w: &world{list: bots(status, panel.MostBots)}, spans: spans, age: age, unwatched: len(ids) == 5}
				if status == "RUNNING" {
					h.w.list.Servers[0].Status = "STOPPED"
					h.w.list.Account.ServerCount = 0 // so that a bot that is not listed is no more
				}
				if len(ids) == 5 {
					h.w.list.Servers[0].Status = "RUNNING"
				}
				m, err := watching(d.t, h).DrawPanel(d.t.Context(), panel.Panel{ID: "1", OwnerID: "42", Title: titled, Bots: ids, Locale: d.locale})
				if err != nil {
					d.t.Fatal(err)
				}
				d.see(interaction.Reply(m))
			}
		}
	}
	h := &watched{w: &world{list: bots("RUNNING", 1)}}
	m, err := watching(d.t, h).DrawPanel(d.t.Context(), panel.Panel{OwnerID: "42", Locale: d.locale})
	if err != nil {
		d.t.Fatal(err)
	}
	d.see(interaction.Reply(m))
	d.see(interaction.Reply(watching(d.t, h).BarePanel(panel.Panel{Locale: d.locale})))
}

// described returns what is said of files.
func described(files []interaction.File) (texts []string) {
	for _, f := range files {
		texts = append(texts, f.Description)
	}
	return texts
}
