package panel

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/store/keyspace"
)

// What Redis keeps in the application's space. The names have one hash tag, so that a
// Cluster has them in one place. Times are in ms, by Redis's clock.
//
//	{panels}:records hash: the panels as JSON, by ID
//	{panels}:due     sorted set: their IDs, by when they are due
//	{panels}:of:USER set: the IDs of a customer's panels
//	{panels}:lease   that of the process that keeps panels true
const (
	prefix     = "{panels}:"
	recordsKey = prefix + "records"
	dueKey     = prefix + "due"
	leaseKey   = prefix + "lease"
)

// callLimit bounds one use of Redis.
const callLimit = time.Second

// KEYS of the scripts are records, due and, where one customer is concerned, that one's
// set.
const clock = `
local records, due, own = KEYS[1], KEYS[2], KEYS[3]
local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)
local function text(ms) return string.format('%.0f', ms) end
`

// addScript adds a panel, and returns the time and when the panel is due should the
// caller die. It returns an empty list where the panel is there already, and nothing where
// there are too many. ARGV: the panel, its record, for how long (ms) the caller works on
// it, how many panels there may be.
const addScript = clock + `
if redis.call('SCARD', own) >= tonumber(ARGV[4]) then return false end
if redis.call('HSETNX', records, ARGV[1], ARGV[2]) == 0 then return {} end
redis.call('SADD', own, ARGV[1])
redis.call('ZADD', due, text(now + ARGV[3]), ARGV[1])
return {text(now), text(now + ARGV[3])}`

// takeScript takes panels that are due. It returns the time, when they are due should the
// caller die, and their records. ARGV: how many, for how long (ms) the caller works on them.
const takeScript = clock + `
local taken = {text(now), text(now + ARGV[2])}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', 0, ARGV[1])) do
  redis.call('ZADD', due, taken[2], id)
  taken[#taken + 1] = redis.call('HGET', records, id) or ''
end
return taken`

// keepScript keeps the record of a panel, and returns 0 where the panel was removed.
// Unless the panel has become due meanwhile, it is due again after a time. ARGV: the
// panel, its record, when it was due should the caller have died, that time in ms or
// notDone.
const keepScript = clock + `
if redis.call('HEXISTS', records, ARGV[1]) == 0 then return 0 end
redis.call('HSET', records, ARGV[1], ARGV[2])
local score = tonumber(redis.call('ZSCORE', due, ARGV[1]))
if tonumber(ARGV[4]) >= 0 and score == tonumber(ARGV[3]) then redis.call('ZADD', due, now + ARGV[4], ARGV[1]) end
return 1`

// retryScript makes a customer's panels due, but for one that is yet to be posted: Create
// may be posting it just now, or it is due by itself. What makes no sense is left alone.
const retryScript = clock + `
local ids = redis.pcall('SMEMBERS', own)
if ids.err then return 0 end
for _, id in ipairs(ids) do
  local record = redis.call('HGET', records, id)
  local sound, panel = pcall(cjson.decode, record or '')
  if sound and type(panel) == 'table' and type(panel.message) == 'table' and panel.message.id then redis.call('ZADD', due, now, id) end
end
return 0`

// removeScript removes a panel. It returns how many the customer has left, and the last
// record of this one, "" where it was removed before. ARGV: the panel.
const removeScript = clock + `
local record = redis.call('HGET', records, ARGV[1]) or ''
redis.call('HDEL', records, ARGV[1])
redis.call('ZREM', due, ARGV[1])
redis.call('SREM', own, ARGV[1])
return {redis.call('SCARD', own), record}`

// notDone is given in the place of a time by a process that goes on with the panel.
const notDone = -1

// errRemoved says that a panel is no more.
var errRemoved = errors.New("panel: it was removed meanwhile")

// store keeps panels in Redis.
type store struct {
	redis redis.UniversalClient
	space keyspace.Space
	lease time.Duration // for how long a process works on a panel
}

// taken is a panel that this process works on.
type taken struct {
	Panel
	now   int64  // when it was taken
	over  string // when it is due should the process die
	added bool   // by this process just now, which is the first to post it
}

func (s store) ownKey(customerID string) string { return s.space.Key(prefix + "of:" + customerID) }

func (s store) run(ctx context.Context, script, customerID string, args ...any) *redis.Cmd {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	return redis.NewScript(script).Run(ctx, s.redis, []string{s.space.Key(recordsKey), s.space.Key(dueKey), s.ownKey(customerID)}, args...)
}

// add adds a panel that this process works on. It returns nil where the panel is there
// already.
func (s store) add(ctx context.Context, p Panel) (*taken, error) {
	t := &taken{Panel: p, added: true}
	p.Message.Tried = time.Now().UnixMilli() // as far as others know
	record, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	times, err := s.run(ctx, addScript, p.OwnerID, p.ID, record, s.lease.Milliseconds(), MostPanels).StringSlice()
	if errors.Is(err, redis.Nil) {
		return nil, ErrTooMany
	}
	if err != nil || len(times) != 2 {
		return nil, err
	}
	t.now, err = strconv.ParseInt(times[0], 10, 64)
	t.over = times[1]
	return t, err
}

// take returns panels that are due, so many at most.
func (s store) take(ctx context.Context, most int) ([]*taken, error) {
	answer, err := s.run(ctx, takeScript, "", most, s.lease.Milliseconds()).StringSlice()
	if err != nil || len(answer) < 2 {
		return nil, err
	}
	now, err := strconv.ParseInt(answer[0], 10, 64)
	if err != nil {
		return nil, err
	}
	var due []*taken
	for _, record := range answer[2:] {
		t := &taken{now: now, over: answer[1]}
		if json.Unmarshal([]byte(record), &t.Panel) == nil {
			due = append(due, t)
		}
	}
	return due, nil
}

// keep keeps what has changed of a panel, which is due again after so many milliseconds.
func (s store) keep(ctx context.Context, t *taken, next int64) error {
	record, err := json.Marshal(t.Panel)
	if err != nil {
		return err
	}
	kept, err := s.run(ctx, keepScript, "", t.ID, record, t.over, next).Bool()
	if err == nil && !kept {
		err = errRemoved
	}
	return err
}

func (s store) retry(ctx context.Context, customerID string) error {
	return s.run(ctx, retryScript, customerID).Err()
}

// remove removes a panel, and returns it as it was last; as p where it was removed before.
func (s store) remove(ctx context.Context, p Panel) (last Panel, left int64, err error) {
	answer, err := s.run(ctx, removeScript, p.OwnerID, p.ID).Slice()
	if err != nil || len(answer) != 2 {
		return p, 0, errors.Join(errors.New("panel: redis does not tell what was removed"), err)
	}
	left, _ = answer[0].(int64)
	record, _ := answer[1].(string)
	if json.Unmarshal([]byte(record), &last) != nil {
		last = p
	}
	return last, left, nil
}

// of returns a customer's panels, the oldest first.
func (s store) of(ctx context.Context, customerID string) ([]Panel, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	ids, err := s.redis.SMembers(ctx, s.ownKey(customerID)).Result()
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	records, err := s.redis.HMGet(ctx, s.space.Key(recordsKey), ids...).Result()
	if err != nil {
		return nil, err
	}
	var own []Panel
	for _, record := range records {
		var p Panel
		if text, ok := record.(string); ok && json.Unmarshal([]byte(text), &p) == nil && p.OwnerID == customerID {
			own = append(own, p)
		}
	}
	slices.SortFunc(own, func(a, b Panel) int { // IDs grow with the time
		return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
	})
	return own, nil
}
