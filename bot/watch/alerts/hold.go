package alerts

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

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

// Is tells whether something is held.
func (h Held) Is() bool { return !h.Until.IsZero() }

// Problem is what staff are told of, as the keys of their texts call it.
func (h Held) Problem() string {
	if h.Code == rest.CodeQuarantined {
		return "quarantined"
	}
	return "dms_forbidden"
}

// held says how a hold is.
type held int

const (
	free   held = iota // nothing is held
	waits              // everything is
	trying             // one message may be sent, which this process is to do
)

// look asks for a hold. Whoever is given a try has it alone for a time; with none, a hold
// whose pause is over counts as free.
func (a *Alerts) look(ctx context.Context, key string, try time.Duration) (held, error) {
	state, err := redis.NewScript(lookScript).Run(ctx, a.Redis, []string{a.Space.Key(key)}, try.Milliseconds()).Int()
	return held(state), err
}

// quarantined tells whether Discord refused the last message to somebody new as the bot is in
// quarantine, so that one is to be tried before alerts count on it.
func (a *Alerts) quarantined(ctx context.Context) (bool, error) {
	code, err := a.Redis.HGet(ctx, a.Space.Key(newHoldKey), "code").Int()
	return code == rest.CodeQuarantined, ignoreNil(err)
}

// left returns for how long everything waits that a hold keeps back; 0 where nothing does.
func (a *Alerts) left(ctx context.Context, key string) (time.Duration, error) {
	ms, err := redis.NewScript(leftScript).Run(ctx, a.Redis, []string{a.Space.Key(key)}).Int64()
	return time.Duration(ms) * time.Millisecond, err
}

// hold begins or prolongs a hold, as Discord has refused a customer's message, and returns for how
// long it lasts. Staff are told where the reason is new to them.
func (a *Alerts) hold(ctx context.Context, key, customerID string, failure error) time.Duration {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callLimit)
	defer cancel()
	first, longest := a.Timing.Hold.Milliseconds(), a.Timing.LongestHold.Milliseconds()
	reason, _ := errors.AsType[*rest.Error](failure)
	keys := []string{a.Space.Key(key), a.Space.Key(key + ":told:" + strconv.Itoa(reason.Code))}
	said, err := redis.NewScript(holdScript).Run(ctx, a.Redis, keys, first, longest, reason.Code, heldFor.Milliseconds(), customerID).Int64Slice()
	if err != nil || len(said) != 2 {
		return 0
	}
	lasts := time.Duration(said[1]) * time.Millisecond
	if said[0] == 0 {
		return lasts
	}
	a.Log.Error().Err(failure).Bool("new", key == newHoldKey).Msg("discord lets the bot send no direct messages: they are held and tried again")
	if a.OnHeld != nil {
		a.OnHeld(Held{New: key == newHoldKey, Code: reason.Code}, failure)
	}
	return lasts
}

// holdAll holds all alerts, as Discord refused one for a reason that is not its own. That one
// waits for longer than the others and longer each time, so that another is tried first. Where
// Discord takes others all the same, it is given up after mostRefusals.
func (a *Alerts) holdAll(ctx context.Context, r *record.Record[episode], try bool, failure error) error {
	r.Value.Held++
	times := r.Value.Held
	if times > mostRefusals && !try { // nothing was held, so others were taken since the last time
		a.Log.Warn().Err(failure).Msg("discord refuses an alert and takes others: it is given up")
		return a.drop(ctx, r)
	}
	lasts := a.hold(ctx, allHoldKey, r.Owner, failure)
	own := min(a.Timing.Hold<<min(times-1, mostRefusals), a.Timing.LongestHold)
	a.putOff(ctx, r, max(lasts, own)+a.Timing.Retry)
	return nil
}

// release ends a hold.
func (a *Alerts) release(ctx context.Context, key string) {
	if n, err := a.Redis.Del(ctx, a.Space.Key(key)).Result(); err == nil && n > 0 {
		a.Log.Info().Bool("new", key == newHoldKey).Msg("discord takes direct messages again")
	}
}

// readHeld returns what the holds in Redis are: that for all if there is one. A hold whose
// pause is over is one until Discord has taken a message, or it is forgotten.
func readHeld(all, recent map[string]string) Held {
	for i, fields := range []map[string]string{all, recent} {
		ms, err := strconv.ParseInt(fields["until"], 10, 64)
		if code, _ := strconv.Atoi(fields["code"]); err == nil {
			return Held{Until: time.UnixMilli(ms), Code: code, New: i == 1}
		}
	}
	return Held{}
}
