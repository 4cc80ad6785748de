package commands

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/bot/staff/health"
)

// drawHealth draws a field for each thing that can fail, below what to do about it.
func (v view) drawHealth(r health.Report) interaction.Response {
	items := r.Items(v.t)
	fields := []*discordgo.MessageEmbedField{
		v.field("staff.status.version", sanitize.Code(r.Version, wordLimit), true),
		v.field("staff.status.up", relative(r.Started), true),
	}
	if r.Answered > 0 {
		fields = append(fields, v.field("staff.status.served", v.t.Number(int(r.Answered)), true))
	}
	if r.Unanswered > 0 {
		fields = append(fields, v.field("staff.status.unanswered", v.t.Number(int(r.Unanswered)), true))
	}
	color := green
	if slices.ContainsFunc(items, func(i health.Item) bool { return i.State == health.Failure }) {
		color = orange
	}
	var rows []discordgo.MessageComponent
	if len(r.Dead) > 0 {
		rows = append(rows, row(v.button(discordgo.SecondaryButton, "button.again", idRetryDead, false)))
	}
	return v.draw("", &discordgo.MessageEmbed{
		Title: v.t.Text("staff.status.title"), Color: color, Description: paragraphs(v.verdict(items), v.cures(items)), Fields: append(fields, healthFields(items)...),
	}, rows...)
}

// healthFields returns the fields of items. Those about one thing share a field.
func healthFields(items []health.Item) (fields []*discordgo.MessageEmbedField) {
	title := ""
	for _, i := range items {
		if i.Text == "" || i.Title == "" && i.State == health.OK {
			continue
		}
		joined := i.Title != "" && i.Title == title && i.ChannelID == ""
		if !joined {
			fields = append(fields, &discordgo.MessageEmbedField{Name: cmp.Or(i.Title, i.Name), Inline: i.Short})
			title = i.Title
		}
		field := fields[len(fields)-1]
		field.Value = strings.TrimPrefix(field.Value+"\n"+i.Text, "\n")
		if i.State == health.Failure && !strings.HasPrefix(field.Value, failureMark) {
			field.Value = failureMark + field.Value
		}
	}
	return fields
}

// failureMark is before what does not work, and before what to do about it.
const failureMark = "⚠️ "

// verdict says above all else what is wrong, since when and why, or that all is well, and what
// was wrong until lately.
func (v view) verdict(items []health.Item) string {
	var wrong, recovered []string
	well := true
	for _, i := range items {
		failure := i.State == health.Failure
		well = well && !failure
		switch {
		case i.Verdict == "":
		case failure:
			if line := "🔴 **" + i.Verdict + "**"; !slices.Contains(wrong, line) { // several shards have one
				wrong = append(wrong, line)
			}
		default:
			recovered = append(recovered, "🟢 "+i.Verdict)
		}
	}
	if well {
		wrong = []string{"✅ " + v.t.Text("staff.todo.nothing")}
	}
	return strings.Join(append(wrong, recovered...), "\n")
}

// cures says what to do, each thing once.
func (v view) cures(items []health.Item) string {
	var todo []string
	for _, i := range items {
		mark := failureMark
		if i.State != health.Failure {
			mark = "💡 "
		}
		if i.ChannelID != "" {
			mark += "<#" + i.ChannelID + "> · "
		}
		if i.Cure != "" && !slices.Contains(todo, mark+i.Cure) {
			todo = append(todo, mark+i.Cure)
		}
	}
	return strings.Join(todo, "\n")
}
