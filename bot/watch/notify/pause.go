package notify

import (
	"context"
	"time"

	"hostbot/bot/discord/rest"
	"hostbot/bot/store/record"
)

// Pause is for how long Discord's refusal lets messages wait.
type Pause struct {
	Until time.Time // from when on whoever comes first tries again, which may be over; zero where nothing waits
	New   bool      // only messages to people wait to whom the bot has not written
	Code  int       // Discord's, such as rest.CodeQuarantined
}

// Is reports whether messages wait.
func (p Pause) Is() bool { return !p.Until.IsZero() }

// Problem is what staff are notified of, as the keys of their texts call it.
func (p Pause) Problem() string {
	if p.Code == rest.CodeQuarantined {
		return "quarantined"
	}
	return "dms_forbidden"
}

// pauses are the record of what waits. They are two, as a refusal of a message to somebody new says
// nothing of others.
type pauses struct {
	New pause `json:"new,omitzero"` // of opening DMs, and of first messages
	All pause `json:"all,omitzero"` // of all messages
}

// pause is one of them. Any process writes it.
type pause struct {
	Until    time.Time `json:"until,omitzero"` // zero once Discord has taken a message
	Code     int       `json:"code,omitempty"`
	Notified time.Time `json:"notified,omitzero"` // when staff were notified of Code
}

// left returns for how long messages wait; 0 if one may be tried.
func (p pause) left() time.Duration { return max(0, time.Until(p.Until)) }

// of returns the pause that a message to somebody new is under, or to somebody else.
func (p *pauses) of(toNew bool) *pause {
	if toNew {
		return &p.New
	}
	return &p.All
}

// notifiedFor is for how long staff are not notified of a refusal again with the same code. In
// quarantine Discord still takes messages to those to whom the bot has written, which ends a pause:
// what staff were notified of outlives that.
const notifiedFor = 24 * time.Hour

// readPauses returns what waits now.
func (n *Notifier) readPauses(ctx context.Context) (pauses, error) {
	r, err := n.pauses.Get(ctx, pauseID, "")
	if err != nil || r == nil {
		return pauses{}, err
	}
	return r.Value, nil
}

// pause has messages wait, as Discord has refused one for a reason that is not its own. It returns for
// how long, and whether Discord has refused another since it took the last.
func (n *Notifier) pause(ctx context.Context, toNew bool, refusal error) (left time.Duration, again bool) {
	var notify bool
	code := rest.CodeOf(refusal)
	_, err := n.pauses.Upsert(context.WithoutCancel(ctx), pauseID, "", record.Keep, func(r *record.Record[pauses]) bool {
		p, now := r.Value.of(toNew), time.Now()
		notify, again = false, !p.Until.IsZero()
		if left = p.left(); left > 0 { // messages of the same moment were refused
			return false
		}
		if left = n.Timing.Pause; again {
			left = n.Timing.LongPause
		}
		if notify = p.Code != code || now.Sub(p.Notified) > notifiedFor; notify {
			p.Notified = now
		}
		p.Until, p.Code, r.Life = now.Add(left), code, n.Timing.LongPause+notifiedFor
		return true
	})
	if notify && err == nil {
		n.Log.Error().Err(refusal).Bool("new", toNew).Msg("discord lets the bot send no direct messages: they wait and are tried again")
		n.OnPause(Pause{New: toNew, Code: code}, refusal)
	}
	return left, again
}

// resume notes that Discord has taken a message to somebody new, or to somebody else, while others waited.
func (n *Notifier) resume(ctx context.Context, toNew bool) {
	_, err := n.pauses.Update(context.WithoutCancel(ctx), pauseID, "", record.Keep, func(p *pauses) bool {
		was := !p.of(toNew).Until.IsZero()
		p.of(toNew).Until = time.Time{}
		return was
	})
	if err == nil {
		n.Log.Info().Bool("new", toNew).Msg("discord takes direct messages again")
	}
}

// Pause returns what waits: all messages if they do. A pause that is over counts until Discord has taken a
// message, or for a day without one.
func (n *Notifier) Pause(ctx context.Context) (Pause, error) {
	p, err := n.readPauses(ctx)
	for _, toNew := range []bool{false, true} {
		if one := p.of(toNew); !one.Until.IsZero() {
			return Pause{Until: one.Until, New: toNew, Code: one.Code}, err
		}
	}
	return Pause{}, err
}
