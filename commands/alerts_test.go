package commands_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/outages"
	"hostbot/bot/watch/panel"
	"hostbot/commands"
	"hostbot/hostapi"
)

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
		before, pressed := on(), answer(t, c, step.press)
		if pressed.Form != interaction.FormDefer || on() != before {
			t.Errorf("%s %s: alerts are on for %q before Discord has taken note", step.press.Name, step.press.Values, on())
		}
		for range 2 {
			shown := must(t)(pressed.Then.Run(t.Context())).Message
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
	for _, outdated := range []interaction.Request{
		press("alerts/set/one/on/z"), press("alerts/set/one/maybe/a"), press("alerts/set/all/maybe"), // z is another's
		press("alerts", "a"), press("alerts", "maybe/a"), press("alerts", "on/z"), press("alerts"),
	} {
		refused(t, c, outdated, "out of date")
	}
	h.alerts, h.unwatched = alerts.Settings{All: true}, true
	wantText(t, answer(t, c, command("alerts", nil)).Message, "can't be checked right now", "🔔 Shop")
	h.alerts.Muted = map[string]time.Time{"b": time.Now().Add(time.Hour)}
	wantText(t, answer(t, c, command("alerts", nil)).Message, "🔔 Shop", "🔕 Radio · alerts muted, back <t:")
	h.refused = time.Unix(1, 0)
	wantText(t, answer(t, c, command("alerts", nil)).Message, "I couldn't send you a direct message <t:1:R>", "🔔 Shop")
	h.refused = time.Time{}
	h.alerts = alerts.Settings{Closed: time.Unix(1, 0)}
	wantText(t, answer(t, c, command("alerts", nil)).Message, "because your direct messages are closed", "🔕 Shop")
	h.off = true
	refused(t, c, press("alerts/set/all/on"), "Alerts aren't available here")
	if len(h.w.others) > 0 || h.alerts.Any() {
		t.Errorf("touched are %q", h.w.others)
	}
}

// TestAlertsThatCannotBeTurnedOnSayWhy has alerts be turned on from each place.
func TestAlertsThatCannotBeTurnedOnSayWhy(t *testing.T) {
	blocked := fmt.Errorf("%w: %w", notify.ErrClosed, &rest.Error{Status: 403, Code: rest.CodeCannotMessageUser})
	noWay := fmt.Errorf("%w: %w", notify.ErrClosed, &rest.Error{Status: 403, Code: rest.CodeNoWayToUser})
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
		{elsewhere, blocked, alone}, {elsewhere, noWay, alone}, {inGuild, notify.ErrLater, "Try again in a few minutes"},
	} {
		h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}, closed: test.err}
		wantText(t, ending(t, watching(t, h), test.from).Message, test.want, "🔕 Shop")
		if t.Failed() {
			t.Fatalf("of case %d", i)
		}
	}
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}}
	wantText(t, ending(t, watching(t, h), inDM).Message, "You'll get them as direct messages")
	if h.recipient.DM != "9" {
		t.Errorf("alerts go to the channel %q", h.recipient.DM)
	}
	wantText(t, ending(t, watching(t, &watched{w: h.w, greets: notify.Greeted}), inGuild).Message, "I've just sent you a direct message")
	wantText(t, ending(t, watching(t, &watched{w: h.w, greets: notify.OnItsWay}), inGuild).Message, "Alerts are on. A direct message is on its way")
}

// TestDelayAndQuietHours fills the form in wrongly, finds it as it was filled in, and has what is right kept.
func TestDelayAndQuietHours(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}, alerts: alerts.Settings{All: true}}
	c := watching(t, h)
	if button := buttons(answer(t, c, command("alerts", nil)).Message)["Delay and quiet hours"]; button.Disabled || button.CustomID != "alerts/quiet" {
		t.Errorf("the button is %+v", button)
	}
	values := func(r interaction.Request) (typed []string) {
		for _, f := range answer(t, c, r).Modal.Fields {
			typed = append(typed, f.Input.Value)
		}
		return typed
	}
	want := func(got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("the form has %q, want %q", got, want)
		}
	}
	want(values(inLanguage("pt-BR", press("alerts/quiet"))), "0", "", "", "America/Sao Paulo")
	want(values(inLanguage("en-US", press("alerts/quiet"))), "0", "", "", "")
	filled := func(minutes, from, until, zone string) interaction.Request {
		return submit("alerts/quiet", map[string]string{"minutes": minutes, "from": from, "until": until, "zone": zone})
	}
	for _, test := range []struct {
		filled interaction.Request
		why    string
	}{
		{filled("61", "", "", ""), "from 0 to 60"}, {filled("-1", "", "", ""), "from 0 to 60"}, {filled("five", "", "", ""), "from 0 to 60"},
		{filled("", "23:00", "", "Berlin"), "two different times"}, {filled("", "7:00", "7 am", "Berlin"), "two different times"},
		{filled("", "25:00", "7:00", "Berlin"), "two different times"}, {filled("", "23:00", "7:00", ""), "don't know that time zone"},
		{filled("5", "", "", "Nowhere"), "don't know that time zone"},
	} {
		m := explained(t, c, test.filled)
		wantText(t, m, test.why, "still in the form")
		f := test.filled.Fields
		want(values(press(buttons(m)["Back to the form"].CustomID)), f["minutes"], f["from"], f["until"], f["zone"])
	}
	if h.alerts.Delay != 0 || h.alerts.Quiet.On() {
		t.Errorf("what was entered wrongly is kept: %+v", h.alerts)
	}
	wantText(t, ending(t, c, filled(" 5 ", "11:30 pm", "24:00", "new york")).Message,
		"Saved", "down for 5 min", "Quiet from 23:30 to 00:00 (America/New York)", "🔔 Shop")
	if q := h.alerts.Quiet; q.From != 23*60+30 || q.To != 0 || q.Zone != "America/New_York" {
		t.Errorf("the quiet hours are %+v", q)
	}
	h.zone = h.alerts.Quiet.Zone
	want(values(press("alerts/quiet")), "5", "23:30", "00:00", "America/New York")
	ending(t, c, filled("", "", "", ""))
	want(values(press("alerts/quiet")), "0", "", "", "America/New York")
	h.w.err = errors.New("the service is away")
	wantText(t, ending(t, c, filled("1", "", "", "")).Message, "Saved")
	h.alerts = alerts.Settings{}
	wantText(t, ending(t, c, filled("1", "", "", "")).Message, "Alerts are off")
}

// TestAlertsNeedRedis has Redis, which alone has alerts, fail.
func TestAlertsNeedRedis(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}, err: errors.New("redis is away")}
	c := watching(t, h)
	const cannot = "Alerts can't be changed right now"
	refused(t, c, command("alerts", nil), cannot)
	refused(t, c, press("alerts/quiet"), cannot)
	for _, r := range []interaction.Request{press("alerts/set/all/on"), press("alerts/set/all/off"), press("aside/mute/a"), submit("alerts/quiet", nil)} {
		pressed := answer(t, c, r)
		if _, err := pressed.Then.Run(t.Context()); err == nil {
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
		press("alerts/quiet"), submit("alerts/quiet", map[string]string{"minutes": "60", "from": "23:00", "until": "7", "zone": "buenos aires"}),
		submit("alerts/quiet", map[string]string{"minutes": "x"}), submit("alerts/quiet", map[string]string{"from": "x"}), submit("alerts/quiet", map[string]string{"zone": "x"}),
		press("aside/mute/id-1"), press("alerts/of/id-1"), press("aside/show/id-1"), press("more/id-1"), press("alerts/set/all/off"),
	} {
		d.ask(c, r)
	}
	d.see(interaction.Reply(interaction.Message{Content: h.recipient.Greeting}))
	for _, h.greets = range []notify.Reached{notify.Greeted, notify.OnItsWay} {
		h.alerts = alerts.Settings{}
		d.ask(c, press("alerts/set/all/on"))
	}
	h.alerts, h.unwatched = alerts.Settings{All: true}, true
	d.ask(c, command("alerts", nil))
	h.alerts = alerts.Settings{}
	for _, h.closed = range []error{notify.ErrClosed, notify.ErrLater} {
		for _, inGuild := range []bool{false, true} {
			pressed := press("alerts/set/all/on")
			pressed.GuildID, pressed.BotAbsent = "7", !inGuild
			d.ask(c, pressed)
		}
	}
	h.refused = time.Unix(1, 0)
	d.ask(c, command("alerts", nil))
	h.refused = time.Time{}
	h.alerts = alerts.Settings{Closed: time.Unix(1, 0)}
	d.ask(c, command("alerts", nil))
	h.outage, h.alerted = outages.Outage{Bots: 99_999, First: time.Unix(1, 0), Last: time.Now()}, map[string][]string{"x": {"gone"}}
	for _, r := range []interaction.Request{command("bot list", nil), press("show/id-0"), press("aside/restartcrashed/of/x")} {
		d.ask(c, r)
	}
	d.alert(c, alerts.Alert{CustomerID: "42", Locale: d.locale, First: time.Now(), Bots: []alerts.Outage{{Name: long(wide), DownAt: time.Now()}}})
	h.outage, h.err = outages.Outage{}, errors.New("redis is away")
	d.ask(c, command("alerts", nil))
	h.off = true
	d.ask(c, command("alerts", nil))
	at := time.Unix(1_700_000_000, 0)
	for _, state := range []hostapi.State{hostapi.StateStopped, hostapi.StateCrashed} {
		for _, longer := range []bool{false, true} {
			one := alerts.Outage{ServerID: "id-0", Name: long(wide), State: state, DownAt: at, Count: 1, Uptime: 400 * time.Hour, AtLeast: longer}
			again, keeps, elsewhere := one, one, one
			soon, mended, stays := one, one, one
			soon.Pending, mended.Restarts, stays.StaysDown, stays.Restarts = time.Second, 1+len(d.locale)%2, true, 3
			again.Count, keeps.Count, keeps.Quiet, elsewhere.Elsewhere = 1+len(d.locale), 3, true, true
			for _, bots := range [][]alerts.Outage{
				{one}, {again}, {keeps}, {one, one}, {one, elsewhere}, {keeps, keeps}, {soon}, {mended}, {stays}, {mended, stays}, slices.Repeat([]alerts.Outage{again}, 300),
			} {
				d.alert(c, alerts.Alert{CustomerID: "42", Locale: d.locale, First: at, Bots: bots})
			}
		}
	}
}

// alert draws an alert, and what becomes of it once all its bots are back.
func (d *drawn) alert(c *commands.Commands, alert alerts.Alert) {
	for i := range alert.Bots {
		alert.Bots[i].ServerID = fmt.Sprint("id-", i)
	}
	p := panel.Panel{ID: "1", GuildID: "7", ChannelID: "9", Title: titled, Locale: d.locale}
	p.Message.ID = "8"
	said := alerts.Channel{RoleID: strings.Repeat("9", 20)}
	d.see(interaction.Reply(c.Alert(alert)))
	if len(alert.Bots) < 3 { // more are no other texts
		d.see(interaction.Reply(c.ChannelAlert(alert, p, said)))
	}
	for i := range alert.Bots {
		alert.Bots[i].RecoveredAt = alert.First.Add(time.Hour)
	}
	d.see(interaction.Reply(c.Alert(alert)))
}
