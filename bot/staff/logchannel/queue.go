package logchannel

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/redis/go-redis/v9"

	"hostbot/bot/sanitize"
	"hostbot/bot/store/aside"
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
// A channel is due for as long as entries wait, so that a death loses none. None of these keys
// expires, so that an eviction policy of volatile-* takes nothing that is needed.
type queue struct {
	redis   redis.UniversalClient
	channel string
	// waiting, entries, delivered and due are keys.
	waiting, entries, delivered, due string
	mend                             func(context.Context) // the key of what is due
	aside                            func(key string, reason error)
	key                              func(name string) string
}

func (d *Delivery) newQueue(channel string) *queue {
	key := func(name string) string { return d.Space.Key("{" + kind + "}:" + name) }
	return &queue{
		redis: d.Redis, channel: channel, key: key,
		waiting: key("waiting:" + channel), entries: key("entries:" + channel), delivered: key("delivered:" + channel), due: d.records.DueKey(),
		mend: d.records.Mend, aside: func(name string, reason error) {
			if d.Aside != nil {
				d.Aside(name, reason)
			}
		},
	}
}

// addScript adds the entries that are neither waiting nor delivered, in this order. It returns
// whether the channel is due by that. KEYS: waiting, entries, delivered, due. ARGV: the channel;
// then ID and content of each.
const addScript = `
local t = redis.call('TIME')
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2] or 0
for i = 2, #ARGV, 2 do
  local id = ARGV[i]
  if not redis.call('ZSCORE', KEYS[1], id) and not redis.call('ZSCORE', KEYS[3], id) then
    last = math.max(last + 1, t[1] * 1000000 + t[2])
    redis.call('HSET', KEYS[2], id, ARGV[i + 1])
    redis.call('ZADD', KEYS[1], string.format('%.0f', last), id)
  end
end
if redis.call('ZCARD', KEYS[1]) == 0 then return 0 end
return redis.call('ZADD', KEYS[4], 'NX', t[1] * 1000 + math.floor(t[2] / 1000), ARGV[1])`

// askScript returns how many entries wait, when the first of them came, and which of the caller's
// are delivered and which are lost. The channel is due afterwards if any wait; the last value is
// whether that was not so before. KEYS: waiting, delivered, due. ARGV: the channel, then IDs.
const askScript = `
local delivered, lost = {}, {}
for i = 2, #ARGV do
  if not redis.call('ZSCORE', KEYS[1], ARGV[i]) then
    local list = redis.call('ZSCORE', KEYS[2], ARGV[i]) and delivered or lost
    list[#list + 1] = ARGV[i]
  end
end
local n, news = redis.call('ZCARD', KEYS[1]), 0
if n > 0 then
  local t = redis.call('TIME')
  news = redis.call('ZADD', KEYS[3], 'NX', t[1] * 1000 + math.floor(t[2] / 1000), ARGV[1])
end
return {n, redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2] or '0', delivered, lost, news}`

// headScript returns ID and content of the entries that wait first. If none waits, the channel is
// not due any more. An ID without a content is dropped: its process adds it anew.
// KEYS: waiting, entries, due. ARGV: the channel, how many entries.
const headScript = `
local list = {}
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, ARGV[2] - 1)) do
  local content = redis.call('HGET', KEYS[2], id)
  if content then
    list[#list + 1] = id
    list[#list + 1] = content
  else
    redis.call('ZREM', KEYS[1], id)
  end
end
if redis.call('ZCARD', KEYS[1]) == 0 then redis.call('ZREM', KEYS[3], ARGV[1]) end
return list`

// doneScript notes that entries are delivered. KEYS: waiting, entries, delivered. ARGV: for how
// many ms that is remembered, then IDs.
const doneScript = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - ARGV[1])
for i = 2, #ARGV do
  redis.call('ZREM', KEYS[1], ARGV[i])
  redis.call('HDEL', KEYS[2], ARGV[i])
  redis.call('ZADD', KEYS[3], now, ARGV[i])
end
return 1`

// run runs a script. What it finds of another type is set aside first.
func (q *queue) run(ctx context.Context, script string, keys []string, args ...any) *redis.Cmd {
	answer := redis.NewScript(script).Run(ctx, q.redis, keys, args...)
	if aside.IsWrongType(answer.Err()) {
		q.setAside(ctx)
		answer = redis.NewScript(script).Run(ctx, q.redis, keys, args...)
	}
	return answer
}

// add adds entries, in this order, and reports whether the channel is due by that. It may be
// repeated where its outcome is not known.
func (q *queue) add(ctx context.Context, entries []kept) (due bool, err error) {
	args := append(make([]any, 0, 1+2*len(entries)), q.channel)
	for _, e := range entries {
		content, err := json.Marshal(e)
		if err != nil {
			return false, fmt.Errorf("encode an entry: %w", err)
		}
		args = append(args, e.ID, content)
	}
	return q.run(ctx, addScript, []string{q.waiting, q.entries, q.delivered, q.due}, args...).Bool()
}

// answer is what Redis knows of a queue.
type answer struct {
	waiting int
	oldest  time.Time // zero if none waits
	// delivered and lost are IDs of the caller's.
	delivered, lost []string
	due             bool // by this question
}

// ask asks for the entries of the caller that have these IDs.
func (q *queue) ask(ctx context.Context, ids []string) (a answer, err error) {
	args := append(make([]any, 0, 1+len(ids)), q.channel)
	for _, id := range ids {
		args = append(args, id)
	}
	values, err := q.run(ctx, askScript, []string{q.waiting, q.delivered, q.due}, args...).Slice()
	if err != nil {
		return a, err
	}
	if len(values) != 5 {
		return a, fmt.Errorf("log channels: %d values", len(values))
	}
	waiting, _ := values[0].(int64)
	since, _ := values[1].(string)
	due, _ := values[4].(int64)
	a = answer{waiting: int(waiting), delivered: stringsOf(values[2]), lost: stringsOf(values[3]), due: due != 0}
	var micro float64
	if _, err := fmt.Sscan(since, &micro); err == nil && micro > 0 {
		a.oldest = time.UnixMicro(int64(micro))
	}
	return a, nil
}

// stringsOf returns the strings of an answer.
func stringsOf(answer any) []string {
	values, _ := answer.([]any)
	list := make([]string, len(values))
	for i, value := range values {
		list[i], _ = value.(string)
	}
	return list
}

// setAside sets aside what has another type than it should have. IDs without an order go with
// what the entries say, since nothing would ever take that away.
func (q *queue) setAside(ctx context.Context) {
	q.mend(ctx)
	waiting, entries, delivered := "waiting:"+q.channel, "entries:"+q.channel, "delivered:"+q.channel
	if q.setOneAside(ctx, waiting, "zset") {
		_ = aside.Key(ctx, q.redis, q.entries, q.key("aside:"+entries))
	}
	q.setOneAside(ctx, entries, "hash")
	q.setOneAside(ctx, delivered, "zset")
}

// setOneAside sets a key aside if it is of another type, and reports whether it was.
func (q *queue) setOneAside(ctx context.Context, name, wanted string) bool {
	found, err := aside.OtherType(ctx, q.redis, q.key(name), wanted, q.key("aside:"+name))
	if err != nil || found == "" {
		return false
	}
	q.aside(name, fmt.Errorf("%s of %s: it is a %s", name, kind, found))
	return true
}

// readKept decodes an entry. One that another version of the program wrote and this one cannot
// read is shown as it is.
func readKept(id, content string) kept {
	var e kept
	if err := json.Unmarshal([]byte(content), &e); err != nil || e.Line == "" && e.Embed == nil {
		e = newKept(Entry{Embed: &discordgo.MessageEmbed{Description: sanitize.Code(content, reasonLimit)}}, time.Now())
	}
	e.ID = id
	return e
}

// queued is a source of entries that Redis has.
type queued struct {
	queue   *queue
	records *record.Kind[state]
	record  *record.Record[state]
}

func (s *queued) head(ctx context.Context) ([]kept, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	q := s.queue
	pairs, err := q.run(ctx, headScript, []string{q.waiting, q.entries, q.due}, q.channel, readAhead).StringSlice()
	if err != nil {
		return nil, err
	}
	entries := make([]kept, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		entries = append(entries, readKept(pairs[i], pairs[i+1]))
	}
	return entries, nil
}

func (s *queued) save(ctx context.Context, after time.Duration) error {
	return s.records.Save(ctx, s.record, after)
}

func (s *queued) done(ctx context.Context, ids []string) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	args := append(make([]any, 0, 1+len(ids)), rememberFor.Milliseconds())
	for _, id := range ids {
		args = append(args, id)
	}
	q := s.queue
	return q.run(ctx, doneScript, []string{q.waiting, q.entries, q.delivered}, args...).Err()
}
