package commands_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/panel"
	"hostbot/commands"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// drawPanel draws a panel.
func drawPanel(t *testing.T, c *commands.Commands, p panel.Panel) interaction.Message {
	t.Helper()
	m, err := c.DrawPanel(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestPanelShowsNothingElse(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"), server("b", "Radio", "CRASHED"), server("c", "Wiki", "RUNNING"))}}
	h.spans = past(time.Hour, hostapi.StateCrashed, time.Hour, hostapi.StateRunning)
	c := watching(t, h)
	p := panel.Panel{ID: "1", OwnerID: "42", Bots: []string{"a", "b", "gone"}, Locale: "de"}
	m := drawPanel(t, c, p)
	wantText(t, m, "Status der Bots", "🟢 **Shop** · Läuft · seit <t:", "🔴 **Radio** · Abgestürzt", "**1 von 2 ausgefallen**")
	got := text(m)
	if strings.Contains(got, "Wiki") || strings.Contains(got, "MB") || strings.Contains(got, "Abgestürzt · ") {
		t.Errorf("the panel says:\n%s", got)
	}
	if strings.Index(got, "Radio") > strings.Index(got, "Shop") {
		t.Errorf("the bot with a problem is not the first:\n%s", got)
	}

	h.spans = past(2*time.Hour, history.Unwatched, time.Hour, hostapi.StateRunning)
	wantText(t, drawPanel(t, c, p), "🟢 **Shop** · Läuft\n", "\n-# Überwacht seit <t:")
	h.age = time.Hour
	wantText(t, drawPanel(t, c, p), "⚪ **Shop**", "Der Hosting-Dienst antwortet nicht")
	h.unwatched = true
	wantText(t, drawPanel(t, c, p), "⚪ **Shop**", "wegen eines Problems bei uns")
	h.age, h.unwatched = 0, false
	p.Bots = []string{"gone"}
	wantText(t, drawPanel(t, c, p), "gibt es nicht mehr")
	h.w.list.Account.ServerCount++ // the list does not tell of one
	if got := text(drawPanel(t, c, p)); !strings.Contains(got, "⚠️ 1 ") || strings.Contains(got, "gibt es nicht mehr") {
		t.Errorf("the panel of a bot that is not told of says:\n%s", got)
	}
	p.Bots = []string{"a", "b"}
	wantText(t, drawPanel(t, c, p), "🟢 **Shop**")
	h.w.list, h.w.err = hostapi.List{}, &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpList} // the account was closed
	closed := drawPanel(t, c, p)
	wantText(t, closed, "gibt es nicht mehr")
	if got := text(closed); strings.Contains(got, "Shop") || strings.Contains(got, "Radio") {
		t.Errorf("the panel shows what is not the owner's any more:\n%s", got)
	}
	h.w.err = errors.New("redis is away")
	if _, err := c.DrawPanel(t.Context(), p); err == nil {
		t.Error("a panel is drawn of what is not known")
	}
}

// TestPanelThatIsOld has the hosting service not answer. What is known stays, in grey.
func TestPanelThatIsOld(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"), server("b", "Radio", "CRASHED"))}, age: 6 * time.Minute}
	h.spans = past(time.Hour, hostapi.StateCrashed, time.Hour, hostapi.StateRunning)
	c := watching(t, h)
	p := panel.Panel{ID: "1", OwnerID: "42", Bots: []string{"a", "b"}}
	m := drawPanel(t, c, p)
	wantText(t, m, "⚠️ Last updated <t:", "isn't responding", "⚪ **Shop** · Running · since <t:", "⚪ **Radio** · Crashed")
	if e := m.Embeds[0]; e.Color != 0x80848e || e.Timestamp != "" || strings.ContainsAny(e.Description, "🟢🔴") {
		t.Errorf("the panel is drawn as new: %+v", e)
	}
	if again := drawPanel(t, c, p); again.Embeds[0].Footer.Text != "I check every 60\u00a0s." {
		t.Errorf("the foot says %q", again.Embeds[0].Footer.Text)
	}
	// This process has begun just now: the service may not have been asked.
	p.Edited = time.Now().Add(-time.Hour).UnixMilli()
	if _, err := c.DrawPanel(t.Context(), p); err == nil {
		t.Error("the service is said not to answer that nobody has asked")
	}
	h.w.list, h.w.err = hostapi.List{}, accounts.ErrUnknown // too old to be shown
	unknown := drawPanel(t, c, p)
	wantText(t, unknown, "The hosting service can't be reached right now")
	if got := text(unknown); strings.Contains(got, "Shop") || strings.Contains(got, "Radio") {
		t.Errorf("bots are shown of which nothing is known:\n%s", got)
	}
	p.Edited, h.lost, h.w.err = 0, true, errors.New("the service is away")
	if _, err := c.DrawPanel(t.Context(), p); err == nil {
		t.Error("a new panel is drawn of what nobody has asked for")
	}
	h.w.list, h.w.err = account(server("a", "Shop", "RUNNING")), nil
	wantText(t, drawPanel(t, c, p), "**Shop** · Running")
}

// TestPanelSumsUp has some of three bots run.
func TestPanelSumsUp(t *testing.T) {
	for want, statuses := range map[string][]string{
		"🟢 **All 3 running**":   {"RUNNING", "RUNNING", "RUNNING"},
		"🔴 **2 of 3 are down**": {"RUNNING", "CRASHED", "SUSPENDED"},
		"**1 of 3 running**":    {"STOPPED", "STARTING", "RUNNING"},
	} {
		var bots []hostapi.Server
		var ids []string
		for i, status := range statuses {
			id := string(rune('a' + i))
			bots, ids = append(bots, server(id, "Bot "+id, status)), append(ids, id)
		}
		c := watching(t, &watched{w: &world{list: account(bots...)}})
		wantText(t, drawPanel(t, c, panel.Panel{ID: "1", OwnerID: "42", Bots: ids}), want+"\n\n")
		if one := text(drawPanel(t, c, panel.Panel{ID: "1", OwnerID: "42", Bots: ids[:1]})); strings.Contains(one, " of 1") {
			t.Errorf("one bot is summed up:\n%s", one)
		}
	}
}

// TestPanelShowsThirtyDays has a bot crash for an hour, and for a moment, on some of them.
func TestPanelShowsThirtyDays(t *testing.T) {
	midnight := time.Now().UTC().Truncate(24 * time.Hour)
	at := func(days int, after time.Duration) time.Time { return midnight.AddDate(0, 0, -days).Add(after) }
	changes := []history.Entry{
		{At: at(29, 0), State: history.Unwatched}, {At: at(28, 0), State: hostapi.StateRunning},
		{At: at(20, time.Hour), State: hostapi.StateCrashed}, {At: at(20, 3*time.Hour), State: hostapi.StateRunning},
		{At: at(10, time.Hour), State: hostapi.StateCrashed}, {At: at(10, 61*time.Minute), State: hostapi.StateRunning},
		{At: at(5, 0), State: hostapi.StateStopped}, {At: at(3, 0), State: hostapi.StateRunning},
	}
	var spans []history.Span
	for i, change := range changes {
		to := time.Now()
		if i+1 < len(changes) {
			to = changes[i+1].At
		}
		spans = append(spans, history.Span{From: change.At, To: to, State: change.State})
	}
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}, spans: spans}
	want := "\n-# ⬜🟩🟩🟩🟩🟩🟩🟩🟩🟥🟩🟩🟩🟩🟩\n-# 🟩🟩🟩🟩🟨🟩🟩🟩🟩⬜⬜🟩🟩🟩🟩\n"
	if time.Since(midnight) < time.Second {
		t.Skip("the day has just begun")
	}
	wantText(t, drawPanel(t, watching(t, h), panel.Panel{ID: "1", OwnerID: "42", Bots: []string{"a"}}), want)
}

// TestPanelButtons has the owner press Manage, and somebody else.
func TestPanelButtons(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"), server("b", "Radio", "STOPPED"), server("c", "Wiki", "RUNNING"))}}
	h.panels = []panel.Panel{{ID: "7", OwnerID: "42", ChannelID: "9", Bots: []string{"a", "b"}}}
	c := watching(t, h)
	buttons := componentsOf[discordgo.Button](drawPanel(t, c, h.panels[0]))
	if len(buttons) != 2 || buttons[0].Label != "Follow" || buttons[1].Label != "Manage" {
		t.Fatalf("the buttons are %+v", buttons)
	}
	pressed := press(buttons[1].CustomID)
	pressed.ID, pressed.Message = "1002", "1002"
	managed := answer(t, c, pressed).Message
	wantText(t, managed, "<#9>", `1\. Shop`, `2\. Radio`)
	ending := func(r interaction.Request, want ...string) {
		t.Helper()
		wantText(t, ending(t, c, r).Message, append(want, "Saved")...)
	}
	ending(press("panel/bots/7", "c", "b"), `1\. Radio`, `2\. Wiki`)
	ending(press("panel/top/7", "c"), `1\. Wiki`, `2\. Radio`)
	form := answer(t, c, press("panel/title/7")).Modal
	ending(submit(form.CustomID, map[string]string{form.Fields[0].Input.CustomID: "Ours"}))
	wantText(t, drawPanel(t, c, h.panels[0]), "Ours")

	refused(t, c, press("panel/open", "8"), "I've stopped updating this panel")
	pressed.UserID = "43"
	refused(t, c, pressed, "Only the person who posted this panel can manage it")
}
