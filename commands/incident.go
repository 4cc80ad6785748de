package commands

import (
	"strconv"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/incident"
	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
)

// incidentView is what happened behind a reference, as staff read it.
type incidentView struct {
	view
	incident incident.Incident
}

func (v incidentView) draw() interaction.Response {
	s := v.incident
	embed := &discordgo.MessageEmbed{
		Title:       v.t.Format("staff.reference.title", args{"Reference": s.Reference}),
		Description: stamp(s.At, "F") + " (" + relative(s.At) + ")",
		Color:       blurple,
	}
	field := func(key, value string, inline bool) {
		if value != "" {
			embed.Fields = append(embed.Fields, v.field(key, value, inline))
		}
	}
	field("log.field.user", sanitize.User(s.UserID), true)
	if s.CustomerID != s.UserID {
		field("log.field.customer", sanitize.User(s.CustomerID), true)
	}
	field("log.field.operation", sanitize.Code(s.Kind+" "+s.Route, commandLimit), true)
	field("log.field.where", v.where(), true)
	if s.Operation != "" {
		field("staff.reference.call", v.call(), true)
		field("staff.reference.attempts", v.t.Format("staff.reference.tries", args{"Attempts": s.Attempts, "Duration": v.t.Duration(s.Took)}), true)
		field("staff.reference.answer", sanitize.Markdown(s.Answer, detailLimit), false)
	}
	field("log.field.detail", sanitize.Markdown(s.Detail, detailLimit), false)
	field("log.field.duration", v.t.Duration(s.Failed), true)
	field("staff.status.version", sanitize.Code(s.Version, wordLimit), true)
	field("staff.reference.shard", strconv.Itoa(s.Shard), true)
	field("staff.reference.interaction", sanitize.Code(s.InteractionID, commandLimit), true)
	return v.view.draw("", embed)
}

// detailLimit bounds what is shown of an error, in characters. A field may hold
// 1,024.
const detailLimit = 1000

func (v incidentView) where() string {
	if v.incident.GuildID == "" {
		return v.t.Text("log.where.dm")
	}
	return "<#" + sanitize.Plain(v.incident.ChannelID, nameLimit) + "> " + v.t.Text("log.where.guild") + " " + sanitize.Code(v.incident.GuildID, nameLimit)
}

// call says which call to the hosting service failed, and how.
func (v incidentView) call() string {
	call := v.incident.Operation + ": " + v.incident.Code
	if v.incident.Status != 0 {
		call += " (" + strconv.Itoa(v.incident.Status) + ")"
	}
	call = sanitize.Code(call, commandLimit)
	if v.incident.Uncertain {
		call += "\n" + v.t.Text("staff.reference.uncertain")
	}
	return call
}
