package bot

import (
	"hostbot/bot/interaction"
	"hostbot/bot/staff/incident"
	"hostbot/bot/staff/stafflog"
)

// sharedReferences is the staff log, told of failures under the references that callers read.
type sharedReferences struct {
	*stafflog.Log
	references *incident.References
}

func (s sharedReferences) Action(r *interaction.Request, a interaction.Action, failure error) {
	s.Log.Action(s.references.Staff(r), a, failure)
}

func (s sharedReferences) Failure(r *interaction.Request, err error) {
	s.Log.Failure(s.references.Staff(r), err)
}
