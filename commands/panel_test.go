package commands_test

import (
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
	"hostbot/bot/watch/panel"
	"hostbot/commands"
	"hostbot/hostapi"
)

// here is a request of somebody who may manage messages, where the bot may write.
func here(r interaction.Request) interaction.Request {
	r.ID, r.GuildID, r.ChannelID, r.Permissions = "1001", "7", "9", discordgo.PermissionManageMessages
	r.AppPermissions = discordgo.PermissionViewChannel | discordgo.PermissionSendMessages | discordgo.PermissionEmbedLinks
	return r
}

// posting chooses bots for a panel, and returns the form with a title that this leads to.
func posting(t *testing.T, c *commands.Commands, title string, keys ...string) interaction.Request {
	t.Helper()
	chosen := answer(t, c, here(press("panel/new", keys...))).Message
	if menu := menus(chosen)["Choose bots for a panel here"]; len(menu.Options) == 0 || menu.Options[0].Default != slices.Contains(keys, menu.Options[0].Value) {
		t.Errorf("the menu does not show what was chosen: %+v", menu)
	}
	asked := answer(t, c, here(press(buttons(chosen)["Continue"].CustomID)))
	if asked.Modal == nil || asked.Modal.Fields[0].Input.Value != "Bot status" {
		t.Fatalf("no title is asked for: %+v", asked)
	}
	return here(submit(asked.Modal.CustomID, map[string]string{asked.Modal.Fields[0].Input.CustomID: title}))
}

func TestPanelIsMadeAndRemoved(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"), server("b", "Radio", "STOPPED"))}}
	c := watching(t, h)
	wantText(t, answer(t, c, here(command("panel", nil))).Message, "You don't have a public panel yet")
	made := ending(t, c, posting(t, c, "  Our\n*bots* ", "b", "a"))
	wantText(t, made.Message, "Panel posted", `Our \*bots\* · <#9> · Shop · Radio`)
	if p := h.panels[0]; p.ID != "1001" || p.OwnerID != "42" || p.GuildID != "7" || p.ChannelID != "9" || p.Title != "Our *bots*" || !slices.Equal(p.Bots, []string{"a", "b"}) {
		t.Errorf("made: %+v", p)
	}
	h.panels[0].Trouble, h.panels[0].TroubleCode = "Missing Access", rest.CodeMissingAccess
	wantText(t, answer(t, c, here(command("panel", nil))).Message, "⚠️ I need **View Channel**")
	h.panels[0].TroubleCode = rest.CodeLockedThread
	wantText(t, answer(t, c, here(command("panel", nil))).Message, "⚠️ The thread is locked")
	if h.retried != 2 {
		t.Errorf("a panel in trouble was tried again %d times", h.retried)
	}
	h.panels[0].Trouble, h.panels[0].TroubleCode = "", 0
	if answer(t, c, here(command("panel", nil))); h.retried != 2 {
		t.Error("a panel that is well is tried again")
	}
	wantText(t, ending(t, c, here(press("panel/remove/now/1001"))).Message, "The panel was removed", "a public panel yet")
	if again := ending(t, c, here(press("panel/remove/now/1001"))).Message; strings.Contains(text(again), "was removed") {
		t.Errorf("a panel that nobody knows is told as: %s", text(again))
	}
	h.stays = []string{"9"}
	stays := ending(t, c, here(press("panel/remove/now/1001"))).Message
	wantText(t, stays, "⚠️ The panel is no longer updated", "it stays in <#9>")
	if strings.Contains(text(stays), "was removed") {
		t.Errorf("a message that stays is told as: %s", text(stays))
	}

	refused(t, c, here(press("panel/new", "somebody else's")), "no longer exists")
	refused(t, c, here(press("panel/new/form")), "your selection is gone") // of the panel that was posted
	late := posting(t, c, "", "a")
	late.UserID, late.CustomerID = "43", "43" // whose draft is another
	if _, err := answer(t, c, late).Then.Run(t.Context()); err == nil || !strings.Contains(text(c.Explain(&late, err).Message), "your selection is gone") {
		t.Errorf("a panel of no known bots: %v", err)
	}
	other := here(press("panel/new/form")) // in another message, which shows no choice
	posting(t, c, "", "a")
	other.Message = "901"
	refused(t, c, other, "your selection is gone")
	for _, h.refusal = range []error{&rest.Error{Status: 403, Code: rest.CodeMissingPermissions}, &rest.Error{Status: 200, Code: rest.CodeMissingPermissions, NoEmbeds: true}} {
		asked := posting(t, c, "", "a")
		_, err := answer(t, c, asked).Then.Run(t.Context())
		if m := c.Explain(&asked, err); m.Fault || !strings.Contains(text(m.Message), "I need **View Channel**") {
			t.Errorf("the refusal is told as: %s", text(m.Message))
		}
	}
	h.refusal = &rest.Error{Status: 403, Code: rest.CodeMissingAccess} // the thread's permission is missing
	threaded := posting(t, c, "", "a")
	threaded.InThread, threaded.AppPermissions = true, threaded.AppPermissions|discordgo.PermissionSendMessagesInThreads
	_, err := answer(t, c, threaded).Then.Run(t.Context())
	wantText(t, c.Explain(&threaded, err).Message, "**Send Messages in Threads**")
}

// TestPanelOfAllBots is made by one press, shows a bot that was created later, and can be of chosen bots
// again.
func TestPanelOfAllBots(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"), server("b", "Radio", "STOPPED"))}}
	c := watching(t, h)
	listed := answer(t, c, here(command("panel", nil))).Message
	form := answer(t, c, here(press(buttons(listed)["All my bots"].CustomID))).Modal
	made := ending(t, c, here(submit(form.CustomID, map[string]string{form.Fields[0].Input.CustomID: "Ours"})))
	wantText(t, made.Message, "Panel posted", "Ours · <#9> · All my bots")
	h.w.list.Servers = append(h.w.list.Servers, server("c", "Wiki", "CRASHED"))
	wantText(t, drawPanel(t, c, h.panels[0]), "**1 of 3 is down**", "🔴 **Wiki**", "🟢 **Shop**", "⚫ **Radio**")
	managed := answer(t, c, here(press("panel/open", "1001"))).Message
	wantText(t, managed, `3\. Wiki`, "Bots you add later")
	if !buttons(managed)["All my bots"].Disabled {
		t.Error("a panel of all bots can be made one of all bots")
	}
	ending(t, c, here(press("panel/top/1001", "c")))
	wantText(t, answer(t, c, here(press("panel/open", "1001"))).Message, `1\. Wiki`, `2\. Shop`, `3\. Radio`)
	chosen := ending(t, c, here(press("panel/bots/1001", "a"))).Message
	if shown := text(chosen); strings.Contains(shown, "Radio") || h.panels[0].All {
		t.Errorf("a panel of one bot has\n%s", shown)
	}
	wantText(t, ending(t, c, here(press(buttons(chosen)["All my bots"].CustomID))).Message, `1\. Shop`, "Radio", "Wiki")

	for i := range 40 { // more than a panel has lines for
		h.w.list.Servers = append(h.w.list.Servers, server(fmt.Sprint("x", i), "Bot", "RUNNING"))
	}
	many := drawPanel(t, c, h.panels[0])
	sendable(t, interaction.Reply(many))
	wantText(t, many, "**1 of 43 is down**", "🔴 **Wiki**", "\n… +18\n")
}

// TestPanelThatWasRemovedIsToldOfThoughTheAccountIsNot has the account be closed meanwhile.
func TestPanelThatWasRemovedIsToldOfThoughTheAccountIsNot(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}, panels: []panel.Panel{{ID: "1001", ChannelID: "9"}}}
	c := watching(t, h)
	h.w.err = &hostapi.Error{Op: hostapi.OpList, Code: hostapi.CodeNotFound}
	wantText(t, ending(t, c, here(press("panel/remove/now/1001"))).Message, "The panel was removed")
}

func TestPanelTakesPermissions(t *testing.T) {
	for want, change := range map[string]func(*interaction.Request){
		"only be posted in a server channel": func(r *interaction.Request) { r.GuildID = "" },
		"**Manage Messages**":                func(r *interaction.Request) { r.Permissions = discordgo.PermissionSendMessages },
		"**Embed Links**": func(r *interaction.Request) {
			r.AppPermissions = discordgo.PermissionViewChannel | discordgo.PermissionSendMessages
		},
		"**Send Messages in Threads**": func(r *interaction.Request) { r.InThread = true },
		"**Send Messages**": func(r *interaction.Request) {
			r.AppPermissions = discordgo.PermissionViewChannel | discordgo.PermissionEmbedLinks
		},
	} {
		h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}}
		c := watching(t, h)
		list, choose, ask, post := here(command("panel", nil)), here(press("panel/new", "a")), here(press("panel/new/form")), posting(t, c, "", "a")
		change(&list)
		change(&choose)
		change(&ask)
		change(&post)
		shown := answer(t, c, list)
		wantText(t, shown.Message, want)
		if len(shown.Message.Components) != 0 {
			t.Errorf("%s: a panel is offered", want)
		}
		refused(t, c, choose, want)
		refused(t, c, ask, want)
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
	wantText(t, ending(t, c, away(press("panel/remove/now/1"))).Message, "The panel was removed", "I'm not in this server")
	page, err := os.ReadFile("../configs/deploy/DISCORD.md")
	if err != nil || !strings.Contains(string(page), "permissions=274877991936") {
		t.Errorf("the page for operators names other permissions, %v", err)
	}
}

// TestPanelWhereTheGuildHasNoBot asks for a panel in a guild that has installed the application
// with its commands alone. Nothing in the interaction says so; Discord lets the bot not see
// the channel.
func TestPanelWhereTheGuildHasNoBot(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}, refusal: &rest.Error{Status: 403, Code: rest.CodeMissingAccess}}
	c := watching(t, h)
	post := posting(t, c, "", "a")
	post.ApplicationID = "3"
	_, err := answer(t, c, post).Then.Run(t.Context())
	e := c.Explain(&post, err)
	wantText(t, e.Message, "I'm not in this server")
	if e.Fault || !strings.Contains(links(e.Message), "client_id=3") {
		t.Errorf("staff are told: %t; the ways on are %s", e.Fault, links(e.Message))
	}
}

// TestTenPanelsOfManyBotsCanBeManaged has a customer with as many panels as there may be, of as many bots,
// choose one of them and remove it.
func TestTenPanelsOfManyBotsCanBeManaged(t *testing.T) {
	var bots []hostapi.Server
	for i := range panel.MostBots {
		bots = append(bots, server(fmt.Sprint("bot-", i), fmt.Sprint(i, " ", long("W")), "RUNNING"))
	}
	h := &watched{w: &world{list: account(bots...)}}
	for i := range panel.MostPanels {
		p := panel.Panel{ID: fmt.Sprint(2000 + i), OwnerID: "42", ChannelID: "9", Title: long("T")[:panel.MaxTitle], Trouble: "x", TroubleCode: rest.CodeMissingAccess}
		for _, s := range bots {
			p.Bots = append(p.Bots, s.ID)
		}
		h.panels = append(h.panels, p)
	}
	c := watching(t, h)
	listed := answer(t, c, here(command("panel", nil)))
	sendable(t, listed)
	wantText(t, listed.Message, "⚠️ **10.** TTT", "· … +24", "⚠️ I need **View Channel**", "maximum number of panels")
	if n := strings.Count(text(listed.Message), "I need"); n != 1 {
		t.Errorf("the same trouble is told %d times", n)
	}
	opened := answer(t, c, press("panel/open", menus(listed.Message)["Manage a panel"].Options[9].Value))
	sendable(t, opened)
	wantText(t, opened.Message, `25\. 24 WWW`)
	h.followers = 12
	asked := answer(t, c, here(press(buttons(opened.Message)["Remove panel"].CustomID)))
	sendable(t, asked)
	wantText(t, asked.Message, "Remove this panel?", "12 people follow it")
	kept := answer(t, c, here(press(buttons(asked.Message)["Cancel"].CustomID)))
	wantText(t, kept.Message, `25\. 24 WWW`)
	removed := ending(t, c, here(press(buttons(asked.Message)["Remove panel"].CustomID)))
	sendable(t, removed)
	if len(h.panels) != panel.MostPanels-1 {
		t.Errorf("%d panels are left", len(h.panels))
	}
}

// TestPanelSaysOutagesInItsChannel once its owner has pressed a button, with the mention of a role that may be mentioned.
func TestPanelSaysOutagesInItsChannel(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}, panels: []panel.Panel{{ID: "1001", OwnerID: "42", GuildID: "7", ChannelID: "9", Bots: []string{"a"}}}}
	c := watching(t, h)
	shown := answer(t, c, here(press("panel/open", "1001"))).Message
	wantText(t, shown, "**Post outages here** also sends a message")
	on := ending(t, c, here(press(buttons(shown)["Post outages here"].CustomID))).Message
	wantText(t, on, "📣 I post a message in the channel")
	role := menus(on)["Mention a role"]
	if role.MenuType != discordgo.RoleSelectMenu || *role.MinValues != 0 || len(role.DefaultValues) != 0 {
		t.Errorf("the menu of roles is %+v", role)
	}
	choose := func(role string, change func(*interaction.Request)) interaction.Request {
		r := here(press("panel/role/1001", role))
		if role == "" {
			r.Values = nil
		}
		if change != nil {
			change(&r)
		}
		return r
	}
	mentionable := func(r *interaction.Request) { r.Mentionable = true }
	permitted := func(r *interaction.Request) { r.Permissions |= discordgo.PermissionMentionEveryone }
	both := func(r *interaction.Request) {
		permitted(r)
		r.AppPermissions |= discordgo.PermissionAdministrator
	}
	denied(t, c, choose("55", nil), "You aren't allowed to mention that role")
	denied(t, c, choose("7", mentionable), "You aren't allowed to mention that role") // everyone, whatever it says
	denied(t, c, choose("55", permitted), "nobody would be notified")
	if h.said.RoleID != "" {
		t.Errorf("%q is mentioned", h.said.RoleID)
	}
	for role, want := range map[string]struct {
		change   func(*interaction.Request)
		mentions string
	}{
		"55": {mentionable, "<@&55>"}, "56": {both, "<@&56>"}, "7": {both, "@everyone"},
	} {
		m := ending(t, c, choose(role, want.change)).Message
		wantText(t, m, "Each message mentions "+want.mentions)
		if standing := menus(m)["Mention a role"].DefaultValues; len(standing) != 1 || standing[0].ID != role {
			t.Errorf("%+v stands in the menu", standing)
		}
		alert := c.ChannelAlert(crashOf(1), h.panels[0], *h.said)
		if alert.Content != want.mentions+" 🔴 Shop has crashed" || alert.Pings != want.mentions {
			t.Errorf("the message is %q and pings %q", alert.Content, alert.Pings)
		}
	}
	wantText(t, ending(t, c, here(press("panel/say/1001"))).Message, "Each message mentions") // as before
	if m := ending(t, c, choose("", nil)).Message; strings.Contains(text(m), "Each message mentions") {
		t.Errorf("without a role it says\n%s", text(m))
	}
	h.said.Trouble = rest.CodeMissingPermissions
	wantText(t, answer(t, c, here(press("panel/open", "1001"))).Message, "📣 I post", "⚠️ Discord rejected my last message", "**Send Messages**")
	if labels := buttonLabels(on); labels != "Stop posting here Manage" {
		t.Errorf("the buttons are %q", labels)
	}
	off := ending(t, c, here(press(buttons(on)["Stop posting here"].CustomID))).Message
	wantText(t, off, "✅ Saved.", "**Post outages here** also sends")
	if h.said != nil {
		t.Error("it is still said")
	}
}

// denied wants a request be refused by what it defers.
func denied(t *testing.T, c *commands.Commands, r interaction.Request, want string) {
	t.Helper()
	_, err := answer(t, c, r).Then.Run(t.Context())
	if err == nil {
		t.Fatalf("%s is not refused", r.Name)
	}
	wantText(t, c.Explain(&r, err).Message, want)
}

// TestOutagesAreSaidWhereTheOwnerMayPostAlone has a channel be asked about from another one, or without a permission.
func TestOutagesAreSaidWhereTheOwnerMayPostAlone(t *testing.T) {
	for want, change := range map[string]func(*interaction.Request){
		"I can't check what you're allowed to do in <#9>": func(r *interaction.Request) { r.ChannelID = "10" },
		"**Manage Messages**":                             func(r *interaction.Request) { r.Permissions = discordgo.PermissionSendMessages },
		"**Send Messages**":                               func(r *interaction.Request) { r.AppPermissions = discordgo.PermissionViewChannel },
		"I've stopped updating this panel":                func(r *interaction.Request) { r.Name = strings.Replace(r.Name, "1001", "1002", 1) },
	} {
		h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}, panels: []panel.Panel{{ID: "1001", OwnerID: "42", GuildID: "7", ChannelID: "9"}}}
		c := watching(t, h)
		for _, r := range []interaction.Request{here(press("panel/say/1001")), here(press("panel/role/1001", "55"))} {
			r.Mentionable = true
			change(&r)
			denied(t, c, r, want)
			if h.said != nil {
				t.Errorf("%s: it is said", want)
			}
		}
	}
}

// TestAlertInAChannelActsOnNothing, and addresses nobody as the bots' owner.
func TestAlertInAChannelActsOnNothing(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}}
	c := watching(t, h)
	p := panel.Panel{ID: "1001", OwnerID: "42", GuildID: "7", ChannelID: "9", Title: "Our *bots*", Locale: "en-US"}
	p.Message.ID = "8"
	for n, want := range map[int]string{1: "🔴 Shop has crashed", 2: "🔴 2 bots are down"} {
		m := c.ChannelAlert(crashOf(n), p, alerts.Channel{})
		wantText(t, m, want, `Our \*bots\*`)
		if labels := buttonLabels(m); labels != "View panel" || len(menus(m)) > 0 || m.Pings != "" {
			t.Errorf("it has %q, %d menus and pings %q", labels, len(menus(m)), m.Pings)
		}
	}
	h.outage = minutesAgo(1)
	wantText(t, c.ChannelAlert(crashOf(2), p, alerts.Channel{}), "Many bots we host stopped")
}

// TestPanelsOfOneTitleAreToldApart by the numbers that they have in the list.
func TestPanelsOfOneTitleAreToldApart(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}, panels: []panel.Panel{
		{ID: "1", OwnerID: "42", ChannelID: "9", Title: "Ours"}, {ID: "2", OwnerID: "42", ChannelID: "9"}, {ID: "3", OwnerID: "42", ChannelID: "9", Title: "Bot status"},
	}}
	c := watching(t, h)
	for id, want := range map[string]string{"1": "Ours", "2": `2\. Bot status`, "3": `3\. Bot status`} {
		for _, name := range []string{"panel/open", "panel/remove/" + id} {
			if title := answer(t, c, here(press(name, id))).Message.Embeds[0].Title; title != want {
				t.Errorf("%s shows %q, want %q", name, title, want)
			}
		}
	}
}

// crashOf is an alert of so many bots that have crashed.
func crashOf(n int) alerts.Alert {
	a := alerts.Alert{CustomerID: "42", ID: "1", First: time.Now()}
	for i := range n {
		a.Bots = append(a.Bots, alerts.Outage{ServerID: string(rune('a' + i)), Name: []string{"Shop", "Radio"}[i], State: hostapi.StateCrashed, DownAt: time.Now(), Count: 1})
	}
	return a
}
