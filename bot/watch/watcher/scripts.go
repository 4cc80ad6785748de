package watcher

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/watch/history"
)

// What Redis keeps in the application's space. The names have one hash tag, so that a
// Cluster has them in one place. Times are those of Redis's clock, but for the ones that
// looks are dated with.
//
//	{watch}:due        sorted set: the accounts, by when they are due (ms)
//	{watch}:account:ID hash: what is known of an account
//	{watch}:changes    stream: the changes that are yet to be told
//	{watch}:lease      that of the process that looks and tells
//	{watch}:held       there for as long as the service asks for no looks
//
// An account has the fields why:REASON, at (its last look), b:BOT (package history's
// log, which ends with the bot's state) and x:BOT (an action that was about to be sent).
const (
	dueKey     = "{watch}:due"
	changesKey = "{watch}:changes"
	leaseKey   = "{watch}:lease"
	heldKey    = "{watch}:held"

	expectPrefix = "x:"

	// callLimit bounds one use of Redis, and expectLimit one for which an action waits.
	callLimit   = time.Second
	expectLimit = 250 * time.Millisecond
)

// KEYS of the scripts below are those of what is due, the account, and the changes, where a
// script does not say otherwise.
const clock = `local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) `

// watchScript has an account watched. The first look is due at once.
// ARGV: the customer, the reason.
const watchScript = clock + `
redis.call('HSET', KEYS[2], 'why:' .. ARGV[2], 1)
return redis.call('ZADD', KEYS[1], 'NX', now, ARGV[1])`

// unwatchScript takes a reason back, and forgets an account that has none left.
// ARGV: the customer, the reason.
const unwatchScript = `
redis.call('HDEL', KEYS[2], 'why:' .. ARGV[2])
for _, field in ipairs(redis.call('HKEYS', KEYS[2])) do
  if field:sub(1, 4) == 'why:' then return 0 end
end
redis.call('ZREM', KEYS[1], ARGV[1])
return redis.call('DEL', KEYS[2])`

// expectScript notes an action on a bot of an account that is watched.
// ARGV: the customer, the bot, the action and its time.
const expectScript = `
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then redis.call('HSET', KEYS[2], 'x:' .. ARGV[2], ARGV[3]) end
return 0`

// dueScript returns how many accounts are watched, for how long (ms) the first of them has
// been due, and those that are due with when they were: none while looks are held.
// KEYS: those that are due, and what holds looks. ARGV: how many accounts at most.
const dueScript = clock + `
local most = redis.call('EXISTS', KEYS[2]) == 1 and 0 or ARGV[1]
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return {
  redis.call('ZCARD', KEYS[1]), first[2] and math.max(0, now - first[2]) or 0,
  redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'WITHSCORES', 'LIMIT', 0, most)
}`

// holdScript holds looks for a time, or for one that was longer before.
// KEYS: what holds looks. ARGV: the time in ms.
const holdScript = `
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], '', 'PX', ARGV[1]) end
return 0`

// nextScript has an account be due again an interval after it was due, or a multiple, so
// that it keeps its place while the interval changes. The first look is put in its place.
// Where the account is not due any more since the same time as when the look began, the
// script ends. An account of another type than a hash waits like any other.
// ARGV: the customer, since when the account has been due, the interval and the place in it in ms.
const nextScript = clock + `
local due, interval = redis.call('ZSCORE', KEYS[1], ARGV[1]), tonumber(ARGV[3])
if not due or tonumber(due) ~= tonumber(ARGV[2]) then return 0 end
local from = redis.pcall('HEXISTS', KEYS[2], 'at') == 1 and due or ARGV[4]
redis.call('ZADD', KEYS[1], now + interval - (now - from) % interval, ARGV[1])
`

const postponeScript = nextScript + `return 1`

// writeScript writes what a look has shown, after nextScript. The last entry of
// a bot's log is its state. Entries are dropped that were over before the limit, and
// the oldest of too many. A bot to whose log nothing is added is forgotten.
// ARGV: those of nextScript, the time of the look and that limit in Unix seconds, how
// many entries at most, for how long (ms) all of this is kept, the number of bots; the
// bot and what is added for each of those; then the changes.
const writeScript = nextScript + `
redis.call('HSET', KEYS[2], 'at', ARGV[5])
local limit, most = tonumber(ARGV[6]), 5 * ARGV[7]
local i = 10
for _ = 1, tonumber(ARGV[9]) do
  local field, added = 'b:' .. ARGV[i], ARGV[i + 1]
  if added == '' then
    redis.call('HDEL', KEYS[2], field, 'x:' .. ARGV[i])
  else
    local log = ((redis.call('HGET', KEYS[2], field) or '') .. added):sub(-most)
    local from = 1
    while #log - from >= 9 do
      local a, b, c, d = log:byte(from + 6, from + 9)
      if ((a * 256 + b) * 256 + c) * 256 + d > limit then break end
      from = from + 5
    end
    redis.call('HSET', KEYS[2], field, log:sub(from))
  end
  i = i + 2
end
redis.call('PEXPIRE', KEYS[2], ARGV[8])
for j = i, #ARGV do redis.call('XADD', KEYS[3], '*', 'change', ARGV[j]) end
return 1`

// run runs a script about an account.
func (w *Watcher) run(ctx context.Context, script, customerID string, args ...any) *redis.Cmd {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	keys := []string{w.Space.Key(dueKey), history.AccountKey(w.Space, customerID), w.Space.Key(changesKey)}
	return redis.NewScript(script).Run(ctx, w.Redis, keys, append([]any{customerID}, args...)...)
}
