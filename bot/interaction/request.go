package interaction

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"
)

// Kind is the kind of an interaction.
type Kind string

// The kinds of interactions that are served.
const (
	Command      Kind = "command"
	Autocomplete Kind = "autocomplete"
	Component    Kind = "component"
	Modal        Kind = "modal"
)

// Request is one interaction as a handler sees it. It holds no secret: the
// interaction's token stays with the one who answers.
type Request struct {
	ID   string // snowflake of the interaction
	Kind Kind

	// UserID is the caller's, as Discord attested it.
	UserID string
	// CustomerID says whose account this is about. It is the caller's, unless
	// staff, whose right to it has been checked, act for a customer.
	CustomerID string
	RoleIDs    []string // the caller's in the guild

	GuildID   string // empty in a direct message
	ChannelID string
	Locale    string // the caller's Discord locale, such as "en-US"; may be empty
	// Message stands for the message that this interaction makes or is about:
	// the ID of the interaction that made it.
	Message string

	// Name is the full name of a command ("bot list") or the custom ID of a
	// component or modal.
	Name string
	// Route is the pattern that matched Name; set by the router.
	Route string
	// Params holds what a pattern's wildcards matched.
	Params map[string]string

	// TargetID is the user on whom a context menu was opened.
	TargetID string
	// Options holds the options of a command by name, values as text.
	Options map[string]string
	// Focused is the name of the option that is being typed (Autocomplete).
	Focused string
	// Values are the chosen values of a select menu.
	Values []string
	// Fields are the values of a modal's inputs by their custom IDs.
	Fields map[string]string

	// Reference is the short code that connects what the caller is told with
	// what staff are told. It follows from ID alone.
	Reference string
	// ReceivedAt is when the program got to know of the interaction.
	ReceivedAt time.Time
	// AnswerBy is the moment until which a handler may wait for something
	// better before its response is deferred.
	AnswerBy time.Time
}

// InMessage tells whether the request comes from a message of the bot's: from a
// component, or from a modal that a component opened. Its answer may change
// that message.
func (r *Request) InMessage() bool { return r.Message != r.ID }

// ByStaff tells whether staff act for a customer.
func (r *Request) ByStaff() bool { return r.CustomerID != r.UserID }

// Value returns the first chosen value of a select menu, or "".
func (r *Request) Value() string {
	if len(r.Values) == 0 {
		return ""
	}
	return r.Values[0]
}

// Parse reads an event of the gateway. Events whose body did not decode reach
// handlers half empty, so each part is looked at before it is used.
func Parse(i *discordgo.Interaction, receivedAt time.Time) (*Request, error) {
	if i == nil || i.ID == "" {
		return nil, ErrIncomplete
	}
	r := &Request{
		ID:         i.ID,
		GuildID:    i.GuildID,
		ChannelID:  i.ChannelID,
		Locale:     string(i.Locale),
		Message:    origin(i),
		Reference:  reference(i.ID),
		ReceivedAt: receivedAt,
	}
	switch {
	case i.Member != nil && i.Member.User != nil:
		r.UserID, r.RoleIDs = i.Member.User.ID, i.Member.Roles
	case i.User != nil:
		r.UserID = i.User.ID
	}
	if !IsSnowflake(r.UserID) || i.Token == "" {
		return nil, ErrIncomplete
	}
	r.CustomerID = r.UserID
	return r, r.readData(i)
}

func (r *Request) readData(i *discordgo.Interaction) error {
	switch data := i.Data.(type) {
	case discordgo.ApplicationCommandInteractionData:
		r.Kind = Command
		if i.Type == discordgo.InteractionApplicationCommandAutocomplete {
			r.Kind = Autocomplete
		}
		r.readCommand(data)
	case discordgo.MessageComponentInteractionData:
		r.Kind = Component
		r.Name = data.CustomID
		r.Values = data.Values
	case discordgo.ModalSubmitInteractionData:
		r.Kind = Modal
		r.Name = data.CustomID
		r.Fields = readFields(data.Components)
	case nil:
		return ErrIncomplete
	default:
		return fmt.Errorf("%w: %T", ErrUnsupported, data)
	}
	if r.Name == "" {
		return ErrIncomplete
	}
	return nil
}

// readCommand walks down the subcommands and gathers the options of the last.
func (r *Request) readCommand(data discordgo.ApplicationCommandInteractionData) {
	r.Name, r.TargetID = data.Name, data.TargetID
	options := data.Options
	for len(options) == 1 && options[0] != nil && isSubcommand(options[0].Type) {
		r.Name += " " + options[0].Name
		options = options[0].Options
	}
	r.Options = make(map[string]string, len(options))
	for _, o := range options {
		if o == nil {
			continue
		}
		r.Options[o.Name] = optionText(o.Value)
		if o.Focused {
			r.Focused = o.Name
		}
	}
}

func isSubcommand(t discordgo.ApplicationCommandOptionType) bool {
	return t == discordgo.ApplicationCommandOptionSubCommand || t == discordgo.ApplicationCommandOptionSubCommandGroup
}

// optionText avoids the typed accessors, which panic on another type.
func optionText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return ""
	}
}

func readFields(rows []discordgo.MessageComponent) map[string]string {
	fields := make(map[string]string)
	for _, row := range rows {
		actions, ok := row.(*discordgo.ActionsRow)
		if !ok {
			continue
		}
		for _, c := range actions.Components {
			if input, ok := c.(*discordgo.TextInput); ok {
				fields[input.CustomID] = input.Value
			}
		}
	}
	return fields
}

// origin returns the ID of the interaction that made the message which an
// interaction is about.
func origin(i *discordgo.Interaction) string {
	switch {
	case i.Message == nil:
		return i.ID
	case i.Message.InteractionMetadata == nil:
		return i.Message.ID
	default:
		return i.Message.InteractionMetadata.ID
	}
}

// IsSnowflake tells whether id has the form of Discord's IDs: up to 20 digits.
func IsSnowflake(id string) bool {
	if id == "" || len(id) > 20 {
		return false
	}
	for _, c := range id {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// reference derives seven letters and digits from the interaction's ID: the
// same on every replica, without a look-up, and no clue to the ID.
func reference(id string) string {
	sum := sha256.Sum256([]byte(id))
	return crockford(sum[:5])[:7]
}

// crockford has no letter that is easily taken for a digit.
func crockford(b []byte) string {
	return base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding).EncodeToString(b)
}
