package commands

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/panel"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// aboutPanel begins the subject, and the custom ID, of what shows a panel to its owner. The panel's ID follows.
const aboutPanel = "panel/show/"

// managePanel shows the owner of a panel how to change it, and tells others kindly that it is not theirs.
func (c *Commands) managePanel(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	if r.UserID != r.Params["owner"] {
		return interaction.Response{}, refuse("the panel is somebody else's", "panel.owners_only")
	}
	return c.openPanel(ctx, r)
}

// openPanel shows one of the caller's panels.
func (c *Commands) openPanel(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	p, _, err := c.ownPanel(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	return c.managed(ctx, r, p, "")
}

// ownPanel returns the panel of the caller's that a request is about, and all of the caller's.
func (c *Commands) ownPanel(ctx context.Context, r *interaction.Request) (p panel.Panel, own []panel.Panel, err error) {
	if own, err = c.ownPanels(ctx, r); err != nil {
		return p, nil, err
	}
	id := cmp.Or(r.Params["id"], r.Value()) // a button's or a menu's
	i := slices.IndexFunc(own, func(p panel.Panel) bool { return p.ID == id })
	if i < 0 {
		return p, nil, noPanel()
	}
	return own[i], own, nil
}

// numberedTitle is the title of one of the caller's panels, with its number in the list of them if another has the same.
func (v view) numberedTitle(p panel.Panel, own []panel.Panel) string {
	i := slices.IndexFunc(own, func(other panel.Panel) bool { return other.ID == p.ID })
	if i < 0 || !slices.ContainsFunc(own, func(other panel.Panel) bool { return other.ID != p.ID && v.panelTitle(other) == v.panelTitle(p) }) {
		return v.panelTitle(p)
	}
	return v.t.Number(i+1) + "\\. " + v.panelTitle(p)
}

// noPanel refuses what was to be done to a panel that is no more.
func noPanel() error { return refuse("the panel is not known", "panel.gone") }

// managed shows a panel to its owner, with what was done to it.
func (c *Commands) managed(ctx context.Context, r *interaction.Request, p panel.Panel, done string) (interaction.Response, error) {
	said, err := c.watch.Channels.Of(ctx, p.ID)
	if err != nil {
		return interaction.Response{}, unsaid(err)
	}
	own, err := c.ownPanels(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	return c.shown(func(_ context.Context, r *interaction.Request, s accounts.Snapshot) (interaction.Response, error) {
		return c.view(r).drawManaged(s, p, own, said, done), nil
	})(ctx, r)
}

// drawManaged draws one of its owner's panels as they see it. said is what is posted in its channel; nil for nothing.
func (v view) drawManaged(s accounts.Snapshot, p panel.Panel, panels []panel.Panel, said *alerts.Channel, done string) interaction.Response {
	own := p.Shown(s.List.Servers)
	var lines []string
	for i, server := range own {
		if i == maxOptions {
			lines = append(lines, "… +"+v.t.Number(len(own)-i))
			break
		}
		lines = append(lines, v.t.Number(i+1)+"\\. "+nameAmong(server, len(own)))
	}
	if p.All {
		lines = append(lines, v.t.Text("panel.all_later"))
	}
	trouble := ""
	if p.Trouble != "" {
		trouble = "⚠️ " + v.t.Text(panelTrouble(p.TroubleCode, p.InThread))
	}
	embed := &discordgo.MessageEmbed{
		Title: v.numberedTitle(p, panels), Color: blurple,
		Description: paragraphs(v.heading(s, done), trouble, panelPlace(p), v.saidOf(p, said, len(own)), strings.Join(lines, "\n"), "-# "+v.t.Text("panel.order")),
	}
	return v.drawOf(s, aboutPanel+p.ID, embed, v.manageRows(s, p, own)...)
}

// manageRows are what the owner of a panel changes it with. own are the bots that it has.
func (v view) manageRows(s accounts.Snapshot, p panel.Panel, own []hostapi.Server) []discordgo.MessageComponent {
	var rows []discordgo.MessageComponent
	if len(s.List.Servers) > 0 {
		rows = append(rows, v.botsMenu(idPanelBots+p.ID, v.t.Text("panel.choose_bots"), s.List.Servers, hostapi.IDs(own), 1, panel.MostBots))
	}
	if len(own) > 1 {
		rows = append(rows, v.menu(idPanelTop+p.ID, v.t.Text("panel.choose_first"), v.options(listOf(own))))
	}
	// More options than two menus have may not fit a message (rest.fit).
	if len(own) > 0 && min(len(s.List.Servers), maxOptions)+2*min(len(own), maxOptions) <= 2*maxOptions {
		rows = append(rows, v.menu(idOpen, v.t.Text("list.open"), v.options(listOf(own))))
	}
	return append(rows, row(
		v.button(discordgo.PrimaryButton, "button.edit_title", idPanelTitle+p.ID, false),
		v.button(discordgo.SecondaryButton, "button.panel_all", idPanelEvery+p.ID, p.All),
		v.button(discordgo.SecondaryButton, "button.say_here", idPanelSay+p.ID, false),
		v.button(discordgo.DangerButton, "button.remove_panel", idPanelRemove+p.ID, false),
	))
}

// askPanelTitle asks the owner of a panel for its title.
func (c *Commands) askPanelTitle(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	p, _, err := c.ownPanel(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	return c.view(r).askTitle(r.Name, p), nil
}

// changePanelTitle gives a panel the title that was typed.
func (c *Commands) changePanelTitle(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	title := c.view(r).typedTitle()
	return c.changePanel(r, func(p *panel.Panel) { p.Title = title }), nil
}

// changePanelBots has a panel show the chosen bots: those that it has in their order, and then the
// others.
func (c *Commands) changePanelBots(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	chosen, err := read(ctx, c, r, func(s accounts.Snapshot) ([]string, error) { return chosenBots(r, s.List.Servers) })
	if err != nil {
		return interaction.Response{}, err
	}
	return c.changePanel(r, func(p *panel.Panel) {
		bots := slices.DeleteFunc(slices.Clone(p.Bots), func(id string) bool { return !slices.Contains(chosen, id) })
		for _, id := range chosen {
			if !slices.Contains(bots, id) {
				bots = append(bots, id)
			}
		}
		p.Bots, p.All = bots, false
	}), nil
}

// showAllBots has a panel show all bots, also later ones, behind those that it has.
func (c *Commands) showAllBots(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	return c.changePanel(r, func(p *panel.Panel) { p.All = true }), nil
}

// putBotFirst has a panel show a bot above the others.
func (c *Commands) putBotFirst(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	chosen, err := read(ctx, c, r, func(s accounts.Snapshot) ([]string, error) { return chosenBots(r, s.List.Servers) })
	if err != nil {
		return interaction.Response{}, err
	}
	return c.changePanel(r, func(p *panel.Panel) {
		others := slices.DeleteFunc(slices.Clone(p.Bots), func(id string) bool { return id == chosen[0] })
		if p.All || len(others) < len(p.Bots) {
			p.Bots = slices.Insert(others, 0, chosen[0])
		}
	}), nil
}

// changePanel changes one of the caller's panels, and shows it. A change is one that may come twice.
func (c *Commands) changePanel(r *interaction.Request, change func(*panel.Panel)) interaction.Response {
	id := r.Params["id"]
	return interaction.Defer(aboutPanel+id, func(ctx context.Context) (interaction.Response, error) {
		now, err := c.watch.Panels.Change(ctx, r.CustomerID, id, change)
		switch {
		case err != nil:
			return interaction.Response{}, refuseForNow("a panel cannot be changed: "+err.Error(), "panel.unreadable")
		case now == nil:
			return interaction.Response{}, noPanel()
		}
		done := "✅ " + c.view(r).t.Text("panel.changes_soon")
		response, err := c.managed(ctx, r, *now, done)
		if err != nil { // the service fails, or the account was closed
			response = c.view(r).draw(aboutPanel+id, &discordgo.MessageEmbed{Title: c.view(r).panelTitle(*now), Color: blurple, Description: done})
		}
		return response, nil
	})
}

// askRemovePanel asks whether a panel of the caller's is to be removed, and says how many follow it.
func (c *Commands) askRemovePanel(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	p, own, err := c.ownPanel(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	followers, err := c.watch.Following.Followers(ctx, p.ID)
	if err != nil {
		return interaction.Response{}, refuseForNow("redis does not tell who follows a panel: "+err.Error(), "panel.unreadable")
	}
	v, follow := c.view(r), ""
	if followers > 0 {
		follow = v.t.Count("panel.followers", followers, nil)
	}
	embed := &discordgo.MessageEmbed{Title: v.numberedTitle(p, own), Color: yellow, Description: paragraphs(panelPlace(p), lines(v.t.Text("panel.remove_ask"), follow))}
	return v.draw(aboutPanel+p.ID, embed, row(
		v.button(discordgo.DangerButton, "button.remove_panel", idPanelRemoveNow+p.ID, false),
		v.button(discordgo.SecondaryButton, "button.cancel", aboutPanel+p.ID, false),
	)), nil
}

// removePanel removes a panel of the caller's.
func (c *Commands) removePanel(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	return interaction.Defer(idPanelNew, func(ctx context.Context) (interaction.Response, error) {
		removal, err := c.watch.Panels.Remove(ctx, r.UserID, r.Params["id"])
		switch {
		case err != nil:
			return interaction.Response{}, staying(refuseForNow("a panel cannot be removed: "+err.Error(), "panel.unreadable"), removal)
		case len(removal.Stays) > 0:
			return c.panelsAfter(ctx, r, c.view(r).messagesStay(removal))
		case !removal.Known: // it was removed before, or Redis has lost it: then its message stays
			return c.panelsBelow(ctx, r, "", nil)
		}
		return c.panelsAfter(ctx, r, "✅ "+c.view(r).t.Text("panel.removed"))
	}), nil
}
