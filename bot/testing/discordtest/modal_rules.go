package discordtest

// Limits of a modal
// (docs:interactions/receiving-and-responding#interaction-response-object) and of
// what is in it (docs:components/reference#label, #text-input, #radio-group). The label
// of a text input in a row is in Discord's OpenAPI description alone
// (TextInputComponentForModalRequest).
const (
	maxModalTitle = 45
	maxModalRows  = 5
	maxInputLabel = 45
	maxInputHint  = 100
	maxInputValue = 4000
	maxLabelHint  = 100
	minRadios     = 2
	maxRadios     = 10
	maxChecks     = 10
)

// validateModal checks the data of a modal
// (docs:interactions/receiving-and-responding#interaction-response-object).
func validateModal(p *problems, path string, m *Modal) {
	filled(p, at(path, "custom_id"), m.CustomID, maxCustomID)
	filled(p, at(path, "title"), m.Title, maxModalTitle)
	if len(m.Components) == 0 || len(m.Components) > maxModalRows {
		p.add(at(path, "components"), "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxModalRows)
	}
	seen := customIDs{}
	for i, c := range m.Components {
		validateModalPart(p, at(path, "components", i), &c, seen)
	}
}

// validateModalPart checks a row with a text input, which is deprecated and works,
// a label or a text (docs:components/reference#label, #action-row).
func validateModalPart(p *problems, path string, c *Component, seen customIDs) {
	switch c.Type {
	case TypeRow:
		if len(c.Components) != 1 {
			p.add(at(path, "components"), "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 1 in length.")
			return
		}
		input := &c.Components[0]
		if input.Type != TypeTextInput {
			unexpected(p, at(path, "components", 0), TypeTextInput)
			return
		}
		filled(p, at(path, "components", 0, "label"), input.Label, maxInputLabel)
		validateInput(p, at(path, "components", 0), input, seen)
	case TypeLabel:
		filled(p, at(path, "label"), c.Label, maxInputLabel)
		longest(p, at(path, "description"), c.Description, maxLabelHint)
		switch inner := at(path, "component"); {
		case c.Component == nil:
			p.required(inner)
		case c.Component.Type == TypeTextInput:
			validateInput(p, inner, c.Component, seen)
		case c.Component.Type == TypeSelect:
			validateSelect(p, inner, c.Component, seen)
			if c.Component.Disabled { // docs:components/reference#string-select
				p.add(at(inner, "disabled"), "BASE_TYPE_CHOICES", "A select menu in a modal cannot be disabled")
			}
		case c.Component.Type == TypeRadios:
			validateRadios(p, inner, c.Component, seen)
		case c.Component.Type == TypeChecks:
			validateChecks(p, inner, c.Component, seen)
		case c.Component.Type == TypeCheckbox:
			seen.add(p, at(inner, "custom_id"), c.Component.CustomID)
		default:
			unexpected(p, inner, TypeTextInput, TypeSelect, TypeRadios, TypeChecks, TypeCheckbox)
		}
	case TypeText:
		filled(p, at(path, "content"), c.Content, maxInputValue)
	default:
		unexpected(p, path, TypeRow, TypeText, TypeLabel)
	}
}

// validateInput checks a text input (docs:components/reference#text-input).
func validateInput(p *problems, path string, c *Component, seen customIDs) {
	seen.add(p, at(path, "custom_id"), c.CustomID)
	if c.Style < 1 || c.Style > 2 {
		p.add(at(path, "style"), "BASE_TYPE_CHOICES", "Value must be one of {1, 2}.")
	}
	longest(p, at(path, "placeholder"), c.Placeholder, maxInputHint)
	longest(p, at(path, "value"), c.Value, maxInputValue)
	inRange(p, at(path, "min_length"), c.MinLength, 0, maxInputValue)
	inRange(p, at(path, "max_length"), c.MaxLength, 1, maxInputValue)
	if c.MinLength != nil && c.MaxLength != nil && *c.MinLength > *c.MaxLength {
		p.add(at(path, "min_length"), "TEXT_INPUT_COMPONENT_MIN_LENGTH_TOO_LARGE", "min_length must not be more than max_length")
	}
}

// validateRadios checks a radio group (docs:components/reference#radio-group).
func validateRadios(p *problems, path string, c *Component, seen customIDs) {
	seen.add(p, at(path, "custom_id"), c.CustomID)
	if len(c.Options) < minRadios || len(c.Options) > maxRadios {
		p.add(at(path, "options"), "BASE_TYPE_BAD_LENGTH", "Must be between %d and %d in length.", minRadios, maxRadios)
		return
	}
	validateOptions(p, at(path, "options"), c.Options, 1)
}

// validateChecks checks a group of checkboxes (docs:components/reference#checkbox-group).
func validateChecks(p *problems, path string, c *Component, seen customIDs) {
	seen.add(p, at(path, "custom_id"), c.CustomID)
	inRange(p, at(path, "min_values"), c.MinValues, 0, maxChecks)
	inRange(p, at(path, "max_values"), c.MaxValues, 1, maxChecks)
	if or(c.MinValues, 1) == 0 && required(*c) {
		p.add(at(path, "required"), "BASE_TYPE_CHOICES", "A group of which nothing must be ticked cannot be required")
	}
	if len(c.Options) == 0 || len(c.Options) > maxChecks {
		p.add(at(path, "options"), "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxChecks)
		return
	}
	_, most := selectable(c)
	validateOptions(p, at(path, "options"), c.Options, most)
}

// required reports whether something must be entered: in a modal that is so unless it
// says otherwise (docs:components/reference).
func required(c Component) bool { return or(c.Required, true) }
