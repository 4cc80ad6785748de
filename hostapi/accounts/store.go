package accounts

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/hostapi"
)

// useLimit bounds one use of Redis.
const useLimit = 250 * time.Millisecond

// An account has four keys in Redis:
//
//	v7:account:{USER}             the entry, while it is fresh
//	v7:account:{USER}:last        the entry, for as long as it may be shown
//	v7:account:{USER}:generation  a random text, another one after each change; it expires some time after the last change
//	v7:account:{USER}:asked       says for a few seconds that the service was asked for the account
//
// v7 is the version of the entries' form: programs of two versions do not read each other's entries. The user ID is a
// hash tag, so that a Redis Cluster keeps the keys of one account in one slot.
func (c *Cache) freshKey(userID string) string {
	return c.config.Prefix + "v7:account:{" + userID + "}"
}
func (c *Cache) lastKey(userID string) string       { return c.freshKey(userID) + ":last" }
func (c *Cache) generationKey(userID string) string { return c.freshKey(userID) + ":generation" }
func (c *Cache) askedKey(userID string) string      { return c.freshKey(userID) + ":asked" }

// putScript stores an entry if the account's generation is still the one that was read. It returns 1 if it did.
//
// If there is no generation, it has expired. The entry is stored then, too, unless it was read so long ago that another
// generation may have come and gone meanwhile.
//
// KEYS: the fresh entry, the last one, the generation. ARGV: the next generation, for how long it is kept (ms), the
// generation that was read, the entry, for how long it is fresh (ms), for how long it is shown (ms), 1 if it was read long
// ago.
const putScript = `
local former = redis.call('SET', KEYS[3], ARGV[1], 'PX', ARGV[2], 'GET')
if former and former ~= ARGV[3] then
  redis.call('SET', KEYS[3], former, 'PX', ARGV[2])
  return 0
elseif not former and ARGV[7] == '1' then return 0 end
for i = 1, 2 do
  local lasts = ARGV[4 + i]
  if tonumber(lasts) > 0 then redis.call('SET', KEYS[i], ARGV[4], 'PX', lasts) else redis.call('DEL', KEYS[i]) end
end
return 1`

// get returns the entry at a key; nil if there is none, or Redis fails.
func (c *Cache) get(ctx context.Context, key, userID string) *entry {
	limited, cancel := context.WithTimeout(ctx, useLimit)
	defer cancel()
	data, err := c.config.Redis.Get(limited, key).Result()
	if err != nil { // nothing, or Redis fails: the service will be asked
		return nil
	}
	return c.decode(limited, key, data, userID)
}

// decode decodes the entry that a key held. If it is no entry, decode removes the key, so that OnGarbage is called once for
// it, and returns nil.
func (c *Cache) decode(ctx context.Context, key, data, userID string) *entry {
	e, err := decode(data, userID)
	if err != nil {
		c.config.OnGarbage(fmt.Errorf("redis held something else than an account under %s: %w", key, err))
		_ = c.config.Redis.Del(ctx, key).Err()
		return nil
	}
	for i := range e.List.Servers {
		e.List.Servers[i].StatusMap = c.config.StatusMap
	}
	return e
}

// found is what load has found of an account.
type found struct {
	entry      *entry // nil: nothing
	fresh      bool
	generation string // in Redis
	longAgo    bool   // it was read so long ago that another generation may have come and gone
	unwritten  any    // the change that could not be saved in Redis; nil: none
	err        error  // Redis failed
}

// load reads an account from Redis. If a change of it could not be saved before, it first expires the account.
func (c *Cache) load(ctx context.Context, userID string) found {
	if change, ok := c.unwritten.Load(userID); ok {
		if err := c.expire(ctx, userID); err != nil {
			return found{unwritten: change, err: err}
		}
		c.unwritten.CompareAndDelete(userID, change)
	}
	ctx, cancel := context.WithTimeout(ctx, useLimit)
	defer cancel()
	values, err := c.config.Redis.MGet(ctx, c.freshKey(userID), c.lastKey(userID), c.generationKey(userID)).Result()
	if err != nil {
		return found{err: err}
	}
	var f found
	f.generation, _ = values[2].(string)
	if data, ok := values[0].(string); ok {
		f.entry = c.decode(ctx, c.freshKey(userID), data, userID)
		f.fresh = f.entry != nil
	}
	if data, ok := values[1].(string); ok && !f.fresh {
		f.entry = c.decode(ctx, c.lastKey(userID), data, userID)
	}
	return f
}

// errChanged says that an account was changed after it was read.
var errChanged = errors.New("the account was changed meanwhile")

// store stores an entry in place of what was found. If that was fresh, so is the entry. It stays so, and is shown, for
// the time that its age leaves. The error may be errChanged.
func (c *Cache) store(ctx context.Context, userID string, f found, e *entry) error {
	err := f.err
	if err == nil {
		err = c.write(ctx, userID, f, e)
	}
	if change, _ := c.unwritten.Load(userID); change != f.unwritten {
		return errChanged // and Redis is told before it is believed
	}
	return err
}

// write stores an entry unless the account has another generation than was found.
func (c *Cache) write(ctx context.Context, userID string, f found, e *entry) error {
	next := *e
	next.Generation = rand.Text()
	data, err := next.encode()
	if err != nil {
		return err
	}
	age := c.config.Now().Sub(e.FetchedAt)
	var fresh time.Duration
	if f.fresh {
		fresh = c.config.TTL - age
	}
	kept := max(c.config.MaxStale, hostapi.Blip) // so that it is known to have been listed
	if e.Missing {
		kept = c.config.TTL
	}
	shown := max(kept, c.config.KeepFor()) - age
	if !e.DoubtedSince.IsZero() { // until the doubt is over
		shown = max(shown, 2*hostapi.Blip)
	}
	limited, cancel := context.WithTimeout(ctx, useLimit)
	defer cancel()
	keys := []string{c.freshKey(userID), c.lastKey(userID), c.generationKey(userID)}
	stored, err := redis.NewScript(putScript).Run(limited, c.config.Redis, keys, next.Generation, c.generationLife().Milliseconds(),
		f.generation, data, fresh.Milliseconds(), shown.Milliseconds(), f.longAgo).Bool()
	if err == nil && !stored {
		return errChanged
	}
	return err
}

// drop gives an account another generation, drops keys of it, and returns how many of these there were.
func (c *Cache) drop(ctx context.Context, userID string, keys ...string) (int64, error) {
	limited, cancel := context.WithTimeout(ctx, useLimit)
	defer cancel()
	var dropped *redis.IntCmd
	_, err := c.config.Redis.TxPipelined(limited, func(p redis.Pipeliner) error {
		p.Set(limited, c.generationKey(userID), rand.Text(), c.generationLife())
		dropped = p.Del(limited, keys...)
		return nil
	})
	return dropped.Val(), err
}

// expire drops the fresh entry of an account.
func (c *Cache) expire(ctx context.Context, userID string) error {
	_, err := c.drop(ctx, userID, c.freshKey(userID))
	return err
}

// generationLife returns for how long a generation is kept: longer than any call to the service that began before it, and
// no shorter than an account is fresh.
func (c *Cache) generationLife() time.Duration { return max(2*c.config.Patience, c.config.TTL) }
