package accounts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/hostapi"
)

// visitLimit bounds one use of Redis, all its round trips together.
const visitLimit = 250 * time.Millisecond

// store keeps entries in Redis. What goes wrong there ends here: in the log,
// and in an entry that is not known.
type store struct {
	redis   redis.UniversalClient
	keep    time.Duration
	now     func() time.Time
	log     zerolog.Logger
	reading outage
	writing outage // apart: a full Redis still reads
}

func newStore(client redis.UniversalClient, keep time.Duration, now func() time.Time, log zerolog.Logger) *store {
	return &store{
		redis: client, keep: keep, now: now, log: log,
		reading: outage{log: log, doing: "read"},
		writing: outage{log: log, doing: "write"},
	}
}

// get returns the entry of an account, if there is one that makes sense and is
// not too old to be shown.
func (s *store) get(ctx context.Context, userID string) (entry, bool) {
	limited, cancel := context.WithTimeout(ctx, visitLimit)
	defer cancel()
	e, err := s.read(limited, s.redis, userID)
	var garbage *garbageError
	isGarbage := errors.As(err, &garbage)
	if ctx.Err() == nil { // otherwise it says nothing of Redis that it gave no answer
		s.reading.note(unless(err, isGarbage || errors.Is(err, redis.Nil)))
	}
	if isGarbage {
		s.discard(ctx, userID, garbage)
	}
	return e, err == nil && s.now().Sub(e.FetchedAt) < s.keep
}

// discard removes what makes no sense, so that it is met and logged once.
func (s *store) discard(ctx context.Context, userID string, why error) {
	s.log.Warn().Err(why).Str("user", userID).Msg("a cached account makes no sense and is removed")
	s.write(ctx, func(ctx context.Context) error { return s.redis.Del(ctx, keyPrefix+userID).Err() })
}

// put stores what the service said of an account.
func (s *store) put(ctx context.Context, userID string, list hostapi.List, fetchedAt time.Time) {
	data, err := encode(entry{Version: version, UserID: userID, FetchedAt: fetchedAt, List: list})
	if err != nil {
		s.log.Error().Err(err).Str("user", userID).Msg("an account cannot be cached")
		return
	}
	s.write(ctx, func(ctx context.Context) error { return s.redis.Set(ctx, keyPrefix+userID, data, s.keep).Err() })
}

func (s *store) setStatus(ctx context.Context, userID, serverID, status string) {
	s.change(ctx, userID, func(e entry) entry {
		e.List = withStatus(e.List, serverID, status)
		return e
	})
}

func (s *store) expire(ctx context.Context, userID string) {
	s.change(ctx, userID, func(e entry) entry {
		e.Expired = true
		return e
	})
}

// forget removes an entry and tells whether there was one.
func (s *store) forget(ctx context.Context, userID string) (known bool, err error) {
	s.write(ctx, func(ctx context.Context) error {
		var removed int64
		removed, err = s.redis.Del(ctx, keyPrefix+userID).Result()
		known = removed > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("forget the account: %w", err)
	}
	return known, nil
}

// change edits an entry, if there is one, and leaves its TTL as it is. It
// watches the key, where a script would save a round trip, so that entries are
// read and written in one place, by Go's JSON: Lua's turns an empty list into an
// object and integers into floats.
func (s *store) change(ctx context.Context, userID string, edit func(entry) entry) {
	s.write(ctx, func(ctx context.Context) error {
		var err error = redis.TxFailedErr
		for errors.Is(err, redis.TxFailedErr) && ctx.Err() == nil { // each time, another's change went through
			err = s.redis.Watch(ctx, func(tx *redis.Tx) error { return s.edit(ctx, tx, userID, edit) }, keyPrefix+userID)
		}
		var garbage *garbageError
		return unless(err, errors.Is(err, redis.Nil) || errors.As(err, &garbage)) // the next get sees to that
	})
}

func (s *store) edit(ctx context.Context, tx *redis.Tx, userID string, edit func(entry) entry) error {
	e, err := s.read(ctx, tx, userID)
	if err != nil {
		return err
	}
	data, err := encode(edit(e))
	if err != nil {
		return err
	}
	_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
		return p.Set(ctx, keyPrefix+userID, data, redis.KeepTTL).Err()
	})
	return err
}

// write changes something in Redis. Nobody's leaving ends it: what is known must
// not get lost with the one who asked.
func (s *store) write(ctx context.Context, do func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), visitLimit)
	defer cancel()
	s.writing.note(do(ctx))
}

// read gets an entry through a client or a transaction. The error is redis.Nil,
// a *garbageError, or of Redis itself.
func (s *store) read(ctx context.Context, from redis.Cmdable, userID string) (entry, error) {
	data, err := from.Get(ctx, keyPrefix+userID).Bytes()
	if redis.HasErrorPrefix(err, "WRONGTYPE") {
		return entry{}, &garbageError{err}
	}
	if err != nil {
		return entry{}, err
	}
	e, err := decode(data, userID, s.now())
	if err != nil {
		return entry{}, &garbageError{err}
	}
	return e, nil
}

// garbageError says what is wrong with what Redis holds.
type garbageError struct{ err error }

func (g *garbageError) Error() string { return fmt.Sprintf("cached account: %v", g.err) }
func (g *garbageError) Unwrap() error { return g.err }

func unless(err error, harmless bool) error {
	if harmless {
		return nil
	}
	return err
}
