package notify

import (
	"context"
	"time"

	"hostbot/bot/discord/rest"
	"hostbot/bot/store/record"
)

// Pause is how long messages wait after Discord's refusal.
type Pause struct {
	Until time.Time // when one is tried again; may be in the past. Zero if nothing waits
	New   bool      // only messages to new recipients wait
	Code  int       // Discord's, such as rest.CodeQuarantined
}

// Is reports whether messages wait.
func (p Pause) Is() bool { return !p.Until.IsZero() }

// Problem returns the name of the refusal in the keys of staff's texts.
func (p Pause) Problem() string {
	if p.Code == rest.CodeQuarantined {
		return "quarantined"
	}
	return "dms_forbidden"
}

// pauses is the record of both pauses.
type pauses struct {
	New pause `json:"new,omitzero"` // of opening DMs, and of first messages
	All pause `json:"all,omitzero"` // of all messages
}

// pause is one of them. All processes write it.
type pause struct {
	Until    time.Time `json:"until,omitzero"` // zero once Discord has taken a message
	Code     int       `json:"code,omitempty"`
	Notified time.Time `json:"notified,omitzero"` // when staff were notified of Code
}

// left returns for how long messages wait; 0 if one may be tried.
func (p pause) left() time.Duration { return max(0, time.Until(p.Until)) }

// of returns the pause for messages to new recipients, or for all.
func (p *pauses) of(toNew bool) *pause {
	if toNew {
		return &p.New
	}
	return &p.All
}

// notifiedFor is how long staff are not notified again of a refusal with the same code. It outlives a pause: in
// quarantine Discord still takes messages to known recipients, and each ends a pause.
const notifiedFor = 24 * time.Hour

// pause begins a pause, as Discord has refused the bot itself. It returns how long the pause still lasts, and whether
// this is a further refusal in a row.
func (n *Notifier) pause(ctx context.Context, toNew bool, refusal error) (left time.Duration, again bool) {
	var notify bool
	code := rest.CodeOf(refusal)
	_, err := n.pauses.Upsert(context.WithoutCancel(ctx), pauseID, "", record.Keep, func(r *record.Record[pauses]) bool {
		p, now := r.Value.of(toNew), time.Now()
		notify, again = false, !p.Until.IsZero()
		if left = p.left(); left > 0 { // another message has just begun it
			return false
		}
		if left = n.cfg.Timing.Pause; again {
			left = n.cfg.Timing.LongPause
		}
		if notify = p.Code != code || now.Sub(p.Notified) > notifiedFor; notify {
			p.Notified = now
		}
		p.Until, p.Code, r.Life = now.Add(left), code, n.cfg.Timing.LongPause+notifiedFor
		return true
	})
	if notify && err == nil {
		n.cfg.Log.Error().Err(refusal).Bool("new", toNew).Msg("discord lets the bot send no direct messages: they wait and are tried again")
		n.cfg.OnPause(Pause{New: toNew, Code: code}, refusal)
	}
	return left, again
}

// resume ends a pause, as Discord has taken a message.
func (n *Notifier) resume(ctx context.Context, toNew bool) {
	_, err := n.pauses.Update(context.WithoutCancel(ctx), pauseID, "", record.Keep, func(p *pauses) bool {
		was := !p.of(toNew).Until.IsZero()
		p.of(toNew).Until = time.Time{}
		return was
	})
	if err == nil {
		n.cfg.Log.Info().Bool("new", toNew).Msg("discord takes direct messages again")
	}
}

// Pause returns the pause of all messages or, without one, that of messages to new recipients. It counts until Discord
// has taken a message, or for a day without one.
func (n *Notifier) Pause(ctx context.Context) (Pause, error) {
	p, err := n.pauses.Value(ctx, pauseID, "")
	for _, toNew := range []bool{false, true} {
		if one := p.of(toNew); !one.Until.IsZero() {
			return Pause{Until: one.Until, New: toNew, Code: one.Code}, err
		}
	}
	return Pause{}, err
}
