package commands

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/bot/staff/incident"
	"hostbot/bot/staff/support"
	"hostbot/hostapi"
	"hostbot/locale"
)

// Support is how customers tell staff of a failure.
type Support struct {
	// Tell tells staff of a failure; nil if customers are not to. See support.Desk.
	Tell func(context.Context, support.Case) (support.Told, error)
	// Keep keeps what is behind a reference.
	Keep    func(incident.Incident)
	Texts   *locale.Texts // in staff's language
	Answers Answers
	// Brand is the host's name, as customers read it above an answer or an announcement; it may be empty.
	Brand string
}

// idTellSupport tells staff of a failure. Its reference follows. The answer is a message of its
// own, so that what failed can still be read and tried again.
const idTellSupport = interaction.ReplyPrefix + "support/"

// idTellCrashes tells staff of a bot that keeps crashing. Its key follows.
const idTellCrashes = interaction.ReplyPrefix + "crashes/"

// stateLimit bounds how long the answer may wait for the state of the bot that a failure is about.
const stateLimit = 2 * time.Second

// support leads to those who can help with the failure of which the reader is told, or with a bot that keeps crashing: by a
// button with a custom ID that tells them of it or, where there is none, to the host's page.
func (v view) support(tells string) discordgo.Button {
	if v.commands.support.Tell == nil || v.asked.ByStaff() {
		return v.toSupport()
	}
	return v.button(discordgo.SecondaryButton, "button.tell_support", tells, false)
}

// untoldError says that staff could not be told of a failure.
type untoldError struct{ error }

func (e *untoldError) Unwrap() error { return e.error }

// errNoSupport says that the button is from before SUPPORT_CHANNEL_ID was removed.
var errNoSupport = refuse("SUPPORT_CHANNEL_ID is not set any more", "error.gone")

// tellSupport tells staff of a failure of the caller's.
func (c *Commands) tellSupport(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	if c.support.Tell == nil {
		return interaction.Response{}, errNoSupport
	}
	return interaction.Defer("", func(ctx context.Context) (interaction.Response, error) {
		found, err := c.staff.Incident(ctx, incident.Clean(r.Params["code"]))
		switch {
		case errors.Is(err, incident.ErrUnknown), err == nil && (found.UserID != r.UserID || time.Since(found.At) > support.Window):
			return interaction.Response{}, refuse("the caller had no such failure within a day", "support.unknown")
		case err != nil:
			return interaction.Response{}, &untoldError{err}
		}
		return c.handOver(ctx, r, found)
	}), nil
}

// tellCrashes tells staff of a bot of the caller's that keeps crashing, once a day.
func (c *Commands) tellCrashes(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	if c.support.Tell == nil {
		return interaction.Response{}, errNoSupport
	}
	return interaction.Defer("", func(ctx context.Context) (interaction.Response, error) {
		about := incident.Of(r, incident.ErrCrashes)
		about.BotID, about.Asked = about.Asked, ""
		about.Reference = interaction.ReferenceOf(r.CustomerID + "/" + about.BotID + "/" + time.Now().UTC().Format(time.DateOnly))
		c.support.Keep(about)
		return c.handOver(ctx, r, about)
	}), nil
}

// handOver tells staff of an incident of the caller's.
func (c *Commands) handOver(ctx context.Context, r *interaction.Request, i incident.Incident) (interaction.Response, error) {
	v, server := c.view(r), c.botOf(ctx, i)
	told, err := c.support.Tell(ctx, c.supportCase(r, i, server))
	if limit, ok := errors.AsType[*support.LimitError](err); ok {
		return interaction.Response{}, &refusal{
			reason: "the caller has told staff of too many failures",
			explain: func(v view) string {
				return v.t.Format("support.limit", args{"When": relative(limit.Until)})
			},
			links: func(v view) []discordgo.Button { return []discordgo.Button{v.toSupport()} },
		}
	}
	if err != nil {
		return interaction.Response{}, &untoldError{err}
	}
	text := v.t.Text("support.told.account")
	switch {
	case told.Already:
		text = v.t.Text("support.already")
	case server.ID != "":
		text = v.t.Format("support.told.bot", args{"Bot": name(server)})
	}
	if c.staff.GuildID != "" { // otherwise nobody could answer
		text = paragraphs(text, v.t.Text("support.answer_here"))
	}
	embed := &discordgo.MessageEmbed{
		Title: v.t.Text("support.title"), Color: green,
		Description: paragraphs(text, v.t.Format("error.reference", args{"Reference": "`" + i.Reference + "`"})),
	}
	response := v.draw("", embed, v.linkRow(v.toSupport())...)
	response.Failure = told.Trouble
	return response, nil
}

// botOf returns the bot that an incident is about, as it is now; without a status if that is not known, and
// without an ID if there is no such bot.
func (c *Commands) botOf(ctx context.Context, i incident.Incident) hostapi.Server {
	var servers []hostapi.Server
	if snapshot, err := c.accounts.Account(ctx, i.CustomerID, time.Now().Add(stateLimit)); err == nil {
		servers = snapshot.List.Servers
	}
	if at := indexOf(servers, i.BotID); at >= 0 {
		return servers[at]
	}
	if i.BotID == "" && i.Asked != "" {
		if asked, err := find(servers, i.Asked, false); err == nil {
			return asked
		}
	}
	return hostapi.Server{ID: i.BotID, Name: i.BotName}
}

// supportCase draws an incident for staff, in their language.
func (c *Commands) supportCase(r *interaction.Request, i incident.Incident, server hostapi.Server) support.Case {
	v := c.view(r)
	v.t = c.support.Texts
	parts := []string{sanitize.Plain(r.UserName, nameLimit/2), i.Reference}
	embed := &discordgo.MessageEmbed{
		Title: "🛟 " + v.t.Text("log.support.title"), Color: orange, Timestamp: i.At.UTC().Format(time.RFC3339),
		Footer: &discordgo.MessageEmbedFooter{Text: v.t.Text("log.support.footer")},
	}
	if c.staff.GuildID != "" {
		embed.Footer.Text = v.t.Text("log.support.footer_answer")
	}
	if i.Cause != "" {
		embed.Description = v.t.Text("log.todo." + i.Cause)
	}
	i.BotID, i.BotName = server.ID, cmp.Or(server.Name, server.ID)
	embed.Fields = i.Fields(v.t, "log.field.user", "log.field.bot")
	if server.ID != "" {
		parts = []string{parts[0], plainName(server, nameLimit/2), i.Reference}
		embed.Fields = append(embed.Fields, v.field("log.field.state", v.stateNow(server), true))
	}
	embed.Fields = append(embed.Fields, i.Fields(v.t, "log.field.operation", "log.field.error", "log.field.reference")...)
	reference := "`" + i.Reference + "`"
	who := cmp.Or(sanitize.Markdown(r.UserName, nameLimit), sanitize.User(i.UserID))
	line := v.t.Format("log.support.line", args{"User": who, "Reference": reference})
	m := interaction.Message{Content: "🛟 " + line, Embeds: []*discordgo.MessageEmbed{embed}, Components: c.caseRow(v, i.Reference)}
	return support.Case{
		Reference: i.Reference, CustomerID: i.UserID, Message: m,
		ThreadName: sanitize.Plain(strings.Trim(strings.Join(parts, " · "), " ·"), rest.MaxThreadName),
	}
}

// stateNow is a bot's state, or "" if it is not known.
func (v view) stateNow(s hostapi.Server) string {
	if s.Status == "" {
		return ""
	}
	return v.status(s)
}
