package responder

import (
	"time"

	"hostbot/bot/interaction"
)

// observe passes the measurements of an interaction on, and logs them at the level debug.
func (r *Responder) observe(req *interaction.Request, o Observation) {
	if line := r.cfg.Log.Debug(); line.Enabled() {
		line.Str("interaction", req.ID).Str("reference", req.Reference).Str("kind", string(o.Kind)).Str("route", o.Route).Str("user", req.UserID).
			Str("outcome", o.Outcome).Str("reason", o.Reason).Bool("deferred", o.Deferred).
			Dur("first_response_ms", o.First).Dur("took_ms", time.Since(req.ReceivedAt)).Msg("an interaction is over")
	}
	r.cfg.Observe(o)
}
