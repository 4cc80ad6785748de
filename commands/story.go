package commands

import (
	"strconv"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/reference"
	"hostbot/bot/safetext"
)

// storyView is what happened behind a reference, as staff read it.
type storyView struct {
	view
	story reference.Story
}

func (v storyView) draw() screen {
	s := v.story
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
	field("log.field.user", safetext.User(s.UserID), true)
	if s.CustomerID != s.UserID {
		field("log.field.customer", safetext.User(s.CustomerID), true)
	}
	field("log.field.operation", safetext.Code(s.Kind+" "+s.Route, commandLimit), true)
	field("log.field.where", v.where(), true)
	if s.Operation != "" {
		field("staff.reference.call", v.call(), true)
		field("staff.reference.attempts", v.t.Format("staff.reference.tries", args{"Attempts": s.Attempts, "Duration": v.t.Duration(s.Took)}), true)
		field("staff.reference.answer", safetext.Markdown(s.Answer, detailLimit), false)
	}
	field("log.field.detail", safetext.Markdown(s.Detail, detailLimit), false)
	field("log.field.duration", v.t.Duration(s.Failed), true)
	field("staff.status.version", safetext.Code(s.Version, wordLimit), true)
	field("staff.reference.shard", strconv.Itoa(s.Shard), true)
	field("staff.reference.interaction", safetext.Code(s.InteractionID, commandLimit), true)
	return newScreen("", embed)
}

// detailLimit bounds what is shown of an error, in characters. A field may hold
// 1,024.
const detailLimit = 1000

func (v storyView) where() string {
	if v.story.GuildID == "" {
		return v.t.Text("log.where.dm")
	}
	return "<#" + safetext.Plain(v.story.ChannelID, nameLimit) + "> " + v.t.Text("log.where.guild") + " " + safetext.Code(v.story.GuildID, nameLimit)
}

// call says which call to the hosting service failed, and how.
func (v storyView) call() string {
	call := v.story.Operation + ": " + v.story.Code
	if v.story.Status != 0 {
		call += " (" + strconv.Itoa(v.story.Status) + ")"
	}
	call = safetext.Code(call, commandLimit)
	if v.story.Uncertain {
		call += "\n" + v.t.Text("staff.reference.uncertain")
	}
	return call
}
