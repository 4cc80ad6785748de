package watcher

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/history"
)

// What Redis keeps. The names have one hash tag, so that a Cluster has them in one
// place. Times are those of Redis's clock, but for the ones that looks are dated with.
//
//	hostbot:{watch}:due            sorted set: the accounts, by when they are due (ms)
//	hostbot:{watch}:budget         hash: how many looks are left, since when (ms), and until when none is made (ms)
//	hostbot:{watch}:account:ID     hash: what is known of an account
//	hostbot:{watch}:changes        stream: the changes that are yet to be told
//	hostbot:{watch}:changes:teller the lease of the process that tells of them
//
// An account has the fields why:REASON, at (its last look), b:BOT (package history's
// log, which ends with the bot's state) and x:BOT (an action that was about to be sent).
const (
	dueKey     = "hostbot:{watch}:due"
	budgetKey  = "hostbot:{watch}:budget"
	changesKey = "hostbot:{watch}:changes"
	tellerKey  = changesKey + ":teller"

	whyPrefix    = "why:"
	expectPrefix = "x:"

	// callLimit bounds one use of Redis, and expectLimit one for which an action waits.
	callLimit   = time.Second
	expectLimit = 250 * time.Millisecond
)

// KEYS of the scripts below are those of what is due, the budget, the account (a
// prefix for takeScript), and the changes.
const clock = `local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) `

// watchScript has an account watched. The first look is due at once.
// ARGV: the customer, the reason.
const watchScript = clock + `
redis.call('HSET', KEYS[3], 'why:' .. ARGV[2], 1)
return redis.call('ZADD', KEYS[1], 'NX', now, ARGV[1])`

// unwatchScript takes a reason back, or all of them, and forgets an account that has
// none left. ARGV: the customer, the reason or *.
const unwatchScript = `
if ARGV[2] ~= '*' then
  redis.call('HDEL', KEYS[3], 'why:' .. ARGV[2])
  for _, field in ipairs(redis.call('HKEYS', KEYS[3])) do
    if field:sub(1, 4) == 'why:' then return 0 end
  end
end
return math.max(redis.call('ZREM', KEYS[1], ARGV[1]), redis.call('DEL', KEYS[3]))`

// expectScript notes an action on a bot of an account that is watched.
// ARGV: the customer, the bot, the action and its time.
const expectScript = `
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then redis.call('HSET', KEYS[3], 'x:' .. ARGV[2], ARGV[3]) end
return 0`

// takeScript takes accounts that are due, those first that were due first, as far as
// the budget reaches: a token bucket that never holds more than what a quarter of a
// second adds. It returns how many accounts are watched, for how long (ms) the first of
// them has been due, until when (ms) what it took is leased, and of each account the customer, when it was due and
// its fields. Of a bot's log it returns the last two entries alone.
// ARGV: how many at most, how many a second, the lease in ms.
const takeScript = clock + `
local rate = tonumber(ARGV[2])
local kept = redis.call('HMGET', KEYS[2], 'left', 'at', 'held')
local most = math.max(1, rate / 4)
local left = math.min(most, (tonumber(kept[1]) or most) + math.max(0, now - (tonumber(kept[2]) or now)) * rate / 1000)
local n = math.min(tonumber(ARGV[1]), math.floor(left))
if now < (tonumber(kept[3]) or 0) then n = 0 end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
local lag = first[2] and math.max(0, now - first[2]) or 0
local due = n > 0 and redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'WITHSCORES', 'LIMIT', 0, n) or {}
local taken = {}
for i = 1, #due, 2 do
  redis.call('ZADD', KEYS[1], now + ARGV[3], due[i])
  local fields = redis.call('HGETALL', KEYS[3] .. due[i])
  for j = 1, #fields, 2 do
    if fields[j]:sub(1, 2) == 'b:' then fields[j + 1] = fields[j + 1]:sub(-10) end
  end
  taken[#taken + 1] = {due[i], due[i + 1], fields}
end
redis.call('HSET', KEYS[2], 'left', tostring(left - #taken), 'at', tostring(now))
return {redis.call('ZCARD', KEYS[1]), lag, tostring(now + ARGV[3]), taken}`

// doneScript writes what a look has shown, unless the lease is over. The last entry of
// a bot's log is its state. Entries are dropped that were over before the limit, and
// the oldest of too many. A bot to whose log nothing is added is forgotten.
// ARGV: the customer, the lease, when the account is due next (ms), the time of the
// look and that limit in Unix seconds, how many entries at most, for how long (ms) all of this is kept, the
// number of bots; the bot and what is added for each of those; then the changes.
const doneScript = `
local lease = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not lease or tonumber(lease) ~= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
redis.call('HSET', KEYS[3], 'at', ARGV[4])
local limit, most = tonumber(ARGV[5]), 5 * ARGV[6]
local i = 9
for _ = 1, tonumber(ARGV[8]) do
  local field, added = 'b:' .. ARGV[i], ARGV[i + 1]
  if added == '' then
    redis.call('HDEL', KEYS[3], field, 'x:' .. ARGV[i])
  else
    local log = ((redis.call('HGET', KEYS[3], field) or '') .. added):sub(-most)
    local from = 1
    while #log - from >= 9 do
      local a, b, c, d = log:byte(from + 6, from + 9)
      if ((a * 256 + b) * 256 + c) * 256 + d > limit then break end
      from = from + 5
    end
    redis.call('HSET', KEYS[3], field, log:sub(from))
  end
  i = i + 2
end
redis.call('PEXPIRE', KEYS[3], ARGV[7])
for j = i, #ARGV do redis.call('XADD', KEYS[4], '*', 'change', ARGV[j]) end
return 1`

// failScript gives an account back of which a look has shown nothing, unless the lease
// is over. ARGV: the customer, the lease, when the account is due next (ms), and for
// how long (ms) no look is made.
const failScript = clock + `
local lease = redis.call('ZSCORE', KEYS[1], ARGV[1])
if lease and tonumber(lease) == tonumber(ARGV[2]) then redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1]) end
local held = tonumber(redis.call('HGET', KEYS[2], 'held') or 0)
if tonumber(ARGV[4]) > 0 and now + ARGV[4] > held then redis.call('HSET', KEYS[2], 'held', tostring(now + ARGV[4])) end
return 0`

// run runs a script about an account.
func (w *Watcher) run(ctx context.Context, script, customerID string, args ...any) *redis.Cmd {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	keys := []string{dueKey, budgetKey, history.AccountKey(customerID), changesKey}
	return redis.NewScript(script).Run(ctx, w.Redis, keys, append([]any{customerID}, args...)...)
}
