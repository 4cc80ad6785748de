package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discordtest"
)

// locales are Discord's.
func locales() []string {
	var list []string
	for l := range discordgo.Locales {
		if l != discordgo.Unknown {
			list = append(list, string(l))
		}
	}
	slices.Sort(list)
	return list
}

// world tells the page who and what is there.
func (p *playground) world(context.Context, request) (any, error) {
	type user struct {
		ID     string `json:"id"`
		Name   string `json:"name"`
		Locale string `json:"locale"`
		About  string `json:"about"`
	}
	type channel struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	var out struct {
		Users    []user    `json:"users"`
		Channels []channel `json:"channels"`
		Locales  []string  `json:"locales"`
	}
	for _, someone := range p.people {
		out.Users = append(out.Users, user{someone.ID, someone.Name, p.discord.User(someone.Name).Locale, someone.about})
	}
	for _, ch := range p.discord.Channels() {
		out.Channels = append(out.Channels, channel{ch.ID, ch.Name})
	}
	out.Locales = locales()
	return out, nil
}

// command is a command, or subcommand, as a user's client shows it.
type command struct {
	Name        string   `json:"name"`  // as the bot knows it
	Shown       string   `json:"shown"` // in the user's language
	Description string   `json:"description"`
	Options     []option `json:"options"`
}

type option struct {
	Name         string `json:"name"`
	Shown        string `json:"shown"`
	Description  string `json:"description"`
	Required     bool   `json:"required"`
	Autocomplete bool   `json:"autocomplete"`
}

const subcommand = 1

// commands lists what a user may type, once the bot has registered it.
func (p *playground) commands(ctx context.Context, in request) (any, error) {
	user, err := p.at(in.User, "")
	if err != nil {
		return nil, err
	}
	if err := p.discord.WaitCommands(ctx); err != nil {
		return nil, err
	}
	locale := p.discord.User(user.Name).Locale
	list := []command{}
	for _, c := range user.Commands() {
		if c.Type != discordtest.ChatCommand {
			continue
		}
		top := discordtest.CommandOption{
			Name: c.Name, NameLocalizations: c.NameLocalizations,
			Description: c.Description, DescriptionLocalizations: c.DescriptionLocalizations, Options: c.Options,
		}
		list = append(list, flatten(top, locale, "", "")...)
	}
	return list, nil
}

// flatten lists a command's subcommands, or the command itself where it has none.
func flatten(o discordtest.CommandOption, locale, name, shown string) []command {
	name = strings.TrimSpace(name + " " + o.Name)
	shown = strings.TrimSpace(shown + " " + localized(o.Name, o.NameLocalizations, locale))
	var list []command
	self := command{Name: name, Shown: shown, Description: localized(o.Description, o.DescriptionLocalizations, locale), Options: []option{}}
	for _, inner := range o.Options {
		if inner.Type == subcommand || inner.Type == subcommand+1 {
			list = append(list, flatten(inner, locale, name, shown)...)
			continue
		}
		self.Options = append(self.Options, option{
			inner.Name, localized(inner.Name, inner.NameLocalizations, locale),
			localized(inner.Description, inner.DescriptionLocalizations, locale), inner.Required, inner.Autocomplete,
		})
	}
	if list == nil {
		list = []command{self}
	}
	return list
}

func localized(text string, localizations map[string]string, locale string) string {
	if l, ok := localizations[locale]; ok {
		return l
	}
	return text
}

// message is a message as the page draws it; embeds and components are as
// Discord has them.
type message struct {
	ID         string                  `json:"id"`
	State      string                  `json:"state"`
	Time       time.Time               `json:"time"`
	User       string                  `json:"user,omitempty"`
	Command    string                  `json:"command,omitempty"`
	Ephemeral  bool                    `json:"ephemeral"`
	Content    string                  `json:"content"`
	Embeds     []discordtest.Embed     `json:"embeds"`
	Components []discordtest.Component `json:"components"`
}

// openModal is a modal that the bot opened and the user has not sent.
type openModal struct {
	ID         string                  `json:"id"`
	Title      string                  `json:"title"`
	Components []discordtest.Component `json:"components"`
}

// messages lists what a user sees in a channel.
func (p *playground) messages(_ context.Context, in request) (any, error) {
	user, err := p.at(in.User, in.Channel)
	if err != nil {
		return nil, err
	}
	out := struct {
		Messages []message  `json:"messages"`
		Modal    *openModal `json:"modal,omitempty"`
	}{Messages: []message{}}

	answers := make(map[string]used) // by message
	for _, u := range p.usedBy(in.User, in.Channel) {
		view := u.reply.View()
		switch {
		case view.ID != "":
			answers[view.ID] = u
		case view.State == discordtest.Asking:
			out.Modal = &openModal{u.reply.ID(), view.Modal.Title, view.Modal.Components}
		default:
			m := draw(view)
			m.ID, m.Time, m.User, m.Command, m.Ephemeral = u.reply.ID(), u.at, user.Name, u.command, true
			out.Messages = append(out.Messages, m)
		}
	}
	for _, view := range user.Messages() {
		m := draw(view)
		if u, ok := answers[view.ID]; ok {
			m.User, m.Command = user.Name, u.command
		}
		out.Messages = append(out.Messages, m)
	}
	slices.SortStableFunc(out.Messages, func(a, b message) int { return a.Time.Compare(b.Time) })
	return out, nil
}

func (p *playground) usedBy(userID, channelID string) []used {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []used
	for _, u := range p.used {
		if u.userID == userID && u.channelID == channelID {
			list = append(list, u)
		}
	}
	return list
}

func draw(v discordtest.View) message {
	at, err := discordgo.SnowflakeTimestamp(v.ID)
	if err != nil {
		at = time.Time{}
	}
	return message{
		ID: v.ID, State: stateName(v.State), Time: at, Ephemeral: v.Ephemeral,
		Content: v.Content, Embeds: v.Embeds, Components: v.Components,
	}
}

func stateName(s discordtest.State) string {
	switch s {
	case discordtest.Waiting:
		return "waiting"
	case discordtest.Thinking:
		return "thinking"
	case discordtest.Failed:
		return "failed"
	default:
		return "shown"
	}
}
