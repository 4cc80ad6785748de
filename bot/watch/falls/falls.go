// Package falls tells staff when many bots stop running within a minute: most likely it
// is not the customers' doing. One entry tells of such a fall, and is kept up to date
// while it goes on and while the bots come back.
package falls

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/store/keyspace"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
)

const (
	// threshold is how many bots within a window make a fall. It ends when none falls for
	// as long.
	threshold = 10
	// leastWindow is the shortest one. Bots that fall at the same moment are seen to in
	// different looks, which are spread over an interval: the window is as long as that.
	leastWindow = time.Minute
	// keptFor is how long an entry is kept up to date: less than the hour after which
	// edits of a message are limited.
	keptFor = 50 * time.Minute
)

// Fall is that of many bots.
type Fall struct {
	ID        string
	Bots      int       // that stopped
	Customers int       // whose they are
	Back      int       // of the bots, how many run again
	First     time.Time // when the first of them was seen to have stopped
	Last      time.Time // and when the last of them was
	// Within is the time in which all of them stopped: each was seen to run at most one
	// interval before it was seen to have stopped.
	Within time.Duration
	Plans  map[string]int // bots by plan, as far as the service names it
}

// Falls counts the bots that stop running.
type Falls struct {
	redis redis.UniversalClient
	space keyspace.Space
	pace  func() time.Duration
	tell  func(Fall)
}

// New returns falls that are told of by tell. pace returns the interval at which accounts
// are looked at now.
func New(client redis.UniversalClient, space keyspace.Space, pace func() time.Duration, tell func(Fall)) *Falls {
	return &Falls{client, space, pace, tell}
}

// Changed counts changes. It may be told of one twice: then the fall is told of again as
// it is, as the answer to the first time may have been lost.
func (f *Falls) Changed(ctx context.Context, changes []watcher.Change) error {
	interval := f.pace()
	args := []any{max(leastWindow, interval).Milliseconds(), threshold, keptFor.Milliseconds()}
	for _, c := range changes {
		kind := ""
		switch {
		case c.Unasked:
			kind = "fell"
		case c.To == hostapi.StateRunning:
			kind = "back"
		default:
			continue
		}
		args = append(args, kind, c.CustomerID+"/"+c.ServerID+"\n"+c.Plan, c.At.UnixMilli())
	}
	if len(args) == 3 {
		return nil
	}
	keys := []string{"recent", "bots", "customers", "plans", "back", "fall", "returned"}
	for i := range keys {
		keys[i] = f.space.Key("{watch}:falls:" + keys[i])
	}
	answer, err := redis.NewScript(countScript).Run(ctx, f.redis, keys, args...).StringSlice()
	if err != nil && strings.Contains(err.Error(), "WRONGTYPE") { // for good: the next attempt counts from the beginning
		return errors.Join(err, f.redis.Del(ctx, keys...).Err())
	}
	if err != nil || len(answer) < 5 {
		return err
	}
	number := func(i int) int64 { n, _ := strconv.ParseInt(answer[i], 10, 64); return n }
	fall := Fall{
		ID: answer[0], Bots: int(number(1)), Customers: int(number(2)), Back: int(number(3)),
		First: time.UnixMilli(number(0)), Last: time.UnixMilli(number(4)), Plans: make(map[string]int),
	}
	fall.Within = fall.Last.Sub(fall.First) + interval
	for i := 5; i+1 < len(answer); i += 2 {
		fall.Plans[answer[i]] = int(number(i + 1))
	}
	f.tell(fall)
	return nil
}

// countScript counts bots that fell or are back, and returns the fall with its parts
// where there is one that they belong to. A bot is customer/server, a new line, and the
// plan, which may be empty.
//
// Bots that fell lately are kept apart from the fall, which one that falls alone later
// does not end. Another fall takes its place when enough have fallen again.
// KEYS: the bots that fell within the last window, by when (ms); those of the fall, by
// when; how many each customer has of the latter, and how many each plan; those of them
// that are back; when the fall began; those of the recent ones that are back, by when they
// had fallen.
// ARGV: the window (ms), the threshold, for how long a fall is kept (ms); then of each
// change what it is, the bot and when it was (ms).
const countScript = `
local window, concerned = tonumber(ARGV[1]), false
local function latest(key) return tonumber(redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')[2]) end
local function join(bot, at)
  redis.call('SREM', KEYS[5], bot)
  if redis.call('ZADD', KEYS[2], at, bot) == 1 then
    local customer, plan = bot:match('^([^/]*)/.*\n(.*)$')
    redis.call('HINCRBY', KEYS[3], customer, 1)
    if plan ~= '' then redis.call('HINCRBY', KEYS[4], plan, 1) end
  end
  concerned = true
end
-- One that is told of late, or again, may be older than what is recent by now.
local function isRecent(bot, at)
  local newest = math.max(at, latest(KEYS[1]) or at)
  if at < newest - window then return false end
  redis.call('ZADD', KEYS[1], at, bot)
  redis.call('ZREM', KEYS[7], bot)
  for _, i in ipairs({1, 7}) do redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', '(' .. newest - window) end
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return true
end
local function begin()
  redis.call('DEL', KEYS[2], KEYS[3], KEYS[4], KEYS[5])
  local recent = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
  for i = 1, #recent, 2 do join(recent[i], recent[i + 1]) end
  for _, bot in ipairs(redis.call('ZRANGE', KEYS[7], 0, -1)) do redis.call('SADD', KEYS[5], bot) end
  redis.call('SET', KEYS[6], recent[2], 'PX', ARGV[3])
end
for i = 4, #ARGV, 3 do
  local bot, at = ARGV[i + 1], tonumber(ARGV[i + 2])
  if ARGV[i] == 'fell' then
    local recent = isRecent(bot, at)
    local first, last = tonumber(redis.call('GET', KEYS[6])), latest(KEYS[2])
    if first and last and first - window <= at and at <= last + window then
      join(bot, at)
    elseif recent and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then
      begin()
    end
  else
    local fell = redis.call('ZSCORE', KEYS[1], bot)
    if fell then
      redis.call('ZADD', KEYS[7], fell, bot)
      redis.call('PEXPIRE', KEYS[7], redis.call('PTTL', KEYS[1]))
    end
    if redis.call('EXISTS', KEYS[6]) == 1 and redis.call('ZSCORE', KEYS[2], bot) then
      concerned = true
      redis.call('SADD', KEYS[5], bot)
    end
  end
end
if not concerned then return {} end
local first, left = redis.call('GET', KEYS[6]), redis.call('PTTL', KEYS[6])
for i = 2, 5 do redis.call('PEXPIRE', KEYS[i], left) end -- which may be new
local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')[2]
local fall = {first, redis.call('ZCARD', KEYS[2]), redis.call('HLEN', KEYS[3]), redis.call('SCARD', KEYS[5]), last}
for _, part in ipairs(redis.call('HGETALL', KEYS[4])) do fall[#fall + 1] = part end
for i = 1, #fall do fall[i] = tostring(fall[i]) end
return fall`
