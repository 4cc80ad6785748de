package logchannel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/redis/go-redis/v9"

	"hostbot/bot/sanitize"
	"hostbot/bot/store/pipeline"
	"hostbot/bot/store/record"
)

const (
	// rememberFor is how long Redis knows that an entry was delivered, at about 100 bytes each.
	// An entry that is added again after that is told twice.
	rememberFor = 24 * time.Hour
	// readAhead is how many entries are looked at to plan a message.
	readAhead = 100
)

// queue is what Redis has of a channel's entries. It is safe for concurrent use.
//
//	{logs}:waiting:CHANNEL    sorted set: the IDs of those that wait, by when they came (Unix µs)
//	{logs}:entries:CHANNEL    hash: what they say, by their IDs
//	{logs}:delivered:CHANNEL  sorted set: the IDs of those delivered in the past day, by when
//	{logs}:record:CHANNEL     the state of the delivery; see package record
//	{logs}:due                sorted set: the channels, by when something is to be done there
//
// A channel is due for as long as entries wait, so that a death loses none. What waits does not
// expire, nor does a plan, so that an eviction policy of volatile-* takes nothing that is needed. If
// a channel is not used any more, the rest is gone a day later.
type queue struct {
	redis   redis.UniversalClient
	channel string
	most    int64         // how many entries may wait
	idle    time.Duration // the longest pause of a delivery
	// waiting, entries, delivered and due are keys.
	waiting, entries, delivered, due string
	key                              func(name string) string
}

func (d *Delivery) newQueue(channel string) *queue {
	key := func(name string) string { return d.Space.Key("{" + kind + "}:" + name) }
	return &queue{
		redis: d.Redis, channel: channel, key: key,
		most: int64(mostInRedis * d.MaxWaiting), idle: 2 * max(d.Timing.RetryBusy, d.Timing.RetryMost, d.Timing.Work),
		waiting: key("waiting:" + channel), entries: key("entries:" + channel), delivered: key("delivered:" + channel), due: d.records.DueKey(),
	}
}

// addScript adds the entries that are neither waiting nor delivered, in this order. The channel is
// due afterwards, also if none waits, which the leader finds out; the script returns whether it was
// not before, or at a time that makes no sense. KEYS: waiting, entries, delivered, due. ARGV: the
// channel, the longest pause of a delivery (ms); then ID and content of each.
const addScript = `
local t = redis.call('TIME')
local last = tonumber(redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2]) or 0
for i = 3, #ARGV, 2 do
  local id = ARGV[i]
  if not redis.call('ZSCORE', KEYS[1], id) and not redis.call('ZSCORE', KEYS[3], id) then
    last = math.max(last + 1, t[1] * 1000000 + t[2])
    redis.call('HSET', KEYS[2], id, ARGV[i + 1])
    redis.call('ZADD', KEYS[1], string.format('%.0f', last), id)
  end
end
local due = redis.call('ZSCORE', KEYS[4], ARGV[1])
if due and (tonumber(due) or math.huge) <= t[1] * 1000 + ARGV[2] then return 0 end
return redis.call('ZADD', KEYS[4], 'CH', 0, ARGV[1])`

// add adds entries, in this order, and reports whether the channel is due by that. It may be
// repeated where its outcome is not known. along adds what else Redis is to do; it may be nil, and called again.
func (q *queue) add(ctx context.Context, entries []kept, along func(context.Context, redis.Pipeliner)) (due bool, err error) {
	args := append(make([]any, 0, 2+2*len(entries)), q.channel, q.idle.Milliseconds())
	for _, e := range entries {
		content, err := json.Marshal(e)
		if err != nil {
			return false, fmt.Errorf("encode an entry: %w", err)
		}
		args = append(args, e.ID, content)
	}
	script, keys := redis.NewScript(addScript), []string{q.waiting, q.entries, q.delivered, q.due}
	var added *redis.Cmd
	if along == nil {
		added = script.Run(ctx, q.redis, keys, args...)
	} else { // the whole script, as Redis may have forgotten it
		_ = pipeline.InOrder(ctx, q.redis, func(p redis.Pipeliner) { added = script.Eval(ctx, p, keys, args...) }, func(p redis.Pipeliner) { along(ctx, p) })
	}
	return added.Bool()
}

// answer is what Redis knows of a queue.
type answer struct {
	waiting int
	oldest  time.Time // zero if none waits
	// delivered and lost are IDs of the caller's.
	delivered, lost []string
	due             bool // by this question
}

// ask asks for the entries of the caller that have these IDs. The channel is due afterwards if any
// entries wait.
func (q *queue) ask(ctx context.Context, ids []string) (a answer, err error) {
	var count *redis.IntCmd
	var first *redis.ZSliceCmd
	var waiting, delivered *redis.FloatSliceCmd
	_, err = q.redis.TxPipelined(ctx, func(p redis.Pipeliner) error {
		count, first = p.ZCard(ctx, q.waiting), p.ZRangeWithScores(ctx, q.waiting, 0, 0)
		if len(ids) > 0 {
			waiting, delivered = p.ZMScore(ctx, q.waiting, ids...), p.ZMScore(ctx, q.delivered, ids...)
		}
		return nil
	})
	if err == nil && count.Val() > 0 {
		a.due, err = q.add(ctx, nil, nil)
	}
	if err != nil {
		return a, err
	}
	a.waiting = int(count.Val())
	if entries := first.Val(); len(entries) > 0 {
		a.oldest = time.UnixMicro(int64(entries[0].Score))
	}
	for i, id := range ids {
		switch { // no score is 0 but that of an ID that is not there
		case waiting.Val()[i] != 0:
		case delivered.Val()[i] != 0:
			a.delivered = append(a.delivered, id)
		default:
			a.lost = append(a.lost, id)
		}
	}
	return a, nil
}

// head returns the entries that wait first. If none waits, the channel is not due any more. An ID
// without a content is dropped: its process adds it anew.
func (q *queue) head(ctx context.Context) (entries []kept, err error) {
	ids, err := q.first(ctx)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, q.notDue(ctx)
	}
	contents, err := q.redis.HMGet(ctx, q.entries, ids...).Result()
	if err != nil {
		return nil, err
	}
	entries = make([]kept, 0, len(ids))
	for i, id := range ids {
		if content, ok := contents[i].(string); ok {
			entries = append(entries, readKept(id, content))
		} else if err := q.redis.ZRem(ctx, q.waiting, id).Err(); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// first returns the IDs of the entries that wait first.
func (q *queue) first(ctx context.Context) (ids []string, err error) {
	ids, err = q.redis.ZRange(ctx, q.waiting, 0, readAhead-1).Result()
	if err != nil || len(ids) > 0 {
		return ids, err
	}
	if found, err := q.putInOrder(ctx); err != nil || !found {
		return nil, err
	}
	return q.redis.ZRange(ctx, q.waiting, 0, readAhead-1).Result()
}

// notDue has the channel not be due any more, unless an entry has come meanwhile: then it stays
// due.
func (q *queue) notDue(ctx context.Context) error {
	err := q.redis.Watch(ctx, func(tx *redis.Tx) error {
		if n, err := tx.ZCard(ctx, q.waiting).Result(); err != nil || n > 0 {
			return err
		}
		_, err := tx.TxPipelined(ctx, func(p redis.Pipeliner) error { return p.ZRem(ctx, q.due, q.channel).Err() })
		return err
	}, q.waiting)
	if errors.Is(err, redis.TxFailedErr) {
		return nil
	}
	return err
}

// done notes at a time that entries are delivered.
func (q *queue) done(ctx context.Context, ids []string, now time.Time) error {
	if len(ids) == 0 {
		return nil
	}
	members, delivered := make([]any, len(ids)), make([]redis.Z, len(ids))
	for i, id := range ids {
		members[i], delivered[i] = id, redis.Z{Score: float64(now.UnixMilli()), Member: id}
	}
	_, err := q.redis.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.ZAdd(ctx, q.delivered, delivered...)
		p.ZRem(ctx, q.waiting, members...)
		p.HDel(ctx, q.entries, ids...)
		p.ZRemRangeByScore(ctx, q.delivered, "-inf", strconv.FormatInt(now.Add(-rememberFor).UnixMilli(), 10))
		p.PExpire(ctx, q.delivered, rememberFor)
		return nil
	})
	return err
}

// readKept decodes an entry. One that another version of the program wrote and this one cannot
// read is shown as it is.
func readKept(id, content string) kept {
	var e kept
	if err := json.Unmarshal([]byte(content), &e); err != nil || e.Line == "" && e.Embed == nil {
		e = newKept(Entry{Embed: &discordgo.MessageEmbed{Description: sanitize.Code(content, reasonLimit)}}, time.Now())
	}
	e.ID = id
	one := []slot{e.slot}
	tidy(one)
	e.slot = one[0]
	return e
}

// queued is a source of entries that Redis has.
type queued struct {
	queue   *queue
	records *record.Kind[state]
	record  *record.Record[state]
	counts  time.Duration // for how long a message counts
}

func (s *queued) head(ctx context.Context) ([]kept, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	return s.queue.head(ctx)
}

func (s *queued) save(ctx context.Context, after time.Duration) error {
	if s.record.Life = record.ForEver; s.record.Value.Plan == nil {
		s.record.Life = s.counts // after that nothing in it is needed
	}
	return s.records.Save(ctx, s.record, after)
}

func (s *queued) done(ctx context.Context, ids []string) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	return s.queue.done(ctx, ids, time.UnixMilli(s.record.Read)) // by Redis's clock
}
