package discordtest

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Limits of commands (docs:interactions/application-commands#application-command-object
// -application-command-structure, and the structure of options on the same page; the
// OpenAPI description has them as well, but for the 8,000 characters).
const (
	maxCommandOptions = 25
	maxCommandText    = 8000 // names, descriptions and values of a command
	maxCommandName    = 32
	maxCommandHint    = 100
	maxStringOption   = 6000
)

// maxCommands is how many commands of a type a scope may hold (Discord's
// documentation, Application Commands, "Registering a Command").
func maxCommands(commandType int) int {
	switch commandType {
	case ChatCommand:
		return 100
	case EntryPointCommand:
		return 1
	default:
		return 15
	}
}

// commandName is Discord's pattern for what is typed (docs:interactions/application-commands
// #application-command-object-application-command-naming), without the U+0027 that was in
// it for a while: the server refuses that, and takes U+02BC, which is a letter (#7371). The
// server's own pattern is another one (#4724, #7712), so a bot must be ready for the refusal
// of a name that matches this.
var commandName = regexp.MustCompile(`^[-_\p{L}\p{N}\p{Devanagari}\p{Thai}]{1,32}$`)

// locales are all that Discord knows (docs:reference#locales).
var locales = strings.Fields("id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs el bg ru uk hi th zh-CN ja zh-TW ko")

func validateLocale(p *problems, path, locale string) {
	if !slices.Contains(locales, locale) {
		p.add(at(path, locale), "BASE_TYPE_CHOICES", "%q is no locale.", locale)
	}
}

// validateTogether checks what commands of a scope must keep among themselves: a name is
// unique for its type (docs:interactions/application-commands#registering-a-command).
func validateTogether(p *problems, commands []Command) {
	type key struct {
		commandType int
		name        string
	}
	counts, names := map[int]int{}, map[key]bool{}
	for i, c := range commands {
		k := key{max(c.Type, ChatCommand), c.Name}
		if names[k] {
			p.add(at(i, "name"), "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
		}
		names[k] = true
		counts[k.commandType]++
	}
	for commandType, count := range counts {
		if most := maxCommands(commandType); count > most {
			p.add("", "APPLICATION_COMMANDS_TOO_MANY", "Maximum number of application commands reached (%d).", most)
		}
	}
}

// validateAny checks a command of any type; 0 is that of a chat command.
func validateAny(p *problems, path string, c *Command) {
	if c.DefaultMemberPermissions != nil {
		if _, err := strconv.ParseUint(*c.DefaultMemberPermissions, 10, 64); err != nil {
			p.add(at(path, "default_member_permissions"), "NUMBER_TYPE_COERCE", "Value %q is not int.", *c.DefaultMemberPermissions)
		}
	}
	// discord.py#10216
	if c.Contexts != nil && len(c.Contexts) == 0 {
		p.add(at(path, "contexts"), "BASE_TYPE_BAD_LENGTH", "Must be 1 or more in length.")
	}
	if c.IntegrationTypes != nil && len(c.IntegrationTypes) == 0 {
		p.add(at(path, "integration_types"), "BASE_TYPE_BAD_LENGTH", "Must be 1 or more in length.")
	}
	for i, context := range c.Contexts {
		if context < 0 || context > 2 {
			p.add(at(path, "contexts", i), "BASE_TYPE_CHOICES", "Value must be one of {0, 1, 2}.")
		}
	}
	switch c.Type {
	case 0, ChatCommand:
		validateChatCommand(p, path, c)
	case UserCommand, MessageCommand:
		validateMenuCommand(p, path, c)
	case EntryPointCommand:
		validateEntryPoint(p, path, c)
	default:
		p.add(at(path, "type"), "BASE_TYPE_CHOICES", "Value must be one of {1, 2, 3, 4}.")
	}
}

// validateMenuCommand checks a command of a context menu, which is its name alone.
func validateMenuCommand(p *problems, path string, c *Command) {
	validateFreeName(p, path, c)
	if c.Description != "" || len(c.DescriptionLocalizations) > 0 {
		p.add(at(path, "description"), "APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_INVALID", "Context menu commands cannot have description")
	}
	if len(c.Options) > 0 {
		p.add(at(path, "options"), "APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS_INVALID", "Context menu commands cannot have options")
	}
}

// validateFreeName checks the name of a command that nobody types. It "may be mixed case and
// can include spaces" (docs:interactions/application-commands#application-command-object
// -application-command-naming). Any text with a visible character is taken
// (discordjs/discord.js#10789).
func validateFreeName(p *problems, path string, c *Command) {
	filled(p, at(path, "name"), c.Name, maxCommandName)
	for locale, name := range c.NameLocalizations {
		validateLocale(p, at(path, "name_localizations"), locale)
		filled(p, at(path, "name_localizations", locale), name, maxCommandName)
	}
}

func validateChatCommand(p *problems, path string, c *Command) {
	validateNamed(p, path, c.Name, c.NameLocalizations, c.Description, c.DescriptionLocalizations, false)
	validateCommandOptions(p, at(path, "options"), c.Options, 0)
	size := named(c.Name, c.NameLocalizations) + named(c.Description, c.DescriptionLocalizations) + optionsSize(c.Options)
	if size > maxCommandText {
		p.add(path, "APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (%d)", maxCommandText)
	}
}

// validateNamed checks the texts of a command or an option. For a command Discord does not
// say of which locale a name is not a name, as it does for an option (#7712); of one that is
// too long it says so for both (discord-tickets/bot#383).
func validateNamed(p *problems, path, name string, names map[string]string, description string, descriptions map[string]string, isOption bool) {
	validateName(p, at(path, "name"), name)
	filled(p, at(path, "description"), description, maxCommandHint)
	for locale, text := range names {
		validateLocale(p, at(path, "name_localizations"), locale)
		if misnamed := at(path, "name_localizations"); !isOption && text != "" && length(text) <= maxCommandName && !isCommandName(text) {
			p.add(misnamed, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
			continue
		}
		validateName(p, at(path, "name_localizations", locale), text)
	}
	for locale, text := range descriptions {
		validateLocale(p, at(path, "description_localizations"), locale)
		filled(p, at(path, "description_localizations", locale), text, maxCommandHint)
	}
}

func validateName(p *problems, path, name string) {
	switch {
	case name == "":
		p.required(path)
	case length(name) > maxCommandName:
		p.add(path, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxCommandName)
	case !isCommandName(name):
		p.add(path, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
	}
}

func isCommandName(name string) bool {
	return commandName.MatchString(name) && strings.ToLower(name) == name
}

// validateCommandOptions checks a level of options: 0 that of the command, 1
// inside a group or a subcommand, 2 inside a group's subcommand.
func validateCommandOptions(p *problems, path string, options []CommandOption, level int) {
	if len(options) > maxCommandOptions {
		p.add(path, "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxCommandOptions)
	}
	names, optionalSeen, nested, plain := map[string]bool{}, false, false, false
	for i := range options {
		o, here := &options[i], at(path, i)
		validateNamed(p, here, o.Name, o.NameLocalizations, o.Description, o.DescriptionLocalizations, true)
		if names[o.Name] {
			p.add(at(here, "name"), "APPLICATION_COMMAND_OPTIONS_NAME_DUPLICATE", "Option name is already used")
		}
		names[o.Name] = true
		// No source says whether names must differ in each language. A person could not tell
		// two of one name apart.
		for locale, name := range o.NameLocalizations {
			if names[locale+" "+name] {
				p.add(at(here, "name_localizations", locale), "APPLICATION_COMMAND_OPTIONS_NAME_DUPLICATE", "Option name is already used")
			}
			names[locale+" "+name] = true
		}
		if o.Type == optionSubcommand || o.Type == optionGroup {
			nested = true
			validateSubcommand(p, here, o, level)
			continue
		}
		plain = true
		if o.Required && optionalSeen {
			p.add(at(here, "required"), "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", "Required options must be placed before non-required options")
		}
		optionalSeen = optionalSeen || !o.Required
		validateOption(p, here, o)
	}
	if nested && plain {
		p.add(path, "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Sub-command and sub-command group option types are mutually exclusive to other types")
	}
}

func validateSubcommand(p *problems, path string, o *CommandOption, level int) {
	switch {
	case o.Type == optionGroup && level > 0, o.Type == optionSubcommand && level > 1:
		p.add(at(path, "type"), "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Too deeply nested")
		return
	case o.Type == optionGroup && len(o.Options) == 0:
		p.add(at(path, "options"), "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxCommandOptions)
	}
	inside := 2 // of a subcommand: plain options alone
	if o.Type == optionGroup {
		inside = 1
		for i, sub := range o.Options {
			if sub.Type != optionSubcommand {
				p.add(at(path, "options", i, "type"), "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "A group holds subcommands alone")
			}
		}
	}
	validateCommandOptions(p, at(path, "options"), o.Options, inside)
}

func validateOption(p *problems, path string, o *CommandOption) {
	if o.Type < optionString || o.Type > optionChannel {
		p.add(at(path, "type"), "NOT_SIMULATED", "This server knows the types 1 to %d.", optionChannel)
		return
	}
	if len(o.Options) > 0 {
		p.add(at(path, "options"), "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Only subcommands and groups have options")
	}
	listed := o.Type == optionString || o.Type == optionInteger
	if !listed && (o.Autocomplete || len(o.Choices) > 0) {
		p.add(at(path, "choices"), "APPLICATION_COMMAND_OPTIONS_CHOICES_INVALID", "This type has neither choices nor autocomplete")
		return
	}
	if o.Autocomplete && len(o.Choices) > 0 {
		p.add(at(path, "autocomplete"), "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_CHOICES", "Autocomplete and choices are mutually exclusive")
	}
	validateChoices(p, at(path, "choices"), o.Choices, o.Type)
	names := map[string]bool{}
	for i, choice := range o.Choices {
		if names[choice.Name] {
			p.add(at(path, "choices", i, "name"), "APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_DUPLICATE", "Option choice names must be unique")
		}
		names[choice.Name] = true
	}
	inRange(p, at(path, "min_length"), o.MinLength, 0, maxStringOption)
	inRange(p, at(path, "max_length"), o.MaxLength, 1, maxStringOption)
	if o.Type != optionString && (o.MinLength != nil || o.MaxLength != nil) {
		p.add(at(path, "min_length"), "APPLICATION_COMMAND_OPTIONS_LENGTH_INVALID", "Only strings have a length")
	}
	if o.Type != optionInteger && (o.MinValue != nil || o.MaxValue != nil) {
		p.add(at(path, "min_value"), "APPLICATION_COMMAND_OPTIONS_MIN_MAX_INVALID", "Only numbers have a range")
	}
}

// named is how long a text counts: as long as its longest form.
func named(text string, localizations map[string]string) int {
	most := length(text)
	for _, local := range localizations {
		most = max(most, length(local))
	}
	return most
}

func optionsSize(options []CommandOption) int {
	size := 0
	for _, o := range options {
		size += named(o.Name, o.NameLocalizations) + named(o.Description, o.DescriptionLocalizations) + optionsSize(o.Options)
		for _, choice := range o.Choices {
			size += named(choice.Name, choice.NameLocalizations)
			if text, ok := choice.Value.(string); ok {
				size += length(text)
			}
		}
	}
	return size
}
