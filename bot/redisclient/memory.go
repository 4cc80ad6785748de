package redisclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
)

const (
	// memoryLimit bounds what an embedded Redis holds, in bytes.
	memoryLimit = 64 << 20
	// entryOverhead is what a key costs beside its name and value, roughly.
	entryOverhead = 256
	// measured is how many keys are asked about at a time.
	measured = 200
)

// memory keeps what an embedded Redis holds under a limit, which miniredis
// does not know. What is written is counted as it comes, so that the limit holds
// at any moment; what is replaced or expires is found only by measuring, which
// is done when the count comes near the limit.
type memory struct {
	redis  *miniredis.Miniredis
	server *server.Server
	client *redis.Client
	limit  int64
	log    zerolog.Logger
	onFull func(error)

	used   atomic.Int64  // what is held, or more
	scarce chan struct{} // asks for room to be made
}

func newMemory(r *miniredis.Miniredis, client *redis.Client, limit int64, log zerolog.Logger, onFull func(error)) *memory {
	return &memory{redis: r, server: r.Server(), client: client, limit: limit, log: log, onFull: onFull, scarce: make(chan struct{}, 1)}
}

// high is how much is held before room is made, and low what is kept then.
func (m *memory) high() int64 { return m.limit / 4 * 3 }
func (m *memory) low() int64  { return m.limit / 2 }

// admit counts a command before it is carried out, and answers in its place as
// a Redis does that is out of memory, where it might store more than there is
// room for. It is a hook of miniredis's.
func (m *memory) admit(peer *server.Peer, command string, args ...string) (answered bool) {
	if storesNothing(command) || m.server.IsReadOnlyCommand(command) {
		return false
	}
	size := int64(entryOverhead)
	for _, arg := range args {
		size += int64(len(arg))
	}
	used := m.used.Add(size)
	if used > m.high() {
		select {
		case m.scarce <- struct{}{}:
		default: // it was asked already
		}
	}
	if used > m.limit {
		m.used.Add(-size)
		peer.WriteError("OOM command not allowed when used memory > 'maxmemory'.")
		return true
	}
	return false
}

// storesNothing tells of commands that are needed where memory is full. miniredis
// does not mark them.
func storesNothing(command string) bool {
	switch command {
	case "AUTH", "CLIENT", "HELLO", "MEMORY", "PING", "SELECT", "MULTI", "EXEC", "DISCARD", "WATCH", "UNWATCH",
		"DEL", "UNLINK", "EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT", "PERSIST", "FLUSHDB", "FLUSHALL":
		return true
	}
	return false
}

// makeRoom drops what would expire soonest, where more is held than there
// should be. What never expires goes last.
func (m *memory) makeRoom(ctx context.Context) {
	counted := m.used.Load()
	if counted <= m.high() {
		return
	}
	entries, err := m.measure(ctx)
	if err != nil {
		if ctx.Err() == nil {
			m.log.Warn().Err(err).Msg("the memory of the embedded redis could not be measured")
			m.onFull(err)
		}
		return
	}
	var held int64
	for _, e := range entries {
		held += e.size
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.expires, b.expires) })
	dropped := 0
	for ; dropped < len(entries) && held > m.low(); dropped++ {
		m.redis.DB(0).Del(entries[dropped].key)
		held -= entries[dropped].size
	}
	m.used.Add(held - counted) // what was written meanwhile stays counted
	if dropped > 0 {
		m.log.Warn().Int("keys", dropped).Msg("the embedded redis was full: what would expire soonest was dropped")
		m.onFull(fmt.Errorf("%d keys were dropped", dropped))
	}
}

// entry is what there is to know of a key.
type entry struct {
	key     string
	size    int64
	expires time.Duration // from now
}

// never is the expiry of what does not expire.
const never = time.Duration(1<<63 - 1)

// measure asks the server, as it knows the size of values of every type.
func (m *memory) measure(ctx context.Context) ([]entry, error) {
	keys := m.redis.DB(0).Keys()
	entries := make([]entry, 0, len(keys))
	for batch := range slices.Chunk(keys, measured) {
		sizes := make([]*redis.IntCmd, len(batch))
		_, err := m.client.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i, key := range batch {
				sizes[i] = p.MemoryUsage(ctx, key)
			}
			return nil
		})
		if err != nil && !errors.Is(err, redis.Nil) {
			return nil, err
		}
		for i, key := range batch {
			size, err := sizes[i].Result()
			if errors.Is(err, redis.Nil) {
				continue // it expired
			}
			ttl := m.redis.DB(0).TTL(key)
			if ttl <= 0 {
				ttl = never
			}
			entries = append(entries, entry{key, max(size, 0) + int64(len(key)) + entryOverhead, ttl})
		}
	}
	return entries, nil
}
