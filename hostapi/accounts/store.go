package accounts

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// useLimit bounds one use of Redis.
const useLimit = 250 * time.Millisecond

// An account has three keys: one that holds it while it is fresh, one that holds
// it as long as it may be shown, and one for its generation, a text that is
// another one after each change, and gone when none was made for a while.
//
// The keys begin with the version of the entries' form, so that programs of two
// versions do not meet each other's. The user ID is a hash tag, so that the keys
// of one account are in one slot of a Redis Cluster.
func freshKey(userID string) string      { return "hostbot:v3:account:{" + userID + "}" }
func lastKey(userID string) string       { return freshKey(userID) + ":last" }
func generationKey(userID string) string { return freshKey(userID) + ":generation" }

// The scripts are all that writes. Each gives the account the generation ARGV[1],
// for ARGV[2] ms. put and amend do nothing where it is not ARGV[3] before.
const (
	compare = `if (redis.call('GET', KEYS[3]) or '') ~= ARGV[3] then return 0 end `
	change  = `redis.call('SET', KEYS[3], ARGV[1], 'PX', ARGV[2]) `
)

type scripts struct {
	put    *redis.Script // an entry for its whole time
	amend  *redis.Script // an entry for what is left of its time
	expire *redis.Script
	keep   *redis.Script // an old entry for what is left of its time, which may be none
	forget *redis.Script
}

func newScripts() scripts {
	return scripts{
		put: redis.NewScript(compare + change + `
redis.call('SET', KEYS[1], ARGV[4], 'PX', ARGV[5])
redis.call('SET', KEYS[2], ARGV[4], 'PX', ARGV[6])
return 1`),
		amend: redis.NewScript(compare + change + `
redis.call('SET', KEYS[1], ARGV[4], 'XX', 'KEEPTTL')
redis.call('SET', KEYS[2], ARGV[4], 'XX', 'KEEPTTL')
return 1`),
		expire: redis.NewScript(change + `return redis.call('DEL', KEYS[1])`),
		keep: redis.NewScript(change + `
redis.call('DEL', KEYS[1], KEYS[2])
if tonumber(ARGV[4]) > 0 then redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4]) end
return 1`),
		forget: redis.NewScript(change + `return redis.call('DEL', KEYS[1], KEYS[2])`),
	}
}

// store keeps entries in Redis, and in memory those that Redis does not take.
type store struct {
	Config
	scripts     scripts
	memory      memory
	cannotRead  atomic.Bool
	cannotWrite atomic.Bool // apart: a full Redis still reads
}

func newStore(c Config) *store {
	return &store{Config: c, scripts: newScripts(), memory: memory{accounts: make(map[string]*pending)}}
}

// fresh returns an account's entry where Redis holds it as fresh, and otherwise
// nil. It costs one GET.
func (s *store) fresh(ctx context.Context, userID string) *entry {
	if s.memory.get(userID) != nil {
		return nil // load returns that
	}
	return s.get(ctx, freshKey(userID), userID)
}

// last returns an account's entry of any age up to MaxStale, or nil.
func (s *store) last(ctx context.Context, userID string) *entry {
	p := s.memory.get(userID)
	switch {
	case p == nil || p.entry == nil:
		return s.get(ctx, lastKey(userID), userID)
	case s.age(p.entry) >= s.MaxStale:
		return nil
	default:
		return p.entry
	}
}

func (s *store) get(ctx context.Context, key, userID string) *entry {
	limited, cancel := context.WithTimeout(ctx, useLimit)
	defer cancel()
	data, err := s.Redis.Get(limited, key).Bytes()
	if errors.Is(err, redis.Nil) {
		s.note(ctx, &s.cannotRead, nil)
		return nil
	}
	s.note(ctx, &s.cannotRead, err)
	if err != nil {
		return nil
	}
	return s.decode(limited, key, data, userID)
}

// decode returns the entry that a key held, or nil. Anything else than an entry is
// removed, so that OnTrouble is called once for it.
func (s *store) decode(ctx context.Context, key string, data []byte, userID string) *entry {
	e, err := decode(data, userID, s.Now())
	if err != nil {
		s.OnTrouble(fmt.Errorf("redis held something else than an account under %s: %w", key, err))
		_ = s.Redis.Del(ctx, key).Err()
		return nil
	}
	return e
}

// found is what there is of an account.
type found struct {
	entry      *entry // nil: nothing
	fresh      bool
	generation string
	pending    *pending // nil: all of it is in Redis
	failing    bool     // Redis failed a moment ago
}

// load returns what there is of an account. Where something is pending and Redis
// can be written again, the account is made old: other processes may have changed
// it there meanwhile, and only the service knows.
func (s *store) load(ctx context.Context, userID string) found {
	if p := s.memory.get(userID); p != nil {
		if s.outdate(ctx, userID, p) != nil {
			return found{entry: p.entry, fresh: p.fresh && s.age(p.entry) < s.TTL, pending: p, failing: true}
		}
		s.memory.replace(userID, p, nil)
	}
	limited, cancel := context.WithTimeout(ctx, useLimit)
	defer cancel()
	values, err := s.Redis.MGet(limited, freshKey(userID), lastKey(userID), generationKey(userID)).Result()
	s.note(ctx, &s.cannotRead, err)
	if err != nil {
		return found{failing: true}
	}
	var f found
	f.generation, _ = values[2].(string)
	if data, ok := values[0].(string); ok {
		f.entry = s.decode(limited, freshKey(userID), []byte(data), userID)
		f.fresh = f.entry != nil
	}
	if data, ok := values[1].(string); ok && !f.fresh {
		f.entry = s.decode(limited, lastKey(userID), []byte(data), userID)
	}
	return f
}

// save stores an answer of the service to a call before which f was found. It
// tells whether that is so still, and stores nothing otherwise.
func (s *store) save(ctx context.Context, userID string, f found, e *entry) bool {
	f.fresh = true
	return s.write(ctx, s.scripts.put, userID, f, e)
}

// setStatus changes the status of a server. Where others change the account in
// this moment, the service is asked instead.
func (s *store) setStatus(ctx context.Context, userID, serverID, status string) {
	f := s.load(ctx, userID)
	if f.entry == nil || !s.write(ctx, s.scripts.amend, userID, f, f.entry.withStatus(serverID, status)) {
		s.expire(ctx, userID)
	}
}

// write stores an entry in the place of what was found, and tells whether that
// was still there.
func (s *store) write(ctx context.Context, script *redis.Script, userID string, f found, e *entry) bool {
	if s.memory.get(userID) != f.pending {
		return false
	}
	if !f.failing {
		data, err := e.MarshalMsg(nil)
		if err == nil {
			var n int64
			if n, err = s.run(ctx, script, userID, f.generation, data, s.TTL.Milliseconds(), s.shown(e).Milliseconds()); err == nil {
				return n > 0
			}
		}
	}
	return s.memory.replace(userID, f.pending, &pending{entry: e, fresh: f.fresh})
}

// expire makes an account old.
func (s *store) expire(ctx context.Context, userID string) {
	p := s.memory.get(userID)
	if s.outdate(ctx, userID, p) != nil {
		s.memory.expire(userID)
		return
	}
	s.memory.replace(userID, p, nil)
}

// outdate makes an account old in Redis. The pending entry, if any, becomes the last
// one there, unless another process stored a later one.
func (s *store) outdate(ctx context.Context, userID string, p *pending) error {
	if _, err := s.run(ctx, s.scripts.expire, userID); err != nil || p == nil || p.entry == nil {
		return err
	}
	if last := s.get(ctx, lastKey(userID), userID); last != nil && last.FetchedAt.After(p.entry.FetchedAt) {
		return nil
	}
	data, err := p.entry.MarshalMsg(nil)
	if err == nil {
		_, err = s.run(ctx, s.scripts.keep, userID, data, (s.shown(p.entry) - s.age(p.entry)).Milliseconds())
	}
	return err
}

// forget removes an account and tells whether there was one.
func (s *store) forget(ctx context.Context, userID string) (known bool, err error) {
	p := s.memory.get(userID)
	removed, err := s.run(ctx, s.scripts.forget, userID)
	if err == nil {
		s.memory.replace(userID, p, nil)
	}
	return removed > 0, err
}

// run runs a script for an account, and returns how much it did.
func (s *store) run(ctx context.Context, script *redis.Script, userID string, args ...any) (int64, error) {
	limited, cancel := context.WithTimeout(ctx, useLimit)
	defer cancel()
	keys := []string{freshKey(userID), lastKey(userID), generationKey(userID)}
	// A generation lasts longer than a call to the service that began before it.
	args = append([]any{rand.Text(), (2 * s.Patience).Milliseconds()}, args...)
	n, err := script.Run(limited, s.Redis, keys, args...).Int64()
	s.note(ctx, &s.cannotWrite, err)
	return n, err
}

// note takes the outcome of a use of Redis. One that ctx ended says nothing of
// Redis.
func (s *store) note(ctx context.Context, failing *atomic.Bool, err error) {
	switch {
	case ctx.Err() != nil:
	case err != nil && failing.CompareAndSwap(false, true):
		s.OnTrouble(err)
	case err == nil && failing.Load() && failing.CompareAndSwap(true, false):
		s.OnRecovered()
	}
}

// shown returns for how long an entry may be shown.
func (s *store) shown(e *entry) time.Duration {
	if e.Missing {
		return s.TTL
	}
	return s.MaxStale
}

// age returns how old an entry is by this process's clock.
func (s *store) age(e *entry) time.Duration { return s.Now().Sub(e.FetchedAt) }
