package actionlock

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/store/lease"
)

const (
	// ttl is after what time Redis drops the lock of a process that died. A living
	// one renews it every renewal, so often because a Redis that fails over may have
	// lost the lock.
	ttl     = 30 * time.Second
	renewal = 2 * time.Second
	// onceTTL is for how long an interaction is known to have acted: as long as
	// its token lives (documentation, "Interactions: Followup Messages").
	onceTTL = 15 * time.Minute
	// callLimit bounds one use of Redis. It is generous: the interaction is
	// deferred by then, and an action that goes on without Redis may happen twice.
	callLimit = time.Second
	// retryPause is between two attempts to release a lock.
	retryPause = 200 * time.Millisecond
)

// Redis runs a script as a whole. The value of a lock differs for each claim, so
// a process knows its own by it.
//
// The first process to ask for an interaction decides on it, also where it is
// refused: the other one must not answer in between. A client that hears no answer
// sends the script again, which must not make it another process.
const acquireScript = `
local lock, once, started, held = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local mine, ttl, now, window, most, once_ttl = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]
if not redis.call('SET', once, mine, 'NX', 'PX', once_ttl) and redis.call('GET', once) ~= mine then return {'duplicate', ''} end
local other = redis.call('GET', lock)
if other == mine then return {'granted', ''} end
if other then return {'busy', other} end
local held_for = redis.call('PTTL', held)
if held_for > 0 then return {'held', tostring(held_for)} end
redis.call('ZREMRANGEBYSCORE', started, '-inf', now - window)
if redis.call('ZCARD', started) >= most then
  return {'limit', redis.call('ZRANGE', started, 0, 0, 'WITHSCORES')[2]}
end
redis.call('SET', lock, mine, 'PX', ttl)
redis.call('ZADD', started, now, mine)
redis.call('PEXPIRE', started, window)
return {'granted', ''}`

// lock is a lock as Redis holds it. A Redis that lost it gets it back when it is renewed,
// unless it has granted it since.
type lock struct {
	*Locks
	lease    *lease.Lease
	keys     []string // of the lock, the interaction, what the user started, and the action that is held back
	value    string
	released chan time.Duration // for how long to hold the action back, once the lock is given up
	gone     chan struct{}      // closed once Redis has it no more
}

// holder is the value of a lock.
type holder struct {
	Token  string `json:"token"`
	Action string `json:"action"`
	Since  int64  `json:"since"` // Unix milliseconds
}

// newLock asks Redis for the lock, and renews it until release is called. Where no
// answer comes, Redis may have granted the lock all the same. It is renewed and
// released for that reason: otherwise the next caller would be told of an action
// that has ended.
func (all *Locks) newLock(ctx context.Context, c Claim) (l *lock, granted bool, refusal error) {
	// The customer's ID is in braces, so that a cluster keeps the keys together.
	// They name no application: an action on a bot keeps back those that begin in
	// another application's bot.
	prefix := "hostbot:turn:{" + c.CustomerID + "}:"
	sum := sha256.Sum256([]byte(c.ServerID)) // the ID may be long, and hold anything
	bot := base64.RawURLEncoding.EncodeToString(sum[:16])
	value, _ := json.Marshal(holder{rand.Text(), c.Action, time.Now().UnixMilli()}) // texts and a number always can be encoded
	l = &lock{Locks: all, value: string(value), released: make(chan time.Duration, 1), gone: make(chan struct{}), keys: []string{
		prefix + "bot:" + bot,
		prefix + "once:" + c.InteractionID,
		prefix + "started:" + c.UserID,
		prefix + "held:" + bot + ":" + c.Action,
	}}
	l.lease = lease.As(all.redis, l.keys[0], l.value)
	if granted, refusal = l.ask(context.WithoutCancel(ctx)); refusal != nil {
		return nil, false, refusal
	}
	go l.keep()
	return l, granted, nil
}

// ask returns false without a refusal where Redis gives no answer that makes sense.
func (l *lock) ask(ctx context.Context) (granted bool, refusal error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	answer, err := redis.NewScript(acquireScript).Run(ctx, l.redis, l.keys, l.value,
		ttl.Milliseconds(), time.Now().UnixMilli(), Window.Milliseconds(), PerWindow, onceTTL.Milliseconds()).StringSlice()
	if err != nil || len(answer) != 2 {
		return false, nil
	}
	switch answer[0] {
	case "granted":
		return true, nil
	case "duplicate":
		return false, ErrDuplicate
	case "busy":
		var other holder
		if json.Unmarshal([]byte(answer[1]), &other) == nil {
			return false, &BusyError{Running{other.Action, time.UnixMilli(other.Since)}}
		}
	case "held":
		if left, err := strconv.ParseInt(answer[1], 10, 64); err == nil {
			return false, &HeldError{Until: time.Now().Add(time.Duration(left) * time.Millisecond)}
		}
	case "limit":
		if first, err := strconv.ParseFloat(answer[1], 64); err == nil {
			return false, &LimitError{Until: time.UnixMilli(int64(first)).Add(Window)}
		}
	}
	return false, nil
}

// keep renews the lock until it is given up, and releases it then. Where Redis does
// not answer that, it is released as soon as Redis does: until the TTL is over,
// callers would be told of an action that has ended.
func (l *lock) keep() {
	defer close(l.gone)
	ticker := time.NewTicker(l.renewal)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			l.renew() // where this fails, the next may not
		case holdBack := <-l.released:
			for over := time.Now().Add(ttl); time.Now().Before(over); time.Sleep(retryPause) {
				if err := l.remove(holdBack); err == nil || errors.Is(err, redis.ErrClosed) {
					break
				}
			}
			return
		}
	}
}

func (l *lock) renew() {
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	_, _ = l.lease.Hold(ctx, ttl)
}

// remove has Redis hold the action back for so long, and the lock no more.
func (l *lock) remove(holdBack time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	if holdBack > 0 {
		if err := l.redis.Set(ctx, l.keys[3], "", holdBack).Err(); err != nil {
			return err
		}
	}
	return l.lease.Release(ctx)
}

// release gives the lock up, and holds the action back for so long. It waits for a second
// at most until Redis knows.
func (l *lock) release(holdBack time.Duration) {
	l.released <- holdBack
	select {
	case <-l.gone:
	case <-time.After(callLimit):
	}
}
