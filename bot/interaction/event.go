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

// Event is an INTERACTION_CREATE: the request that a handler gets, and what only
// the answer needs.
type Event struct {
	Request
	// Replayed says that the event is older than it looks: it was sent while the
	// connection was lost, and has come with the resumption of the session.
	Replayed bool
	// Inline is the HTTP request that brought the event; nil where the gateway did.
	Inline Inline
}

// Inline is an HTTP request of Discord's that waits for its answer. The first of
// these calls gives it.
type Inline interface {
	// Respond answers with a first response, in JSON. An error says that Discord may
	// not have got it.
	Respond(response []byte) error
	// Leave answers that the first response is sent in a call of its own, if at all.
	Leave()
	// Decline answers that nothing was done and nothing will be, so that another process may
	// be asked.
	Decline()
}

// contextBotDM is the context of an interaction in the DM with the bot.
// https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-object-interaction-context-types
const contextBotDM = 1

// ReadEvent reads an event, whose JSON need not last. What Discord left out, or
// sent in another form than is expected, is empty.
//
// discordgo's own type takes 45 µs to decode a command, and a struct for
// encoding/json 13, as both go through all that is of no use here; this takes
// 3. discordgo gives a whole event up over a component that it does not know.
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
	e.Reference = reference(e.ID)
	e.Message = cmp.Or(messageKey(d), e.ID)
	e.readData(TypeOf(d), d.Get("data"))
	switch {
	case strings.HasPrefix(e.Name, ReplyPrefix):
		e.Message = e.ID
	case e.Kind == Component:
		e.TargetName = text(d, "message", "embeds", "0", "author", "name")
	}
	return e
}

// isThread reports whether a type of channels is that of threads.
// https://discord.com/developers/docs/resources/channel#channel-object-channel-types
func isThread(kind int) bool {
	switch discordgo.ChannelType(kind) {
	case discordgo.ChannelTypeGuildNewsThread, discordgo.ChannelTypeGuildPublicThread, discordgo.ChannelTypeGuildPrivateThread:
		return true
	default:
		return false
	}
}

// TypeOf returns the type of an interaction, or 0 for one that Discord has not.
func TypeOf(d *fastjson.Value) discordgo.InteractionType {
	n := d.GetUint("type")
	if n > math.MaxUint8 { // which would become another one
		return 0
	}
	return discordgo.InteractionType(n)
}

// Answerable reports whether Discord says who is asking and how to answer.
func (e *Event) Answerable() bool { return IsSnowflake(e.ID) && IsSnowflake(e.UserID) && e.Token != "" }

// botAbsent reports whether an interaction comes from a guild in which the application is
// installed by its user alone: Discord names who has installed it, and not the guild, whose
// key is "0". Of a component these are the owners of what made its message. Where Discord
// names nobody, nothing is known (discord-api-docs#6752).
// https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-object-authorizing-integration-owners-object
func botAbsent(d *fastjson.Value) bool {
	owners := d.GetObject("authorizing_integration_owners")
	return text(d, "guild_id") != "" && owners != nil && owners.Len() > 0 && owners.Get("0") == nil
}

// messageKey returns what stands for the message that holds the component: the ID
// of the interaction that made it, which is known before the message's own. Where
// that interaction made others before, it is the message's own.
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
	case discordgo.InteractionModalSubmit:
		r.Kind, r.Name = Modal, unopened(text(data, "custom_id"))
		r.Fields = readFields(data.GetArray("components"))
	}
}

// readCommand walks down the subcommands and gathers the options of the last.
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

// nameOf returns what somebody is called: in the guild, else on all of Discord, else
// by the name of the account.
func nameOf(member, user *fastjson.Value) string {
	return cmp.Or(text(member, "nick"), text(user, "global_name"), text(user, "username"))
}

// resolved returns what a user is called whom a command names.
// https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-object-resolved-data-structure
func resolved(data *fastjson.Value, userID string) string {
	return nameOf(data.Get("resolved", "members", userID), data.Get("resolved", "users", userID))
}

func isSubcommand(option *fastjson.Value) bool {
	t := discordgo.ApplicationCommandOptionType(option.GetUint("type"))
	return t == discordgo.ApplicationCommandOptionSubCommand || t == discordgo.ApplicationCommandOptionSubCommandGroup
}

// optionText returns the value of an option, numbers and booleans as JSON has
// them, or "" for what no option holds.
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

// readFields reads the inputs of a modal. A label has one. A row, in which inputs
// were before there were labels, has a list (docs:components/reference#label,
// #action-row).
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

// fieldText returns what was entered: a menu sends a list of values, the others one
// value, which is null for radio buttons of which none was chosen.
func fieldText(input *fastjson.Value) string {
	if chosen := texts(input.GetArray("values")); len(chosen) > 0 {
		return chosen[0]
	}
	return optionText(input.Get("value"))
}

// text returns the string at a path, or "" where there is none.
func text(v *fastjson.Value, path ...string) string { return string(v.GetStringBytes(path...)) }

// bits returns the permissions at a path, which Discord sends as a number in a string.
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

// reference derives seven letters and digits from the interaction's ID: the
// same on every replica, without a look-up, and no clue to the ID.
func reference(id string) string {
	const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ" // no letter that is easily taken for a digit
	sum := sha256.Sum256([]byte(id))
	bits := binary.BigEndian.Uint64(sum[:])
	code := make([]byte, 7)
	for i := range code {
		code[i] = crockford[bits>>59] // the next five bits
		bits <<= 5
	}
	return string(code)
}
