package logchannel

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// formerFor is for how long entries wait for a channel that is not in the settings any more.
	// Until then a replica with the former settings may run, and its channel may be mended.
	formerFor = 24 * time.Hour
	// mostInRedis is how many entries wait for a channel in Redis, and mostUnsaved how many that
	// Redis does not have wait in a process, at most: in multiples of Config.MaxWaiting. More come
	// only if a channel takes nothing for a day or more, or while both Redis and Discord are away.
	mostInRedis, mostUnsaved = 20, 2
	// dropAtOnce is how many entries one request drops or puts in order.
	dropAtOnce = 1000
)

// Dropped returns how many entries this process has dropped, which nobody reads.
func (d *Delivery) Dropped() uint64 { return d.dropped.Load() }

// bound drops what waits for too long or is too much by Redis's clock, the oldest first. former says
// that no entries of this process go to the channel.
func (ch *channel) bound(ctx context.Context, former bool, now time.Time) error {
	why, find := "log.channel.dropped.many", ch.queue.surplus
	if former {
		why, find = "log.channel.dropped.former", ch.queue.outdated
	}
	for {
		ids, err := find(ctx, now)
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := ch.queue.done(ctx, ids, now); err != nil { // so that no process adds them anew
			return err
		}
		ch.noteDropped(len(ids), why)
	}
}

// noteDropped counts entries that were dropped, and tells staff why, once a day: also in the channel
// itself, where they read it once it works again.
func (ch *channel) noteDropped(n int, why string) {
	ch.dropped.Add(uint64(n))
	ch.log.Error().Int("entries", n).Str("why", ch.Texts.Text(why)).Msg("log channel entries are dropped")
	text := mention(ch.id) + "\n" + ch.Texts.Text(why)
	e := Entry{Category: Lifecycle, Embed: notice("⚠️ "+ch.Texts.Text("log.channel.dropped"), text, orange, time.Now()), DedupKey: why + " " + ch.id}
	for _, other := range ch.all {
		other.post(e)
	}
}

// surplus returns the IDs of entries that are more than may wait.
func (q *queue) surplus(ctx context.Context, _ time.Time) (ids []string, err error) {
	n, err := q.redis.ZCard(ctx, q.waiting).Result()
	if err != nil || n <= q.most {
		return nil, err
	}
	return q.redis.ZRange(ctx, q.waiting, 0, min(n-q.most, dropAtOnce)-1).Result()
}

// outdated returns the IDs of entries that have waited for longer than formerFor.
func (q *queue) outdated(ctx context.Context, now time.Time) (ids []string, err error) {
	past := redis.ZRangeBy{Min: "-inf", Max: micros(now.Add(-formerFor)), Count: dropAtOnce}
	return q.redis.ZRangeByScore(ctx, q.waiting, &past).Result()
}

// putInOrder has entries wait whose IDs were lost, by when they came, and reports whether there are
// any. Entries are added and done in one step with their IDs, so that none of these is delivered.
func (q *queue) putInOrder(ctx context.Context) (found bool, err error) {
	for cursor := uint64(0); ; {
		some, next, err := q.redis.HScan(ctx, q.entries, cursor, "", dropAtOnce).Result()
		if err != nil {
			return false, err
		}
		var lost []redis.Z
		for pair := range slices.Chunk(some, 2) {
			at := readKept(pair[0], pair[1]).Tally.Since
			lost = append(lost, redis.Z{Member: pair[0], Score: float64(at.UnixMicro())})
		}
		if len(lost) > 0 {
			return true, q.redis.ZAddNX(ctx, q.waiting, lost...).Err()
		}
		if cursor = next; cursor == 0 {
			return false, nil
		}
	}
}

func micros(at time.Time) string { return strconv.FormatInt(at.UnixMicro(), 10) }
