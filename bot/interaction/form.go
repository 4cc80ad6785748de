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

// openingMark stands in the custom ID of a form that was opened before what tells the openings apart,
// which has openingLength characters.
const (
	openingMark   = "#"
	openingLength = 13 // of an ID of 64 bits to the base 36
)

// OpenedBy returns the form with a custom ID that ends in something of the interaction that opens it.
// A phone shows what stood in the fields of the first form that it saw under a custom ID
// (discord-api-docs#7554, freya022/BotCommands#150). Of an event that comes twice the form is the same.
func (d *Dialog) OpenedBy(interactionID string) *Dialog {
	opened := *d
	n, _ := strconv.ParseUint(interactionID, 10, 64)
	id := strconv.FormatUint(n, 36)
	opened.CustomID += openingMark + strings.Repeat("0", openingLength-len(id)) + id
	return &opened
}

// unopened returns the custom ID of a form as it was before OpenedBy. One that a former version has sent
// may end in a bot's ID with anything in it.
func unopened(customID string) string {
	i := strings.LastIndex(customID, openingMark)
	if i < 0 || len(customID)-i-len(openingMark) != openingLength {
		return customID
	}
	return customID[:i]
}

// Field is an input of a modal with the words beside it: Discord's Label component,
// which discordgo does not know.
type Field struct {
	Label       string // at most 45 characters
	Description string // at most 100 characters, or none
	Input       Input
}

// The types of components that discordgo does not know
// (docs:components/reference#component-object-component-types).
const (
	labelComponent      discordgo.ComponentType = 18
	radioGroupComponent discordgo.ComponentType = 21
	checkboxComponent   discordgo.ComponentType = 23
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
// ChoiceInput or CheckboxInput.
type Input struct {
	Type     discordgo.ComponentType `json:"type"`
	CustomID string                  `json:"custom_id"`
	// Required is true for Discord where it is left out. A checkbox has no such thing.
	Required *bool `json:"required,omitempty"`

	// Of a text input.
	Style       discordgo.TextInputStyle `json:"style,omitempty"`
	Value       string                   `json:"value,omitempty"`
	Placeholder string                   `json:"placeholder,omitempty"` // at most 100 characters
	MaxLength   int                      `json:"max_length,omitempty"`

	Options []Option `json:"options,omitempty"` // to choose one of
	Default bool     `json:"default,omitempty"` // that a checkbox is ticked
}

// Option is one of those of which one is chosen.
type Option struct {
	Label       string `json:"label"` // at most 100 characters, as the others
	Value       string `json:"value"`
	Description string `json:"description,omitempty"`
	Default     bool   `json:"default,omitempty"`
}

// MaxInput is how many characters Discord takes in a text input.
const MaxInput = 4000

// TextInput is filled in with one line or, where its value has several, with as many.
// A value that is too long for Discord is left out, as it could only come back cut off.
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

// ChoiceInput has one of 1 to 25 options chosen: with radio buttons where they are few
// enough to be seen at once, and else from a menu. A radio group takes no single
// option.
func ChoiceInput(customID string, options []Option) Input {
	const mostRadios = 5
	kind := radioGroupComponent
	if len(options) < 2 || len(options) > mostRadios {
		kind = discordgo.SelectMenuComponent
	}
	return Input{Type: kind, CustomID: customID, Options: options}
}

// CheckboxInput is ticked or not. It is sent back as Ticked, or as anything else.
func CheckboxInput(customID string, ticked bool) Input {
	return Input{Type: checkboxComponent, CustomID: customID, Default: ticked}
}

// Ticked is the value of a checkbox that is ticked, among a request's fields.
const Ticked = "true"
