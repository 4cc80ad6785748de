package main

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"hostbot/bot/testing/discordtest"
)

// command is a command, or subcommand, as a user's client shows it.
type command struct {
	Name        string   `json:"name"`  // as the bot knows it
	Shown       string   `json:"shown"` // in the user's language
	Description string   `json:"description"`
	Options     []option `json:"options"`
}

type option struct {
	Name         string   `json:"name"`
	Shown        string   `json:"shown"`
	Description  string   `json:"description"`
	Required     bool     `json:"required"`
	Autocomplete bool     `json:"autocomplete"`
	Choices      []choice `json:"choices"` // to choose from, where there are any
}

type choice struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// offered is what a user's client offers in a channel.
type offered struct {
	Typed []command `json:"typed"`
	// Menu is what is in the context menu of a person.
	Menu []command `json:"menu"`
}

// commands lists what a user is offered, once the bot has registered it.
func (p *playground) commands(ctx context.Context, user *discordtest.User, in request) (any, error) {
	if err := p.registered(ctx); err != nil {
		return nil, err
	}
	client := client{users: p.people, locale: p.discord.User(user.Name).Locale}
	out := offered{Typed: []command{}, Menu: []command{}}
	for _, c := range user.Commands() {
		switch c.Type {
		case discordtest.ChatCommand:
			out.Typed = append(out.Typed, client.flatten(discordtest.CommandOption{
				Name: c.Name, NameLocalizations: c.NameLocalizations,
				Description: c.Description, DescriptionLocalizations: c.DescriptionLocalizations, Options: c.Options,
			}, "", "")...)
		case discordtest.UserCommand:
			out.Menu = append(out.Menu, command{Name: c.Name, Shown: client.text(c.Name, c.NameLocalizations), Options: []option{}})
		}
	}
	return out, nil
}

// registered waits until the bot has registered its commands: everybody's and
// those of the guild, which staff have.
func (p *playground) registered(ctx context.Context) error {
	for _, route := range []string{discordtest.RouteCommands, discordtest.RouteGuildCommands} {
		_, err := p.discord.WaitCall(ctx, func(c discordtest.Call) bool {
			return c.Method == http.MethodPut && c.Route == route && c.Status == http.StatusOK
		})
		if err != nil {
			return errors.New("the bot has not registered its commands yet; reload the page in a moment")
		}
	}
	return nil
}

// client shows commands in its user's language.
type client struct {
	users  []person
	locale string
}

// Types of options, as Discord numbers them.
const (
	optionSubcommand = 1
	optionGroup      = 2
	optionUser       = 6
)

// flatten lists a command's subcommands, or the command itself where it has none.
func (c client) flatten(o discordtest.CommandOption, name, shown string) []command {
	name = strings.TrimSpace(name + " " + o.Name)
	shown = strings.TrimSpace(shown + " " + c.text(o.Name, o.NameLocalizations))
	var list []command
	self := command{Name: name, Shown: shown, Description: c.text(o.Description, o.DescriptionLocalizations), Options: []option{}}
	for _, inner := range o.Options {
		if inner.Type == optionSubcommand || inner.Type == optionGroup {
			list = append(list, c.flatten(inner, name, shown)...)
			continue
		}
		self.Options = append(self.Options, option{
			inner.Name, c.text(inner.Name, inner.NameLocalizations), c.text(inner.Description, inner.DescriptionLocalizations),
			inner.Required, inner.Autocomplete, c.choices(inner),
		})
	}
	if list == nil {
		list = []command{self}
	}
	return list
}

// choices lists what Discord itself offers for an option.
func (c client) choices(o discordtest.CommandOption) []choice {
	list := []choice{}
	switch o.Type {
	case optionUser:
		for _, someone := range c.users {
			list = append(list, choice{"@" + someone.Name, someone.ID})
		}
	default:
		for _, fixed := range o.Choices {
			list = append(list, choice{c.text(fixed.Name, fixed.NameLocalizations), fixed.Value})
		}
	}
	return list
}

func (c client) text(text string, localizations map[string]string) string {
	return discordtest.ShownIn(text, localizations, c.locale)
}
