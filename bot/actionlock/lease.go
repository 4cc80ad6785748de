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
)

const (
	// ttl is after what time Redis drops the lock of a process that died. A living
	// one renews it every renewal.
	ttl     = 30 * time.Second
	renewal = 10 * time.Second
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
const (
	acquireScript = `
local lock, once, started = KEYS[1], KEYS[2], KEYS[3]
local mine, ttl, now, window, most, once_ttl = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]
if not redis.call('SET', once, mine, 'NX', 'PX', once_ttl) and redis.call('GET', once) ~= mine then return {'duplicate', ''} end
local other = redis.call('GET', lock)
if other == mine then return {'granted', ''} end
if other then return {'busy', other} end
redis.call('ZREMRANGEBYSCORE', started, '-inf', now - window)
if redis.call('ZCARD', started) >= most then
  return {'limit', redis.call('ZRANGE', started, 0, 0, 'WITHSCORES')[2]}
end
redis.call('SET', lock, mine, 'PX', ttl)
redis.call('ZADD', started, now, mine)
redis.call('PEXPIRE', started, window)
return {'granted', ''}`
	// A Redis that lost the lock gets it back, unless it has granted it since.
	renewScript = `
local held = redis.call('GET', KEYS[1])
if not held or held == ARGV[1] then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
return 0`
	releaseScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`
)

// lease is a lock as Redis holds it. The zero lease is none.
type lease struct {
	redis   redis.UniversalClient
	keys    []string // of the lock, the interaction, and what the user started
	value   string
	stop    context.CancelFunc // of the renewal
	stopped chan struct{}      // closed once it has ended
}

// holder is the value of a lock.
type holder struct {
	Token  string `json:"token"`
	Action string `json:"action"`
	Since  int64  `json:"since"` // Unix milliseconds
}

func newLease(client redis.UniversalClient, c Claim) lease {
	// The customer's ID is in braces, so that a cluster keeps the keys together.
	// They are called as in earlier versions, which may run beside this one.
	prefix := "hostbot:turn:{" + c.CustomerID + "}:"
	sum := sha256.Sum256([]byte(c.ServerID))                                        // the ID may be long, and hold anything
	value, _ := json.Marshal(holder{rand.Text(), c.Action, time.Now().UnixMilli()}) // texts and a number always can be encoded
	return lease{redis: client, value: string(value), keys: []string{
		prefix + "bot:" + base64.RawURLEncoding.EncodeToString(sum[:16]),
		prefix + "once:" + c.InteractionID,
		prefix + "started:" + c.UserID,
	}}
}

// acquire asks Redis for the lock, and renews it until release is called. Where no
// answer comes, Redis may have granted the lock all the same. It is renewed and
// released for that reason: otherwise the next caller would be told of an action that has ended.
func (l *lease) acquire(ctx context.Context, renewal time.Duration) (granted bool, refusal error) {
	if granted, refusal = l.ask(context.WithoutCancel(ctx)); refusal != nil {
		return false, refusal
	}
	ctx, l.stop = context.WithCancel(context.Background())
	l.stopped = make(chan struct{})
	go l.renew(ctx, renewal)
	return granted, nil
}

// ask returns false without a refusal where Redis gives no answer that makes sense.
func (l *lease) ask(ctx context.Context) (granted bool, refusal error) {
	now := time.Now().UnixMilli()
	answer, err := l.run(ctx, acquireScript, ttl.Milliseconds(), now, Window.Milliseconds(), PerWindow, onceTTL.Milliseconds()).StringSlice()
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
	case "limit":
		if first, err := strconv.ParseFloat(answer[1], 64); err == nil {
			return false, &LimitError{Until: time.UnixMilli(int64(first)).Add(Window)}
		}
	}
	return false, nil
}

func (l *lease) renew(ctx context.Context, every time.Duration) {
	defer close(l.stopped)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			l.run(ctx, renewScript, ttl.Milliseconds()) // where this fails, the next may not
		}
	}
}

// release gives the lock up. Where Redis does not answer, that is done as soon as
// it does: until the TTL is over, callers would be told of an action that has ended.
func (l *lease) release() {
	if l.redis == nil {
		return
	}
	l.stop()
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	if l.tryRelease(ctx) {
		return
	}
	go func() {
		for over := time.Now().Add(ttl); time.Now().Before(over) && !l.tryRelease(context.Background()); {
			time.Sleep(retryPause)
		}
	}()
}

// tryRelease tells whether there is nothing left to release. It waits for a renewal
// that is under way, which would set the lock again.
func (l *lease) tryRelease(ctx context.Context) bool {
	select {
	case <-l.stopped:
	case <-ctx.Done():
		return false
	}
	err := l.run(ctx, releaseScript).Err()
	return err == nil || errors.Is(err, redis.ErrClosed)
}

func (l *lease) run(ctx context.Context, script string, args ...any) *redis.Cmd {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	return redis.NewScript(script).Run(ctx, l.redis, l.keys, append([]any{l.value}, args...)...)
}
