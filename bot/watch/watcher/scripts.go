package watcher

import (
	"time"

	"hostbot/bot/watch/history"
)

// Keys in the application's space, in one slot of a Cluster:
//
//	{watch}:due       sorted set: the accounts, by when they are due (Unix ms by Redis's clock)
//	{watch}:record:ID hash: an account
//	{watch}:limited   Limits as JSON, until some time after the last 429
//
// An account has the fields why:REASON, at (its last poll), next (when it is due after that), b:BOT (package history's
// log) and x:BOT (the last action, and when it was about to be sent).
const (
	kind       = "watch"
	limitedKey = "{watch}:limited"

	reasonPrefix = "why:"
	notePrefix   = "x:"
	nextField    = "next"

	// callLimit bounds one use of Redis, and noteLimit one for which an action waits.
	callLimit = time.Second
	noteLimit = 250 * time.Millisecond
)

// keys returns the KEYS of the scripts below: 1 what is due, 2 the account.
func (w *Watcher) keys(customerID string) []string {
	return []string{w.index.DueKey(), history.AccountKey(w.cfg.Space, customerID)}
}

// noteScript notes an action on a bot if the account is watched. ARGV: 1 the customer, 2 the field, 3 its value.
const noteScript = `
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then redis.call('HSET', KEYS[2], ARGV[2], ARGV[3]) end
return 0`

// writeScript saves what a poll has shown and when the account is due next. It returns 0 if the account is not watched,
// or is due later already, as another process has polled it. ARGV: 1 the customer, 2 when it is due, 3 for how many
// ms the account is kept (0: unchanged), 4 how many arguments are fields and values to set, then these, then the
// fields to remove.
const writeScript = `
if redis.call('ZADD', KEYS[1], 'XX', 'GT', 'CH', ARGV[2], ARGV[1]) == 0 then return 0 end
local last = 4 + ARGV[4]
redis.call('HSET', KEYS[2], unpack(ARGV, 5, last))
if ARGV[3] ~= '0' then redis.call('PEXPIRE', KEYS[2], ARGV[3]) end
if #ARGV > last then redis.call('HDEL', KEYS[2], unpack(ARGV, last + 1)) end
return 1`
