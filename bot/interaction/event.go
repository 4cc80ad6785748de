package interaction

import (
	"cmp"

	"github.com/bwmarrin/discordgo"
	"github.com/valyala/fastjson"

	"hostbot/hostapi/secret"
)

// Event is the data of an INTERACTION_CREATE as far as it is used. What Discord
// left out, or sent in another form than is expected, is empty.
type Event struct {
	ID            string
	ApplicationID string
	Type          discordgo.InteractionType
	Token         secret.Text
	GuildID       string
	ChannelID     string
	Locale        string
	UserID        string
	RoleIDs       []string // the user's in the guild
	Message       EventMessage
	Data          EventData
}

// EventMessage is the message of the bot's that holds the component.
type EventMessage struct {
	ID            string
	InteractionID string // that made it
	OriginalID    string // of that interaction's first message, where this is another
}

// key returns what stands for the message: the ID of the interaction that made
// it, which is known before the message's own, or that where this made others.
func (m EventMessage) key() string {
	if m.OriginalID != "" {
		return m.ID
	}
	return cmp.Or(m.InteractionID, m.ID)
}

// EventData is what was done: a command, a component or a modal.
type EventData struct {
	Name     string // of the command
	TargetID string // of a context menu's user
	Options  []EventOption
	CustomID string            // of the component or modal
	Values   []string          // that were chosen
	Fields   map[string]string // that were filled in, by their custom IDs
}

// EventOption is an option of a command, or a subcommand with its options.
type EventOption struct {
	Name    string
	Type    discordgo.ApplicationCommandOptionType
	Value   string // numbers and booleans as JSON has them
	Focused bool
	Options []EventOption
}

// ReadEvent reads an event, whose JSON need not last.
//
// discordgo's own type takes 45 µs to decode a command, and a struct for
// encoding/json 13, as both go through all that is of no use here; this takes
// 3. discordgo gives a whole event up over a component that it does not know.
func ReadEvent(d *fastjson.Value) *Event {
	e := &Event{
		ID:            text(d, "id"),
		ApplicationID: text(d, "application_id"),
		Type:          discordgo.InteractionType(d.GetUint("type")),
		Token:         secret.Text(text(d, "token")),
		GuildID:       text(d, "guild_id"),
		ChannelID:     text(d, "channel_id"),
		Locale:        text(d, "locale"),
		UserID:        text(d, "user", "id"), // in a direct message
	}
	if id := text(d, "member", "user", "id"); id != "" {
		e.UserID, e.RoleIDs = id, texts(d.GetArray("member", "roles"))
	}
	if message := d.Get("message"); message != nil {
		e.Message = EventMessage{
			ID:            text(message, "id"),
			InteractionID: text(message, "interaction_metadata", "id"),
			OriginalID:    text(message, "interaction_metadata", "original_response_message_id"),
		}
	}
	if data := d.Get("data"); data != nil {
		e.Data = EventData{
			Name:     text(data, "name"),
			TargetID: text(data, "target_id"),
			Options:  readOptions(data),
			CustomID: text(data, "custom_id"),
			Values:   texts(data.GetArray("values")),
			Fields:   readFields(data),
		}
	}
	return e
}

func readOptions(of *fastjson.Value) []EventOption {
	values := of.GetArray("options")
	if len(values) == 0 {
		return nil
	}
	options := make([]EventOption, len(values))
	for i, v := range values {
		options[i] = EventOption{
			Name:    text(v, "name"),
			Type:    discordgo.ApplicationCommandOptionType(v.GetUint("type")),
			Value:   optionText(v.Get("value")),
			Focused: v.GetBool("focused"),
			Options: readOptions(v),
		}
	}
	return options
}

// optionText returns the value of an option, or "" for what no option holds.
func optionText(v *fastjson.Value) string {
	if v == nil {
		return ""
	}
	switch v.Type() {
	case fastjson.TypeString:
		return text(v)
	case fastjson.TypeNumber, fastjson.TypeTrue, fastjson.TypeFalse:
		return v.String()
	default:
		return ""
	}
}

// readFields reads the inputs in the rows of a modal.
func readFields(data *fastjson.Value) map[string]string {
	rows := data.GetArray("components")
	if rows == nil {
		return nil
	}
	fields := make(map[string]string)
	for _, row := range rows {
		for _, input := range row.GetArray("components") {
			if id := text(input, "custom_id"); id != "" {
				fields[id] = text(input, "value")
			}
		}
	}
	return fields
}

// text returns the string at a path, or "" where there is none.
func text(v *fastjson.Value, path ...string) string { return string(v.GetStringBytes(path...)) }

func texts(values []*fastjson.Value) []string {
	if len(values) == 0 {
		return nil
	}
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = text(v)
	}
	return list
}
