package discordtest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// administrator is the permission that includes all others.
const administrator = 1 << 3

// Commands returns the commands that Discord offers the user where the user
// looks, of all types: those of the guild first. A guild's and a global command
// of one name and type are both offered (discord-api-docs#3885).
func (u *User) Commands() []Command {
	return slices.DeleteFunc(u.present(), func(c Command) bool { return u.mayUse(&c) != nil })
}

// present returns the commands that there are where the user looks, for whomever.
func (u *User) present() []Command {
	global := u.server.CommandsIn("")
	if u.channel.guildID == "" {
		return global
	}
	return slices.Concat(u.server.CommandsIn(u.channel.guildID), global)
}

// find returns the command of a type that the user calls by a name, or an error
// that names those the user is offered. Of a guild's and a global one it is the
// guild's, which a person would have to choose among the two.
func (u *User) find(commandType int, name string) (*Command, error) {
	var offered []string
	var unusable *Command
	var why error
	for _, c := range u.present() {
		if c.Type != commandType {
			continue
		}
		err := u.mayUse(&c)
		called := u.calls(name, c.Name, c.NameLocalizations)
		switch {
		case called && err == nil:
			return &c, nil
		case called && why == nil:
			unusable, why = &c, err
		case err == nil:
			offered = append(offered, shown(commandType, c.Name))
		}
	}
	if why != nil {
		return unusable, why
	}
	return nil, fmt.Errorf("no command %s; there: %s", shown(commandType, name), strings.Join(offered, ", "))
}

// shown is a command's name as Discord's client writes it.
func shown(commandType int, name string) string {
	if commandType == ChatCommand {
		return "/" + name
	}
	return strconv.Quote(name)
}

// calls reports whether the user would call something of that name so.
func (u *User) calls(word, name string, localizations map[string]string) bool {
	return word == name || word == ShownIn(name, localizations, u.locale())
}

// ShownIn is how Discord's client shows a text of a command in a language. Where that has none
// the text of its neighbour stands in, before the default one
// (docs:interactions/application-commands#locale-fallbacks).
func ShownIn(text string, localizations map[string]string, locale string) string {
	neighbour := map[string]string{"en-US": "en-GB", "en-GB": "en-US", "es-419": "es-ES"}[locale]
	return cmp.Or(localizations[locale], localizations[neighbour], text)
}

// mayUse refuses a command that Discord would not offer here.
func (u *User) mayUse(c *Command) error {
	context := u.channel.context()
	if u.server.foreign(u.channel) && !u.server.commands.forUsers(c) {
		return fmt.Errorf("%s is not available here, as the bot is not", shown(c.Type, c.Name))
	}
	if c.Contexts != nil && !slices.Contains(c.Contexts, context) || context == contextBotDM && c.DMPermission != nil && !*c.DMPermission {
		return fmt.Errorf("%s is not available here", shown(c.Type, c.Name))
	}
	if context != contextGuild || c.DefaultMemberPermissions == nil || u.profile.permissions&administrator != 0 {
		return nil
	}
	// 0 leaves the command to administrators.
	needed, _ := strconv.ParseUint(*c.DefaultMemberPermissions, 10, 64) // was checked when it was registered
	if needed == 0 || u.profile.permissions&needed != needed {
		return fmt.Errorf("%s may not use %s", u.Name, shown(c.Type, c.Name))
	}
	return nil
}
