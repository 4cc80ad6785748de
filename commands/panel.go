package commands

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/bot/watch/panel"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// panels lists the caller's panels, and lets bots be chosen for one in this channel.
func (c *Commands) panels(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return c.panelsBelow(ctx, r, "", nil)
}

// ownPanels returns the caller's panels.
func (c *Commands) ownPanels(ctx context.Context, r *interaction.Request) ([]panel.Panel, error) {
	own, err := c.watch.Panels.Of(ctx, r.CustomerID)
	if err != nil {
		return nil, refuseForNow("redis does not tell which panels there are: "+err.Error(), "panel.unreadable")
	}
	return own, nil
}

// panelsBelow lists the caller's panels below what was done. chosen are the IDs of the bots that were
// chosen for a new one.
func (c *Commands) panelsBelow(ctx context.Context, r *interaction.Request, notice string, chosen []string) (interaction.Response, error) {
	own, err := c.ownPanels(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	if slices.ContainsFunc(own, func(p panel.Panel) bool { return p.Trouble != "" }) {
		_ = c.watch.Panels.Retry(ctx, r.CustomerID) // otherwise they are tried again later
	}
	return c.shown(func(_ context.Context, r *interaction.Request, s accounts.Snapshot) (interaction.Response, error) {
		if len(s.List.Servers) == 0 {
			return c.botList(r, s).draw(), nil
		}
		return c.view(r).drawPanels(s, own, notice, chosen), nil
	})(ctx, r)
}

// panelsAfter says what was done, and lists the caller's panels. Where these cannot be shown, as
// the service fails or the account was closed, what was done is said alone.
func (c *Commands) panelsAfter(ctx context.Context, r *interaction.Request, done string) (interaction.Response, error) {
	response, err := c.panelsBelow(ctx, r, done, nil)
	if err != nil {
		response = c.view(r).draw(idPanelNew, &discordgo.MessageEmbed{Title: c.view(r).t.Text("panel.list"), Color: blurple, Description: done})
	}
	return response, nil
}

// drawPanels lists panels, with a menu that makes one and one that opens one for its owner.
func (v view) drawPanels(s accounts.Snapshot, own []panel.Panel, notice string, chosen []string) interaction.Response {
	list := v.t.Text("panel.intro")
	if len(own) > 0 {
		list = v.panelLines(own, s.List.Servers)
	}
	why := v.mayNotPost(len(own))
	embed := &discordgo.MessageEmbed{Title: v.t.Text("panel.list"), Color: blurple, Description: paragraphs(v.heading(s, notice), list, why)}
	var rows []discordgo.MessageComponent
	if why == "" {
		embed.Description = paragraphs(embed.Description, v.onlyFirst(s.List.Servers))
		rows = append(rows, v.botsMenu(idPanelNew, v.t.Text("panel.choose"), s.List.Servers, chosen, 1, panel.MostBots))
		var ways []discordgo.Button
		if len(chosen) > 0 {
			ways = append(ways, v.button(discordgo.PrimaryButton, "button.continue", idPanelForm, false))
		}
		rows = append(rows, v.linkRow(append(ways, v.button(discordgo.SecondaryButton, "button.panel_all", idPanelAll, false))...)...)
	}
	if v.asked.BotAbsent {
		rows = append(rows, v.linkRow(v.toInvite())...)
	}
	if len(own) > 0 {
		rows = append(rows, v.menu(idPanelOpen, v.t.Text("panel.open"), v.panelOptions(own, s.List.Servers)))
	}
	return v.drawOf(s, idPanelNew, embed, rows...)
}

// panelLines is a line for each panel, and below them what is in the way of some.
func (v view) panelLines(own []panel.Panel, servers []hostapi.Server) string {
	var lines, troubles []string
	for i, p := range own {
		title := cmp.Or(sanitize.Markdown(p.Title, labelNameLimit), v.t.Text("panel.title"))
		line := v.t.Format("panel.listed", args{"N": i + 1, "Title": title, "Channel": panelPlace(p), "Bots": v.panelNames(p, servers, sanitize.Markdown)})
		if p.Trouble != "" {
			line = "⚠️ " + line
			if trouble := "⚠️ " + v.t.Text(panelTrouble(p.TroubleCode, p.InThread)); !slices.Contains(troubles, trouble) {
				troubles = append(troubles, trouble)
			}
		}
		lines = append(lines, line)
	}
	return paragraphs(strings.Join(lines, "\n"), strings.Join(troubles, "\n"))
}

// panelOptions are panels to choose from in a select menu.
func (v view) panelOptions(own []panel.Panel, servers []hostapi.Server) []discordgo.SelectMenuOption {
	options := make([]discordgo.SelectMenuOption, len(own))
	for i, p := range own {
		options[i] = discordgo.SelectMenuOption{
			Label: v.t.Number(i+1) + ". " + v.plainPanelTitle(p), Value: p.ID,
			Description: sanitize.Plain(v.panelNames(p, servers, sanitize.Plain), maxOptionText),
		}
	}
	return options
}

// botsMenu is a row with a menu in which the bots of a panel are chosen. chosen are the IDs of those
// that are.
func (v view) botsMenu(customID, placeholder string, servers []hostapi.Server, chosen []string, least, most int) discordgo.ActionsRow {
	options := v.options(listOf(servers))
	for i := range options {
		options[i].Default = slices.Contains(chosen, servers[i].ID)
	}
	return row(discordgo.SelectMenu{
		MenuType: discordgo.StringSelectMenu, CustomID: v.customID(customID), Placeholder: placeholder,
		MinValues: &least, MaxValues: min(len(options), most), Options: options,
	})
}

// namesRoom is about how many characters the names of a panel's bots have in a list of panels: ten panels
// keep within an embed, whatever they are called.
const namesRoom = 60

// panelNames lists the bots of a panel that there still are: the first ones, and how many more. clean
// is sanitize.Markdown where Discord renders the list, and sanitize.Plain elsewhere.
func (v view) panelNames(p panel.Panel, servers []hostapi.Server, clean func(text string, limit int) string) string {
	if p.All {
		return v.t.Text("button.panel_all")
	}
	var names []string
	room, bots := namesRoom, p.Shown(servers)
	for i, s := range bots {
		called := orDash(cmp.Or(clean(s.Name, shortName), clean(s.ID, shortName)))
		if room -= utf8.RuneCountInString(called); room < 0 {
			names = append(names, "… +"+v.t.Number(len(bots)-i))
			break
		}
		names = append(names, called)
	}
	return orDash(strings.Join(names, " · "))
}

// mayNotPost says why the caller cannot have another panel here, or nothing.
func (v view) mayNotPost(own int) string {
	const manage = discordgo.PermissionManageMessages | discordgo.PermissionAdministrator
	var needed uint64 = discordgo.PermissionViewChannel | discordgo.PermissionEmbedLinks | discordgo.PermissionSendMessages
	if v.asked.InThread { // where Send Messages has no effect: https://discord.com/developers/docs/topics/threads#permissions
		needed = discordgo.PermissionViewChannel | discordgo.PermissionEmbedLinks | discordgo.PermissionSendMessagesInThreads
	}
	app := v.asked.AppPermissions
	switch {
	case v.asked.GuildID == "":
		return v.t.Text("panel.guild_only")
	case v.asked.Permissions&manage == 0:
		return v.t.Text("panel.forbidden")
	case v.asked.BotAbsent: // whatever AppPermissions says of an answer
		return v.t.Text("panel.not_here")
	case app&discordgo.PermissionAdministrator == 0 && app&needed != needed:
		return v.t.Text(panelTrouble(rest.CodeMissingPermissions, v.asked.InThread))
	case own >= panel.MostPanels:
		return v.t.Format("panel.full", args{"N": panel.MostPanels})
	}
	return ""
}

// mayPost refuses a panel where the caller cannot have one.
func (v view) mayPost() error {
	why := v.mayNotPost(0)
	if why == "" {
		return nil
	}
	refused := &refusal{reason: "no panel may be posted", explain: func(view) string { return why }}
	if v.asked.BotAbsent {
		refused.links = func(v view) []discordgo.Button { return []discordgo.Button{v.toInvite()} }
	}
	return refused
}

// posting serves what makes a panel, where the caller can have one.
func (c *Commands) posting(h interaction.Handler) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		if err := c.view(r).mayPost(); err != nil {
			return interaction.Response{}, err
		}
		return h(ctx, r)
	}
}

// choosePanelBots notes the bots of a new panel as a draft, and goes on by a button: a menu does not
// send the same choice again, such as of somebody who has closed the form (discord-api-docs#4801, where
// staff advise buttons).
func (c *Commands) choosePanelBots(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	chosen, err := read(ctx, c, r, func(s accounts.Snapshot) ([]string, error) { return chosenBots(r, s.List.Servers) })
	if err != nil {
		return interaction.Response{}, err
	}
	bots, _ := json.Marshal(chosen) // texts always can be encoded
	c.forms.Drafts.Keep(ctx, r.UserID, panelDraft(r), map[string]string{draftBots: string(bots)})
	return c.panelsBelow(ctx, r, "", chosen)
}

// panelDraft names the draft of a new panel. Each message has one, as it shows which bots were chosen.
func panelDraft(r *interaction.Request) string { return idPanelNew + "/" + r.Message }

// The fields of that draft: the IDs of the panel's bots, as JSON, or that it is to have all.
const (
	draftBots = "bots"
	draftAll  = "all"
)

// draftedBots returns the IDs of the bots that were chosen for a new panel, or that it is to have all.
func (c *Commands) draftedBots(ctx context.Context, r *interaction.Request) (chosen []string, all bool, err error) {
	fields := c.forms.Drafts.Fields(ctx, r.UserID, panelDraft(r))
	if fields[draftAll] != "" {
		return nil, true, nil
	}
	if json.Unmarshal([]byte(fields[draftBots]), &chosen) != nil || len(chosen) == 0 {
		return nil, false, c.notChosen(ctx, r)
	}
	return chosen, false, nil
}

// askPanelOfAll notes that a new panel is to have all bots, also later ones, and asks for its title.
func (c *Commands) askPanelOfAll(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	c.forms.Drafts.Keep(ctx, r.UserID, panelDraft(r), map[string]string{draftAll: wordOn})
	return c.view(r).askTitle(idPanelNew, panel.Panel{}), nil
}

// askNewPanel asks for the title of a panel of the chosen bots.
func (c *Commands) askNewPanel(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	if _, _, err := c.draftedBots(ctx, r); err != nil {
		return interaction.Response{}, err
	}
	return c.view(r).askTitle(idPanelNew, panel.Panel{}), nil
}

// askTitle asks for the title of a panel.
func (v view) askTitle(customID string, p panel.Panel) interaction.Response {
	title := interaction.TextInput(inputName, v.plainPanelTitle(p), false)
	title.MaxLength = panel.MaxTitle
	return interaction.Open(&interaction.Dialog{
		CustomID: customID, Title: v.t.Text("modal.panel.title"),
		Fields: []interaction.Field{v.formField("modal.panel.name", "modal.panel.name_hint", title)},
	})
}

// typedTitle is the title that was typed; "" where that is the usual one.
func (v view) typedTitle() string {
	title := sanitize.Plain(v.asked.Fields[inputName], panel.MaxTitle)
	if title == v.t.Text("panel.title") {
		return ""
	}
	return title
}

// postPanel makes a panel of the bots that were chosen before its title, in this channel. It is
// posted once Discord has taken the answer that says so.
func (c *Commands) postPanel(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	v := c.view(r)
	// A panel is drawn of what is known, which Redis may have lost since the bots were chosen.
	if _, err := c.accounts.Account(ctx, r.CustomerID, r.AnswerBy); err != nil {
		return interaction.Response{}, err
	}
	p := panel.Panel{ID: r.ID, OwnerID: r.UserID, GuildID: r.GuildID, ChannelID: r.ChannelID, InThread: r.InThread, Title: v.typedTitle(), Locale: r.Locale}
	response := v.draw(idPanelNew, &discordgo.MessageEmbed{Title: v.t.Text("panel.list"), Color: yellow, Description: "⏳ " + v.t.Text("panel.posting")})
	response.Then = &interaction.Work{Does: interaction.Change{}, Run: func(ctx context.Context) (interaction.Response, error) {
		var err error
		if p.Bots, p.All, err = c.draftedBots(ctx, r); err != nil {
			return interaction.Response{}, err
		}
		posted, err := c.watch.Panels.Create(ctx, p)
		if err == nil {
			c.forms.Drafts.Forget(ctx, r.UserID, panelDraft(r))
		}
		switch {
		case errors.Is(err, panel.ErrTooMany):
			return c.panelsBelow(ctx, r, "", nil)
		case rest.CodeOf(err) == rest.CodeMissingAccess && !r.InThread:
			// The interaction said that the bot may see the channel. A guild that has installed
			// the application without the scope bot is not BotAbsent, and the permissions are
			// those of the answer.
			return interaction.Response{}, notHere("discord does not take a panel: " + err.Error())
		case err != nil && !rest.VerdictOf(err).Passes() && rest.VerdictOf(err) != rest.Quarantined:
			return interaction.Response{}, refuse("discord does not take a panel: "+err.Error(), panelTrouble(rest.CodeOf(err), r.InThread))
		case err != nil:
			return interaction.Response{}, refuseForNow("a panel cannot be kept: "+err.Error(), "panel.unreadable")
		case !posted:
			return c.panelsAfter(ctx, r, "⏳ "+v.t.Text("panel.later"))
		}
		return c.panelsAfter(ctx, r, "✅ "+v.t.Text("panel.posted"))
	}}
	return response, nil
}

// notChosen refuses a panel of which Redis has lost which bots were chosen, or does not tell it.
func (c *Commands) notChosen(ctx context.Context, r *interaction.Request) error {
	if _, err := c.watch.Panels.Of(ctx, r.UserID); err != nil {
		return refuseForNow("redis does not tell which bots were chosen: "+err.Error(), "panel.unreadable")
	}
	return refuse("it is not known which bots were chosen", "panel.choose_again")
}

// notHere refuses a panel in a guild in which the bot is not, and leads to inviting it.
func notHere(reason string) error {
	return &refusal{
		reason:  reason,
		explain: func(v view) string { return v.t.Text("panel.not_here") },
		links:   func(v view) []discordgo.Button { return []discordgo.Button{v.toInvite()} },
	}
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

// messagesStay says where messages of removed panels stay.
func (v view) messagesStay(removal panel.Removal) string {
	channels := "<#" + strings.Join(removal.Stays, ">, <#") + ">"
	return "⚠️ " + v.t.Format("panel.message_stays", args{"Channel": channels})
}

// panelTrouble is the key of the text for what is in the way of a panel, by Discord's
// code. In a thread CodeMissingAccess says that the thread's permission is missing (PaSympa/discord-mcp#60).
func panelTrouble(code int, inThread bool) string {
	switch code {
	case rest.CodeMissingAccess, rest.CodeMissingPermissions:
		if inThread {
			return "panel.no_permission_in_thread"
		}
		return "panel.no_permission"
	case rest.CodeArchivedThread, rest.CodeLockedThread: // the bot itself opens one that is not locked
		return "panel.locked"
	default:
		return "panel.refused"
	}
}
