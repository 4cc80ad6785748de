package discordtest

import "unicode/utf8"

// Limits of components (docs:components/reference). Five rows are those of a
// message without the flag IS_COMPONENTS_V2 (#legacy-message-component-behavior);
// choices are in docs:interactions/application-commands#application-command-object.
const (
	maxRows        = 5
	maxButtons     = 5 // in a row
	maxOptions     = 25
	maxCustomID    = 100
	maxButtonLabel = 80
	maxOptionText  = 100 // label, value and description
	maxPlaceholder = 150
	maxChoices     = 25
	maxChoiceText  = 100
)

// customIDs finds ids that are used twice
// (docs:components/reference#anatomy-of-a-component-custom-id).
type customIDs map[string]bool

func (seen customIDs) add(p *problems, path, id string) {
	filled(p, path, id, maxCustomID)
	if id != "" && seen[id] {
		p.add(path, "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
	}
	seen[id] = true
}

// validateRows checks the components of a message: rows of up to five buttons or
// one select (docs:components/reference#action-row).
func validateRows(p *problems, path string, rows []Component) {
	if len(rows) > maxRows {
		p.add(path, "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxRows)
	}
	seen := customIDs{}
	for i, row := range rows {
		rowPath := at(path, i)
		if row.Type != TypeRow {
			unexpected(p, rowPath, TypeRow)
			continue
		}
		inner := at(rowPath, "components")
		if len(row.Components) == 0 || len(row.Components) > maxButtons {
			p.add(inner, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxButtons)
		}
		for k, c := range row.Components {
			if c.Type != TypeButton && len(row.Components) > 1 {
				p.add(at(inner, k), "COMPONENT_LAYOUT_WIDTH_EXCEEDED", "The specified component exceeds the maximum width")
			}
			validateInRow(p, at(inner, k), &c, seen)
		}
	}
}

func validateInRow(p *problems, path string, c *Component, seen customIDs) {
	switch c.Type {
	case TypeButton:
		validateButton(p, path, c, seen)
	case TypeSelect:
		validateSelect(p, path, c, seen)
	case TypeRoles:
		validateRoles(p, path, c, seen)
	default:
		unexpected(p, path, TypeButton, TypeSelect, TypeRoles)
	}
}

func unexpected(p *problems, path string, allowed ...int) {
	p.add(at(path, "type"), "BASE_TYPE_CHOICES", "Value of field \"type\" must be one of %v.", allowed)
}

// validateButton checks that a button has what its style needs
// (docs:components/reference#button). It needs a label or an emoji
// (Discord-Net-Labs/Discord.Net-Labs#3, discordjs/discord.js#11317).
func validateButton(p *problems, path string, c *Component, seen customIDs) {
	longest(p, at(path, "label"), c.Label, maxButtonLabel)
	validateEmoji(p, at(path, "emoji"), c.Emoji)
	if c.Style < 1 || c.Style > styleLink {
		p.add(at(path, "style"), "BASE_TYPE_CHOICES", "Value must be one of {1, 2, 3, 4, 5}.")
		return
	}
	if c.Label == "" && c.Emoji == nil {
		p.add(path, "BUTTON_COMPONENT_LABEL_OR_EMOJI_REQUIRED", "A label or emoji is required")
	}
	switch {
	case c.Style == styleLink && c.CustomID != "":
		p.add(path, "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", "A custom id and url cannot both be specified")
	case c.Style == styleLink && c.URL == "":
		p.add(path, "BUTTON_COMPONENT_URL_REQUIRED", "A url is required")
	case c.Style == styleLink:
		if length(c.URL) > 512 {
			p.add(at(path, "url"), "BASE_TYPE_MAX_LENGTH", "Must be 512 or fewer in length.")
		}
		validURL(p, at(path, "url"), c.URL, "http", "https", "discord")
	case c.URL != "":
		p.add(path, "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", "A custom id and url cannot both be specified")
	case c.CustomID == "":
		p.add(path, "BUTTON_COMPONENT_CUSTOM_ID_REQUIRED", "A custom id is required")
	default:
		seen.add(p, at(path, "custom_id"), c.CustomID)
	}
}

// validateSelect checks a select menu (docs:components/reference#string-select).
// That no more may be chosen than there are options is no documented rule, nor that
// values differ.
func validateSelect(p *problems, path string, c *Component, seen customIDs) {
	least, most := validateMenu(p, path, c, seen)
	if len(c.Options) == 0 || len(c.Options) > maxOptions {
		p.add(at(path, "options"), "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxOptions)
		return
	}
	if max(least, most) > len(c.Options) {
		p.add(at(path, "max_values"), "COMPONENT_MAX_VALUES_TOO_LARGE", "Must not be more than the number of options")
	}
	validateOptions(p, at(path, "options"), c.Options, most)
}

// validateMenu checks what menus of all types have, and returns how many values may be chosen.
func validateMenu(p *problems, path string, c *Component, seen customIDs) (least, most int) {
	seen.add(p, at(path, "custom_id"), c.CustomID)
	longest(p, at(path, "placeholder"), c.Placeholder, maxPlaceholder)
	inRange(p, at(path, "min_values"), c.MinValues, 0, maxOptions)
	inRange(p, at(path, "max_values"), c.MaxValues, 1, maxOptions)
	least, most = selectable(c)
	if least > most {
		p.add(at(path, "min_values"), "COMPONENT_MIN_VALUES_TOO_LARGE", "min_values must not be more than max_values")
	}
	return least, most
}

// validateRoles checks a select menu of roles (docs:components/reference#role-select).
func validateRoles(p *problems, path string, c *Component, seen customIDs) {
	_, most := validateMenu(p, path, c, seen)
	if len(c.DefaultValues) > most {
		p.add(at(path, "default_values"), "SELECT_COMPONENT_TOO_MANY_DEFAULTS", "More values are selected by default than max_values allows")
	}
	for i, d := range c.DefaultValues {
		oneOf(p, at(path, "default_values", i, "type"), d.Type, "role")
	}
}

func validateOptions(p *problems, path string, options []SelectOption, most int) {
	values, defaults := map[string]bool{}, 0
	for i, o := range options {
		filled(p, at(path, i, "label"), o.Label, maxOptionText)
		filled(p, at(path, i, "value"), o.Value, maxOptionText)
		longest(p, at(path, i, "description"), o.Description, maxOptionText)
		validateEmoji(p, at(path, i, "emoji"), o.Emoji)
		if values[o.Value] {
			p.add(at(path, i, "value"), "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "The specified option value is already used")
		}
		values[o.Value] = true
		if o.Default {
			defaults++
		}
	}
	if defaults > most {
		p.add(path, "SELECT_COMPONENT_TOO_MANY_DEFAULTS", "More options are selected by default than max_values allows")
	}
}

// selectable returns how few and how many options are to be chosen.
func selectable(c *Component) (least, most int) {
	most = 1
	if c.Type == TypeChecks { // docs:components/reference#checkbox-group
		most = len(c.Options)
	}
	return or(c.MinValues, 1), or(c.MaxValues, most)
}

// or returns what is said, or else a default.
func or[T any](said *T, otherwise T) T {
	if said == nil {
		return otherwise
	}
	return *said
}

// validateEmoji checks an emoji: a custom one has an id, another its characters as
// a name (docs:resources/emoji#emoji-object). No source says how Discord tells a
// standard emoji from text; here it is told by a rule of thumb.
func validateEmoji(p *problems, path string, e *Emoji) {
	if e == nil {
		return
	}
	if e.ID != "" {
		if !isSnowflake(e.ID) {
			p.add(at(path, "id"), "NUMBER_TYPE_COERCE", "Value %q is not snowflake.", e.ID)
		}
		return
	}
	// A standard emoji is a few characters beyond ASCII (or, as with 1️⃣, ends in some).
	if last, _ := utf8.DecodeLastRuneInString(e.Name); last < utf8.RuneSelf || last == utf8.RuneError || length(e.Name) > 16 {
		p.add(at(path, "name"), "COMPONENT_INVALID_EMOJI", "Invalid emoji")
	}
}
