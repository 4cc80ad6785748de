package accounts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
)

const (
	// keyPrefix begins with the version of what is stored under it.
	keyPrefix = "hostbot:v1:account:"
	// maxConflicts is how often a change is tried again because somebody else
	// changed the same entry meanwhile.
	maxConflicts = 5
)

// store reads and changes entries in Redis. Its errors are for its callers to
// go on without: it logs them itself, once for each outage.
type store struct {
	redis redis.UniversalClient
	keep  time.Duration
	bound time.Duration // of one visit to Redis
	now   func() time.Time
	log   zerolog.Logger
	away  atomic.Bool // Redis failed when it was last used
}

// read returns the entry of a user; an empty one where there is none. One that
// makes no sense is removed.
func (s *store) read(ctx context.Context, userID string) (entry, error) {
	return visit(ctx, s, func(ctx context.Context) (entry, error) {
		e, sound, err := s.get(ctx, s.redis, userID)
		if err == nil && !sound {
			err = s.redis.Del(ctx, keyPrefix+userID).Err()
		}
		return e, err
	})
}

// getter is a Redis client or a transaction of one.
type getter interface {
	GetRange(ctx context.Context, key string, start, end int64) *redis.StringCmd
}

// get returns the entry of a user, and whether it was sound; an empty one where
// it was not. It reads no more than an entry may be long.
func (s *store) get(ctx context.Context, from getter, userID string) (e entry, sound bool, err error) {
	data, err := from.GetRange(ctx, keyPrefix+userID, 0, maxEntry).Result()
	if err != nil && !strings.HasPrefix(err.Error(), "WRONGTYPE") {
		return entry{}, false, fmt.Errorf("read: %w", err)
	}
	if err == nil {
		e, err = decodeEntry(data, s.now(), s.keep)
	}
	if err != nil {
		s.log.Warn().Err(err).Str("user", userID).Msg("a cached account makes no sense and is not used")
		return entry{}, false, nil
	}
	return e, true, nil
}

// change changes the entry of a user as one step, and returns it as it is then.
func (s *store) change(ctx context.Context, userID string, edit func(entry) entry) (entry, error) {
	return visit(ctx, s, func(ctx context.Context) (entry, error) {
		var changed entry
		transaction := func(tx *redis.Tx) error {
			current, _, err := s.get(ctx, tx, userID)
			if err != nil {
				return err
			}
			changed = edit(current)
			data, err := json.Marshal(changed)
			if err != nil {
				return fmt.Errorf("encode: %w", err)
			}
			_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
				return p.Set(ctx, keyPrefix+userID, data, changed.lasts(s.now(), s.keep)).Err()
			})
			return err
		}
		var err error = redis.TxFailedErr
		for try := 0; try < maxConflicts && errors.Is(err, redis.TxFailedErr); try++ {
			err = s.redis.Watch(ctx, transaction, keyPrefix+userID)
		}
		if err != nil {
			return entry{}, fmt.Errorf("change: %w", err)
		}
		return changed, nil
	})
}

// visit does something in Redis within the store's bound. It does not rely on
// the client to heed the context: by default that does not while it reads or
// writes. What is left behind then ends by the client's own limits.
func visit(ctx context.Context, s *store, do func(context.Context) (entry, error)) (entry, error) {
	bounded, cancel := context.WithTimeout(ctx, s.bound)
	type result struct {
		entry entry
		err   error
	}
	results := make(chan result, 1)
	go func() {
		defer cancel()
		e, err := do(bounded)
		results <- result{e, err}
	}()
	var r result
	select {
	case r = <-results:
	case <-bounded.Done():
		r.err = fmt.Errorf("no answer within %v: %w", s.bound, bounded.Err())
	}
	if ctx.Err() == nil { // otherwise it was not Redis that failed
		s.note(r.err)
	}
	return r.entry, r.err
}

// note logs when Redis begins to fail and when it works again.
func (s *store) note(err error) {
	switch {
	case err != nil && s.away.CompareAndSwap(false, true):
		s.log.Warn().Err(err).Msg("redis fails; accounts are asked for from the service")
	case err == nil && s.away.CompareAndSwap(true, false):
		s.log.Info().Msg("redis works again")
	}
}
