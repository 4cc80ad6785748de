package alerts

import (
	"context"
	"errors"
	"strconv"
	"time"

	"hostbot/bot/discord/rest"
	"hostbot/bot/store/record"
)

// A hold keeps messages back while Discord refuses that kind of message whoever it is for.
// Its pause doubles with each refusal. When a pause is over, one message is tried; the hold
// ends if Discord takes that.
//
// There are two. The one for all keeps alerts back and is begun by an alert that Discord
// refuses. The one for new people keeps back that DMs are opened and first messages are
// sent. Alerts go on beside it: in quarantine Discord still takes messages to those to whom
// the bot has written before (discord-php/DiscordPHP#467, tmercswims/tmerc-cogs#111).

// Held is what Discord refuses for all, or for all new people.
type Held struct {
	Until time.Time // from when on one is tried, which may be over; zero where nothing is held
	New   bool      // only new people are concerned
	Code  int       // Discord's, such as rest.CodeQuarantined
}

// Is reports whether something is held.
func (h Held) Is() bool { return !h.Until.IsZero() }

// Problem is what staff are told of, as the keys of their texts call it.
func (h Held) Problem() string {
	if h.Code == rest.CodeQuarantined {
		return "quarantined"
	}
	return "dms_forbidden"
}

// hold is a hold as Redis has it, by the ID allHold or newHold.
type hold struct {
	Until  int64  `json:"until"` // Unix ms by Redis's clock
	Pause  int64  `json:"pause"` // in ms
	Code   int    `json:"code"`  // Discord's
	Who    string `json:"who,omitempty"`
	Trying bool   `json:"trying,omitempty"` // one message is tried
}

// held says how a hold is.
type held int

const (
	free   held = iota // nothing is held
	waits              // everything is
	trying             // one message may be sent, which this process is to do
)

// now returns the time in Unix ms by Redis's clock, which all processes share.
func (a *Alerts) now(ctx context.Context) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	now, err := a.Redis.Time(ctx).Result()
	return now.UnixMilli(), err
}

// look asks for a hold. Whoever is given a try has it alone for a time; with none, a hold
// whose pause is over counts as free.
func (a *Alerts) look(ctx context.Context, id string, try time.Duration) (held, error) {
	r, left, err := a.readHold(ctx, id)
	switch {
	case err != nil || r == nil:
		return free, err
	case left > 0:
		return waits, nil
	case try == 0:
		return free, nil
	}
	now, err := a.now(ctx)
	if err != nil {
		return free, err
	}
	r.Value.Until, r.Value.Trying = now+try.Milliseconds(), true
	err = a.holds.Save(ctx, r, record.Never)
	if errors.Is(err, record.ErrConflict) { // another has the try, or has ended the hold
		return waits, nil
	}
	return trying, err
}

// readHold returns a hold, nil if there is none, and for how long it keeps everything back.
func (a *Alerts) readHold(ctx context.Context, id string) (r *record.Record[hold], left time.Duration, err error) {
	r, err = a.holds.Get(ctx, id, "")
	if err != nil || r == nil {
		return nil, 0, err
	}
	now, err := a.now(ctx)
	left = max(0, time.Duration(r.Value.Until-now)*time.Millisecond)
	return r, left, err
}

// quarantined reports whether Discord refused the last message to somebody new as the bot is in
// quarantine, so that one is to be tried before alerts count on it.
func (a *Alerts) quarantined(ctx context.Context) (bool, error) {
	r, err := a.holds.Get(ctx, newHold, "")
	return r != nil && r.Value.Code == rest.CodeQuarantined, err
}

// left returns for how long everything waits that a hold keeps back; 0 where nothing does.
func (a *Alerts) left(ctx context.Context, id string) (time.Duration, error) {
	_, left, err := a.readHold(ctx, id)
	return left, err
}

// hold begins or prolongs a hold, as Discord has refused a customer's message, and returns for how
// long it lasts. Staff are told where the reason is new to them.
func (a *Alerts) hold(ctx context.Context, id, customerID string, failure error) time.Duration {
	ctx = context.WithoutCancel(ctx)
	reason, _ := errors.AsType[*rest.Error](failure)
	var lasts time.Duration
	var begun bool
	err := record.ErrConflict
	for range updateAttempts {
		if lasts, begun, err = a.prolong(ctx, id, customerID, reason.Code); !errors.Is(err, record.ErrConflict) {
			break
		}
	}
	if err != nil || !begun || !a.isNews(ctx, id, reason.Code, lasts+heldFor) {
		return lasts
	}
	a.Log.Error().Err(failure).Bool("new", id == newHold).Msg("discord lets the bot send no direct messages: they are held and tried again")
	if a.OnHeld != nil {
		a.OnHeld(Held{New: id == newHold, Code: reason.Code}, failure)
	}
	return lasts
}

// prolong begins a hold, or doubles its pause, unless a refusal of the same time has just done so,
// and returns for how long it lasts. The pause stays as it is if the same customer's message was
// refused as the last time: that says nothing new of other people's. It always doubles for an
// empty customer. The error may be record.ErrConflict.
func (a *Alerts) prolong(ctx context.Context, id, customerID string, code int) (lasts time.Duration, begun bool, err error) {
	r, left, err := a.readHold(ctx, id)
	if err != nil {
		return 0, false, err
	}
	if r == nil {
		r = a.holds.New(id, "")
	}
	h := &r.Value
	if left > 0 && !h.Trying && h.Code == code {
		return left, false, nil
	}
	if h.Pause == 0 || customerID == "" || h.Who != customerID {
		h.Pause = min(max(2*h.Pause, a.Timing.Hold.Milliseconds()), a.Timing.LongestHold.Milliseconds())
	}
	now, err := a.now(ctx)
	if err != nil {
		return 0, false, err
	}
	lasts = time.Duration(h.Pause) * time.Millisecond
	h.Until, h.Code, h.Who, h.Trying = now+h.Pause, code, customerID, false
	r.Life = lasts + heldFor
	return lasts, true, a.holds.Save(ctx, r, record.Never)
}

// isNews reports whether staff were not told of a reason yet, which is remembered for a time. Also
// in quarantine Discord takes what goes to those to whom the bot has written, which ends a hold:
// the reason outlives that.
func (a *Alerts) isNews(ctx context.Context, id string, code int, remember time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	key := a.Space.Key(toldKey + id + ":" + strconv.Itoa(code))
	news, err := a.Redis.SetNX(ctx, key, 1, remember).Result()
	if err == nil && !news {
		_ = a.Redis.PExpire(ctx, key, remember).Err() // otherwise staff are told again some day
	}
	return news && err == nil
}

// holdAll holds all alerts, as Discord refused one for a reason that is not its own. That one
// waits for longer than the others and longer each time, so that another is tried first. Where
// Discord takes others all the same, it is given up after mostRefusals.
func (a *Alerts) holdAll(ctx context.Context, r *record.Record[delivery], try bool, failure error) error {
	r.Value.Held++
	times := r.Value.Held
	if times > mostRefusals && !try { // nothing was held, so others were taken since the last time
		a.Log.Warn().Err(failure).Msg("discord refuses an alert and takes others: it is given up")
		return a.drop(ctx, r)
	}
	lasts := a.hold(ctx, allHold, r.Owner, failure)
	own := min(a.Timing.Hold<<min(times-1, mostRefusals), a.Timing.LongestHold)
	a.putOff(ctx, r, max(lasts, own)+a.Timing.Retry)
	return nil
}

// release ends a hold.
func (a *Alerts) release(ctx context.Context, id string) {
	if last, _, err := a.holds.Remove(ctx, id, ""); err == nil && last != nil {
		a.Log.Info().Bool("new", id == newHold).Msg("discord takes direct messages again")
	}
}

// held returns what is held: for all if there is such a hold. A hold whose pause is over is one
// until Discord has taken a message, or it is forgotten.
func (a *Alerts) held(ctx context.Context) (Held, error) {
	for _, id := range []string{allHold, newHold} {
		r, err := a.holds.Get(ctx, id, "")
		if err != nil {
			return Held{}, err
		}
		if r != nil {
			return Held{Until: time.UnixMilli(r.Value.Until), Code: r.Value.Code, New: id == newHold}, nil
		}
	}
	return Held{}, nil
}
