package commands

import (
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/message"
	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/bot/staff/incident"
)

// detailLimit bounds what is shown of an error, in characters: a field holds 1,024.
const detailLimit = 1000

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
	field := func(key, value string) {
		if value != "" {
			embed.Fields = append(embed.Fields, v.field(key, value, key != "staff.reference.answer" && key != "log.field.detail"))
		}
	}
	where := v.t.Text("log.where.dm")
	if i.GuildID != "" {
		where = v.t.Format("log.where.guild", args{"Channel": "<#" + sanitize.Plain(i.ChannelID, nameLimit) + ">", "Guild": sanitize.Code(i.GuildID, nameLimit)})
	}
	call := i.Operation + ": " + i.Code
	if i.Status != 0 {
		call += " (" + strconv.Itoa(i.Status) + ")"
	}
	call = sanitize.Code(call, commandLimit)
	if i.Uncertain {
		call += "\n" + v.t.Text("staff.reference.uncertain")
	}
	field("log.field.user", sanitize.User(i.UserID))
	if i.CustomerID != i.UserID {
		field("log.field.customer", sanitize.User(i.CustomerID))
	}
	field("log.field.bot", strings.TrimSpace(sanitize.Markdown(i.BotName, nameLimit)+" "+sanitize.Code(i.BotID, nameLimit)))
	field("log.field.operation", sanitize.Code(i.Kind+" "+i.Route, commandLimit))
	field("log.field.where", where)
	if i.Operation != "" {
		field("staff.reference.call", call)
		took := v.t.Duration(i.Took)
		if instant(i.Took) {
			took = "< " + v.t.Duration(100*time.Millisecond)
		}
		field("staff.reference.attempts", v.t.Format("staff.reference.tries", args{"Attempts": i.Attempts, "Duration": took}))
		field("staff.reference.answer", sanitize.Markdown(i.Answer, detailLimit))
	}
	field("log.field.detail", sanitize.Markdown(i.Detail, detailLimit))
	if !instant(i.Failed) {
		field("log.field.duration", v.t.Duration(i.Failed))
	}
	field("staff.status.version", sanitize.Code(i.Version, wordLimit))
	field("staff.reference.shard", sanitize.Code(i.Shard, wordLimit))
	field("staff.reference.interaction", sanitize.Code(i.InteractionID, commandLimit))
	return v.draw("", embed, row(v.button(discordgo.SecondaryButton, "button.lookup", LookupID(i.CustomerID, i.CustomerName), i.CustomerID == "")))
}
