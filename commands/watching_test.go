package commands_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/following"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/outages"
	"hostbot/bot/watch/panel"
	"hostbot/bot/watch/schedule"
	"hostbot/commands"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// watched is what is known of the bots of a world that is watched, and what is kept for
// its customer.
type watched struct {
	w       *world
	spans   []history.Span // of each bot
	err     error          // of all that asks Redis
	panels  []panel.Panel
	refusal error // Discord's, of a panel
	slow    bool  // Discord takes its time with a panel
	stays   []string
	retried int // how often panels were to be tried again
	age     time.Duration
	lost    bool // no account is cached any more

	outage  outages.Outage      // of many bots
	alerted map[string][]string // the bots of alerts
	notices []outages.Notice    // of the company

	said *alerts.Channel // what is posted beside each panel

	followed     []panel.Panel
	followers    int   // of each panel
	unfollowable error // why nothing can be followed

	autoRestarts map[string]alerts.AutoRestart // which bots are restarted automatically; nil: that is not offered

	schedules   map[string]schedule.Schedule
	unscheduled error // why nothing can be scheduled

	alerts    alerts.Settings
	zone      string
	closed    error            // why alerts cannot be turned on
	off       bool             // nothing is watched
	refused   time.Time        // since when Discord refuses messages
	unwatched bool             // the account is not, though alerts are on
	greets    notify.Reached   // how somebody new is reached
	recipient notify.Recipient // the latest for whom they were turned on
}

func (h *watched) Offered() bool { return !h.off }

func (h *watched) Settings(_ context.Context, customerID string) (alerts.Settings, error) {
	h.w.touch(customerID)
	return h.alerts, h.err
}

func (h *watched) TurnOn(ctx context.Context, to notify.Recipient, change func(*alerts.Settings)) (now alerts.Settings, reached notify.Reached, err error) {
	if h.closed != nil {
		return h.alerts, 0, h.closed
	}
	if !h.alerts.Any() && to.DM == "" {
		reached = h.greets
	}
	h.recipient = to
	now, err = h.TurnOff(ctx, to.UserID, change)
	return now, reached, err
}

func (h *watched) TurnOff(ctx context.Context, customerID string, change func(*alerts.Settings)) (alerts.Settings, error) {
	change(&h.alerts)
	return h.Settings(ctx, customerID)
}

func (h *watched) BotsOf(_ context.Context, customerID, alertID string) ([]string, error) {
	h.w.touch(customerID)
	return h.alerted[alertID], h.err
}

func (h *watched) Mute(_ context.Context, customerID, serverID string, until time.Time) error {
	h.w.touch(customerID)
	h.alerts.Muted = map[string]time.Time{serverID: until}
	return h.err
}

func (h *watched) SetTiming(ctx context.Context, customerID string, delay time.Duration, quiet alerts.QuietHours) (alerts.Settings, error) {
	h.alerts.Delay, h.alerts.Quiet = delay, quiet
	return h.Settings(ctx, customerID)
}

func (h *watched) Of(_ context.Context, customerID, _ string, _ time.Time) ([]history.Span, error) {
	h.w.touch(customerID)
	return h.spans, h.err
}

// Bots keeps the same of each bot.
func (h *watched) Bots(_ context.Context, customerID string, _ time.Time, serverIDs ...string) (map[string]history.Past, error) {
	h.w.touch(customerID)
	all := make(map[string]history.Past)
	for _, id := range serverIDs {
		if len(h.spans) > 0 {
			last := h.spans[len(h.spans)-1]
			atLeast := len(h.spans) > 1 && h.spans[len(h.spans)-2].State == history.Unwatched
			all[id] = history.Past{Spans: h.spans, Standing: history.Standing{State: last.State, Since: last.From, AtLeast: atLeast, Logged: last.State}}
		}
	}
	return all, h.err
}

func (h *watched) Notices() []outages.Notice {
	return slices.DeleteFunc(slices.Clone(h.notices), func(n outages.Notice) bool { return n.Over(time.Now()) })
}

func (h *watched) SaveNotice(_ context.Context, n outages.Notice) error {
	if h.err != nil {
		return h.err
	}
	h.notices = append(slices.DeleteFunc(h.notices, func(other outages.Notice) bool { return other.ID == n.ID }), n)
	return nil
}

// kept are the panels.
type kept struct{ *watched }

func (k kept) Create(_ context.Context, p panel.Panel) (bool, error) {
	k.w.touch(p.OwnerID)
	if k.refusal == nil {
		k.panels = append(k.panels, p)
	}
	return k.refusal == nil && !k.slow, k.refusal
}
func (k kept) Of(context.Context, string) ([]panel.Panel, error) { return k.panels, k.err }
func (k kept) Change(_ context.Context, user, id string, change func(*panel.Panel)) (*panel.Panel, error) {
	k.w.touch(user)
	i := slices.IndexFunc(k.panels, func(p panel.Panel) bool { return p.ID == id })
	if k.err != nil || i < 0 {
		return nil, k.err
	}
	change(&k.panels[i])
	return &k.panels[i], nil
}
func (k kept) Remove(_ context.Context, user, id string) (panel.Removal, error) {
	k.w.touch(user)
	before := len(k.panels)
	k.panels = slices.DeleteFunc(k.panels, func(p panel.Panel) bool { return p.ID == id })
	return panel.Removal{Known: len(k.panels) < before, Stays: k.stays}, k.err
}

// says is what is posted beside panels.
type says struct{ *watched }

func (s says) Of(context.Context, string) (*alerts.Channel, error) { return s.said, s.err }

func (s says) Begin(_ context.Context, p panel.Panel, change func(*alerts.Channel)) (*alerts.Channel, error) {
	s.w.touch(p.OwnerID)
	if s.said == nil {
		s.said = &alerts.Channel{OwnerID: p.OwnerID}
	}
	change(s.said)
	return s.said, s.err
}

func (s says) End(context.Context, string) error {
	s.said = nil
	return s.err
}

// follows are the panels that somebody follows.
type follows struct{ *watched }

func (f follows) Follow(_ context.Context, _, panelID string, to notify.Recipient) (bool, error) {
	f.w.touch(to.UserID)
	i := slices.IndexFunc(f.panels, func(p panel.Panel) bool { return p.ID == panelID })
	known := slices.ContainsFunc(f.followed, func(p panel.Panel) bool { return p.ID == panelID })
	if f.unfollowable != nil || known {
		return false, f.unfollowable
	}
	if i < 0 {
		return false, following.ErrNoPanel
	}
	f.followed, f.recipient = append(f.followed, f.panels[i]), to
	return true, nil
}

func (f follows) Unfollow(_ context.Context, user, panelID string) error {
	f.w.touch(user)
	f.followed = slices.DeleteFunc(f.followed, func(p panel.Panel) bool { return p.ID == panelID })
	return f.unfollowable
}
func (f follows) Of(context.Context, string) ([]panel.Panel, error) {
	return f.followed, f.unfollowable
}

func (f follows) Followers(context.Context, string) (int, error) { return f.watched.followers, f.err }

func (k kept) Retry(context.Context, string) error {
	k.retried++
	return nil
}

// restarts are the bots that are restarted automatically.
type restarts struct{ *watched }

func (r restarts) Of(_ context.Context, customerID string) (map[string]alerts.AutoRestart, error) {
	r.w.touch(customerID)
	return r.autoRestarts, r.err
}

func (r restarts) TurnOn(_ context.Context, customerID, serverID string, notify bool) error {
	r.w.touch(customerID)
	r.autoRestarts[serverID] = alerts.AutoRestart{Notify: notify}
	return r.err
}

func (r restarts) TurnOff(_ context.Context, customerID, serverID string) error {
	r.w.touch(customerID)
	delete(r.autoRestarts, serverID)
	return r.err
}

// schedules are when bots are restarted by the clock.
type schedules struct{ *watched }

func (s schedules) Get(_ context.Context, customerID, serverID string) (*schedule.Schedule, error) {
	s.w.touch(customerID)
	found, ok := s.schedules[serverID]
	if !ok {
		return nil, s.err
	}
	return &found, s.err
}

func (s schedules) Set(_ context.Context, customerID string, wanted schedule.Schedule) error {
	s.w.touch(customerID)
	wanted.Next = time.Now().Add(time.Hour)
	s.schedules[wanted.ServerID] = wanted
	return errors.Join(s.unscheduled, s.err)
}

func (s schedules) Remove(_ context.Context, customerID, serverID string) error {
	s.w.touch(customerID)
	delete(s.schedules, serverID)
	return s.err
}

// watching returns commands for a world that is watched.
func watching(t *testing.T, h *watched) *commands.Commands {
	t.Helper()
	h.w.watch = commands.Watch{
		Alerts: h, History: h, Panels: kept{h}, Channels: says{h}, Following: follows{h}, Interval: func() time.Duration { return time.Minute },
		Outage: func() outages.Outage { return h.outage }, Notices: h,
		Refused:   func(context.Context, string) (time.Time, error) { return h.refused, nil },
		Unwatched: func(context.Context, string) bool { return h.unwatched },
		Zone:      func(context.Context, string) (string, error) { return h.zone, h.err },
		KeepZone:  func(_ context.Context, _, zone string) error { h.zone = cmp.Or(zone, h.zone); return h.err },
		Schedules: schedules{h},
		Known: func(context.Context, string) (accounts.Snapshot, error) {
			if h.lost {
				return accounts.Snapshot{}, accounts.ErrUnknown
			}
			return accounts.Snapshot{List: h.w.list, FetchedAt: time.Now().Add(-h.age), Notes: h.w.notes}, h.w.err
		},
	}
	h.w.watch.Restarts, h.w.watch.AutoRestart = restarts{h}, h.autoRestarts != nil
	return newCommands(t, h.w)
}

// past returns spans that follow each other, each given by its length and state, and end
// now.
func past(parts ...any) []history.Span {
	at := time.Now()
	var spans []history.Span
	for i := len(parts) - 2; i >= 0; i -= 2 {
		from := at.Add(-parts[i].(time.Duration))
		spans = append(spans, history.Span{From: from, To: at, State: parts[i+1].(hostapi.State)})
		at = from
	}
	slices.Reverse(spans)
	return spans
}

// TestNamesAreEscapedWhereDiscordRendersThem has a name with Markdown read alike in a title, in a
// line and in a menu, which shows characters as they are.
func TestNamesAreEscapedWhereDiscordRendersThem(t *testing.T) {
	h := &watched{
		w:      &world{list: account(server("a", "Quiz *night*", "RUNNING"))},
		spans:  past(aDay, hostapi.StateRunning),
		panels: []panel.Panel{{ID: "1001", ChannelID: "9", Bots: []string{"a"}}},
	}
	c := watching(t, h)
	if title := answer(t, c, press("history/a")).Message.Embeds[0].Title; title != `Quiz \*night\*: history` {
		t.Errorf("the title is %q", title)
	}
	shown := answer(t, c, here(command("panel", nil))).Message
	wantText(t, shown, `<#9> · Quiz \*night\*`)
	if option := menus(shown)["Manage a panel"].Options[0]; option.Description != "Quiz *night*" {
		t.Errorf("the option says %q", option.Description)
	}
}

// TestListsSayThatTheyAreCut has more bots than a menu takes.
func TestListsSayThatTheyAreCut(t *testing.T) {
	const said = "This menu shows only your first 25 bots"
	for n, want := range map[int]bool{25: false, 26: true} {
		var bots []hostapi.Server
		for i := range n {
			bots = append(bots, server(fmt.Sprint(i), fmt.Sprint("Bot ", i), "RUNNING"))
		}
		c := watching(t, &watched{w: &world{list: account(bots...)}})
		for _, r := range []interaction.Request{command("alerts", nil), here(command("panel", nil))} {
			if shown := text(answer(t, c, r).Message); strings.Contains(shown, said) != want {
				t.Errorf("with %d bots /%s says\n%s", n, r.Name, shown)
			}
		}
	}
}
