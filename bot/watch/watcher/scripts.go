package watcher

import (
	"time"

	"hostbot/bot/watch/history"
)

// What Redis keeps in the application's space. The names have one hash tag, so that a
// Cluster has them in one place.
//
//	{watch}:due       sorted set: the accounts, by when they are due (ms, by Redis's clock)
//	{watch}:record:ID hash: what is known of an account
//	{watch}:limited   what the service's limits do to polls (Limits), until some time after the last 429
//
// An account has the fields why:REASON, at (its last poll), next (when it is due, since that poll),
// b:BOT (package history's log, which ends with the bot's state) and x:BOT (an action that was
// about to be sent).
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

// keys are the KEYS of the scripts below: what is due, and the account.
func (w *Watcher) keys(customerID string) []string {
	return []string{w.index.DueKey(), history.AccountKey(w.Space, customerID)}
}

// noteScript notes an action on a bot of an account that is watched.
// ARGV: the customer, the field, the action and its time.
const noteScript = `
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then redis.call('HSET', KEYS[2], ARGV[2], ARGV[3]) end
return 0`

// writeScript writes what a poll has shown, and when the account is due next, if it is watched and
// not due later already, as another process has polled it. ARGV: the customer, when it is due, for
// how long (ms) the account is kept from now on (0 to leave that as it is), the number of arguments
// that are fields and their values, and those; the fields that are removed.
const writeScript = `
if redis.call('ZADD', KEYS[1], 'XX', 'GT', 'CH', ARGV[2], ARGV[1]) == 0 then return 0 end
local last = 4 + ARGV[4]
redis.call('HSET', KEYS[2], unpack(ARGV, 5, last))
if ARGV[3] ~= '0' then redis.call('PEXPIRE', KEYS[2], ARGV[3]) end
if #ARGV > last then redis.call('HDEL', KEYS[2], unpack(ARGV, last + 1)) end
return 1`
