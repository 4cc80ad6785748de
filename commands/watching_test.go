package commands_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/panel"
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
	age     time.Duration

	alerts    alerts.Settings
	closed    error            // why alerts cannot be turned on
	off       bool             // nothing is watched
	recipient alerts.Recipient // the latest for whom they were turned on
}

func (h *watched) Offered() bool { return !h.off }

func (h *watched) Settings(_ context.Context, customerID string) (alerts.Settings, error) {
	h.w.touch(customerID)
	return h.alerts, h.err
}

func (h *watched) TurnOn(ctx context.Context, to alerts.Recipient, change func(*alerts.Settings)) (now alerts.Settings, sent bool, err error) {
	if h.closed != nil {
		return h.alerts, false, h.closed
	}
	sent = !h.alerts.Any() && to.DM == ""
	h.recipient = to
	now, err = h.TurnOff(ctx, to.CustomerID, change)
	return now, sent, err
}

func (h *watched) TurnOff(ctx context.Context, customerID string, change func(*alerts.Settings)) (alerts.Settings, error) {
	change(&h.alerts)
	return h.Settings(ctx, customerID)
}

func (h *watched) Mute(_ context.Context, customerID, serverID string, until time.Time) error {
	h.w.touch(customerID)
	h.alerts.Muted = map[string]time.Time{serverID: until}
	return h.err
}

func (h *watched) Of(_ context.Context, customerID, _ string, _ time.Time) ([]history.Span, error) {
	h.w.touch(customerID)
	return h.spans, h.err
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
func (k kept) Remove(_ context.Context, user, id string) (panel.Removal, error) {
	k.w.touch(user)
	before := len(k.panels)
	k.panels = slices.DeleteFunc(k.panels, func(p panel.Panel) bool { return p.ID == id })
	return panel.Removal{Known: len(k.panels) < before, Stays: k.stays}, k.err
}
func (kept) Retry(context.Context, string) error { return nil }

// watching returns commands for a world that is watched.
func watching(t *testing.T, h *watched) *commands.Commands {
	t.Helper()
	h.w.watch = commands.Watch{
		Alerts: h, History: h, Panels: kept{h}, Interval: func() time.Duration { return time.Minute },
		Known: func(context.Context, string) (accounts.Snapshot, error) {
			return accounts.Snapshot{List: h.w.list, FetchedAt: time.Now().Add(-h.age)}, h.w.err
		},
	}
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

const aDay = 24 * time.Hour

func TestHistorySaysWhatIsKnown(t *testing.T) {
	var restless []any
	for range 20 {
		restless = append(restless, aDay, hostapi.StateRunning, time.Hour, hostapi.StateCrashed)
	}
	for name, test := range map[string]struct {
		spans []history.Span
		want  []string
	}{
		"always up": {past(30*aDay, hostapi.StateRunning), []string{"24 h: **100%** · 7 days: **100%** · 30 days: **100%**", "No outages in the last 30 days"}},
		"a crash that became an error is one outage": {
			past(29*aDay, hostapi.StateRunning, 6*time.Hour, hostapi.StateCrashed, 6*time.Hour, hostapi.StateError, 12*time.Hour, hostapi.StateRunning),
			[]string{"24 h: **50%** · 7 days: **92.8%** · 30 days: **98.3%**", "1 outage in 30 days", " · 12 h"},
		},
		"an outage with a gap that nobody saw is one": {
			past(29*aDay, hostapi.StateRunning, 6*time.Hour, hostapi.StateCrashed, 2*time.Hour, history.Unwatched, 4*time.Hour, hostapi.StateCrashed, 12*time.Hour, hostapi.StateRunning),
			[]string{"24 h: **50%**", "1 outage in 30 days", " · 12 h"},
		},
		"a moment is no whole": {past(30*aDay-time.Second, hostapi.StateRunning, time.Second, hostapi.StateCrashed), []string{"30 days: **99.9%**", "ongoing"}},
		"what was not watched does not count": {
			past(25*aDay, history.Unwatched, 4*aDay, hostapi.StateRunning, 12*time.Hour, history.Unwatched, 12*time.Hour, hostapi.StateStopped),
			[]string{"24 h: **–** · 7 days: **100%** · 30 days: **100%**", "Stopped on request: 12 h", "Monitored since <t:", "No outage"},
		},
		"stopping is no outage": {
			past(20*aDay, hostapi.StateRunning, 150*time.Minute, hostapi.StateCrashed, 2*aDay+4*time.Hour, hostapi.StateStopped, 7*aDay, hostapi.StateRunning),
			[]string{"30 days: **99.6%**", "Stopped on request: 2 days 4 h", "1 outage in 30 days", " · 2 h 30 min"},
		},
		"the latest outages are listed": {past(restless...), []string{"20 outages in 30 days", "…"}},
		"nothing is known lately":       {past(28*aDay, hostapi.StateRunning, 2*aDay, history.Unwatched), []string{"24 h: **–** · 7 days: **100%**"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := watching(t, &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}, spans: test.spans})
			shown := answer(t, c, onBot("bot history", "Shop"))
			wantText(t, shown.Message, test.want...)
			if f := shown.Message.Files; len(f) != 1 || f[0].Type != "image/png" || shown.Message.Embeds[0].Image.URL != "attachment://"+f[0].Name {
				t.Errorf("files: %d", len(f))
			}
			if n := strings.Count(shown.Message.Embeds[0].Description, "🔴"); n > 5 {
				t.Errorf("%d outages are listed", n)
			}
			sendable(t, shown)
		})
	}
}

func TestHistoryOfWhatIsNotKnown(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}}
	c := watching(t, h)
	shown := answer(t, c, press("history/a"))
	wantText(t, shown.Message, "it isn't monitored")
	if _, there := buttons(shown.Message)["Alerts on for Shop"]; !there {
		t.Errorf("buttons: %v", buttons(shown.Message))
	}
	h.err = errors.New("redis is away")
	refused(t, c, press("history/a"), "can't be loaded right now")
	refused(t, c, press("history/b"), "no longer exists")
	if h.w.others != nil {
		t.Errorf("touched: %v", h.w.others)
	}
}

// here is a request of somebody who may manage messages, where the bot may write.
func here(r interaction.Request) interaction.Request {
	r.ID, r.GuildID, r.ChannelID, r.Permissions = "1001", "7", "9", discordgo.PermissionManageMessages
	r.AppPermissions = discordgo.PermissionViewChannel | discordgo.PermissionSendMessages | discordgo.PermissionEmbedLinks
	return r
}

func TestPanelIsMadeAndRemoved(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"), server("b", "Radio", "STOPPED"))}}
	c := watching(t, h)
	wantText(t, answer(t, c, here(command("panel", nil))).Message, "You don't have a public panel yet")
	made := ending(t, c, here(press("panel/new", "b", "a")))
	wantText(t, made.Message, "Panel posted", "<#9> · Shop · Radio")
	if p := h.panels[0]; p.ID != "1001" || p.OwnerID != "42" || p.ChannelID != "9" || !slices.Equal(p.Bots, []string{"a", "b"}) {
		t.Errorf("made: %+v", p)
	}
	h.panels[0].Trouble, h.panels[0].TroubleCode = "Missing Access", rest.CodeMissingAccess
	wantText(t, answer(t, c, here(command("panel", nil))).Message, "⚠️ I need **View Channel**")
	wantText(t, ending(t, c, here(press("panel/remove", "1001"))).Message, "The panel was removed", "a public panel yet")
	if again := ending(t, c, here(press("panel/remove", "1001"))).Message; strings.Contains(text(again), "was removed") {
		t.Errorf("a panel that nobody knows is told as: %s", text(again))
	}
	h.stays = []string{"9"}
	stays := ending(t, c, here(press("panel/remove", "1001"))).Message
	wantText(t, stays, "⚠️ The panel is no longer updated", "it stays in <#9>")
	if strings.Contains(text(stays), "was removed") {
		t.Errorf("a message that stays is told as: %s", text(stays))
	}

	refused(t, c, here(press("panel/new", "somebody else's")), "no longer exists")
	for _, h.refusal = range []error{&rest.Error{Status: 403, Code: rest.CodeMissingPermissions}, &rest.Error{Status: 200, Code: rest.CodeMissingPermissions, NoEmbeds: true}} {
		begun := answer(t, c, here(press("panel/new", "a")))
		_, err := begun.Then(t.Context())
		asked := here(press("panel/new", "a"))
		if m := c.Explain(&asked, err); m.Fault || !strings.Contains(text(m.Message), "I need **View Channel**") {
			t.Errorf("the refusal is told as: %s", text(m.Message))
		}
	}
}

// TestPanelThatWasRemovedIsToldOfThoughTheAccountIsNot has the account be closed meanwhile.
func TestPanelThatWasRemovedIsToldOfThoughTheAccountIsNot(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}, panels: []panel.Panel{{ID: "1001", ChannelID: "9"}}}
	c := watching(t, h)
	h.w.err = &hostapi.Error{Op: hostapi.OpList, Code: hostapi.CodeNotFound}
	wantText(t, ending(t, c, here(press("panel/remove", "1001"))).Message, "The panel was removed")
}

func TestPanelTakesPermissions(t *testing.T) {
	for want, change := range map[string]func(*interaction.Request){
		"only be posted in a server channel": func(r *interaction.Request) { r.GuildID = "" },
		"**Manage Messages**":                func(r *interaction.Request) { r.Permissions = discordgo.PermissionSendMessages },
		"**Embed Links**": func(r *interaction.Request) {
			r.AppPermissions = discordgo.PermissionViewChannel | discordgo.PermissionSendMessages
		},
		"**Send Messages**": func(r *interaction.Request) {
			r.AppPermissions = discordgo.PermissionViewChannel | discordgo.PermissionEmbedLinks
		},
	} {
		h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}}
		c := watching(t, h)
		list, post := here(command("panel", nil)), here(press("panel/new", "a"))
		change(&list)
		change(&post)
		shown := answer(t, c, list)
		wantText(t, shown.Message, want)
		if len(shown.Message.Components) != 0 {
			t.Errorf("%s: a panel is offered", want)
		}
		refused(t, c, post, want)
		if len(h.panels) != 0 {
			t.Errorf("%s: a panel was made", want)
		}
	}
}

// TestPanelWhereTheBotIsNot asks for a panel in a guild where the caller alone has installed
// the application. AppPermissions are those of the answer.
func TestPanelWhereTheBotIsNot(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}, panels: []panel.Panel{{ID: "1", ChannelID: "9"}}}
	c := watching(t, h)
	away := func(r interaction.Request) interaction.Request {
		r = here(r)
		r.BotAbsent, r.ApplicationID = true, "3"
		return r
	}
	const invite = "https://discord.com/oauth2/authorize?client_id=3&scope=bot+applications.commands&permissions=274877991936&guild_id=7"
	shown := answer(t, c, away(command("panel", nil))).Message
	wantText(t, shown, "I'm not in this server")
	if len(shown.Components) != 2 || !strings.Contains(links(shown), invite) { // beside the menu that removes one
		t.Errorf("the ways on are %s", links(shown))
	}
	refused(t, c, away(press("panel/new", "a")), "I'm not in this server")
	if len(h.panels) != 1 {
		t.Errorf("panels: %+v", h.panels)
	}
	wantText(t, ending(t, c, away(press("panel/remove", "1"))).Message, "The panel was removed", "I'm not in this server")
	readme, err := os.ReadFile("../README.md")
	if err != nil || !strings.Contains(string(readme), "permissions=274877991936") {
		t.Errorf("the README names other permissions, %v", err)
	}
}

// TestPanelWhereTheGuildHasNoBot asks for a panel in a guild that has installed the application
// with its commands alone. Nothing in the interaction says so; Discord lets the bot not see
// the channel.
func TestPanelWhereTheGuildHasNoBot(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}, refusal: &rest.Error{Status: 403, Code: rest.CodeMissingAccess}}
	post := here(press("panel/new", "a"))
	post.ApplicationID = "3"
	c := watching(t, h)
	_, err := answer(t, c, post).Then(t.Context())
	e := c.Explain(&post, err)
	wantText(t, e.Message, "I'm not in this server")
	if e.Fault || !strings.Contains(links(e.Message), "client_id=3") {
		t.Errorf("staff are told: %t; the ways on are %s", e.Fault, links(e.Message))
	}
}

func TestPanelShowsNothingElse(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"), server("b", "Radio", "CRASHED"), server("c", "Wiki", "RUNNING"))}}
	h.spans = past(time.Hour, hostapi.StateCrashed, time.Hour, hostapi.StateRunning)
	c := watching(t, h)
	p := panel.Panel{OwnerID: "42", Bots: []string{"a", "b", "gone"}, Locale: "de"}
	draw := func() interaction.Message {
		t.Helper()
		m, err := c.DrawPanel(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m := draw()
	wantText(t, m, "🟢 **Shop** · Läuft · seit <t:", "🔴 **Radio** · Abgestürzt")
	if got := text(m); strings.Contains(got, "Wiki") || strings.Contains(got, "512") || strings.Contains(got, "Abgestürzt · seit") {
		t.Errorf("the panel says:\n%s", got)
	}

	// Its buttons lead the owner to the card, and tell others so.
	row := m.Components[0].(discordgo.ActionsRow)
	pressed := press(row.Components[0].(discordgo.Button).CustomID)
	pressed.ID, pressed.Message = "1002", "1002"
	wantText(t, answer(t, c, pressed).Message, "Limits: 512 MB RAM")
	pressed.UserID = "43"
	refused(t, c, pressed, "Only the person who posted this panel can use these buttons")

	h.spans = past(2*time.Hour, history.Unwatched, time.Hour, hostapi.StateRunning)
	wantText(t, draw(), "🟢 **Shop** · Läuft · mindestens seit <t:")
	h.age = 6 * time.Minute
	wantText(t, draw(), "⚠️ Der Hosting-Dienst ist gerade nicht erreichbar.\nStand: <t:")
	p.Bots = []string{"gone"}
	wantText(t, draw(), "gibt es nicht mehr")
	h.w.err = errors.New("redis is away")
	if _, err := c.DrawPanel(t.Context(), p); err == nil {
		t.Error("a panel is drawn of what is not known")
	}
}

// TestAlertsOfOneBotAndOfAll makes each change twice, as of two processes that one press
// reaches: the second time changes nothing back.
func TestAlertsOfOneBotAndOfAll(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"), server("b", "Radio", "STOPPED"))}}
	c := watching(t, h)
	on := func() (bots string) {
		for _, id := range []string{"a", "b"} {
			if h.alerts.For(id) {
				bots += id
			}
		}
		return bots
	}
	for _, step := range []struct {
		press interaction.Request
		on    string // the bots with alerts
	}{
		{press("alerts/set/one/on/a"), "a"}, {press("alerts", "on/b"), "ab"}, {press("alerts", "off/a"), "b"},
		{press("alerts/set/all/on"), "ab"}, {press("alerts/set/one/off/b"), "a"}, {press("alerts/set/all/off"), ""},
	} {
		step.press.ID = "77"
		before, pressed := on(), answer(t, c, step.press)
		if pressed.Form != interaction.FormDefer || on() != before {
			t.Errorf("%s %s: alerts are on for %q before Discord has taken note", step.press.Name, step.press.Values, on())
		}
		for range 2 {
			shown := must(t)(pressed.Then(t.Context())).Message
			if on() != step.on {
				t.Errorf("after %s %s alerts are on for %q, want %q", step.press.Name, step.press.Values, on(), step.on)
			}
			if said := text(shown); strings.Contains(said, "Alerts are off") != (step.on == "") {
				t.Errorf("while alerts are on for %q the customer reads\n%s", step.on, said)
			}
			for i, option := range menus(shown)["Turn a bot's alerts on or off"].Options {
				word, id, _ := strings.Cut(option.Value, "/")
				if id != []string{"a", "b"}[i] || (word == "off") != strings.Contains(step.on, id) {
					t.Errorf("while alerts are on for %q the menu has %q", step.on, option.Value)
				}
			}
		}
	}
	if h.recipient.Nonce != "77" {
		t.Errorf("the nonce of the first message is %q", h.recipient.Nonce)
	}
	for _, outdated := range []interaction.Request{
		press("alerts/set/one/on/z"), press("alerts/set/one/maybe/a"), press("alerts/set/all/maybe"), // z is another's
		press("alerts", "a"), press("alerts", "maybe/a"), press("alerts", "on/z"), press("alerts"),
	} {
		refused(t, c, outdated, "out of date")
	}
	h.off = true
	refused(t, c, press("alerts/set/all/on"), "Alerts aren't available here")
	if len(h.w.others) > 0 || h.alerts.Any() {
		t.Errorf("touched are %q", h.w.others)
	}
}

// TestAlertsThatCannotBeTurnedOnSayWhy has alerts be turned on from each place.
func TestAlertsThatCannotBeTurnedOnSayWhy(t *testing.T) {
	blocked := fmt.Errorf("%w: %w", alerts.ErrClosed, &rest.Error{Status: 403, Code: rest.CodeCannotMessageUser})
	noWay := fmt.Errorf("%w: %w", alerts.ErrClosed, &rest.Error{Status: 403, Code: rest.CodeNoWayToUser})
	inGuild, inDM, elsewhere := press("alerts/set/all/on"), press("alerts/set/all/on"), press("alerts/set/all/on")
	inGuild.GuildID = "7"
	inDM.InBotDM, inDM.ChannelID = true, "9"
	elsewhere.GuildID, elsewhere.BotAbsent = "7", true
	const closed, alone = "Open the menu of a server that we share", "people who share a server with me"
	for i, test := range []struct {
		from interaction.Request
		err  error
		want string
	}{
		{inGuild, blocked, closed}, {inGuild, noWay, closed}, {inDM, blocked, closed}, {inDM, noWay, alone},
		{elsewhere, blocked, alone}, {elsewhere, noWay, alone}, {inGuild, alerts.ErrLater, "Try again in a few minutes"},
	} {
		h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}, closed: test.err}
		wantText(t, ending(t, watching(t, h), test.from).Message, test.want, "🔕 Shop")
		if t.Failed() {
			t.Fatalf("of case %d", i)
		}
	}
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}}
	wantText(t, ending(t, watching(t, h), inDM).Message, "They come to you as direct messages")
	if h.recipient.DM != "9" {
		t.Errorf("alerts go to the channel %q", h.recipient.DM)
	}
	wantText(t, ending(t, watching(t, &watched{w: h.w}), inGuild).Message, "I've just sent you a direct message")
}

// TestAlertsNeedRedis has Redis, which alone has alerts, fail.
func TestAlertsNeedRedis(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}, err: errors.New("redis is away")}
	c := watching(t, h)
	const cannot = "Alerts can't be changed right now"
	refused(t, c, command("alerts", nil), cannot)
	for _, r := range []interaction.Request{press("alerts/set/all/on"), press("alerts/set/all/off"), press("aside/mute/a")} {
		pressed := answer(t, c, r)
		if _, err := pressed.Then(t.Context()); err == nil {
			t.Errorf("%s goes well", r.Name)
		} else if e := c.Explain(&r, err); e.Fault || !strings.Contains(e.Message.Embeds[0].Description, cannot) {
			t.Errorf("%s ends with %+v", r.Name, e.Message.Embeds[0])
		}
	}
}

func TestAlertsAreOfferedToCustomersAlone(t *testing.T) {
	c := watching(t, &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}})
	if _, ok := buttons(answer(t, c, press("more/a")).Message)["Alerts"]; !ok {
		t.Error("a card offers no alerts")
	}
	for _, button := range buttons(answer(t, c, by("1", press("for/42/details/a"))).Message) {
		if strings.Contains(button.CustomID, "alerts") {
			t.Error("staff can change alerts")
		}
	}
}

// alerts draws what customers and staff read of alerts.
func (d *drawn) alerts(bots func(status string, n int) hostapi.List) {
	h := &watched{w: &world{list: bots("CRASHED", 30)}}
	c := watching(d.t, h)
	for _, r := range []interaction.Request{
		command("alerts", nil), press("alerts/of/id-0"), press("alerts/set/one/on/id-0"), press("alerts/set/all/on"), press("alerts/set/one/off/id-0"),
		press("aside/mute/id-1"), press("alerts/of/id-1"), press("aside/show/id-1"), press("more/id-1"), press("alerts/set/all/off"),
	} {
		d.ask(c, r)
	}
	d.see(interaction.Reply(h.recipient.First))
	for _, h.closed = range []error{alerts.ErrClosed, alerts.ErrLater} {
		for _, inGuild := range []bool{false, true} {
			pressed := press("alerts/set/all/on")
			pressed.GuildID, pressed.BotAbsent = "7", !inGuild
			d.ask(c, pressed)
		}
	}
	h.alerts = alerts.Settings{Closed: time.Unix(1, 0)}
	d.ask(c, command("alerts", nil))
	h.err = errors.New("redis is away")
	d.ask(c, command("alerts", nil))
	h.off = true
	d.ask(c, command("alerts", nil))
	at := time.Unix(1_700_000_000, 0)
	for _, state := range []hostapi.State{hostapi.StateStopped, hostapi.StateCrashed} {
		for _, longer := range []bool{false, true} {
			one := alerts.Outage{ServerID: "id-0", Name: long("W"), State: state, DownAt: at, Count: 1 + len(d.locale), Uptime: 400 * time.Hour, AtLeast: longer}
			for _, bots := range []int{1, 2, 300} {
				alert := alerts.Alert{CustomerID: "42", Locale: d.locale, First: at, Bots: slices.Repeat([]alerts.Outage{one}, bots)}
				for i := range alert.Bots {
					alert.Bots[i].ServerID = fmt.Sprint("id-", i)
				}
				d.see(interaction.Reply(c.Alert(alert)))
				for i := range alert.Bots {
					alert.Bots[i].RecoveredAt = at.Add(time.Hour)
				}
				d.see(interaction.Reply(c.Alert(alert)))
			}
		}
	}
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
	if option := menus(shown)["Remove a panel"].Options[0]; option.Description != "Quiz *night*" {
		t.Errorf("the option says %q", option.Description)
	}
}

// TestListsSayThatTheyAreCut has more bots than a menu takes.
func TestListsSayThatTheyAreCut(t *testing.T) {
	const said = "Only your first 25 bots are shown"
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
