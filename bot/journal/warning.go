package journal

import (
	"github.com/rs/zerolog"

	"hostbot/bot/logchannel"
	"hostbot/bot/processlog"
	"hostbot/bot/safetext"
)

// Warning writes what the process log warns of. Equal ones become one message
// that counts.
func (j *Journal) Warning(l processlog.Line) {
	title, color := "⚠️ "+j.t.Text("log.warning.title"), orange
	if l.Level > zerolog.WarnLevel {
		title, color = "❗ "+j.t.Text("log.warning.error"), red
	}
	entry := j.entry(title, color)
	entry.Description = safetext.Markdown(l.Message, detailLimit)
	if l.Error != "" {
		detail := j.field("detail", safetext.Markdown(l.Error, detailLimit))
		detail.Inline = false
		entry.Fields = append(entry.Fields, detail)
	}
	j.poster.Post(logchannel.Entry{Category: logchannel.Errors, Embed: entry, Fold: safetext.Plain("process log: "+l.Message, nameLimit)})
}
