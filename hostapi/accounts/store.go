package accounts

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
)

const (
	// keyPrefix holds the version of what is stored under it, so that programs
	// of two versions do not meet each other's entries.
	keyPrefix = "hostbot:v2:account:"
	// visitLimit bounds one use of Redis, all its round trips together.
	visitLimit = 250 * time.Millisecond
	// stampLength is the length of what a stored entry begins with, in bytes:
	// a number that is another one each time it is written.
	stampLength = 16
)

// swap replaces an entry that begins with a stamp, or one that is not there
// where the stamp is empty. It tells whether it did.
var swap = redis.NewScript(fmt.Sprintf(`
if redis.call('GETRANGE', KEYS[1], 0, %d) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`, stampLength-1))

// store keeps entries in Redis, and in memory what Redis did not take. What goes
// wrong there ends here, in the log.
type store struct {
	redis   redis.UniversalClient
	limits  limits
	now     func() time.Time
	log     zerolog.Logger
	memory  *memory
	reading outage
	writing outage // apart: a full Redis still reads
}

func newStore(client redis.UniversalClient, l limits, now func() time.Time, log zerolog.Logger) *store {
	return &store{
		redis: client, limits: l, now: now, log: log, memory: newMemory(),
		reading: outage{log: log, doing: "read"},
		writing: outage{log: log, doing: "write"},
	}
}

// found is an entry as it was found or written: an empty one where there was none.
type found struct {
	entry   entry
	stamp   string   // in Redis; empty: there is none
	unread  bool     // Redis could not be read: nothing is known of the stamp
	pending *pending // what Redis did not take of it; nil: nothing
}

// get returns the entry of an account, in one round trip.
func (s *store) get(ctx context.Context, userID string) found {
	limited, cancel := context.WithTimeout(ctx, visitLimit)
	defer cancel()
	f, err := s.read(limited, userID)
	if ctx.Err() == nil { // otherwise it says nothing of Redis that it gave no answer
		s.reading.note(err)
	}
	if err != nil {
		f = found{unread: true}
	}
	return s.memory.over(userID, f)
}

// read gets an entry from Redis. What makes no sense is removed there, so that
// it is met and logged once.
func (s *store) read(ctx context.Context, userID string) (found, error) {
	data, err := s.redis.Get(ctx, keyPrefix+userID).Result()
	switch {
	case err == nil:
	case errors.Is(err, redis.Nil):
		return found{}, nil
	case redis.HasErrorPrefix(err, "WRONGTYPE"):
		return s.discard(ctx, userID, err)
	default:
		return found{}, err
	}
	if len(data) < stampLength {
		return s.discard(ctx, userID, errors.New("too short"))
	}
	e, err := decode(data[stampLength:], userID, s.now())
	if err != nil {
		return s.discard(ctx, userID, err)
	}
	return found{entry: e, stamp: data[:stampLength]}, nil
}

func (s *store) discard(ctx context.Context, userID string, why error) (found, error) {
	s.log.Warn().Err(why).Str("user", userID).Msg("a cached account makes no sense and is removed")
	return found{}, s.redis.Del(ctx, keyPrefix+userID).Err()
}

// change edits the entry of an account that was found before, and edits it
// again where it was changed by others since. It returns the entry as it is
// then: without a change where edit wants none. Nobody's leaving ends it: what
// is known must not get lost with the one who asked.
//
// Entries are read and written by Go alone; the script in Redis compares but
// the stamp.
func (s *store) change(ctx context.Context, userID string, from found, edit func(entry) (changed entry, wanted bool)) found {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), visitLimit)
	defer cancel()
	var tried string
	for !from.unread {
		from = s.memory.over(userID, from)
		changed, wanted := edit(from.entry)
		if !wanted {
			return from
		}
		tried = fmt.Sprintf("%0*x", stampLength, rand.Uint64())
		swapped, err := s.swap(ctx, userID, from.stamp, tried, changed)
		if swapped {
			s.memory.settle(userID, from.pending)
			return found{entry: changed, stamp: tried}
		}
		var current found
		if err == nil {
			current, err = s.read(ctx, userID)
		}
		if err != nil {
			break
		}
		from = current
	}
	return s.memory.change(userID, from, tried, s.now(), s.limits, edit)
}

// swap writes an entry in the place of the one with a stamp. It tells whether
// that one was still there. After an error it may have been written.
func (s *store) swap(ctx context.Context, userID, stamp, next string, e entry) (swapped bool, err error) {
	data, err := encode(userID, e)
	if err != nil {
		s.log.Error().Err(err).Str("user", userID).Msg("an account cannot be cached")
		return false, err
	}
	swapped, err = swap.Run(ctx, s.redis, []string{keyPrefix + userID},
		stamp, append([]byte(next), data...), e.ttl(s.now(), s.limits).Milliseconds()).Bool()
	s.writing.note(err)
	return swapped, err
}

// forget removes an entry and tells whether there was one.
func (s *store) forget(ctx context.Context, userID string) (known bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), visitLimit)
	defer cancel()
	known = s.memory.forget(userID)
	removed, err := s.redis.Del(ctx, keyPrefix+userID).Result()
	s.writing.note(err)
	if err != nil {
		return known, fmt.Errorf("forget the account: %w", err)
	}
	return known || removed > 0, nil
}
