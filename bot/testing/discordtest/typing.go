package discordtest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Options are the options of a command as a user gives them: strings, numbers
// or booleans by name. A user is a *User or an id, and a channel a *Channel or an id.
type Options map[string]any

// typed is a command that a user has typed.
type typed struct {
	command *Command
	path    []CommandOption // groups and subcommands
	options []CommandOption // that can be given
}

// parse finds the command that a user typed, such as "/bot show". Names count
// in the user's language and as they are.
func (u *User) parse(text string) (*typed, error) {
	words := strings.Fields(strings.TrimPrefix(text, "/"))
	if len(words) == 0 {
		return nil, errors.New("no command was typed")
	}
	command, err := u.find(ChatCommand, words[0])
	if err != nil {
		return nil, err
	}
	t := &typed{command: command, options: command.Options}
	for _, word := range words[1:] {
		k := slices.IndexFunc(t.options, func(o CommandOption) bool {
			return o.Type <= optionGroup && u.calls(word, o.Name, o.NameLocalizations)
		})
		if k < 0 {
			return nil, fmt.Errorf("%q has no subcommand %q; there: %s", text, word, optionNames(t.options))
		}
		t.path = append(t.path, t.options[k])
		t.options = t.options[k].Options
	}
	if len(t.options) > 0 && t.options[0].Type <= optionGroup {
		return nil, fmt.Errorf("%q needs a subcommand; there: %s", text, optionNames(t.options))
	}
	return t, nil
}

func optionNames(options []CommandOption) string {
	names := []string{}
	for _, o := range options {
		names = append(names, strconv.Quote(o.Name))
	}
	return strings.Join(names, ", ")
}

// given turns what a user gave into the event's options. focused is the option
// that is still being typed; then others may be missing
// (docs:interactions/application-commands#autocomplete).
func (u *User) given(t *typed, options Options, focused string) ([]map[string]any, error) {
	unknown := maps.Clone(options)
	list := []map[string]any{}
	for _, o := range t.options {
		name := o.Name
		if local, ok := o.NameLocalizations[u.locale()]; ok {
			if _, used := options[local]; used {
				name = local
			}
		}
		value, ok := options[name]
		delete(unknown, name)
		if !ok {
			if o.Required && focused == "" {
				return nil, fmt.Errorf("option %q is required", o.Name)
			}
			continue
		}
		entry := map[string]any{"name": o.Name, "type": o.Type}
		if o.Name == focused {
			// As far as it is typed, and a string also of a number
			// (userdoccers:interactions/receiving-and-responding, hikari).
			entry["focused"] = true
			entry["value"] = fmt.Sprint(value)
		} else {
			checked, err := u.value(o, value)
			if err != nil {
				return nil, fmt.Errorf("option %q: %w", o.Name, err)
			}
			entry["value"] = checked
		}
		list = append(list, entry)
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("no option %q; there: %s", slices.Sorted(maps.Keys(unknown))[0], optionNames(t.options))
	}
	return list, nil
}

// value checks what a user gave, as Discord's client does by the command's options
// (docs:interactions/application-commands#application-command-object-application-command-option-structure).
func (u *User) value(o CommandOption, value any) (any, error) {
	if len(o.Choices) > 0 {
		for _, c := range o.Choices {
			if fmt.Sprint(value) == c.Name || fmt.Sprint(value) == c.NameLocalizations[u.locale()] || fmt.Sprint(value) == fmt.Sprint(c.Value) {
				return c.Value, nil
			}
		}
		return nil, fmt.Errorf("%v is not among the choices", value)
	}
	switch o.Type {
	case optionString:
		return textValue(o, value)
	case optionInteger:
		return numberValue(o, value)
	case optionBoolean:
		if flag, ok := value.(bool); ok {
			return flag, nil
		}
	case optionUser, optionChannel:
		return u.server.pointed(o.Type, value)
	}
	return nil, fmt.Errorf("%v (%T) is not of the option's type", value, value)
}

func textValue(o CommandOption, value any) (any, error) {
	text, ok := value.(string)
	least, most := or(o.MinLength, 0), or(o.MaxLength, maxStringOption)
	if !ok || length(text) < least || length(text) > most {
		return nil, fmt.Errorf("%v is no string of %d to %d characters", value, least, most)
	}
	return text, nil
}

func numberValue(o CommandOption, value any) (any, error) {
	number, err := strconv.ParseFloat(fmt.Sprint(value), 64)
	if err != nil {
		return nil, fmt.Errorf("%v is no number", value)
	}
	if number != float64(int64(number)) {
		return nil, fmt.Errorf("%v is not whole", value)
	}
	if number < or(o.MinValue, number) || number > or(o.MaxValue, number) {
		return nil, fmt.Errorf("%v is out of range", value)
	}
	return number, nil
}

// data is the event's data.
func (t *typed) data(options []map[string]any) map[string]any {
	for _, step := range slices.Backward(t.path) {
		options = []map[string]any{{"name": step.Name, "type": step.Type, "options": options}}
	}
	data := t.command.data()
	if len(options) > 0 {
		data["options"] = options
	}
	return data
}

// name is the command as Discord writes it.
func (t *typed) name() string {
	name := "/" + t.command.Name
	for _, step := range t.path {
		name += " " + step.Name
	}
	return name
}
