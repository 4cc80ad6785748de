package accounts

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/redis/go-redis/v9"
)

const (
	// useLimit bounds one use of Redis.
	useLimit = 250 * time.Millisecond
	// maxUnwritten bounds for how many accounts it is remembered that Redis is not
	// to be believed, at some 100 bytes each.
	maxUnwritten = 10_000
)

// An account has three keys: one that holds it while it is fresh, one that holds
// it as long as it may be shown, and one for its generation, a text that is
// another one after each change, and gone when none was made for a while.
//
// The keys begin with the version of the entries' form, so that programs of two
// versions do not meet each other's. The user ID is a hash tag, so that the keys
// of one account are in one slot of a Redis Cluster.
func freshKey(userID string) string      { return "hostbot:v4:account:{" + userID + "}" }
func lastKey(userID string) string       { return freshKey(userID) + ":last" }
func generationKey(userID string) string { return freshKey(userID) + ":generation" }

// store keeps entries in Redis.
type store struct {
	Config
	// The scripts are all that writes. Each gives the account the generation
	// ARGV[1], for ARGV[2] ms.
	putScript, expireScript, forgetScript *redis.Script

	cannotWrite atomic.Bool
	mu          sync.Mutex
	// unwritten holds the generations of accounts that an action changed when Redis
	// could not be written. What Redis holds of them is not believed.
	unwritten map[string]string // by user ID
}

func newStore(c Config) *store {
	const change = `redis.call('SET', KEYS[3], ARGV[1], 'PX', ARGV[2]) `
	return &store{
		Config:    c,
		unwritten: make(map[string]string),
		// put stores the entry ARGV[4], fresh for ARGV[5] ms and to be shown for
		// ARGV[6] ms, where the generation is still ARGV[3].
		putScript: redis.NewScript(`
if (redis.call('GET', KEYS[3]) or '') ~= ARGV[3] then return 0 end ` + change + `
redis.call('DEL', KEYS[1], KEYS[2])
if tonumber(ARGV[5]) > 0 then redis.call('SET', KEYS[1], ARGV[4], 'PX', ARGV[5]) end
if tonumber(ARGV[6]) > 0 then redis.call('SET', KEYS[2], ARGV[4], 'PX', ARGV[6]) end
return 1`),
		expireScript: redis.NewScript(change + `return redis.call('DEL', KEYS[1])`),
		forgetScript: redis.NewScript(change + `return redis.call('DEL', KEYS[1], KEYS[2])`),
	}
}

// get returns what a key holds of an account, or nil.
func (s *store) get(ctx context.Context, key, userID string) *entry {
	limited, cancel := context.WithTimeout(ctx, useLimit)
	defer cancel()
	data, err := s.Redis.Get(limited, key).Bytes()
	if err != nil { // nothing, or Redis fails: the service will be asked
		return nil
	}
	return s.decode(limited, key, data, userID)
}

// fresh returns an account's entry where Redis holds it as fresh, and otherwise
// nil. It costs one GET.
func (s *store) fresh(ctx context.Context, userID string) *entry {
	if s.unwrittenGeneration(userID) != "" {
		return nil
	}
	return s.get(ctx, freshKey(userID), userID)
}

// last returns an account's entry of any age up to MaxStale, or nil.
func (s *store) last(ctx context.Context, userID string) *entry {
	return s.get(ctx, lastKey(userID), userID)
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
	generation string // in Redis
	unwritten  string // the generation that Redis did not take
	err        error  // Redis failed
}

// load returns what there is of an account.
func (s *store) load(ctx context.Context, userID string) found {
	if unwritten := s.unwrittenGeneration(userID); unwritten != "" {
		if _, err := s.run(ctx, s.expireScript, userID); err != nil {
			return found{unwritten: unwritten, err: err}
		}
		s.written(userID, unwritten)
	}
	limited, cancel := context.WithTimeout(ctx, useLimit)
	defer cancel()
	values, err := s.Redis.MGet(limited, freshKey(userID), lastKey(userID), generationKey(userID)).Result()
	if err != nil {
		return found{err: err}
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

// errChanged says that an account was changed after it was looked at.
var errChanged = errors.New("the account was changed meanwhile")

// put stores an entry in the place of what was found, fresh where that was, for the
// time that its age leaves it.
func (s *store) put(ctx context.Context, userID string, f found, e *entry) error {
	err := f.err
	if err == nil {
		err = s.write(ctx, userID, f, e)
	}
	if s.unwrittenGeneration(userID) != f.unwritten {
		return errChanged // and Redis is told before it is believed
	}
	return err
}

func (s *store) write(ctx context.Context, userID string, f found, e *entry) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	age := s.Now().Sub(e.FetchedAt)
	var fresh time.Duration
	if f.fresh {
		fresh = s.TTL - age
	}
	shown := s.MaxStale - age
	if e.Missing {
		shown = s.TTL - age
	}
	stored, err := s.run(ctx, s.putScript, userID, f.generation, data, fresh.Milliseconds(), shown.Milliseconds())
	if err == nil && stored == 0 {
		return errChanged
	}
	return err
}

// setStatus changes the status of a server. Where that cannot be stored, the service
// is asked.
func (s *store) setStatus(ctx context.Context, userID, serverID, status string) {
	f := s.load(ctx, userID)
	if f.entry == nil || s.put(ctx, userID, f, f.entry.withStatus(serverID, status)) != nil {
		s.expire(ctx, userID)
	}
}

// expire makes an account old.
func (s *store) expire(ctx context.Context, userID string) {
	if _, err := s.run(ctx, s.expireScript, userID); err != nil {
		s.notWritten(userID)
	}
}

// notWritten notes a change that Redis did not take.
func (s *store) notWritten(userID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.unwritten) >= maxUnwritten {
		clear(s.unwritten)
	}
	s.unwritten[userID] = rand.Text()
}

// forget removes an account and tells whether there was one.
func (s *store) forget(ctx context.Context, userID string) (known bool, err error) {
	removed, err := s.run(ctx, s.forgetScript, userID)
	return removed > 0, err
}

func (s *store) unwrittenGeneration(userID string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unwritten[userID]
}

// written notes that Redis has taken a change that it did not take at first.
func (s *store) written(userID, generation string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unwritten[userID] == generation {
		delete(s.unwritten, userID)
	}
}

// run runs a script for an account, and returns how much it did.
func (s *store) run(ctx context.Context, script *redis.Script, userID string, args ...any) (int64, error) {
	limited, cancel := context.WithTimeout(ctx, useLimit)
	defer cancel()
	keys := []string{freshKey(userID), lastKey(userID), generationKey(userID)}
	// A generation lasts longer than a call to the service that began before it.
	args = append([]any{rand.Text(), (2 * s.Patience).Milliseconds()}, args...)
	n, err := script.Run(limited, s.Redis, keys, args...).Int64()
	switch {
	case err == nil:
		s.cannotWrite.Store(false)
	case ctx.Err() == nil && s.cannotWrite.CompareAndSwap(false, true):
		s.OnTrouble(err)
	}
	return n, err
}
