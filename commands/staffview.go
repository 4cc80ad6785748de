package commands

import (
	"context"
	"errors"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/reference"
	"hostbot/bot/safetext"
	"hostbot/hostapi/accounts"
	"hostbot/locale"
)

// lookup shows a page of a customer's bots with the plan below, for staff.
func (c *Commands) lookup(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return c.shown(ctx, r, func(p *page, s accounts.Snapshot) (interaction.Message, error) {
		message := p.list(s.List, wantedPage(r, s.List.Servers))
		message.Embeds = append(message.Embeds, p.planEmbed(s.List))
		return message, nil
	})
}

// note is a message of one sentence.
func (p *page) note(text string) interaction.Message {
	return interaction.Message{Embeds: []*discordgo.MessageEmbed{{Description: text, Color: blurple}}}
}

// staffSentence says an error that speaks of a customer's bots so that staff read
// whose they are; "" where it is said to staff as to everybody.
func staffSentence(t *locale.Texts, err error) string {
	var (
		notFound  *notFoundError
		ambiguous *ambiguousError
	)
	switch {
	case isNoAccount(err):
		return t.Text("staff.no_account")
	case errors.As(err, &notFound):
		return notFound.say(t, "staff.not_found_bot")
	case errors.As(err, &ambiguous):
		return ambiguous.say(t, "staff.ambiguous")
	case errors.Is(err, goneError{}):
		return t.Text("staff.gone")
	default:
		return ""
	}
}

// story draws what happened behind a reference.
func (p *page) story(s reference.Story) interaction.Message {
	embed := &discordgo.MessageEmbed{
		Title:       p.t.Format("staff.reference.title", args{"Reference": s.Reference}),
		Description: stamp(s.At, "F") + " (" + relative(s.At) + ")",
		Color:       blurple,
	}
	field := func(key, value string, inline bool) {
		if value != "" {
			embed.Fields = append(embed.Fields, &discordgo.MessageEmbedField{Name: p.t.Text(key), Value: value, Inline: inline})
		}
	}
	field("log.field.user", safetext.User(s.UserID), true)
	if s.CustomerID != s.UserID {
		field("log.field.customer", safetext.User(s.CustomerID), true)
	}
	field("log.field.operation", safetext.Code(s.Kind+" "+s.Route, commandLimit), true)
	field("log.field.where", p.where(s), true)
	if s.Operation != "" {
		call := s.Operation + ": " + s.Code
		if s.Status != 0 {
			call += " (" + strconv.Itoa(s.Status) + ")"
		}
		call = safetext.Code(call, commandLimit)
		if s.Uncertain {
			call += "\n" + p.t.Text("staff.reference.uncertain")
		}
		field("staff.reference.call", call, true)
		field("staff.reference.attempts", p.t.Format("staff.reference.tries", args{"Attempts": s.Attempts, "Duration": p.t.Duration(s.Took)}), true)
		field("staff.reference.answer", safetext.Markdown(s.Answer, detailShown), false)
	}
	field("log.field.detail", safetext.Markdown(s.Detail, detailShown), false)
	field("log.field.duration", p.t.Duration(s.Failed), true)
	field("staff.status.version", safetext.Code(s.Version, wordLimit), true)
	field("staff.reference.shard", strconv.Itoa(s.Shard), true)
	field("staff.reference.interaction", safetext.Code(s.InteractionID, commandLimit), true)
	return interaction.Message{Embeds: []*discordgo.MessageEmbed{embed}}
}

// detailShown bounds what is shown of an error, in characters. A field may hold
// 1,024.
const detailShown = 1000

func (p *page) where(s reference.Story) string {
	if s.GuildID == "" {
		return p.t.Text("log.where.dm")
	}
	return "<#" + safetext.Plain(s.ChannelID, nameLimit) + "> " + p.t.Text("log.where.guild") + " " + safetext.Code(s.GuildID, nameLimit)
}
