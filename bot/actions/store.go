package actions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/store/pipeline"
	"hostbot/bot/store/record"
	"hostbot/hostapi/secret"
)

const (
	// lockLife is for how long a lock holds after it was renewed last.
	lockLife = 30 * time.Second
	// onceLife is for how long an interaction is known to have acted: as long as its token
	// lives. tokenLife is that.
	// https://discord.com/developers/docs/interactions/receiving-and-responding
	onceLife  = 15 * time.Minute
	tokenLife = 15 * time.Minute
	// reportedLife is for how long a process that was stopped can find that its action was
	// reported.
	reportedLife = 24 * time.Hour
	// recordLife is for how long an action can be reported while no process runs.
	recordLife = 7 * 24 * time.Hour
	// lostLife is after what time an action does not keep others back any more that nobody
	// renews or reports: Redis has lost it from the index, and its process is dead.
	lostLife = time.Hour
	// callLimit bounds one use of Redis. It is generous: the interaction is deferred by then,
	// and an action that goes on without Redis may happen twice.
	callLimit = time.Second
)

// entry names an action in Redis.
type entry struct{ customer, bot, id string }

func (e entry) String() string { return e.customer + "/" + e.bot + "/" + e.id }

func parseEntry(s string) (e entry, ok bool) {
	parts := strings.Split(s, "/")
	if len(parts) != 3 {
		return entry{}, false
	}
	return entry{parts[0], parts[1], parts[2]}, true
}

// store keeps actions in Redis.
type store struct{ cfg Config }

func (s store) index() string { return s.cfg.Space.Key("{actions}:due") }

func customerKey(customerID string) string { return "hostbot:actions:{" + customerID + "}" }

func onceKey(customerID, interactionID string) string {
	return customerKey(customerID) + ":once:" + interactionID
}

func startedKey(userID string) string { return customerKey(userID) + ":started:" + userID }

func (e entry) tokenKey() string { return customerKey(e.customer) + ":token:" + e.id }

func limited(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, callLimit)
}

// acquire asks Redis for locks in one round trip, has each know whether Redis granted it, and returns
// why each was refused. One that is neither granted nor refused had no answer that makes sense.
func (s store) acquire(ctx context.Context, locks []*Lock) (refusals []error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	refusals = make([]error, len(locks))
	asked := make([]acquisition, 0, len(locks))
	for i, l := range locks {
		if data, err := l.encode(); err == nil {
			asked = append(asked, s.acquisition(i, l, data))
		}
	}
	s.list(ctx, asked)
	for _, one := range asked {
		l, i := one.lock, one.place
		answer, err := one.answer.StringSlice()
		if err != nil || len(answer) != 3 {
			continue
		}
		if l.shared, refusals[i] = decided(answer); refusals[i] != nil {
			_ = s.cfg.Redis.ZRem(ctx, s.index(), l.entry.String()).Err() // otherwise whoever finds it there does it
		}
		if l.shared && !l.isOwn() {
			refusals[i] = s.count(ctx, l)
			l.shared = refusals[i] == nil
		}
	}
	return refusals
}

// acquisition is how acquireScript is asked for a lock, and what it answers.
type acquisition struct {
	place  int // among the locks that are asked for
	lock   *Lock
	keys   []string
	args   []any
	answer *redis.Cmd
}

func (s store) acquisition(place int, l *Lock, data []byte) acquisition {
	args := append(s.fields(l, data), onceLife.Milliseconds(), Window.Milliseconds(), PerWindow, HeldBack.Milliseconds(), lostLife.Milliseconds())
	keys := s.keys(l.entry, l.request.ID)
	if l.isOwn() {
		keys = append(keys, startedKey(l.request.UserID))
	}
	return acquisition{place: place, lock: l, keys: keys, args: args}
}

// list has actions be in the index, and runs acquireScript for each.
func (s store) list(ctx context.Context, asked []acquisition) {
	var listed *redis.Cmd
	held := []any{s.cfg.Timing.Abandoned.Milliseconds()}
	for _, one := range asked {
		held = append(held, one.lock.entry.String())
	}
	_ = pipeline.InOrder(ctx, s.cfg.Redis, func(p redis.Pipeliner) { // each has its own error
		listed = p.Eval(ctx, holdScript, []string{s.index()}, held...)
	}, func(p redis.Pipeliner) {
		for i, one := range asked {
			asked[i].answer = redis.NewScript(acquireScript).EvalSha(ctx, p, one.keys, one.args...)
		}
	})
	if err := listed.Err(); err != nil { // the next renewal does it
		s.cfg.Log.Debug().Err(err).Msg("an action is not in the index")
	}
	for i, one := range asked {
		if one.answer == nil || unanswered(one.answer.Err()) {
			asked[i].answer = s.run(ctx, acquireScript, one.keys, one.args...) // which grants an action once, however often it is asked
		}
	}
}

// unanswered reports whether a script that ended with an error has not been run.
func unanswered(err error) bool {
	_, answered := errors.AsType[redis.Error](err)
	return err != nil && !answered || redis.HasErrorPrefix(err, "NOSCRIPT")
}

// count counts the action of one who acts for a customer, and takes it back if it is one too many.
// Their key is in another slot of a Cluster than the customer's, so no script has both. If Redis does
// not count, the process's own count holds.
func (s store) count(ctx context.Context, l *Lock) (refusal error) {
	key := startedKey(l.request.UserID)
	clock, err := s.cfg.Redis.Time(ctx).Result()
	if err != nil {
		return nil
	}
	var first *redis.ZSliceCmd
	var started *redis.IntCmd
	_, err = s.cfg.Redis.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.ZRemRangeByScore(ctx, key, "-inf", strconv.FormatInt(clock.Add(-Window).UnixMilli(), 10))
		p.ZAddNX(ctx, key, redis.Z{Score: float64(clock.UnixMilli()), Member: l.entry.id})
		first, started = p.ZRangeWithScores(ctx, key, 0, 0), p.ZCard(ctx, key)
		return p.PExpire(ctx, key, Window).Err()
	})
	if err != nil || started.Val() <= PerWindow {
		return nil
	}
	_ = s.cfg.Redis.ZRem(ctx, key, l.entry.id).Err()
	_ = s.remove(l.entry) // otherwise it counts as abandoned after a while
	left := time.UnixMilli(int64(first.Val()[0].Score)).Add(Window).Sub(clock)
	return &LimitError{time.Now().Add(left)}
}

// giveBack has an action that was not carried out not count any more among those that a user has started.
func (s store) giveBack(l *Lock) {
	ctx, cancel := limited(context.Background())
	defer cancel()
	_ = s.cfg.Redis.ZRem(ctx, startedKey(l.request.UserID), l.entry.id).Err() // otherwise it counts for a minute
}

// decided reads what acquireScript returned.
func decided(answer []string) (granted bool, refusal error) {
	ms, _ := strconv.ParseInt(answer[2], 10, 64)
	until := time.Now().Add(time.Duration(ms) * time.Millisecond)
	switch answer[0] {
	case "granted":
		return true, nil
	case "duplicate":
		return false, ErrDuplicate
	case "busy":
		return false, &BusyError{Running{answer[1], time.UnixMilli(ms)}}
	case "held":
		return false, &HeldError{until}
	case "limit":
		return false, &LimitError{until}
	}
	return false, nil
}

// runs reports whether there is the record of an action on a customer's bots.
func (s store) runs(ctx context.Context, customerID string) (bool, error) {
	ctx, cancel := limited(context.WithoutCancel(ctx))
	defer cancel()
	fields, err := s.cfg.Redis.HKeys(ctx, customerKey(customerID)).Result()
	return slices.ContainsFunc(fields, func(field string) bool { return strings.HasSuffix(field, ":record") }), err
}

// keys are those of an action, and of the interaction that asked for it.
func (s store) keys(e entry, interactionID string) []string {
	return []string{customerKey(e.customer), onceKey(e.customer, interactionID), e.tokenKey()}
}

// fields are what scripts write.
func (s store) fields(l *Lock, data []byte) []any {
	token, left := l.request.Token, time.Until(l.request.ReceivedAt.Add(tokenLife)).Milliseconds()
	if left <= 0 {
		token = ""
	}
	return []any{l.entry.bot, l.entry.id, l.name, l.since.UnixMilli(), data, recordLife.Milliseconds(), token.Reveal(), left}
}

// run runs a script of a customer's actions.
func (s store) run(ctx context.Context, script string, keys []string, args ...any) *redis.Cmd {
	return redis.NewScript(script).Run(ctx, s.cfg.Redis, keys, args...)
}

// save writes what has become of an action, and reports whether another process has reported it.
func (s store) save(l *Lock) (taken bool, err error) {
	data, err := l.encode()
	if err != nil {
		return false, err
	}
	ctx, cancel := limited(context.Background())
	defer cancel()
	free := ""
	if l.phase >= told {
		free = "free"
	}
	args := append(s.fields(l, data), string(l.state), free, "")
	answer, err := s.run(ctx, saveScript, s.keys(l.entry, l.request.ID), args...).Text()
	return answer == "reported", err
}

// remove removes actions. Of one that is not confirmed there stays what holds the same back. The
// whole script is sent, as an action must not leave the index for the reason that Redis has forgotten
// the script.
func (s store) remove(entries ...entry) error {
	ctx, cancel := limited(context.Background())
	defer cancel()
	return pipeline.InOrder(ctx, s.cfg.Redis, func(p redis.Pipeliner) {
		for _, e := range entries {
			p.Eval(ctx, saveScript, s.keys(e, ""), e.bot, e.id, "", "", "", (lockLife + HeldBack).Milliseconds(), "", "", string(gone), "", "reporter")
			p.Del(ctx, e.tokenKey())
		}
	}, func(p redis.Pipeliner) {
		members := make([]any, len(entries))
		for i, e := range entries {
			members[i] = e.String()
		}
		p.ZRem(ctx, s.index(), members...)
	})
}

// errNone says that there is nothing to report.
var errNone = errors.New("actions: there is no such action")

// takeOver takes an action over from a process that renews it no more. The error may be errNone or
// record.ErrUnreadable.
func (s store) takeOver(ctx context.Context, e entry) (r Report, err error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	found, err := s.cfg.Redis.HMGet(ctx, customerKey(e.customer), e.bot+":id", e.bot+":record").Result()
	if err != nil {
		return Report{}, err
	}
	if id, _ := found[0].(string); id != e.id {
		return Report{}, errNone
	}
	data, kept := found[1].(string)
	if !kept {
		return Report{}, errNone
	}
	read, err := decode(data)
	if errors.Is(err, errLater) {
		return Report{}, err
	}
	if err == nil {
		err = read.is(e)
	}
	if err != nil {
		return Report{}, fmt.Errorf("%w: %w", record.ErrUnreadable, err)
	}
	told, err := s.claim(ctx, e, read.Request.ID)
	if err != nil {
		return Report{}, err
	}
	token, err := s.cfg.Redis.Get(ctx, e.tokenKey()).Result()
	if errors.Is(err, redis.Nil) { // without it the caller is not told
		err = nil
	}
	read.Request.Token = secret.Text(token)
	return Report{Request: read.Request, Action: read.Action, Told: told}, err
}

// claim has an action be reported by this process and by no other, and reports whether staff know
// of it. If it was running, nobody knows how it ended, and its bot is free when its lock is over.
// The error may be errNone, or redis.TxFailedErr if somebody has saved the action meanwhile.
func (s store) claim(ctx context.Context, e entry, interactionID string) (told bool, err error) {
	keys, field := s.keys(e, interactionID)[:2], func(name string) string { return e.bot + ":" + name }
	err = s.cfg.Redis.Watch(ctx, func(tx *redis.Tx) error {
		var kept struct{ id, record, state, free, renewed, once string }
		found, err := tx.HMGet(ctx, keys[0], field("id"), field("record"), field("state"), field("free"), field("renewed")).Result()
		if err != nil {
			return err
		}
		for i, into := range []*string{&kept.id, &kept.record, &kept.state, &kept.free, &kept.renewed} {
			*into, _ = found[i].(string)
		}
		if kept.id != e.id || kept.record == "" {
			return errNone
		}
		if kept.once, err = tx.Get(ctx, keys[1]).Result(); err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
		now, err := tx.Time(ctx).Result()
		if err != nil {
			return err
		}
		told = kept.free != "" && kept.once != "reported"
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			if kept.state == string(running) {
				renewed, _ := strconv.ParseInt(kept.renewed, 10, 64)
				p.HSet(ctx, keys[0], field("state"), string(unconfirmed), field("free"), renewed+lockLife.Milliseconds())
			} else if kept.free == "" {
				p.HSet(ctx, keys[0], field("free"), now.UnixMilli())
			}
			p.Set(ctx, keys[1], "reported", reportedLife)
			return nil
		})
		return err
	}, keys...)
	return told, err
}
