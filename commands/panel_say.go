package commands

import (
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/panel"
)

// sayHere has alerts of a panel's bots posted in its channel, or ends that. By the menu they mention the chosen role, or
// none.
func (c *Commands) sayHere(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	return interaction.Defer(aboutPanel+r.Params["id"], func(ctx context.Context) (interaction.Response, error) {
		p, _, err := c.ownPanel(ctx, r)
		if err != nil {
			return interaction.Response{}, err
		}
		if strings.HasPrefix(r.Name, idPanelHush) {
			if err := c.watch.Channels.End(ctx, p.ID); err != nil {
				return interaction.Response{}, unsaid(err)
			}
			return c.managed(ctx, r, p, "✅ "+c.view(r).t.Text("panel.say_saved"))
		}
		if err := c.view(r).maySay(p); err != nil {
			return interaction.Response{}, err
		}
		said, err := c.watch.Channels.Begin(ctx, p, func(said *alerts.Channel) {
			if strings.HasPrefix(r.Name, idPanelRole) {
				said.RoleID = r.Value()
			}
		})
		if err != nil {
			return interaction.Response{}, unsaid(err)
		}
		return c.view(r).drawSaid(p, *said), nil
	}), nil
}

// unsaid refuses what Redis does not take or tell of what is posted beside a panel.
func unsaid(err error) error {
	return refuseForNow("redis does not take or tell what is posted beside a panel: "+err.Error(), "panel.unreadable")
}

// drawSaid shows the owner of a panel what is posted in its channel. It is apart from what changes the panel, which has
// no room for another menu.
func (v view) drawSaid(p panel.Panel, said alerts.Channel) interaction.Response {
	embed := &discordgo.MessageEmbed{Title: v.panelTitle(p), Color: blurple, Description: paragraphs(panelPlace(p), v.saidOf(p, &said, 0))}
	return v.draw(aboutPanel+p.ID, embed, v.roleMenu(p, said), row(
		v.button(discordgo.SecondaryButton, "button.say_nothing", idPanelHush+p.ID, false),
		v.button(discordgo.SecondaryButton, "button.manage", aboutPanel+p.ID, false),
	))
}

// maySay refuses alerts in the channel of a panel, where the caller could have no panel, and a mention that the caller may
// not make, or that would notify nobody. Discord tells what they may do in the channel of the request alone. A member may
// mention the roles that are mentionable, and with MENTION_EVERYONE all roles and everyone, which is the role with the
// guild's ID (https://discord.com/developers/docs/topics/permissions#permissions-bitwise-permission-flags, #role-object).
// So may the bot: Discord checks allowed_mentions against its permissions
// (https://discord.com/developers/docs/resources/message#allowed-mentions-object).
func (v view) maySay(p panel.Panel) error {
	const all = discordgo.PermissionMentionEveryone | discordgo.PermissionAdministrator
	r := v.asked
	if r.ChannelID != p.ChannelID {
		return &refusal{reason: "it is another channel than the panel's", explain: func(v view) string {
			return v.t.Format("panel.say_elsewhere", args{"Channel": "<#" + p.ChannelID + ">"})
		}}
	}
	anybody := r.Value() == "" || r.Mentionable && r.Value() != r.GuildID
	switch err := v.mayPost(); {
	case err != nil:
		return err
	case !anybody && r.Permissions&all == 0:
		return refuse("the caller may not mention the role", "panel.role_forbidden")
	case !anybody && r.AppPermissions&all == 0:
		return refuse("the bot may not mention the role", "panel.role_silent")
	}
	return nil
}

// saidOf says what is posted in the channel of a panel of so many bots, and what is in the way of it. Of nothing it says
// what could be, if there is room.
func (v view) saidOf(p panel.Panel, said *alerts.Channel, bots int) string {
	switch {
	case said == nil && bots > fullNames:
		return ""
	case said == nil:
		return "-# " + v.t.Text("panel.say_offer")
	}
	text := "📣 " + v.t.Text("panel.say_on")
	if said.RoleID != "" {
		text = lines(text, v.t.Format("panel.say_role", args{"Role": mentionOf(p, said.RoleID)}))
	}
	if said.Trouble != 0 {
		text = lines(text, "⚠️ "+v.t.Text("panel.say_refused"))
	}
	return text
}

// roleMenu is a row with a menu of the guild's roles.
func (v view) roleMenu(p panel.Panel, said alerts.Channel) discordgo.ActionsRow {
	menu := discordgo.SelectMenu{
		MenuType: discordgo.RoleSelectMenu, CustomID: idPanelRole + p.ID, Placeholder: v.t.Text("panel.choose_role"), MinValues: new(int),
	}
	if said.RoleID != "" {
		menu.DefaultValues = []discordgo.SelectMenuDefaultValue{{ID: said.RoleID, Type: discordgo.SelectMenuDefaultValueRole}}
	}
	return row(menu)
}

// mentionOf mentions a role; "" for none.
func mentionOf(p panel.Panel, roleID string) string {
	switch roleID {
	case "":
		return ""
	case p.GuildID:
		return "@everyone"
	}
	return "<@&" + roleID + ">"
}

// ChannelAlert draws an alert for everybody in the channel of a panel: nothing in it acts on a bot.
func (c *Commands) ChannelAlert(a alerts.Alert, p panel.Panel, said alerts.Channel) interaction.Message {
	v, m := c.view(&interaction.Request{Locale: p.Locale}), c.drawAlert(a, true)
	m.Embeds[0].Title, m.Pings = v.panelTitle(p), mentionOf(p, said.RoleID)
	m.Content = strings.TrimPrefix(m.Pings+" "+m.Content, " ")
	m.Components = append(m.Components, v.linkRow(v.seePanel(p))...)
	return m
}

// seePanel leads to a panel's message, if that is there.
func (v view) seePanel(p panel.Panel) discordgo.Button {
	url := ""
	if p.GuildID != "" && p.Message.ID != "" {
		url = "https://discord.com/channels/" + p.GuildID + "/" + p.ChannelID + "/" + p.Message.ID
	}
	return v.link("button.see_panel", url)
}
