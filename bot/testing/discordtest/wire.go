package discordtest

import (
	"bytes"
	"encoding/json"
)

// Component types (docs:components/reference#component-object-component-types).
const (
	TypeRow       = 1
	TypeButton    = 2
	TypeSelect    = 3 // of strings
	TypeTextInput = 4
	TypeRoles     = 6 // a select menu of roles
	TypeText      = 10
	TypeLabel     = 18
	TypeRadios    = 21
	TypeChecks    = 22 // a group of checkboxes
	TypeCheckbox  = 23
)

// styleLink is the button style that needs an address, and the last one that the server
// knows (docs:components/reference#button-button-styles).
const styleLink = 5

// Message flags (docs:resources/message#message-object-message-flags).
const (
	flagSuppressEmbeds        = 1 << 2
	flagEphemeral             = 1 << 6
	flagLoading               = 1 << 7
	flagSuppressNotifications = 1 << 12
)

// Embed is an embed of a message.
type Embed struct {
	Title       string       `json:"title,omitempty"`
	Type        string       `json:"type,omitempty"`
	Description string       `json:"description,omitempty"`
	URL         string       `json:"url,omitempty"`
	Timestamp   string       `json:"timestamp,omitempty"`
	Color       *int         `json:"color,omitempty"`
	Footer      *EmbedFooter `json:"footer,omitempty"`
	Image       *EmbedMedia  `json:"image,omitempty"`
	Thumbnail   *EmbedMedia  `json:"thumbnail,omitempty"`
	Author      *EmbedAuthor `json:"author,omitempty"`
	Fields      []EmbedField `json:"fields,omitempty"`
}

// EmbedFooter is the line below an embed.
type EmbedFooter struct {
	Text    string `json:"text"`
	IconURL string `json:"icon_url,omitempty"`
}

// EmbedMedia is an image of an embed.
type EmbedMedia struct {
	URL string `json:"url"`
	// Description is an image's alternative text (#8373).
	Description string `json:"description,omitempty"`
}

// EmbedAuthor is the line above an embed's title.
type EmbedAuthor struct {
	Name    string `json:"name"`
	URL     string `json:"url,omitempty"`
	IconURL string `json:"icon_url,omitempty"`
}

// EmbedField is a name and a value in an embed.
type EmbedField struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Inline bool   `json:"inline,omitempty"`
}

// Emoji is an emoji on a component: a custom one has an ID, others a Name alone.
type Emoji struct {
	ID       string `json:"id,omitempty"`
	Name     string `json:"name,omitempty"`
	Animated bool   `json:"animated,omitempty"`
}

// Component is a component of a message or a modal: a row, what is in a row,
// or a label with what it describes.
type Component struct {
	Type        int    `json:"type"`
	ID          int    `json:"id,omitempty"`
	CustomID    string `json:"custom_id,omitempty"`
	Style       int    `json:"style,omitempty"`
	Label       string `json:"label,omitempty"`
	Description string `json:"description,omitempty"`
	Emoji       *Emoji `json:"emoji,omitempty"`
	URL         string `json:"url,omitempty"`
	Disabled    bool   `json:"disabled,omitempty"`
	Placeholder string `json:"placeholder,omitempty"`
	MinValues   *int   `json:"min_values,omitempty"`
	MaxValues   *int   `json:"max_values,omitempty"`
	// Options of a menu of roles are what the client offers. Discord itself sends none.
	Options       []SelectOption `json:"options,omitempty"`
	DefaultValues []DefaultValue `json:"default_values,omitempty"`
	MinLength     *int           `json:"min_length,omitempty"`
	MaxLength     *int           `json:"max_length,omitempty"`
	Required      *bool          `json:"required,omitempty"`
	Value         string         `json:"value,omitempty"`
	Default       bool           `json:"default,omitempty"` // of a checkbox
	Content       string         `json:"content,omitempty"`
	Components    []Component    `json:"components,omitempty"`
	Component     *Component     `json:"component,omitempty"`
}

// DefaultValue is what stands in a menu of roles.
type DefaultValue struct {
	ID   string `json:"id"`
	Type string `json:"type"`
}

// SelectOption is a choice of a select menu, a radio group or a group of checkboxes.
type SelectOption struct {
	Label       string `json:"label"`
	Value       string `json:"value"`
	Description string `json:"description,omitempty"`
	Emoji       *Emoji `json:"emoji,omitempty"`
	Default     bool   `json:"default,omitempty"`
}

// Choice is a suggestion for an option that is being typed. Value is a string
// or a number.
type Choice struct {
	Name              string            `json:"name"`
	NameLocalizations map[string]string `json:"name_localizations,omitempty"`
	Value             any               `json:"value"`
}

// Modal is a form that the bot opened.
type Modal struct {
	CustomID   string      `json:"custom_id"`
	Title      string      `json:"title"`
	Components []Component `json:"components"`
}

// optional is a member of a JSON object that may be absent or null.
type optional[T any] struct {
	set   bool // present
	null  bool
	value T
}

func (o *optional[T]) UnmarshalJSON(data []byte) error {
	o.set = true
	if bytes.Equal(data, []byte("null")) {
		o.null = true
		return nil
	}
	return json.Unmarshal(data, &o.value)
}

// wireUser is a user as REST and the gateway show one.
type wireUser struct {
	ID            string  `json:"id"`
	Username      string  `json:"username"`
	Discriminator string  `json:"discriminator"`
	GlobalName    *string `json:"global_name"`
	Avatar        *string `json:"avatar"`
	Bot           bool    `json:"bot,omitempty"`
	Flags         int     `json:"flags"`
	PublicFlags   int     `json:"public_flags"`
	PrimaryGuild  any     `json:"primary_guild"`
}

// wireMessage is a message as REST and the gateway show one.
type wireMessage struct {
	ID                  string      `json:"id"`
	Type                int         `json:"type"`
	ChannelID           string      `json:"channel_id"`
	Author              wireUser    `json:"author"`
	Content             string      `json:"content"`
	Timestamp           string      `json:"timestamp"`
	EditedTimestamp     *string     `json:"edited_timestamp"`
	TTS                 bool        `json:"tts"`
	MentionEveryone     bool        `json:"mention_everyone"`
	Mentions            []wireUser  `json:"mentions"`
	MentionRoles        []string    `json:"mention_roles"`
	Attachments         []any       `json:"attachments"`
	Embeds              []Embed     `json:"embeds"`
	Components          []Component `json:"components"`
	Pinned              bool        `json:"pinned"`
	Flags               int         `json:"flags"`
	ApplicationID       string      `json:"application_id,omitempty"`
	WebhookID           string      `json:"webhook_id,omitempty"`
	InteractionMetadata any         `json:"interaction_metadata,omitempty"`
	Interaction         any         `json:"interaction,omitempty"`

	Nonce json.RawMessage `json:"nonce,omitempty"`
}
