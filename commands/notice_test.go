package commands_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/announce"
	"hostbot/bot/watch/outages"
	"hostbot/bot/watch/panel"
	"hostbot/hostapi"
)

// TestNoticeIsALineWhereItsBotsAre, neutralised, in its time and nowhere else.
func TestNoticeIsALineWhereItsBotsAre(t *testing.T) {
	hour := time.Now().Add(time.Hour)
	for name, test := range map[string]struct {
		notice outages.Notice
		says   string // "" for nothing
	}{
		"all bots":       {outages.Notice{Text: "We replace a switch", Until: hour}, "📢 We replace a switch · until <t:"},
		"by ID":          {outages.Notice{Text: "Node 7", Prefix: "A7-"}, "📢 Node 7"},
		"by name":        {outages.Notice{Text: "Shops", Prefix: "shop"}, "📢 Shops"},
		"of others":      {outages.Notice{Text: "Node 8", Prefix: "a8"}, ""},
		"later":          {outages.Notice{Text: "Soon", From: hour}, ""},
		"over":           {outages.Notice{Text: "Over", Until: time.Now()}, ""},
		"maintenance":    {outages.Notice{Text: "Disks", Maintenance: true}, "🛠️ Disks\n-# No alerts are sent during this time."},
		"is neutralised": {outages.Notice{Text: "@everyone **see** https://evil.example <@42>\n# Now"}, `📢 \@everyone \*\*see\*\* https\://evil.example \<\@42> # Now`},
	} {
		t.Run(name, func(t *testing.T) {
			h := &watched{w: &world{list: account(server("a7-1", "Shop", "CRASHED"), server("b", "Radio", "RUNNING"))}, notices: []outages.Notice{test.notice}}
			c := watching(t, h)
			alert := alerts.Alert{CustomerID: "42", First: time.Now(), Bots: []alerts.Outage{{ServerID: "a7-1", Name: "Shop", State: hostapi.StateCrashed, DownAt: time.Now(), Count: 1}}}
			views := map[string]interaction.Message{
				"card": answer(t, c, press("show/a7-1")).Message, "list": answer(t, c, command("bot list", nil)).Message,
				"panel": drawPanel(t, c, panel.Panel{ID: "1", OwnerID: "42", Bots: []string{"a7-1", "b"}}), "alert": c.Alert(alert),
				"staff's card": answer(t, c, by("1", press("for/42/show/a7-1"))).Message,
			}
			for view, m := range views {
				sendable(t, interaction.Reply(m))
				if said := strings.Contains(text(m), "📢") || strings.Contains(text(m), "🛠️"); said != (test.says != "") || !strings.Contains(text(m), test.says) {
					t.Errorf("the %s says\n%s", view, text(m))
				}
			}
			if other := answer(t, c, press("show/b")).Message; strings.Contains(text(other), test.notice.Text) != (test.notice.Prefix == "" && name == "all bots" || name == "maintenance") && name != "is neutralised" {
				t.Errorf("the card of another bot says\n%s", text(other))
			}
			alert.Bots[0].RecoveredAt = time.Now()
			if m := c.Alert(alert); strings.Contains(text(m), test.notice.Text) {
				t.Errorf("the alert of a bot that is back says\n%s", text(m))
			}
		})
	}
}

// noticeForm is what staff typed.
func noticeForm(id string, fields map[string]string) interaction.Request {
	return by("1", submit("admin/notice/form/"+id, fields))
}

// TestStaffMakeChangeAndEndANotice, of which the log channel tells with its text.
func TestStaffMakeChangeAndEndANotice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &watched{w: &world{}}
		c, now := watching(t, h), time.Now().UTC()
		list := by("1", command("admin notice", nil))
		opened := answer(t, c, list)
		form := inputs(t, opened)
		if form["from"].Value != "now" || form["until"].Value != "" || opened.Audit == nil {
			t.Errorf("without a notice there is %+v", opened)
		}
		id := strings.TrimPrefix(opened.Modal.CustomID, "admin/notice/form/")
		typed := map[string]string{"text": "We replace\na switch", "from": "now", "until": "+2h", "prefix": " eu- ", "kind": "maintenance,announce"}
		for range 2 { // the second time as the first answer was lost
			end := ending(t, c, noticeForm(id, typed))
			wantText(t, end.Message, "Saved", "🛠️ We replace a switch", "begins with `eu-`", "until <t:")
			if end.Audit == nil || end.Audit.Detail != "We replace a switch" {
				t.Errorf("audit %+v", end.Audit)
			}
		}
		want := outages.Notice{ID: id, Text: "We replace a switch", From: now, Until: now.Add(2 * time.Hour), Prefix: "eu-", Maintenance: true, Announce: true}
		if len(h.notices) != 1 || h.notices[0] != want {
			t.Errorf("kept are %+v", h.notices)
		}
		shown := answer(t, c, list).Message
		wantText(t, shown, "begins with `eu-` · Announced by direct message")
		edit := inputs(t, answer(t, c, by("1", press(buttons(shown)["Edit notice"].CustomID))))
		if edit["text"].Value != want.Text || edit["until"].Value != want.Until.Format("2006-01-02 15:04") || edit["prefix"].Value != "eu-" || !edit["kind"].Options[0].Default || !edit["kind"].Options[1].Default {
			t.Errorf("it is edited as %+v", edit)
		}
		ending(t, c, noticeForm(id, map[string]string{"text": "Later", "from": "now", "kind": ""}))
		if n := h.notices[0]; len(h.notices) != 1 || n.Text != "Later" || !n.Until.IsZero() || n.Maintenance || n.Announce {
			t.Errorf("kept are %+v", h.notices)
		}
		again := by("1", press(buttons(shown)["New notice"].CustomID))
		again.ID = "901"
		other := strings.TrimPrefix(answer(t, c, again).Modal.CustomID, "admin/notice/form/")
		ending(t, c, noticeForm(other, map[string]string{"text": "Another", "from": "now"}))
		two := answer(t, c, list).Message
		if len(h.notices) != 2 || len(menus(two)["Choose a notice to change"].Options) != 2 {
			t.Fatalf("kept are %+v", h.notices)
		}
		chosen := answer(t, c, by("1", press("admin/notice", other))).Message
		end := by("1", press(buttons(chosen)["End now"].CustomID))
		ended := ending(t, c, end)
		if wantText(t, ended.Message, "Notice ended", "Later"); strings.Contains(text(ended.Message), "Another") || ended.Audit.Detail != "Another" {
			t.Errorf("after the end: %s", text(ended.Message))
		}
		wantText(t, answer(t, c, end).Message, "Notice ended", "Later") // a second press ends nothing
		refused(t, c, by("2", list), "staff only")
	})
}

// TestNoticeTakesTimesAsStaffTypeThem, at half past six in the evening.
func TestNoticeTakesTimesAsStaffTypeThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(18*time.Hour + 30*time.Minute + 20*time.Second)
		h := &watched{w: &world{}}
		c, today := watching(t, h), time.Now().UTC().Truncate(24*time.Hour)
		for _, test := range []struct {
			from, until string
			want        [2]time.Duration // after midnight; 0 for no end
			says        string           // in place of that
		}{
			{from: "19:00", until: "+90m", want: [2]time.Duration{19 * time.Hour, 20*time.Hour + 30*time.Minute}},
			{from: "18:30", want: [2]time.Duration{18*time.Hour + 30*time.Minute, 0}},
			{from: "22:00", until: "2:30", want: [2]time.Duration{22 * time.Hour, 26*time.Hour + 30*time.Minute}},
			{from: "06:00", until: "07:00", want: [2]time.Duration{30 * time.Hour, 31 * time.Hour}},
			{from: "+1h 30m", until: "2000-01-03  06:00", want: [2]time.Duration{20*time.Hour + 20*time.Second, 54 * time.Hour}},
			{from: "2000-01-01 12:00", want: [2]time.Duration{12 * time.Hour, 0}},
			{from: "in a *minute*", says: `**in a \*minute\*** isn't a time`}, {from: "now", until: "25:00", says: "isn't a time"}, {from: "5m", says: "isn't a time"},
			{from: "", says: "isn't a time"}, {from: "2000-01-01 12:00", until: "2000-01-01 13:00", says: "must end after"}, {from: "now", until: "+0h", says: "must end after"},
			{from: "2002-01-01 12:00", says: "a year ahead"}, {from: "now", until: "+9999h", says: "a year ahead"},
		} {
			h.notices = nil
			typed := map[string]string{"text": "We replace a switch", "from": test.from, "until": test.until, "prefix": "eu-", "kind": "maintenance"}
			if test.says != "" {
				back := buttons(explained(t, c, noticeForm("9", typed)))["Back to the form"]
				form := inputs(t, answer(t, c, by("1", press(back.CustomID))))
				for _, id := range []string{"text", "from", "until", "prefix"} {
					if form[id].Value != typed[id] {
						t.Errorf("%s: %s comes back as %q", test.from, id, form[id].Value)
					}
				}
				if !form["kind"].Options[0].Default || form["kind"].Options[1].Default || len(h.notices) > 0 {
					t.Errorf("%s: kept are %+v", test.from, h.notices)
				}
				refused(t, c, noticeForm("9", typed), test.says)
				continue
			}
			want := outages.Notice{ID: "9", Text: "We replace a switch", From: today.Add(test.want[0]), Prefix: "eu-", Maintenance: true}
			if test.want[1] > 0 {
				want.Until = today.Add(test.want[1])
			}
			if ending(t, c, noticeForm("9", typed)); len(h.notices) != 1 || !h.notices[0].From.Equal(want.From) || !h.notices[0].Until.Equal(want.Until) {
				t.Errorf("from %q until %q is %+v", test.from, test.until, h.notices)
			}
		}
		refused(t, c, noticeForm("9", map[string]string{"text": "\u200b ", "from": "now"}), "Text")
	})
}

// TestNoticeThatCannotBeKept is not shown, and the form comes back.
func TestNoticeThatCannotBeKept(t *testing.T) {
	h := &watched{w: &world{}, err: errors.New("redis is away")}
	c := watching(t, h)
	typed := map[string]string{"text": "We replace a switch", "from": "now"}
	response := answer(t, c, noticeForm("9", typed))
	if _, err := response.Then.Run(t.Context()); err == nil {
		t.Fatal("it is kept")
	}
	if form := inputs(t, answer(t, c, by("1", press("admin/notice/form/9")))); form["text"].Value != typed["text"] {
		t.Errorf("the form comes back as %+v", form)
	}
	h.err = nil
	for i := range 10 {
		ending(t, c, noticeForm(string(rune('a'+i)), typed))
	}
	refused(t, c, noticeForm("more", typed), "No more than 10")
	refused(t, c, by("1", press("admin/notice/form/new")), "No more than 10")
	ending(t, c, noticeForm("a", typed)) // one that there is
}

// TestAnnouncementSaysWhoSpeaksAndWhatItIsAbout, neutralised, with the ways on of who reads it.
func TestAnnouncementSaysWhoSpeaksAndWhatItIsAbout(t *testing.T) {
	h := &watched{w: &world{}}
	h.w.support.Brand = "Acme *Host*"
	c := watching(t, h)
	n := outages.Notice{Text: "Disks of *node 7*", From: time.Now(), Until: time.Now().Add(time.Hour), Maintenance: true}
	bots := []announce.Bot{{ID: "a", Name: "Shop *1*"}}
	for name, test := range map[string]struct {
		m    announce.Message
		says []string
		row  []string // buttons
	}{
		"an owner": {announce.Message{Notice: n, Bots: bots}, []string{
			`**Acme \*Host\* has started maintenance**`, `🛠️ Disks of \*node 7\* · until <t:`, "No alerts are sent", `Affected bots: Shop \*1\*`,
		}, []string{"All bots"}},
		"a follower": {announce.Message{Notice: outages.Notice{Text: "We are hiring"}, PanelID: "7", Bots: slices.Repeat(bots, 12)}, []string{"has posted a notice**\n📢 We are hiring", "· +2"}, []string{"Unfollow"}},
		"at the end": {announce.Message{Notice: n, Over: true, Bots: bots}, []string{"has finished maintenance**\n✅ Disks"}, []string{"All bots"}},
	} {
		t.Run(name, func(t *testing.T) {
			test.m.At = time.Unix(7, 0)
			m := c.Announcement(test.m)
			sendable(t, interaction.Reply(m))
			wantText(t, m, test.says...)
			if at, err := time.Parse(time.RFC3339Nano, m.Embeds[0].Timestamp); err != nil || !at.Equal(test.m.At) {
				t.Errorf("it is marked by %s", m.Embeds[0].Timestamp)
			}
			for _, label := range test.row {
				if _, found := buttons(m)[label]; !found {
					t.Errorf("there is no button %q", label)
				}
			}
		})
	}
}
