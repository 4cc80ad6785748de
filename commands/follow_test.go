package commands_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/watch/following"
	"hostbot/bot/watch/panel"
	"hostbot/hostapi"
)

// TestFollow has somebody who is no customer follow a panel, see that, and end it.
func TestFollow(t *testing.T) {
	h := &watched{w: &world{err: &hostapi.Error{Op: hostapi.OpList, Code: hostapi.CodeNotFound}}}
	h.panels = []panel.Panel{{ID: "7", OwnerID: "43", ChannelID: "9", Title: "Our *bots*"}}
	c := watching(t, h)
	followed := ending(t, c, press("aside/panel/43/follow/7")).Message
	wantText(t, followed, "You're now following this panel")
	if h.recipient.UserID != "42" || !strings.Contains(h.recipient.Greeting, "I'll message you here when a bot on a panel") {
		t.Errorf("the recipient is %+v", h.recipient)
	}
	wantText(t, ending(t, c, press("aside/panel/43/follow/7")).Message, "already following this panel")
	shown := answer(t, c, command("alerts", nil)).Message
	wantText(t, shown, `Our \*bots\* · <#9>`)
	h.refused = time.Unix(1, 0)
	wantText(t, answer(t, c, command("alerts", nil)).Message, "I couldn't send you a direct message <t:1:R>", `Our \*bots\* · <#9>`)
	h.refused = time.Time{}
	if option := menus(shown)["Stop following a panel"].Options[0]; option.Value != "7" || option.Label != "Our *bots*" {
		t.Errorf("the option is %+v", option)
	}
	wantText(t, ending(t, c, press(componentsOf[discordgo.Button](followed)[0].CustomID)).Message, "You've stopped following this panel")
	refused(t, c, command("alerts", nil), "No hosting account is linked")
	if len(h.followed) > 0 {
		t.Errorf("followed is %+v", h.followed)
	}
}

// TestAlertsShowWhatIsFollowed has a customer end the following of a panel beside alerts.
func TestAlertsShowWhatIsFollowed(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}, followed: []panel.Panel{{ID: "7", ChannelID: "9"}, {ID: "8", ChannelID: "9", Title: "Others"}}}
	c := watching(t, h)
	wantText(t, answer(t, c, command("alerts", nil)).Message, "🔕 Shop", "Bot status · <#9>", "Others · <#9>")
	wantText(t, ending(t, c, press("alerts/set/all/on")).Message, "Alerts are on", "Others · <#9>")
	left := ending(t, c, press("alerts/unfollow", "8")).Message
	wantText(t, left, "🔔 Shop", "Bot status · <#9>")
	if strings.Contains(text(left), "Others") {
		t.Errorf("it is followed still:\n%s", text(left))
	}
}

// TestFollowerNews says what the panel shows, and nothing can be done to the bot.
func TestFollowerNews(t *testing.T) {
	c := watching(t, &watched{w: &world{}})
	p := panel.Panel{ID: "7", OwnerID: "4243", GuildID: "5", ChannelID: "9", Title: "Ours", Guild: "The *guild*"}
	p.Message.ID = "8"
	bot := func(id string) following.Bot {
		return following.Bot{ID: id, Name: "Bot " + id, State: hostapi.StateCrashed, At: time.Unix(1, 0)}
	}
	m := c.FollowerNews(following.News{Panel: p, At: time.Unix(1, 0), Down: []following.Bot{bot("a"), bot("b")}, Back: []following.Bot{bot("c")}})
	if m.Content != "🔴 2 bots are down · 🟢 Bot c is back" {
		t.Errorf("the notification says %q", m.Content)
	}
	wantText(t, m, "Ours", "🔴 **Bot a** · Crashed", "🟢 **Bot c** · Running", `-# The \*guild\* · <#9>`)
	if strings.Contains(text(m), "4243") {
		t.Errorf("the owner is named:\n%s", text(m))
	}
	buttons := componentsOf[discordgo.Button](m)
	if len(buttons) != 2 || buttons[0].URL != "https://discord.com/channels/5/9/8" || buttons[1].CustomID != "aside/unfollow/7" {
		t.Errorf("the buttons are %+v", buttons)
	}
}
