package interaction

import (
	"cmp"

	"github.com/bwmarrin/discordgo"

	"hostbot/configs/secret"
)

// Event is the data of an INTERACTION_CREATE as far as it is used. What Discord
// left out, or sent in another form than is expected, is empty.
//
// discordgo's own type takes 45 µs to decode a command, where this takes 13: it
// goes through the JSON again for the interaction and again for its data, and
// keeps what is of no use here. It also gives a whole event up over a component
// that it does not know.
type Event struct {
	ID            string                    `json:"id"`
	ApplicationID string                    `json:"application_id"`
	Type          discordgo.InteractionType `json:"type"`
	Token         secret.Text               `json:"token"`
	GuildID       string                    `json:"guild_id"`
	ChannelID     string                    `json:"channel_id"`
	Locale        string                    `json:"locale"`
	User          EventUser                 `json:"user"`    // in a direct message
	Member        EventMember               `json:"member"`  // in a guild
	Message       EventMessage              `json:"message"` // that holds the component
	Data          EventData                 `json:"data"`
}

// EventUser is a user.
type EventUser struct {
	ID string `json:"id"`
}

// EventMember is a user as a member of a guild.
type EventMember struct {
	User  EventUser `json:"user"`
	Roles []string  `json:"roles"`
}

// EventMessage is a message of the bot's. Metadata tells of the interaction
// that made it and, where that made it beside its first, which the first is.
type EventMessage struct {
	ID       string `json:"id"`
	Metadata struct {
		ID       string `json:"id"`
		Original string `json:"original_response_message_id"`
	} `json:"interaction_metadata"`
}

// key returns what stands for the message: the ID of the interaction that made
// it, which is known before the message's own, or that where this made others.
func (m EventMessage) key() string {
	if m.Metadata.Original != "" {
		return m.ID
	}
	return cmp.Or(m.Metadata.ID, m.ID)
}

// EventData is what was done: a command, a component or a modal.
type EventData struct {
	Name       string        `json:"name"`      // of the command
	TargetID   string        `json:"target_id"` // of a context menu's user
	Options    []EventOption `json:"options"`
	CustomID   string        `json:"custom_id"` // of the component or modal
	Values     []string      `json:"values"`
	Components []EventRow    `json:"components"` // of the modal
}

// EventOption is an option of a command, or a subcommand with its options.
type EventOption struct {
	Name    string                                 `json:"name"`
	Type    discordgo.ApplicationCommandOptionType `json:"type"`
	Value   any                                    `json:"value"`
	Focused bool                                   `json:"focused"`
	Options []EventOption                          `json:"options"`
}

// EventRow is a row of a modal with what was entered.
type EventRow struct {
	Components []struct {
		CustomID string `json:"custom_id"`
		Value    string `json:"value"`
	} `json:"components"`
}
