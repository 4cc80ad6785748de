package stafflog

import (
	"hostbot/bot/interaction"
	"hostbot/bot/logchannel"
	"hostbot/bot/sanitize"
)

// Audit writes that staff's own commands were used, or that somebody was refused them.
func (l *Log) Audit(r *interaction.Request, a interaction.Audit) {
	title, color := "👁️ "+l.t.Text("log.audit.used"), grey
	if a.Refused {
		title, color = "⛔ "+l.t.Text("log.audit.refused"), orange
	}
	fields := append(l.people(r), l.field("operation", sanitize.Code(string(r.Kind)+" "+r.Route, nameLimit)))
	if a.Detail != "" {
		fields = append(fields, l.field("detail", sanitize.Code(a.Detail, nameLimit)))
	}
	entry := l.entry(title, color, append(fields, l.field("where", l.where(r)))...)
	l.poster.Post(logchannel.Entry{Category: logchannel.Actions, Embed: entry, DedupKey: "audit " + r.ID, Reference: r.Reference})
}
