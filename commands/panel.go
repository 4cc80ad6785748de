package commands

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/panel"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// panels lists the caller's panels, and lets bots be chosen for one in this channel.
func (c *Commands) panels(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return c.panelsBelow(ctx, r, "")
}

func (c *Commands) panelsBelow(ctx context.Context, r *interaction.Request, notice string) (interaction.Response, error) {
	own, err := c.watch.Panels.Of(ctx, r.CustomerID)
	if err != nil {
		return interaction.Response{}, refuseForNow("redis does not tell which panels there are: "+err.Error(), "panel.unreadable")
	}
	if slices.ContainsFunc(own, func(p panel.Panel) bool { return p.Trouble != "" }) {
		_ = c.watch.Panels.Retry(ctx, r.CustomerID) // otherwise they are tried again later
	}
	return c.shown(func(_ context.Context, r *interaction.Request, s accounts.Snapshot) (interaction.Response, error) {
		if len(s.List.Servers) == 0 {
			return c.botList(r, s).draw(), nil
		}
		return c.view(r).drawPanels(s, own, notice), nil
	})(ctx, r)
}

// panelsAfter says what was done, and lists the caller's panels. Where these cannot be shown, as
// the service fails or the account was closed, what was done is said alone.
func (c *Commands) panelsAfter(ctx context.Context, r *interaction.Request, done string) (interaction.Response, error) {
	response, err := c.panelsBelow(ctx, r, done)
	if err != nil {
		response = c.view(r).draw(idPanelNew, &discordgo.MessageEmbed{Title: c.view(r).t.Text("panel.list"), Color: blurple, Description: done})
	}
	return response, nil
}

// drawPanels lists panels, with a menu that makes one and one that removes one.
func (v view) drawPanels(s accounts.Snapshot, own []panel.Panel, notice string) interaction.Response {
	var lines []string
	var options []discordgo.SelectMenuOption
	for i, p := range own {
		line := v.t.Format("panel.entry", args{"N": i + 1, "Channel": "<#" + p.ChannelID + ">", "Bots": panelNames(p, s.List.Servers, sanitize.Markdown)})
		if p.Trouble != "" {
			line += "\n⚠️ " + v.t.Text(panelTrouble(p.TroubleCode))
		}
		lines = append(lines, line)
		options = append(options, discordgo.SelectMenuOption{Label: v.t.Format("panel.option", args{"N": i + 1}), Value: p.ID, Description: sanitize.Plain(panelNames(p, s.List.Servers, sanitize.Plain), maxOptionText)})
	}
	if len(lines) == 0 {
		lines = []string{v.t.Text("panel.none")}
	}
	why := v.mayNotPost(len(own))
	embed := &discordgo.MessageEmbed{Title: v.t.Text("panel.list"), Color: blurple, Description: paragraphs(v.heading(s, notice), strings.Join(lines, "\n"), why)}
	if why == "" {
		embed.Description = paragraphs(embed.Description, v.onlyFirst(s.List.Servers))
	}
	var rows []discordgo.MessageComponent
	if why == "" {
		bots, one := v.options(s.List.Servers), 1
		rows = append(rows, row(discordgo.SelectMenu{
			MenuType: discordgo.StringSelectMenu, CustomID: idPanelNew, Placeholder: v.t.Text("panel.choose"),
			MinValues: &one, MaxValues: min(len(bots), panel.MostBots), Options: bots,
		}))
	}
	if v.asked.BotAbsent {
		rows = append(rows, v.linkRow(v.toInvite())...)
	}
	if len(options) > 0 {
		rows = append(rows, v.menu(idPanelRemove, v.t.Text("panel.remove"), options))
	}
	return v.draw(idPanelNew, embed, rows...)
}

// panelNames lists the bots of a panel that there still are. clean is sanitize.Markdown where
// Discord renders the list, and sanitize.Plain elsewhere.
func panelNames(p panel.Panel, servers []hostapi.Server, clean func(text string, limit int) string) string {
	var list []string
	for _, id := range p.Bots {
		if i := indexOf(servers, id); i >= 0 {
			list = append(list, orDash(cmp.Or(clean(servers[i].Name, wordLimit), clean(servers[i].ID, wordLimit))))
		}
	}
	return orDash(strings.Join(list, " · "))
}

// mayNotPost says why the caller cannot have another panel here, or nothing.
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
	case v.asked.BotAbsent: // whatever AppPermissions says of an answer
		return v.t.Text("panel.not_here")
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
		refused := &refusal{reason: "no panel may be posted", explain: func(view) string { return why }}
		if r.BotAbsent {
			refused.links = func(v view) []discordgo.Button { return []discordgo.Button{v.toInvite()} }
		}
		return interaction.Response{}, refused
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
			return c.panelsBelow(ctx, r, "")
		case rest.CodeOf(err) == rest.CodeMissingAccess:
			// The interaction said that the bot may see the channel. A guild that has installed
			// the application without the scope bot is not BotAbsent, and the permissions are
			// those of the answer.
			return interaction.Response{}, notHere("discord does not take a panel: " + err.Error())
		case rest.CodeOf(err) != 0:
			return interaction.Response{}, refuse("discord does not take a panel: "+err.Error(), panelTrouble(rest.CodeOf(err)))
		case err != nil:
			return interaction.Response{}, refuseForNow("a panel cannot be kept: "+err.Error(), "panel.unreadable")
		case !posted:
			return c.panelsAfter(ctx, r, "⏳ "+v.t.Text("panel.later"))
		}
		return c.panelsAfter(ctx, r, "✅ "+v.t.Text("panel.posted"))
	}
	return response, nil
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

// removePanel removes a panel of the caller's.
func (c *Commands) removePanel(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	return interaction.Defer(idPanelNew, func(ctx context.Context) (interaction.Response, error) {
		removal, err := c.watch.Panels.Remove(ctx, r.UserID, r.Value())
		switch {
		case err != nil:
			return interaction.Response{}, staying(refuseForNow("a panel cannot be removed: "+err.Error(), "panel.unreadable"), removal)
		case len(removal.Stays) > 0:
			return c.panelsAfter(ctx, r, c.view(r).messagesStay(removal))
		case !removal.Known: // it was removed before, or Redis has lost it: then its message stays
			return c.panelsBelow(ctx, r, "")
		}
		return c.panelsAfter(ctx, r, "✅ "+c.view(r).t.Text("panel.removed"))
	}), nil
}

// messagesStay says where messages of removed panels stay.
func (v view) messagesStay(removal panel.Removal) string {
	channels := "<#" + strings.Join(removal.Stays, ">, <#") + ">"
	return "⚠️ " + v.t.Format("panel.message_stays", args{"Channel": channels})
}

// panelTrouble is the key of the text for what is in the way of a panel, by Discord's
// code.
func panelTrouble(code int) string {
	switch code {
	case rest.CodeMissingAccess, rest.CodeMissingPermissions:
		return "panel.no_permission"
	case rest.CodeArchivedThread, rest.CodeLockedThread: // the bot itself opens one that is not locked
		return "panel.locked"
	default:
		return "panel.refused"
	}
}

// openFromPanel shows the owner of a panel the card of a bot.
func (c *Commands) openFromPanel(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	if r.UserID != r.Params["owner"] {
		return interaction.Response{}, refuse("the panel is somebody else's", "panel.not_yours")
	}
	return c.shown(c.drawCard(brief))(ctx, r)
}

// maxInRow is how many buttons Discord takes in a row.
// https://discord.com/developers/docs/components/reference#action-row
const maxInRow = 5

// stalePolls is how many polls may be missed before a panel says that what it shows is old.
const stalePolls = 2

// errNotYet says that a panel stays as it is, as nothing is known for a moment.
var errNotYet = errors.New("nothing is known of a panel's account")

// DrawPanel draws what everybody in a channel sees of bots: names, states, and since when. If nothing
// is known of the account any more, it shows no bots and says so.
func (c *Commands) DrawPanel(ctx context.Context, p panel.Panel) (interaction.Message, error) {
	stale := stalePolls * c.watch.Interval()
	snapshot, err := c.watch.Known(ctx, p.OwnerID)
	unknown := errors.Is(err, accounts.ErrUnknown)
	switch {
	case unknown && (p.Edited == 0 || time.Since(time.UnixMilli(p.Edited)) < stale):
		return interaction.Message{}, errNotYet
	case err != nil && !unknown && !isNoAccount(err):
		return interaction.Message{}, err
	}
	v := c.view(&interaction.Request{UserID: p.OwnerID, CustomerID: p.OwnerID, Locale: p.Locale})
	lines, buttons, worst := c.panelLines(ctx, v, p, snapshot)
	old := ""
	switch {
	case unknown:
		old = "⚠️ " + v.t.Text("age.away")
	case len(lines) == 0:
		lines = []string{v.t.Text("panel.empty")}
	case time.Since(snapshot.FetchedAt) > stale:
		old, worst = "⚠️ "+v.t.Text("age.away")+"\n"+v.t.Format("age.old", args{"When": relative(snapshot.FetchedAt)}), grey
	}
	embed := &discordgo.MessageEmbed{
		Title: v.t.Text("panel.title"), Color: worst, Description: paragraphs(old, strings.Join(lines, "\n")),
	}
	if !snapshot.FetchedAt.IsZero() {
		embed.Footer = &discordgo.MessageEmbedFooter{Text: v.t.Text("age.field")}
		embed.Timestamp = snapshot.FetchedAt.UTC().Format(time.RFC3339)
	}
	message := interaction.Message{Embeds: []*discordgo.MessageEmbed{embed}}
	for some := range slices.Chunk(buttons, maxInRow) {
		message.Components = append(message.Components, row(some...))
	}
	return message, nil
}

// panelLines returns a line and a button for each bot of a panel that there still is, and the colour
// of the one that fares worst.
func (c *Commands) panelLines(ctx context.Context, v view, p panel.Panel, known accounts.Snapshot) (lines []string, buttons []discordgo.MessageComponent, worst int) {
	worst = grey
	for _, id := range p.Bots {
		i := indexOf(known.List.Servers, id)
		if i < 0 {
			continue
		}
		s := known.List.Servers[i]
		condition := conditionOf(s.Status)
		worst = worse(worst, condition.color)
		lines = append(lines, condition.emoji+" **"+name(s)+"** · "+v.statusWord(s, sanitize.Markdown)+c.sinceWhen(ctx, v, p.OwnerID, s))
		buttons = append(buttons, discordgo.Button{
			Style: discordgo.SecondaryButton, Label: plainName(s, nameLimit), CustomID: idPanelBot + p.OwnerID + "/" + botKey(s.ID),
		})
	}
	return lines, buttons, worst
}

// BarePanel is what a panel shows where Discord takes no embeds from the bot: which
// permissions it needs.
func (c *Commands) BarePanel(p panel.Panel) interaction.Message {
	return interaction.Message{Content: "⚠️ " + c.texts.For(p.Locale).Text("panel.no_permission")}
}

// sinceWhen says since when a bot has been in its state, as far as that is known.
func (c *Commands) sinceWhen(ctx context.Context, v view, customerID string, s hostapi.Server) string {
	oldest := time.Now().Add(-history.KeptFor)
	states, err := c.watch.History.Of(ctx, customerID, s.ID, oldest)
	if err != nil || len(states) == 0 {
		return ""
	}
	last := states[len(states)-1]
	if last.State != hostapi.StateOf(s.Status) {
		return ""
	}
	key := "panel.since"
	if len(states) == 1 || states[len(states)-2].State == history.Unwatched { // nobody saw it begin
		key = "panel.since_least"
	}
	return " · " + v.t.Format(key, args{"When": stamp(last.From, "f")})
}

// worse returns the colour that says more of what is wrong.
func worse(one, other int) int {
	badness := []int{grey, green, yellow, red}
	return badness[max(slices.Index(badness, one), slices.Index(badness, other))]
}
