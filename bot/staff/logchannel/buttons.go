package logchannel

import (
	"github.com/bwmarrin/discordgo"

	"hostbot/locale"
)

// Buttons makes the custom IDs of the buttons below a card that has a reference. They
// lead to the customer whom the card concerns, and to what is behind the reference.
// Without these functions there are no buttons.
type Buttons struct {
	Lookup    func(customerID, name string) string
	Reference func(code string) string
}

// maxInRow is how many buttons Discord takes in a row.
// https://discord.com/developers/docs/components/reference#action-row
const maxInRow = 5

// button is a button below a card.
type button struct {
	key       string // of its label
	customID  string
	reference string // the card's
}

// rows returns the buttons of a message: a row for each card, without those that are
// there already, as two cards may tell of one failure. Where several have one label,
// they name their reference as well.
func (b Buttons) rows(slots []slot, t *locale.Texts) []discordgo.MessageComponent {
	if b.Lookup == nil || b.Reference == nil {
		return nil
	}
	there, labels := make(map[string]bool), make(map[string]int)
	var all [][]button
	for _, s := range slots {
		var row []button
		for _, one := range b.below(s.Tally) {
			if !there[one.customID] {
				there[one.customID] = true
				labels[one.key]++
				row = append(row, one)
			}
		}
		all = append(all, row)
	}
	var rows []discordgo.MessageComponent
	for _, buttons := range all {
		var row discordgo.ActionsRow
		for _, one := range buttons {
			label := t.Text(one.key)
			if labels[one.key] > 1 {
				label += " · " + one.reference
			}
			row.Components = append(row.Components, discordgo.Button{Style: discordgo.SecondaryButton, Label: label, CustomID: one.customID})
		}
		if len(buttons) > 0 {
			rows = append(rows, row)
		}
	}
	return rows
}

// below returns the buttons of a card. One that concerns several customers leads to
// none of them.
func (b Buttons) below(t tally) []button {
	if len(t.References) == 0 {
		return nil
	}
	var list []button
	if len(t.Customers) == 1 {
		list = append(list, button{"button.lookup", b.Lookup(t.Customers[0].ID, t.Customers[0].Name), t.References[len(t.References)-1]})
	}
	for _, code := range t.References[max(0, len(t.References)+len(list)-maxInRow):] {
		list = append(list, button{"button.reference", b.Reference(code), code})
	}
	return list
}
