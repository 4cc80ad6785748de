package journal

import (
	"hostbot/bot/interaction"
	"hostbot/bot/logchannel"
	"hostbot/bot/safetext"
)

// Audit writes that staff's own commands were used, or that somebody was refused them.
func (j *Journal) Audit(r *interaction.Request, a interaction.Audit) {
	title, color := "👁️ "+j.t.Text("log.audit.used"), grey
	if a.Refused {
		title, color = "⛔ "+j.t.Text("log.audit.refused"), orange
	}
	fields := append(j.people(r), j.field("operation", safetext.Code(string(r.Kind)+" "+r.Route, nameLimit)))
	if a.Detail != "" {
		fields = append(fields, j.field("detail", safetext.Code(a.Detail, nameLimit)))
	}
	entry := j.entry(title, color, append(fields, j.field("where", j.where(r)))...)
	j.poster.Post(logchannel.Entry{Category: logchannel.Actions, Embed: entry, Once: "audit " + r.ID, Reference: r.Reference})
}
