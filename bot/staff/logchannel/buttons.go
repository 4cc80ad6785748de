package logchannel

import (
	"cmp"
	"slices"

	"github.com/bwmarrin/discordgo"

	"hostbot/locale"
)

// Buttons makes the custom IDs of the buttons below cards with references. They open the card's customer, and the
// incident behind a reference. Without these functions there are no buttons.
type Buttons struct {
	Lookup    func(customerID, name string) string
	Reference func(code string) string
	// References is the custom ID of a menu of references.
	References string
}

// maxChoices is how many choices Discord takes in a menu, and maxChoice how many characters
// each may have. https://discord.com/developers/docs/components/reference#string-select
const (
	maxChoices = 25
	maxChoice  = 100
)

// rows returns the rows below a message. If all cards concern the same customer, there is a button that opens that
// customer. There is a button for the reference or, if there are several, a menu of them.
func (b Buttons) rows(slots []slot, t *locale.Texts) (rows []discordgo.MessageComponent) {
	if b.Lookup == nil || b.Reference == nil {
		return nil
	}
	choices, customer := b.references(slots), onlyCustomer(slots)
	if len(choices) == 0 {
		return nil
	}
	var buttons discordgo.ActionsRow
	add := func(key, customID string) {
		buttons.Components = append(buttons.Components, discordgo.Button{Style: discordgo.SecondaryButton, Label: t.Text(key), CustomID: customID})
	}
	if customer.ID != "" {
		add("button.lookup", b.Lookup(customer.ID, customer.Name))
	}
	if len(choices) == 1 {
		add("button.reference", b.Reference(choices[0].Value))
	} else {
		menu := discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu, CustomID: b.References, Placeholder: t.Text("menu.references"), Options: choices}
		rows = append(rows, discordgo.ActionsRow{Components: []discordgo.MessageComponent{menu}})
	}
	if len(buttons.Components) > 0 {
		rows = append(rows, buttons)
	}
	return rows
}

// references returns the references of a message's cards, each once, with the card's title. If there are more than fit in
// a menu, it returns the latest ones of each card.
func (b Buttons) references(slots []slot) (choices []discordgo.SelectMenuOption) {
	most := maxChoices / max(1, len(slots))
	for _, s := range slots {
		codes := s.Tally.References
		for _, code := range codes[max(0, len(codes)-most):] {
			known := slices.ContainsFunc(choices, func(c discordgo.SelectMenuOption) bool { return c.Value == code })
			if !known {
				choices = append(choices, discordgo.SelectMenuOption{Label: code, Value: code, Description: s.about()})
			}
		}
	}
	return choices
}

// about says in a choice what a card is about.
func (s slot) about() string {
	if s.Embed == nil {
		return ""
	}
	title := []rune(cmp.Or(s.Embed.Title, s.GroupKey))
	return string(title[:min(len(title), maxChoice)])
}

// onlyCustomer returns the customer whom all cards with a reference concern, or none.
func onlyCustomer(slots []slot) (only Customer) {
	for _, s := range slots {
		if len(s.Tally.References) == 0 {
			continue
		}
		if len(s.Tally.Customers) != 1 || only.ID != "" && only.ID != s.Tally.Customers[0].ID {
			return Customer{}
		}
		only = s.Tally.Customers[0]
	}
	return only
}
