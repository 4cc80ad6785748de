package interaction

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"
	"github.com/valyala/fastjson"

	"hostbot/hostapi/secret"
)

// Event is an INTERACTION_CREATE: the request for the handler, and what the answer needs.
type Event struct {
	Request
	// Replayed says that Discord sent the event while the connection was lost, and again when the session was
	// resumed: it is older than ReceivedAt says.
	Replayed bool
	// Inline is the HTTP request that brought the event; nil if it came over the gateway.
	Inline Inline
}

// Inline is Discord's HTTP request, which waits for its answer. The first of these calls answers it.
type Inline interface {
	// Respond answers with a first response, in JSON. After an error Discord may not have received it.
	Respond(response []byte) error
	// Leave answers that a first response, if any, is sent in a separate call.
	Leave()
	// Decline answers that nothing was or will be done, so that a proxy may ask another process.
	Decline()
}

// contextBotDM is the context of an interaction in the DM with the bot.
// https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-object-interaction-context-types
const contextBotDM = 1

// ReadEvent reads an event. It keeps no reference to the JSON. What is missing there, or has an unexpected form,
// is left empty.
//
// A command takes 3 µs. discordgo's type takes 45 µs and a struct for encoding/json 13, as both also decode what
// is not needed here. discordgo fails on a whole event if it does not know one of its components.
func ReadEvent(d *fastjson.Value) *Event {
	e := &Event{
		Request: Request{
			ID:            text(d, "id"),
			Token:         secret.Text(text(d, "token")),
			ApplicationID: text(d, "application_id"),
			BotAbsent:     botAbsent(d),
			GuildID:       text(d, "guild_id"),
			ChannelID:     text(d, "channel_id"),
			Locale:        text(d, "locale"),
			UserID:        text(d, "user", "id"), // in a direct message
			UserName:      nameOf(nil, d.Get("user")),
		},
	}
	e.Permissions, e.AppPermissions = bits(d, "member", "permissions"), bits(d, "app_permissions")
	e.InThread = isThread(d.GetInt("channel", "type"))
	e.InBotDM = d.GetInt("context") == contextBotDM && e.GuildID == ""
	if id := text(d, "member", "user", "id"); id != "" {
		e.UserID, e.RoleIDs = id, texts(d.GetArray("member", "roles"))
		e.UserName = nameOf(d.Get("member"), d.Get("member", "user"))
	}
	e.CustomerID = e.UserID
	e.Reference = ReferenceOf(e.ID)
	e.Message = cmp.Or(messageKey(d), e.ID)
	e.readData(TypeOf(d), d.Get("data"))
	switch {
	case strings.HasPrefix(e.Name, ReplyPrefix):
		e.Message, e.MessageID = e.ID, text(d, "message", "id")
	case e.Kind == Component:
		e.TargetName = text(d, "message", "embeds", "0", "author", "name")
	}
	return e
}

// isThread reports whether a channel type is one of threads.
// https://discord.com/developers/docs/resources/channel#channel-object-channel-types
func isThread(kind int) bool {
	t := discordgo.ChannelType(kind)
	return t == discordgo.ChannelTypeGuildNewsThread || t == discordgo.ChannelTypeGuildPublicThread || t == discordgo.ChannelTypeGuildPrivateThread
}

// TypeOf returns the type of an interaction; 0 if it is out of range.
func TypeOf(d *fastjson.Value) discordgo.InteractionType {
	n := d.GetUint("type")
	if n > math.MaxUint8 { // the conversion would wrap around
		return 0
	}
	return discordgo.InteractionType(n)
}

// Answerable reports whether Discord says who is asking and how to answer.
func (e *Event) Answerable() bool { return IsSnowflake(e.ID) && IsSnowflake(e.UserID) && e.Token != "" }

// botAbsent reports whether an interaction comes from a guild in which only its user has installed the
// application: Discord names the owners of the installation, and the guild, with the key "0", is not among them.
// For a component these are the owners at the time of its message. If Discord names none, nothing is known
// (discord-api-docs#6752).
// https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-object-authorizing-integration-owners-object
func botAbsent(d *fastjson.Value) bool {
	owners := d.GetObject("authorizing_integration_owners")
	return text(d, "guild_id") != "" && owners != nil && owners.Len() > 0 && owners.Get("0") == nil
}

// messageKey returns a key for the message with the component: the ID of the interaction that made it, as that is
// known before the message's own ID. A follow-up's key is its own ID.
func messageKey(d *fastjson.Value) string {
	id, maker := text(d, "message", "id"), text(d, "message", "interaction_metadata", "id")
	if text(d, "message", "interaction_metadata", "original_response_message_id") != "" {
		return id
	}
	return cmp.Or(maker, id)
}

func (r *Request) readData(t discordgo.InteractionType, data *fastjson.Value) {
	switch t {
	case discordgo.InteractionApplicationCommand:
		r.Kind = Command
		r.readCommand(data)
	case discordgo.InteractionApplicationCommandAutocomplete:
		r.Kind = Autocomplete
		r.readCommand(data)
	case discordgo.InteractionMessageComponent:
		r.Kind, r.Name = Component, text(data, "custom_id")
		r.Values = texts(data.GetArray("values"))
		r.Mentionable = data.GetBool("resolved", "roles", r.Value(), "mentionable")
	case discordgo.InteractionModalSubmit:
		r.Kind, r.Name = Modal, unopened(text(data, "custom_id"))
		r.Fields = readFields(data.GetArray("components"))
	}
}

// readCommand descends through the subcommands and reads the options of the last.
func (r *Request) readCommand(data *fastjson.Value) {
	r.Name, r.TargetID = text(data, "name"), text(data, "target_id")
	r.TargetName = resolved(data, r.TargetID)
	options := data.GetArray("options")
	for len(options) == 1 && isSubcommand(options[0]) {
		r.Name += " " + text(options[0], "name")
		options = options[0].GetArray("options")
	}
	r.Options = make(map[string]string, len(options))
	for _, o := range options {
		name := text(o, "name")
		if name == "" {
			continue
		}
		r.Options[name] = optionText(o.Get("value"))
		if discordgo.ApplicationCommandOptionType(o.GetUint("type")) == discordgo.ApplicationCommandOptionUser {
			r.TargetName = resolved(data, r.Options[name])
		}
		if o.GetBool("focused") {
			r.Focused = name
		}
	}
}

// nameOf returns a user's nickname in the guild, or the display name, or the user name.
func nameOf(member, user *fastjson.Value) string {
	return cmp.Or(text(member, "nick"), text(user, "global_name"), text(user, "username"))
}

// resolved returns the name of a user that a command refers to.
// https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-object-resolved-data-structure
func resolved(data *fastjson.Value, userID string) string {
	return nameOf(data.Get("resolved", "members", userID), data.Get("resolved", "users", userID))
}

func isSubcommand(option *fastjson.Value) bool {
	t := discordgo.ApplicationCommandOptionType(option.GetUint("type"))
	return t == discordgo.ApplicationCommandOptionSubCommand || t == discordgo.ApplicationCommandOptionSubCommandGroup
}

// optionText returns the value of an option as text, numbers and booleans as in JSON; "" for any other type.
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

// readFields reads the inputs of a modal. A label has one input; a row, the older form, has a list
// (docs:components/reference#label, #action-row).
func readFields(parts []*fastjson.Value) map[string]string {
	fields := make(map[string]string)
	for _, part := range parts {
		inputs := part.GetArray("components")
		if inner := part.Get("component"); inner != nil {
			inputs = []*fastjson.Value{inner}
		}
		for _, input := range inputs {
			if id := text(input, "custom_id"); id != "" {
				fields[id] = fieldText(input)
			}
		}
	}
	return fields
}

// fieldText returns what was entered. A menu and a group of checkboxes send a list of values, all others one value. That
// of radio buttons is null if none was chosen.
func fieldText(input *fastjson.Value) string {
	if chosen := texts(input.GetArray("values")); len(chosen) > 0 {
		return strings.Join(chosen, ValueSeparator)
	}
	return optionText(input.Get("value"))
}

// text returns the string at a path, or "".
func text(v *fastjson.Value, path ...string) string { return string(v.GetStringBytes(path...)) }

// bits returns the permissions at a path. Discord sends them as a number in a string.
// https://discord.com/developers/docs/topics/permissions
func bits(v *fastjson.Value, path ...string) uint64 {
	n, _ := strconv.ParseUint(text(v, path...), 10, 64)
	return n
}

func texts(values []*fastjson.Value) []string {
	var list []string
	for _, v := range values {
		list = append(list, text(v))
	}
	return list
}

// IsSnowflake reports whether id has the form of Discord's IDs: digits that make a
// number of 64 bits.
func IsSnowflake(id string) bool {
	_, err := strconv.ParseUint(id, 10, 64)
	return err == nil
}

// ReferenceOf derives a code of seven letters and digits from the ID of an interaction, or of something else that staff
// read of. It is equal on every replica, and does not reveal the ID.
func ReferenceOf(id string) string {
	const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ" // without letters that look like digits
	sum := sha256.Sum256([]byte(id))
	bits := binary.BigEndian.Uint64(sum[:])
	code := make([]byte, 7)
	for i := range code {
		code[i] = crockford[bits>>59] // the next five bits
		bits <<= 5
	}
	return string(code)
}
