package discordtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// administrator is the permission that includes all others.
const administrator = 1 << 3

// Commands returns the commands that Discord offers the user where the user
// looks, of all types: those of the guild first. Of a guild's and a global
// command of one name and type the guild's alone is offered.
func (u *User) Commands() []Command {
	return slices.DeleteFunc(u.present(), func(c Command) bool { return u.mayUse(&c) != nil })
}

// present returns the commands that there are where the user looks, for whomever.
func (u *User) present() []Command {
	u.server.commands.mu.Lock()
	defer u.server.commands.mu.Unlock()
	list := slices.Clone(u.server.commands.scopes[u.channel.guildID]) // in a DM the global ones
	if u.channel.guildID == "" {
		return list
	}
	for _, global := range u.server.commands.scopes[""] {
		if !slices.ContainsFunc(list, func(c Command) bool { return c.Name == global.Name && c.Type == global.Type }) {
			list = append(list, global)
		}
	}
	return list
}

// find returns the command of a type that the user calls by a name, or an error
// that names those the user is offered.
func (u *User) find(commandType int, name string) (*Command, error) {
	var offered []string
	for _, c := range u.present() {
		if c.Type != commandType {
			continue
		}
		err := u.mayUse(&c)
		if u.calls(name, c.Name, c.NameLocalizations) {
			return &c, err
		}
		if err == nil {
			offered = append(offered, shown(commandType, c.Name))
		}
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

// calls tells whether the user would call something of that name so.
func (u *User) calls(word, name string, localizations map[string]string) bool {
	return word == name || word == localizations[u.locale()]
}

// mayUse refuses a command that Discord would not offer here.
func (u *User) mayUse(c *Command) error {
	context := 0 // in a guild
	if u.channel.guildID == "" {
		context = 1 // in the DM with the bot
	}
	if c.Contexts != nil && !slices.Contains(c.Contexts, context) || context == 1 && c.DMPermission != nil && !*c.DMPermission {
		return fmt.Errorf("%s is not available here", shown(c.Type, c.Name))
	}
	if context == 1 || c.DefaultMemberPermissions == nil || u.profile.permissions&administrator != 0 {
		return nil
	}
	// 0 leaves the command to administrators.
	needed, _ := strconv.ParseUint(*c.DefaultMemberPermissions, 10, 64) // was checked when it was registered
	if needed == 0 || u.profile.permissions&needed != needed {
		return fmt.Errorf("%s may not use %s", u.Name, shown(c.Type, c.Name))
	}
	return nil
}
