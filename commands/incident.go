package commands

import (
	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/message"
	"hostbot/bot/interaction"
	"hostbot/bot/staff/incident"
)

// drawIncident shows what happened behind a reference, what to do, and the way to the
// customer.
func (v view) drawIncident(i incident.Incident) interaction.Response {
	embed := &discordgo.MessageEmbed{
		Title:       v.t.Format("staff.reference.title", args{"Reference": i.Reference}),
		Description: message.Time(i.At, "F") + " · " + relative(i.At),
		Color:       blurple,
	}
	if i.Cause != "" { // which an earlier version did not keep
		embed.Description += "\n" + v.t.Text("log.todo."+i.Cause)
	}
	embed.Fields = i.Fields(v.t, "log.field.user", "log.field.customer", "log.field.bot", "log.field.operation", "log.field.where",
		"staff.reference.call", "staff.reference.attempts", "staff.reference.answer", "log.field.detail", "log.field.duration",
		"staff.status.version", "staff.reference.shard", "staff.reference.interaction")
	return v.draw("", embed, row(v.button(discordgo.SecondaryButton, "button.lookup", LookupID(i.CustomerID, i.CustomerName), i.CustomerID == "")))
}
