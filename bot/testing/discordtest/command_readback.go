package discordtest

import "slices"

// ReadBack is how Discord writes commands that a bot reads back. Discord does not
// always do it in the same way, so a bot should understand each. The zero value
// is what the documentation says.
type ReadBack struct {
	// AllContexts shows contexts that were not sent as all three
	// (NousResearch/hermes-agent#107397), not as null (discord-api-docs#6744).
	AllContexts bool
	// DefaultInstall shows integration_types that were not sent as [0], not as what
	// the application supports (discord-api-docs#7396).
	DefaultInstall bool
	// DMPermission is the deprecated dm_permission, which comes although only
	// contexts were sent (disnake, app_commands.py).
	DMPermission DMPermission
	// Verbose writes what is false or empty, which may be left out (Pycord, bot.py).
	Verbose bool
	// Reversed lists the commands, and their contexts and integration types, in
	// another order than they were sent; no document promises one.
	Reversed bool
}

// DMPermission is how dm_permission is read back.
type DMPermission int

const (
	// DMPermissionAsContexts is whether the contexts have the bot's DMs.
	DMPermissionAsContexts DMPermission = iota
	// DMPermissionNull is null, which means true (discord.py, models.py).
	DMPermissionNull
	// DMPermissionAbsent leaves it out.
	DMPermissionAbsent
)

// ReadBacks returns ways of reading commands back that were seen, for tests that
// go through all of them.
func ReadBacks() map[string]ReadBack {
	return map[string]ReadBack{
		"as documented":       {},
		"contexts filled in":  {AllContexts: true, DefaultInstall: true},
		"permission null":     {DMPermission: DMPermissionNull, Reversed: true},
		"everything written":  {Verbose: true, AllContexts: true},
		"as little as can be": {DMPermission: DMPermissionAbsent, DefaultInstall: true, Reversed: true},
	}
}

// SetReadBack changes how commands are read back.
func (s *Server) SetReadBack(r ReadBack) {
	s.commands.mu.Lock()
	defer s.commands.mu.Unlock()
	s.commands.readBack = r
}

// show returns commands as Discord answers with them. The store's lock is held.
func (st *commandStore) show(commands []Command, localized bool) any {
	list := []map[string]any{}
	for _, c := range commands {
		list = append(list, st.wire(c, localized))
	}
	if st.readBack.Reversed {
		slices.Reverse(list)
	}
	return list
}

func (st *commandStore) wire(c Command, localized bool) map[string]any {
	wire := map[string]any{
		"id": c.ID, "application_id": st.server.app.id, "version": c.Version, "type": c.Type,
		"name": c.Name, "description": c.Description, "nsfw": c.NSFW,
		"default_member_permissions": c.DefaultMemberPermissions,
	}
	wire["contexts"], wire["integration_types"] = st.wireContexts(&c)
	switch st.readBack.DMPermission {
	case DMPermissionNull:
		wire["dm_permission"] = nil
	case DMPermissionAsContexts:
		wire["dm_permission"] = inDMs(&c)
	case DMPermissionAbsent:
	}
	if c.GuildID != "" {
		wire["guild_id"] = c.GuildID
	}
	if c.Handler != nil {
		wire["handler"] = *c.Handler
	}
	st.put(wire, "options", st.wireOptions(c.Options, localized), len(c.Options) == 0)
	localize(wire, localized, c.NameLocalizations, c.DescriptionLocalizations)
	return wire
}

// inDMs reports whether a command may be used in the bot's DMs, as far as the
// command says.
func inDMs(c *Command) bool {
	if c.DMPermission != nil && !*c.DMPermission {
		return false
	}
	return c.Contexts == nil || slices.Contains(c.Contexts, 1)
}

// wireContexts returns a command's contexts, where nil is null, and integration types.
func (st *commandStore) wireContexts(c *Command) (contexts, installs []int) {
	contexts, installs = slices.Clone(c.Contexts), slices.Clone(c.IntegrationTypes)
	if contexts == nil && st.readBack.AllContexts {
		contexts = []int{0, 1, 2}
	}
	if installs == nil {
		installs = st.defaultInstalls(c.GuildID)
	}
	if st.readBack.Reversed {
		slices.Reverse(contexts)
		slices.Reverse(installs)
	}
	return contexts, installs
}

func (st *commandStore) defaultInstalls(guildID string) []int {
	if guildID != "" || st.readBack.DefaultInstall || len(st.settings.Installs) == 0 {
		return []int{GuildInstall}
	}
	return slices.Clone(st.settings.Installs)
}

// put adds a member, unless it is empty and may be left out.
func (st *commandStore) put(wire map[string]any, name string, value any, empty bool) {
	if !empty || st.readBack.Verbose {
		wire[name] = value
	}
}

// localize adds the dictionaries of localisations where they are asked for.
func localize(wire map[string]any, localized bool, names, descriptions map[string]string) {
	if localized {
		wire["name_localizations"], wire["description_localizations"] = names, descriptions
	}
}

func (st *commandStore) wireOptions(options []CommandOption, localized bool) []map[string]any {
	list := []map[string]any{}
	for _, o := range options {
		wire := map[string]any{"type": o.Type, "name": o.Name, "description": o.Description}
		nested := o.Type == optionSubcommand || o.Type == optionGroup
		st.put(wire, "options", st.wireOptions(o.Options, localized), len(o.Options) == 0)
		st.put(wire, "required", o.Required, !o.Required)
		st.put(wire, "autocomplete", o.Autocomplete, !o.Autocomplete || nested)
		st.put(wire, "choices", wireChoices(o.Choices, localized), len(o.Choices) == 0)
		st.put(wire, "channel_types", o.ChannelTypes, len(o.ChannelTypes) == 0)
		for name, limit := range map[string]*float64{"min_value": o.MinValue, "max_value": o.MaxValue} {
			if limit != nil {
				wire[name] = *limit
			}
		}
		for name, limit := range map[string]*int{"min_length": o.MinLength, "max_length": o.MaxLength} {
			if limit != nil {
				wire[name] = *limit
			}
		}
		localize(wire, localized, o.NameLocalizations, o.DescriptionLocalizations)
		list = append(list, wire)
	}
	return list
}

func wireChoices(choices []Choice, localized bool) []map[string]any {
	list := []map[string]any{}
	for _, c := range choices {
		wire := map[string]any{"name": c.Name, "value": c.Value}
		if localized {
			wire["name_localizations"] = c.NameLocalizations
		}
		list = append(list, wire)
	}
	return list
}
