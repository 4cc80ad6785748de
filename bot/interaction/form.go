package interaction

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"
)

// Dialog is a modal.
type Dialog struct {
	CustomID string
	Title    string  // at most 45 characters
	Fields   []Field // at most five
}

// A modal's custom ID ends in openingMark and the ID of the interaction that opened it, in openingLength
// characters.
const (
	openingMark   = "#"
	openingLength = 13 // of 64 bits in base 36
)

// OpenedBy returns the modal with a custom ID that is unique to the interaction that opens it. Otherwise a phone
// would fill the fields as in the first modal that it saw with that custom ID (discord-api-docs#7554,
// freya022/BotCommands#150). If an event comes twice, the custom ID is the same.
func (d *Dialog) OpenedBy(interactionID string) *Dialog {
	opened := *d
	n, _ := strconv.ParseUint(interactionID, 10, 64)
	id := strconv.FormatUint(n, 36)
	opened.CustomID += openingMark + strings.Repeat("0", openingLength-len(id)) + id
	return &opened
}

// unopened returns a modal's custom ID without what OpenedBy has added. One that an earlier version has sent may
// end in a bot's ID, with any characters in it.
func unopened(customID string) string {
	i := strings.LastIndex(customID, openingMark)
	if i < 0 || len(customID)-i-len(openingMark) != openingLength {
		return customID
	}
	return customID[:i]
}

// Field is an input of a modal with its label: Discord's Label component, unknown to discordgo.
type Field struct {
	Label       string // at most 45 characters
	Description string // at most 100 characters, or none
	Input       Input
}

// Component types that discordgo does not know
// (docs:components/reference#component-object-component-types).
const (
	labelComponent         discordgo.ComponentType = 18
	radioGroupComponent    discordgo.ComponentType = 21
	checkboxGroupComponent discordgo.ComponentType = 22
	checkboxComponent      discordgo.ComponentType = 23
)

// MarshalJSON encodes the field as Discord takes it.
func (f Field) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type        discordgo.ComponentType `json:"type"`
		Label       string                  `json:"label"`
		Description string                  `json:"description,omitempty"`
		Component   Input                   `json:"component"`
	}{labelComponent, f.Label, f.Description, f.Input})
}

// Input is what is filled in, chosen or ticked in a field. Make one with TextInput,
// ChoiceInput, SeveralInput or CheckboxInput.
type Input struct {
	Type     discordgo.ComponentType `json:"type"`
	CustomID string                  `json:"custom_id"`
	// Required counts as true if it is nil. A checkbox has none.
	Required *bool `json:"required,omitempty"`

	// For text inputs only.
	Style       discordgo.TextInputStyle `json:"style,omitempty"`
	Value       string                   `json:"value,omitempty"`
	Placeholder string                   `json:"placeholder,omitempty"` // at most 100 characters
	MaxLength   int                      `json:"max_length,omitempty"`

	Options []Option `json:"options,omitempty"`    // for choices only
	Least   *int     `json:"min_values,omitempty"` // for choices only: how many are chosen; one if it is nil
	Default bool     `json:"default,omitempty"`    // whether a checkbox is ticked
}

// Option is an option of a choice. Each text has at most 100 characters.
type Option struct {
	Label       string `json:"label"`
	Value       string `json:"value"`
	Description string `json:"description,omitempty"`
	Default     bool   `json:"default,omitempty"`
}

// MaxInput is how many characters Discord takes in a text input.
const MaxInput = 4000

// TextInput is a text input of one line, or of several if its value has several. A value that is too long for
// Discord is left out, as it could only come back truncated.
func TextInput(customID, value string, required bool) Input {
	if utf8.RuneCountInString(value) > MaxInput {
		value = ""
	}
	style := discordgo.TextInputShort
	if strings.ContainsAny(value, "\r\n") {
		style = discordgo.TextInputParagraph
	}
	return Input{
		Type: discordgo.TextInputComponent, CustomID: customID, Style: style, Value: value, Required: &required, MaxLength: MaxInput,
	}
}

// ChoiceInput offers a choice of 1 to 25 options: as radio buttons if there are two to five, otherwise as a
// menu. Discord takes no radio group of one.
func ChoiceInput(customID string, options []Option) Input {
	const mostRadios = 5
	kind := radioGroupComponent
	if len(options) < 2 || len(options) > mostRadios {
		kind = discordgo.SelectMenuComponent
	}
	return Input{Type: kind, CustomID: customID, Options: options}
}

// SeveralInput offers one to ten options as checkboxes, of which any number may be ticked. Its value in Request.Fields has
// the values of these, separated by ValueSeparator. Without a least number of them it may not be required
// (docs:components/reference#checkbox-group; twilight-model, checkbox_group.rs).
func SeveralInput(customID string, options []Option) Input {
	return Input{Type: checkboxGroupComponent, CustomID: customID, Options: options, Least: new(int), Required: new(bool)}
}

// ValueSeparator separates the values of several options.
const ValueSeparator = ","

// CheckboxInput is a checkbox. Its value in Request.Fields is Ticked, or anything else.
func CheckboxInput(customID string, ticked bool) Input {
	return Input{Type: checkboxComponent, CustomID: customID, Default: ticked}
}

// Ticked is the value of a ticked checkbox.
const Ticked = "true"
