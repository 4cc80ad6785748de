package commands

import (
	"cmp"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/sanitize"
)

// staffColor is the colour of every page of a customer's account that staff see, so
// that they do not take it for their own.
const staffColor = 0xeb459e

// mark marks a page as one of another person's account. Where something can be
// pressed, it says right above for whom that is.
func (v view) mark(embed *discordgo.MessageEmbed, pressable bool) {
	embed.Color = staffColor
	embed.Author = &discordgo.MessageEmbedAuthor{Name: v.plainCustomer()}
	if pressable && embed.Footer == nil {
		embed.Footer = &discordgo.MessageEmbedFooter{Text: v.t.Format("staff.acts_for", args{"Name": v.plainCustomer()})}
	}
}

// plainCustomer is what the customer is called for whom staff ask. Discord tells the
// name where staff choose somebody. The author of the page repeats it, so that the
// pages that follow know it as well.
func (v view) plainCustomer() string {
	return cmp.Or(sanitize.Plain(v.asked.TargetName, nameLimit), v.t.Format("staff.nameless", args{"ID": v.asked.CustomerID}))
}

// customerName is plainCustomer for where Discord renders markdown.
func (v view) customerName() string {
	return sanitize.Markdown(v.plainCustomer(), nameLimit)
}
