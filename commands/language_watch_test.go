package commands_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/actionlock"
	"hostbot/bot/alerts"
	"hostbot/bot/draft"
	"hostbot/bot/history"
	"hostbot/bot/interaction"
	"hostbot/bot/panel"
	"hostbot/bot/rest"
	"hostbot/commands"
	"hostbot/commands/chart"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// watched is what is known of a customer whose bots are watched.
type watched struct {
	settings alerts.Settings
	states   []history.Span
	panels   []panel.Panel
	err      error // of the next change or question
	posted   bool
	first    interaction.Message // by which alerts are turned on
}

func (w *watched) Offered() bool { return true }

func (w *watched) Settings(context.Context, string) (alerts.Settings, error) { return w.settings, nil }

func (w *watched) TurnOn(_ context.Context, _, _ string, first interaction.Message, change func(*alerts.Settings)) (alerts.Settings, error) {
	w.first = first
	change(&w.settings)
	return w.settings, w.err
}

func (w *watched) TurnOff(_ context.Context, _ string, change func(*alerts.Settings)) (alerts.Settings, error) {
	change(&w.settings)
	return w.settings, w.err
}

func (w *watched) Mute(context.Context, string, string, time.Time) error { return w.err }

// ownPanels and ownHistory answer the same questions by other names.
type (
	ownPanels  struct{ *watched }
	ownHistory struct{ *watched }
)

func (h ownHistory) Of(context.Context, string, string, time.Time) ([]history.Span, error) {
	return h.states, h.err
}

func (p ownPanels) Of(context.Context, string) ([]panel.Panel, error) { return p.panels, nil }

func (p ownPanels) Create(context.Context, panel.Panel) (bool, error) { return p.posted, p.err }

func (p ownPanels) Remove(context.Context, string, string) (bool, error) { return true, p.err }

func (p ownPanels) Changed(context.Context, string) error { return nil }

// watching draws alerts, histories and panels.
func (d *drawn) watching(bots func(status string, n int) hostapi.List) {
	painter, err := chart.New()
	if err != nil {
		d.t.Fatal(err)
	}
	w := &world{list: bots("RUNNING", 30)}
	own := &watched{settings: alerts.Settings{All: true, Muted: map[string]time.Time{"id-0": time.Now().Add(time.Hour)}}}
	c := commands.New(w, w, actionlock.New(nil), mustTexts(d.t), commands.Staff{}, commands.Links{}, commands.Forms{Drafts: draft.New(nil)}, commands.Watch{
		Alerts: own, Expect: func(context.Context, string, string, string) {}, History: ownHistory{own}, Panels: ownPanels{own}, Painter: painter,
		Known: func(context.Context, string) (accounts.Snapshot, error) {
			return accounts.Snapshot{List: w.list, FetchedAt: time.Now().Add(-time.Hour)}, nil
		},
		Pace: func() time.Duration { return time.Minute },
	})
	d.alerts(c, own)
	d.history(c, w, own)
	d.panels(c, w, own)
}

func (d *drawn) alerts(c *commands.Commands, own *watched) {
	for _, r := range []interaction.Request{
		command("alerts", nil), press("alerts/of/id-0"), press("alerts/set/one/off/id-0"), press("alerts/set/one/on/id-0"), press("alerts/set/all/on"),
		press("alerts/set/all/off"), press(interaction.Aside + "mute/id-0"), press("more/id-0"), press("help"),
	} {
		d.ask(c, r)
	}
	d.see(interaction.Reply(own.first))
	own.err = alerts.ErrClosed
	d.ask(c, press("alerts/set/all/on"))
	own.err, own.settings = nil, alerts.Settings{Closed: time.Unix(1, 0)}
	d.ask(c, command("alerts", nil))
	off := newCommands(d.t, &world{list: shopWithPlan(512, 1)})
	d.ask(off, press("alerts/set/all/on"))
	d.ask(off, press("panel/new"))
	fell := alerts.Alert{CustomerID: "42", Locale: d.locale, ServerID: "id-0", Name: long("W"), First: time.Unix(1, 0), Fell: time.Unix(2, 0), Ran: math.MaxInt64, Count: 12_345}
	for _, state := range []hostapi.State{hostapi.StateCrashed, hostapi.StateStopped} {
		for _, back := range []time.Time{{}, time.Now()} {
			for _, longer := range []bool{false, true} {
				fell.State, fell.Back, fell.Longer = state, back, longer
				d.see(interaction.Reply(c.Alert(fell)))
			}
		}
	}
}

func (d *drawn) history(c *commands.Commands, w *world, own *watched) {
	now := time.Now()
	requests := []interaction.Request{onBot("bot history", "id-0"), command("bot history", nil)}
	shows := func(states ...history.Span) {
		own.states = states
		for _, r := range requests {
			d.ask(c, r)
		}
	}
	crashed := history.Span{From: now.Add(-72 * time.Hour), To: now.Add(-60 * time.Hour), State: hostapi.StateCrashed}
	running := history.Span{From: crashed.To, To: now, State: hostapi.StateRunning}
	shows()
	shows(running)
	shows(crashed, running)
	shows(history.Span{From: crashed.From, To: now, State: hostapi.StateCrashed})
	own.err = errors.New("redis is away")
	shows()
	own.err = nil
	_ = w
}

func (d *drawn) panels(c *commands.Commands, w *world, own *watched) {
	manages := func(r interaction.Request) interaction.Request {
		r.GuildID, r.ChannelID, r.Permissions, r.AppPermissions = "8", "9", discordgo.PermissionManageMessages, discordgo.PermissionAdministrator
		return r
	}
	list := command("panel", nil)
	d.ask(c, manages(list))
	d.ask(c, list)
	forbidden, mute := manages(list), manages(list)
	list.GuildID = "" // a direct message
	d.ask(c, list)
	forbidden.Permissions, mute.AppPermissions = 0, 0
	d.ask(c, forbidden)
	d.ask(c, mute)
	p := panel.Panel{ID: "5", OwnerID: "42", ChannelID: "9", Bots: []string{"id-0", "id-1", "id-2"}, Locale: d.locale}
	for i := range panel.MostPanels {
		p.ID = fmt.Sprint(i)
		p.Trouble, p.TroubleCode = []string{"", "refused", "refused", "refused"}[i%4], []int{0, rest.CodeMissingAccess, rest.CodeArchivedThread, 50035}[i%4]
		own.panels = append(own.panels, p)
	}
	d.ask(c, manages(list))
	post := manages(press("panel/new", "id-0", "id-1"))
	for _, own.posted = range []bool{false, true} {
		d.ask(c, post)
	}
	for _, own.err = range []error{panel.ErrTooMany, errors.New("redis is away"), &rest.Error{Status: 403, Code: rest.CodeMissingPermissions}} {
		d.ask(c, post)
	}
	own.err = nil
	d.ask(c, manages(press("panel/remove", "1")))
	d.ask(c, press(interaction.Aside+"panel/43/id-0"))
	running := history.Span{From: time.Unix(1, 0), To: time.Now(), State: hostapi.StateRunning}
	for _, states := range [][]history.Span{{running}, {{From: time.Unix(0, 0), To: time.Unix(1, 0), State: hostapi.StateStopped}, running}} {
		own.states = states
		drawn, err := c.DrawPanel(d.t.Context(), p)
		if err != nil {
			d.t.Error(err)
		}
		d.see(interaction.Reply(drawn))
	}
	w.list = hostapi.List{}
	empty, err := c.DrawPanel(d.t.Context(), p)
	if err != nil {
		d.t.Error(err)
	}
	d.see(interaction.Reply(empty))
}
