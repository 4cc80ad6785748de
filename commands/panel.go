package commands

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/panel"
	"hostbot/bot/rest"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// panels lists the caller's panels, and lets bots be chosen for one in this channel.
func (c *Commands) panels(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return c.panelsAnd(ctx, r, "")
}

// panelsAnd is panels below a notice.
func (c *Commands) panelsAnd(ctx context.Context, r *interaction.Request, notice string) (interaction.Response, error) {
	own, err := c.watch.Panels.Of(ctx, r.CustomerID)
	if err != nil {
		return interaction.Response{}, refuse("redis does not tell which panels there are: "+err.Error(), "panel.unreadable")
	}
	if slices.ContainsFunc(own, func(p panel.Panel) bool { return p.Trouble != "" }) {
		_ = c.watch.Panels.Changed(ctx, r.CustomerID) // otherwise they are tried again later
	}
	return c.shown(func(r *interaction.Request, l hostapi.List, a age) (interaction.Response, error) {
		if len(l.Servers) == 0 {
			return c.botList(r, l, a).draw(), nil
		}
		return c.view(r).drawPanels(l, a, own, notice), nil
	})(ctx, r)
}

// drawPanels draws the list of panels, with a menu that makes one and one that removes
// one.
func (v view) drawPanels(l hostapi.List, a age, own []panel.Panel, notice string) interaction.Response {
	names := make(map[string]string)
	for _, s := range l.Servers {
		names[s.ID] = plainName(s, wordLimit)
	}
	var lines []string
	var options []discordgo.SelectMenuOption
	for i, p := range own {
		shown := panelNames(p, names)
		line := v.t.Format("panel.entry", args{"N": i + 1, "Channel": "<#" + p.ChannelID + ">", "Bots": shown})
		if p.Trouble != "" {
			line += "\n⚠️ " + v.t.Text(panelTrouble(p.TroubleCode))
		}
		lines = append(lines, line)
		options = append(options, discordgo.SelectMenuOption{Label: v.t.Format("panel.option", args{"N": i + 1}), Value: p.ID, Description: shorten(shown, maxOptionText)})
	}
	if len(lines) == 0 {
		lines = []string{v.t.Text("panel.none")}
	}
	why := v.mayNotPost(len(own))
	embed := &discordgo.MessageEmbed{Title: v.t.Text("panel.list"), Color: blurple, Description: paragraphs(v.heading(a, notice), strings.Join(lines, "\n"), why)}
	var rows []discordgo.MessageComponent
	if why == "" {
		bots := l.Servers[:min(len(l.Servers), maxOptions)]
		one := 1
		rows = append(rows, row(discordgo.SelectMenu{
			MenuType: discordgo.StringSelectMenu, CustomID: idPanelNew, Placeholder: v.t.Text("panel.choose"),
			MinValues: &one, MaxValues: min(len(bots), panel.MostBots), Options: v.options(bots),
		}))
	}
	if len(options) > 0 {
		rows = append(rows, row(discordgo.SelectMenu{
			MenuType: discordgo.StringSelectMenu, CustomID: idPanelRemove, Placeholder: v.t.Text("panel.remove"), Options: options,
		}))
	}
	return v.draw(idPanelNew, embed, rows...)
}

// panelNames lists the bots of a panel that there still are.
func panelNames(p panel.Panel, names map[string]string) string {
	var list []string
	for _, id := range p.Bots {
		if name := names[id]; name != "" {
			list = append(list, name)
		}
	}
	return orDash(strings.Join(list, ", "))
}

func shorten(text string, limit int) string {
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return text
}

// mayNotPost says why the caller cannot have another panel here, or "" where nothing is
// in the way.
func (v view) mayNotPost(own int) string {
	const manage = discordgo.PermissionManageMessages | discordgo.PermissionAdministrator
	const writes = discordgo.PermissionSendMessages | discordgo.PermissionSendMessagesInThreads
	const needed = discordgo.PermissionViewChannel | discordgo.PermissionEmbedLinks
	app := v.asked.AppPermissions
	switch {
	case v.asked.GuildID == "":
		return v.t.Text("panel.guild_only")
	case v.asked.Permissions&manage == 0:
		return v.t.Text("panel.forbidden")
	case app&discordgo.PermissionAdministrator == 0 && (app&needed != needed || app&writes == 0):
		return v.t.Text("panel.no_permission")
	case own >= panel.MostPanels:
		return v.t.Format("panel.full", args{"N": panel.MostPanels})
	}
	return ""
}

// postPanel makes a panel of the chosen bots in this channel. It is posted once Discord
// has taken the answer that says so.
func (c *Commands) postPanel(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	v := c.view(r)
	if why := v.mayNotPost(0); why != "" {
		return interaction.Response{}, &refusal{reason: "no panel may be posted", explain: func(view) string { return why }}
	}
	chosen, err := read(ctx, c, r, func(s accounts.Snapshot) ([]string, error) { return chosenBots(r, s.List.Servers) })
	if err != nil {
		return interaction.Response{}, err
	}
	p := panel.Panel{ID: r.ID, OwnerID: r.UserID, ChannelID: r.ChannelID, Bots: chosen, Locale: r.Locale}
	response := v.draw(idPanelNew, &discordgo.MessageEmbed{Title: v.t.Text("panel.list"), Color: yellow, Description: "⏳ " + v.t.Text("panel.posting")})
	response.Then = func(ctx context.Context) (interaction.Response, error) {
		posted, err := c.watch.Panels.Create(ctx, p)
		switch {
		case errors.Is(err, panel.ErrTooMany):
			return c.panelsAnd(ctx, r, "")
		case rest.CodeOf(err) != 0:
			return interaction.Response{}, refuse("discord does not take a panel: "+err.Error(), panelTrouble(rest.CodeOf(err)))
		case err != nil:
			return interaction.Response{}, refuse("a panel cannot be kept: "+err.Error(), "panel.unreadable")
		case !posted:
			return c.panelsAnd(ctx, r, "⏳ "+v.t.Text("panel.later"))
		}
		return c.panelsAnd(ctx, r, "✅ "+v.t.Text("panel.posted"))
	}
	return response, nil
}

// chosenBots returns the IDs of the bots that were chosen in a menu.
func chosenBots(r *interaction.Request, servers []hostapi.Server) ([]string, error) {
	var ids []string
	for _, s := range servers {
		if slices.Contains(r.Values, botKey(s.ID)) {
			ids = append(ids, s.ID)
		}
	}
	if len(ids) == 0 || len(ids) > panel.MostBots {
		return nil, errGone
	}
	return ids, nil
}

// removePanel removes a panel of the caller's.
func (c *Commands) removePanel(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	if _, err := c.watch.Panels.Remove(ctx, r.UserID, r.Value()); err != nil {
		return interaction.Response{}, refuse("a panel cannot be removed: "+err.Error(), "panel.unreadable")
	}
	return c.panelsAnd(ctx, r, "✅ "+c.view(r).t.Text("panel.removed"))
}

// panelTrouble is the key of the text that says what is in the way of a panel, by
// Discord's code.
func panelTrouble(code int) string {
	switch code {
	case rest.CodeMissingAccess, rest.CodeMissingPermissions:
		return "panel.no_permission"
	case rest.CodeArchivedThread:
		return "panel.archived"
	default:
		return "panel.refused"
	}
}

// openFromPanel shows the owner of a panel the card of a bot, and others that it is not
// theirs.
func (c *Commands) openFromPanel(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	if r.UserID != r.Params["owner"] {
		return interaction.Response{}, refuse("the panel is somebody else's", "panel.not_yours")
	}
	return c.shown(c.drawCard(brief))(ctx, r)
}
