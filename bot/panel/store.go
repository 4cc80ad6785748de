package panel

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// What Redis keeps. The names have one hash tag, so that a Cluster has them in one
// place. Times are in ms, by Redis's clock.
//
//	hostbot:{panels}:records  hash: the panels as JSON, by ID
//	hostbot:{panels}:due      sorted set: their IDs, by when they are due
//	hostbot:{panels}:leases   hash: who works on one, and until when
//	hostbot:{panels}:edited   hash: when one was edited last
//	hostbot:{panels}:of:USER  set: the IDs of a customer's panels
const prefix = "hostbot:{panels}:"

// callLimit bounds one use of Redis.
const callLimit = time.Second

// KEYS of the scripts are records, due, leases, edited and, where one customer is
// concerned, that one's set.
const clock = `
local records, due, leases, edited, own = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)
local function leased(id)
  local lease = redis.call('HGET', leases, id)
  if lease and tonumber(lease:match('^%d+')) > now then return lease end
end
`

// addScript adds a panel that the caller works on. It returns 2 where that is there
// already. ARGV: the panel, its record, the
// lease in ms and its token, how many panels there may be.
const addScript = clock + `
if redis.call('SCARD', own) >= tonumber(ARGV[5]) then return 0 end
if redis.call('HSETNX', records, ARGV[1], ARGV[2]) == 0 then return 2 end
redis.call('SADD', own, ARGV[1])
redis.call('ZADD', due, now + ARGV[3], ARGV[1])
redis.call('HSET', leases, ARGV[1], string.format('%.0f %s', now + ARGV[3], ARGV[4]))
return 1`

// takeScript takes a panel that is due. It returns its record, how long ago it was
// edited, and when it is due should the caller die. ARGV: the lease in ms, its token.
const takeScript = clock + `
for _, id in ipairs(redis.call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', 0, 20)) do
  local record = redis.call('HGET', records, id)
  if not record then
    redis.call('ZREM', due, id)
  elseif leased(id) then
    redis.call('ZADD', due, now + 1000, id)
  else
    local over = string.format('%.0f', now + ARGV[1])
    redis.call('ZADD', due, over, id)
    redis.call('HSET', leases, id, over .. ' ' .. ARGV[2])
    return {record, tostring(now - (redis.call('HGET', edited, id) or 0)), over}
  end
end
return false`

// keepScript keeps the record of a panel that the caller works on. It returns 0 where
// the panel was removed, and 2 where the lease is over.
// ARGV: the panel, the lease's token, the record.
const keepScript = clock + `
if redis.call('HEXISTS', records, ARGV[1]) == 0 then return 0 end
local lease = leased(ARGV[1])
if not lease or lease:match(' (.*)') ~= ARGV[2] then return 2 end
redis.call('HSET', records, ARGV[1], ARGV[3])
return 1`

// doneScript ends the work on a panel. Where the panel has become due meanwhile, it is
// so as soon as it may be edited again. ARGV: the panel, the lease's token, when it was
// due should the caller have died, in how many ms it is due, whether it was edited, how
// many ms are between two edits.
const doneScript = clock + `
local id = ARGV[1]
local lease = redis.call('HGET', leases, id)
if not lease or lease:match(' (.*)') ~= ARGV[2] then return 0 end
redis.call('HDEL', leases, id)
if redis.call('HEXISTS', records, id) == 0 then
  redis.call('ZREM', due, id)
  redis.call('HDEL', edited, id)
  return 0
end
if ARGV[5] == '1' then redis.call('HSET', edited, id, string.format('%.0f', now)) end
local next, score = now + ARGV[4], redis.call('ZSCORE', due, id)
if score and tonumber(score) ~= tonumber(ARGV[3]) then
  next = math.min(next, math.max(now, (redis.call('HGET', edited, id) or 0) + ARGV[6]))
end
redis.call('ZADD', due, next, id)
return 1`

// changedScript makes a customer's panels due as soon as they may be edited again.
// ARGV: how many ms are between two edits.
const changedScript = clock + `
for _, id in ipairs(redis.call('SMEMBERS', own)) do
  local soonest = math.max(now, (redis.call('HGET', edited, id) or 0) + ARGV[1])
  local score = redis.call('ZSCORE', due, id)
  if not score or tonumber(score) > soonest then redis.call('ZADD', due, soonest, id) end
end
return 0`

// removeScript removes a panel. It returns how many the customer has left, and the last
// record of this one, "" where it was removed before. What works on the panel finds it
// gone. ARGV: the panel.
const removeScript = clock + `
local record = redis.call('HGET', records, ARGV[1]) or ''
redis.call('HDEL', records, ARGV[1])
redis.call('ZREM', due, ARGV[1])
redis.call('HDEL', edited, ARGV[1])
redis.call('SREM', own, ARGV[1])
return {redis.call('SCARD', own), record}`

// store keeps panels in Redis.
type store struct {
	redis  redis.UniversalClient
	timing Timing
}

// taken is a panel that this process works on.
type taken struct {
	Panel
	token string
	over  string        // when it is due should the process die
	age   time.Duration // since the last edit
}

func (s store) run(ctx context.Context, script, customerID string, args ...any) *redis.Cmd {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	keys := []string{prefix + "records", prefix + "due", prefix + "leases", prefix + "edited", prefix + "of:" + customerID}
	return redis.NewScript(script).Run(ctx, s.redis, keys, args...)
}

func (s store) add(ctx context.Context, p Panel) (*taken, error) {
	t := &taken{Panel: p, token: rand.Text()}
	p.Posting = true // as far as others know
	record, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	added, err := s.run(ctx, addScript, p.OwnerID, p.ID, record, s.timing.Lease.Milliseconds(), t.token, MostPanels).Int()
	switch {
	case err != nil:
		return nil, err
	case added == 0:
		return nil, ErrTooMany
	case added == 2:
		return nil, errTaken
	}
	return t, nil
}

// take returns a panel that is due, or nil where none is.
func (s store) take(ctx context.Context) (*taken, error) {
	t := &taken{token: rand.Text()}
	answer, err := s.run(ctx, takeScript, "", s.timing.Lease.Milliseconds(), t.token).StringSlice()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	if err != nil || len(answer) != 3 {
		return nil, errors.Join(errors.New("panel: redis does not tell what is due"), err)
	}
	if err := json.Unmarshal([]byte(answer[0]), &t.Panel); err != nil {
		return nil, err
	}
	age, err := time.ParseDuration(answer[1] + "ms")
	t.age, t.over = age, answer[2]
	return t, err
}

// errTaken says that another process works on a panel, and errRemoved that the panel is
// no more.
var (
	errTaken   = errors.New("panel: another process works on it")
	errRemoved = errors.New("panel: it was removed meanwhile")
)

// keep keeps what has changed of a panel.
func (s store) keep(ctx context.Context, t *taken) error {
	record, err := json.Marshal(t.Panel)
	if err != nil {
		return err
	}
	kept, err := s.run(ctx, keepScript, "", t.ID, t.token, record).Int()
	switch {
	case err != nil:
		return err
	case kept == 0:
		return errRemoved
	case kept == 2:
		return errTaken
	}
	return nil
}

// done ends the work on a panel, which is due again after next.
func (s store) done(ctx context.Context, t *taken, edited bool, next time.Duration) error {
	return s.run(ctx, doneScript, "", t.ID, t.token, t.over, next.Milliseconds(), edited, s.timing.Between.Milliseconds()).Err()
}

func (s store) changed(ctx context.Context, customerID string) error {
	return s.run(ctx, changedScript, customerID, s.timing.Between.Milliseconds()).Err()
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
	ids, err := s.redis.SMembers(ctx, prefix+"of:"+customerID).Result()
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	records, err := s.redis.HMGet(ctx, prefix+"records", ids...).Result()
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
		if len(a.ID) != len(b.ID) {
			return len(a.ID) - len(b.ID)
		}
		return strings.Compare(a.ID, b.ID)
	})
	return own, nil
}
