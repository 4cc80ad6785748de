package commands

import (
	"github.com/bwmarrin/discordgo"

	"hostbot/hostapi"
)

// actionRow says how the buttons of the actions on a bot are drawn.
type actionRow struct {
	prefix string // of the custom IDs, before the action and the bot's key
	state  state  // of the bot; what makes no sense in it is disabled
	busy   bool   // an action is running on the bot, so all are disabled
	quiet  bool   // another button of the message matters more, so none stands out
}

// actionButtons returns the buttons that act on a bot, in the order of actionList: those of the first
// row, and the long one that has room in the second on a phone. Each has a place of its own, whatever
// the bot's state, so that a press never meets another button than the one that was aimed at.
func (v view) actionButtons(r actionRow, serverID string) (first, second []discordgo.Button) {
	for _, a := range actionList() {
		if !v.offers(a.op) {
			continue
		}
		disabled := r.busy || !a.in.has(r.state) // as commands and menus refuse it
		if a.op == hostapi.OpStart && r.state == broken && v.offers(hostapi.OpRestart) {
			disabled = true // one way is enough; the command works
		}
		style := a.style
		if r.quiet || disabled { // Discord's apps only fade a coloured one
			style = discordgo.SecondaryButton
		}
		button := v.button(style, "button."+a.name, r.prefix+a.name+"/"+botKey(serverID), disabled)
		if a.op == hostapi.OpReinstall {
			second = append(second, button)
		} else {
			first = append(first, button)
		}
	}
	return first, second
}

// buttons are the actions on the bot and the ways on. Each has its place, whatever the
// state: what makes no sense now is disabled. With the links below a phone shows four lines of them.
func (c card) buttons(condition condition) []discordgo.MessageComponent {
	key, refresh := botKey(c.server.ID), discordgo.SecondaryButton
	if c.unsure {
		refresh = discordgo.PrimaryButton
	}
	rare := c.rareButtons(key)
	first, second := c.actionButtons(actionRow{state: condition.state, busy: c.busy, quiet: c.unsure}, c.server.ID)
	ways := []discordgo.Button{
		c.button(refresh, "button.refresh", idShow+key, false),
		c.opener(details, "button.details", idDetails+key),
		c.button(discordgo.SecondaryButton, "button.back", idListWith+key, false),
	}
	if len(rare) > 0 {
		ways = append(ways, c.opener(more, "button.more", idMore+key))
	}
	rows := append(c.linkRow(first...), c.linkRow(append(ways, second...)...)...)
	if c.part == more && len(rare) > 0 {
		rows = append(rows, row(rare...))
	}
	return rows
}

// opener opens a part of the card, or closes it if it is open.
func (c card) opener(p part, key, customID string) discordgo.Button {
	if c.part == p {
		return c.button(discordgo.SecondaryButton, key+"_close", idBrief+botKey(c.server.ID), false)
	}
	return c.button(discordgo.SecondaryButton, key, customID, false)
}

// rareButtons are those behind More; what cannot be undone is last. Only customers themselves have
// them: staff neither change how bots are started nor delete them.
func (c card) rareButtons(key string) (rare []discordgo.MessageComponent) {
	if c.asked.ByStaff() {
		return nil
	}
	if c.commands.watch.offered() {
		rare = append(rare,
			c.button(discordgo.SecondaryButton, "button.alerts", idAlertsOf+key, false),
			c.button(discordgo.SecondaryButton, "button.history", idHistory+key, false))
	}
	if c.commands.watch.offered() && c.offers(hostapi.OpRestart) {
		rare = append(rare, c.button(discordgo.SecondaryButton, "button.schedule", idSchedule+key, false))
	}
	if c.offers(hostapi.OpUpdateStartup) {
		rare = append(rare, c.button(discordgo.SecondaryButton, "button.startup", idStartup+key, c.busy))
	}
	if c.offers(hostapi.OpDelete) {
		rare = append(rare, c.button(discordgo.DangerButton, "button.delete", idDelete+key, c.busy))
	}
	return rare
}
