// Package falls tells staff when many bots stop running within a minute: most likely it
// is not the customers' doing. One entry tells of such a fall, and is kept up to date
// while it goes on and while the bots come back.
package falls

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/watcher"
	"hostbot/hostapi"
)

const (
	// threshold is how many bots within window make a fall. It ends when none falls for
	// as long.
	threshold = 10
	window    = time.Minute
	// keptFor is how long an entry is kept up to date: less than the hour after which
	// edits of a message are limited.
	keptFor = 50 * time.Minute
)

// Fall is that of many bots.
type Fall struct {
	ID        string
	Bots      int // that stopped
	Customers int // whose they are
	Back      int // of the bots, how many run again
	First     time.Time
	Last      time.Time
	Plans     map[string]int // bots by plan, as far as the service names it
}

// Falls counts the bots that stop running.
type Falls struct {
	redis redis.UniversalClient
	tell  func(Fall)
}

// New returns falls that are told of by tell.
func New(client redis.UniversalClient, tell func(Fall)) *Falls { return &Falls{client, tell} }

// Changed counts changes. It may be told of one twice: then the fall is told of again as
// it is, as the answer to the first time may have been lost.
func (f *Falls) Changed(ctx context.Context, changes []watcher.Change) error {
	args := []any{window.Milliseconds(), threshold, keptFor.Milliseconds()}
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
	keys := []string{"bots", "customers", "plans", "back", "fall"}
	for i := range keys {
		keys[i] = "hostbot:{watch}:falls:" + keys[i]
	}
	answer, err := redis.NewScript(countScript).Run(ctx, f.redis, keys, args...).StringSlice()
	if err != nil || len(answer) < 5 {
		return err
	}
	number := func(i int) int64 { n, _ := strconv.ParseInt(answer[i], 10, 64); return n }
	fall := Fall{
		ID: answer[0], Bots: int(number(1)), Customers: int(number(2)), Back: int(number(3)),
		First: time.UnixMilli(number(0)), Last: time.UnixMilli(number(4)), Plans: make(map[string]int),
	}
	for i := 5; i+1 < len(answer); i += 2 {
		fall.Plans[answer[i]] = int(number(i + 1))
	}
	f.tell(fall)
	return nil
}

// countScript counts bots that fell or are back, and returns the fall with its parts
// where there is one that they belong to. A bot is customer/server, a new line, and the
// plan, which may be empty.
// KEYS: the bots that fell, by when (ms); how many each customer has of them, and how
// many each plan; those that are back; when the fall began.
// ARGV: the window (ms), the threshold, for how long a fall is kept (ms); then of each
// change what it is, the bot and when it was (ms).
const countScript = `
local function count(bot, n)
  local customer, plan = bot:match('^([^/]*)/.*\n(.*)$')
  if redis.call('HINCRBY', KEYS[2], customer, n) < 1 then redis.call('HDEL', KEYS[2], customer) end
  if plan ~= '' and redis.call('HINCRBY', KEYS[3], plan, n) < 1 then redis.call('HDEL', KEYS[3], plan) end
end
local concerned, window = false, tonumber(ARGV[1])
for i = 4, #ARGV, 3 do
  local bot, at = ARGV[i + 1], tonumber(ARGV[i + 2])
  if ARGV[i] == 'back' then
    if redis.call('ZSCORE', KEYS[1], bot) then
      concerned = true
      redis.call('SADD', KEYS[4], bot)
    end
  else
    concerned = true
    local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2]
    if last and at - last > window then redis.call('DEL', unpack(KEYS)) end
    if redis.call('EXISTS', KEYS[5]) == 0 then
      for _, early in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', at - window)) do
        redis.call('ZREM', KEYS[1], early)
        redis.call('SREM', KEYS[4], early)
        count(early, -1)
      end
    end
    redis.call('SREM', KEYS[4], bot)
    if redis.call('ZADD', KEYS[1], at, bot) == 1 then count(bot, 1) end
    if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then
      redis.call('SET', KEYS[5], redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2], 'NX')
    end
  end
end
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ARGV[3]) end
local first = redis.call('GET', KEYS[5])
if not first or not concerned then return {} end
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2]
local fall = {first, redis.call('ZCARD', KEYS[1]), redis.call('HLEN', KEYS[2]), redis.call('SCARD', KEYS[4]), last}
for _, part in ipairs(redis.call('HGETALL', KEYS[3])) do fall[#fall + 1] = part end
for i = 1, #fall do fall[i] = tostring(fall[i]) end
return fall`
