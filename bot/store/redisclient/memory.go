package redisclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"
)

const (
	// memoryLimit is what an embedded Redis holds before room is made, in bytes.
	memoryLimit = 64 << 20
	// entryOverhead is what a key costs beside its name and value, roughly.
	entryOverhead = 256
)

// An embedded Redis is kept under a limit, which miniredis does not know. What is
// written is counted as it comes. Keys that were replaced or have expired are found only by
// measuring, which is done when the count reaches the limit.

// count counts a command. It is a hook of miniredis's, which goes on with the command.
func (e *embedded) count(_ *server.Peer, command string, args ...string) (answered bool) {
	if command == "MEMORY" || e.server.IsReadOnlyCommand(command) {
		return false
	}
	size := int64(entryOverhead)
	for _, arg := range args {
		size += int64(len(arg))
	}
	e.used.Add(size)
	return false
}

// makeRoom drops what would expire soonest, until half of the limit is held, where
// more than the limit is. Keys that never expire go last.
func (e *embedded) makeRoom(ctx context.Context) {
	counted := e.used.Load()
	if counted <= memoryLimit {
		return
	}
	entries, held := e.measure(ctx)
	dropped := 0
	if held > memoryLimit {
		slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.expires, b.expires) })
		for ; dropped < len(entries) && held > memoryLimit/2; dropped++ {
			e.redis.DB(0).Del(entries[dropped].key)
			held -= entries[dropped].size
		}
	}
	e.used.Add(held - counted) // what was written meanwhile stays counted
	if dropped > 0 {
		e.log.Warn().Int("keys", dropped).Msg("the embedded redis was full: what would expire soonest was dropped")
		e.onFull(fmt.Errorf("%d keys were dropped", dropped))
	}
}

// entry is what there is to know of a key.
type entry struct {
	key     string
	size    int64
	expires time.Duration // from now
}

// measure asks the server, as it knows the size of values of every type.
func (e *embedded) measure(ctx context.Context) (entries []entry, held int64) {
	for _, key := range e.redis.DB(0).Keys() {
		size, err := e.client.MemoryUsage(ctx, key).Result()
		if errors.Is(err, redis.Nil) {
			continue // it expired
		}
		expires := e.redis.DB(0).TTL(key)
		if expires == 0 {
			expires = math.MaxInt64
		}
		size += int64(len(key)) + entryOverhead
		entries, held = append(entries, entry{key, size, expires}), held+size
	}
	return entries, held
}
