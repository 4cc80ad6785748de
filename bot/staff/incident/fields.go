package incident

import (
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/sanitize"
	"hostbot/locale"
)

const (
	routeLimit   = 300
	versionLimit = 60
)

// Fields draws what staff read of an incident: a field for each key of a name, without those that say nothing.
func (i Incident) Fields(t *locale.Texts, keys ...string) (fields []*discordgo.MessageEmbedField) {
	values := i.values(t)
	for _, key := range keys {
		if value := values[key]; value != "" {
			long := key == "staff.reference.answer" || key == "log.field.detail"
			fields = append(fields, &discordgo.MessageEmbedField{Name: t.Text(key), Value: value, Inline: !long})
		}
	}
	return fields
}

// values returns what is known of an incident, by the key of the name of a field.
func (i Incident) values(t *locale.Texts) map[string]string {
	values := map[string]string{
		"log.field.user":              sanitize.User(i.UserID),
		"log.field.bot":               strings.TrimSpace(sanitize.Markdown(i.BotName, nameLimit) + " " + sanitize.Code(i.BotID, nameLimit)),
		"log.field.operation":         sanitize.Code(i.Kind+" "+i.Route, routeLimit),
		"log.field.where":             t.Text("log.where.dm"),
		"log.field.reference":         "`" + i.Reference + "`",
		"log.field.detail":            sanitize.Markdown(i.Detail, detailLimit),
		"staff.status.version":        sanitize.Code(i.Version, versionLimit),
		"staff.reference.shard":       sanitize.Code(i.Shard, versionLimit),
		"staff.reference.interaction": sanitize.Code(i.InteractionID, routeLimit),
	}
	if i.CustomerID != i.UserID {
		values["log.field.customer"] = sanitize.User(i.CustomerID)
	}
	if i.GuildID != "" {
		values["log.field.where"] = t.Format("log.where.guild", locale.Args{"Channel": "<#" + sanitize.Plain(i.ChannelID, nameLimit) + ">", "Guild": sanitize.Code(i.GuildID, nameLimit)})
	}
	const instant = 50 * time.Millisecond // less would be said as 0.0 s
	if i.Failed >= instant {
		values["log.field.duration"] = t.Duration(i.Failed)
	}
	if i.Operation == "" {
		return values
	}
	call, took := i.Operation+": "+i.Code, t.Duration(i.Took)
	if i.Status != 0 {
		call += " (" + strconv.Itoa(i.Status) + ")"
	}
	if i.Took < instant {
		took = "< " + t.Duration(100*time.Millisecond)
	}
	call = sanitize.Code(call, routeLimit)
	values["log.field.error"], values["staff.reference.call"] = call, call
	if i.Uncertain {
		values["staff.reference.call"] += "\n" + t.Text("staff.reference.uncertain")
	}
	values["staff.reference.attempts"] = t.Format("staff.reference.tries", locale.Args{"Attempts": i.Attempts, "Duration": took})
	values["staff.reference.answer"] = sanitize.Markdown(i.Answer, detailLimit)
	return values
}
