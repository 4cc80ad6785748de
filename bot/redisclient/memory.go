package redisclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
)

const (
	// memoryLimit is what an embedded Redis holds before room is made, in bytes.
	memoryLimit = 64 << 20
	// entryOverhead is what a key costs beside its name and value, roughly.
	entryOverhead = 256
)

// memory keeps what an embedded Redis holds under a limit, which miniredis does not
// know. What is written is counted as it comes. What is replaced or expires is found
// only by measuring, which is done when the count reaches the limit.
type memory struct {
	redis  *miniredis.Miniredis
	server *server.Server // of redis, which is locked while a script runs
	client *redis.Client
	log    zerolog.Logger
	onFull func(error)
	used   atomic.Int64 // what is held, or more
}

// count counts a command. It is a hook of miniredis's, which goes on with the command.
func (m *memory) count(_ *server.Peer, command string, args ...string) (answered bool) {
	if command == "MEMORY" || m.server.IsReadOnlyCommand(command) {
		return false
	}
	size := int64(entryOverhead)
	for _, arg := range args {
		size += int64(len(arg))
	}
	m.used.Add(size)
	return false
}

// makeRoom drops what would expire soonest, until half of the limit is held, where
// more than the limit is. What never expires goes last.
func (m *memory) makeRoom(ctx context.Context) {
	counted := m.used.Load()
	if counted <= memoryLimit {
		return
	}
	entries, held := m.measure(ctx)
	dropped := 0
	if held > memoryLimit {
		slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.expires, b.expires) })
		for ; dropped < len(entries) && held > memoryLimit/2; dropped++ {
			m.redis.DB(0).Del(entries[dropped].key)
			held -= entries[dropped].size
		}
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

// measure asks the server, as it knows the size of values of every type.
func (m *memory) measure(ctx context.Context) (entries []entry, held int64) {
	for _, key := range m.redis.DB(0).Keys() {
		size, err := m.client.MemoryUsage(ctx, key).Result()
		if errors.Is(err, redis.Nil) {
			continue // it expired
		}
		expires := m.redis.DB(0).TTL(key)
		if expires == 0 {
			expires = math.MaxInt64
		}
		e := entry{key, size + int64(len(key)) + entryOverhead, expires}
		entries, held = append(entries, e), held+e.size
	}
	return entries, held
}
