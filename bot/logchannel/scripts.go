package logchannel

import "github.com/redis/go-redis/v9"

// What Redis keeps of a channel. The names have one hash tag, so that a Cluster
// has them in one place. Only the lease expires, so that an eviction policy of
// volatile-* takes nothing that is needed.
//
//	hostbot:log:{channel}            stream: the records that wait
//	hostbot:log:{channel}:waiting    hash: their stream IDs by their IDs
//	hostbot:log:{channel}:delivered  sorted set: the IDs of the past day's delivered records, by time
//	hostbot:log:{channel}:delivery   hash: the state of the delivery, and its number in sequence
//	hostbot:log:{channel}:lease      the token of the process that delivers
func keysOf(channelID string) []string {
	key := "hostbot:log:{" + channelID + "}"
	return []string{key + ":lease", key, key + ":waiting", key + ":delivered", key + ":delivery"}
}

// scripts are what is done with these keys, each as a whole or not at all. KEYS
// are those of keysOf in all of them.
type scripts struct {
	add, take, save, restore *redis.Script
}

func newScripts() scripts {
	return scripts{
		add: redis.NewScript(addScript), take: redis.NewScript(takeScript),
		save: redis.NewScript(saveScript + saveState), restore: redis.NewScript(restoreScript + saveState),
	}
}

// addScript adds the records that are neither waiting nor delivered.
// ARGV: ID and content of each.
const addScript = `
for i = 1, #ARGV, 2 do
  local id = ARGV[i]
  if redis.call('HEXISTS', KEYS[3], id) == 0 and not redis.call('ZSCORE', KEYS[4], id) then
    redis.call('HSET', KEYS[3], id, redis.call('XADD', KEYS[2], '*', 'record', ARGV[i + 1]))
  end
end
return 1`

// takeScript takes or extends the lease, unless another process has it, or gives
// it up where it should last 0 ms. It returns the holder, how many records wait,
// stream ID and content of the first of them (of one where another process has
// the lease), the number of the state and the state, and which of the caller's
// records were delivered and which are not known. It does nothing and returns
// nothing where Redis has an older state than the caller.
// ARGV: token, the lease in ms, how many records, the number of the state that
// the caller knows; then the IDs of the caller's records.
const takeScript = `
local seq = tonumber(redis.call('HGET', KEYS[5], 'seq')) or -1
if seq < tonumber(ARGV[4]) then return {} end
local holder = redis.call('GET', KEYS[1])
if ARGV[2] == '0' then
  if holder == ARGV[1] then redis.call('DEL', KEYS[1]); holder = false end
elseif not holder or holder == ARGV[1] then
  holder = ARGV[1]
  redis.call('SET', KEYS[1], holder, 'PX', ARGV[2])
  if seq < 0 then seq = 0; redis.call('HSET', KEYS[5], 'seq', seq) end
end
local delivered, lost = {}, {}
for i = 5, #ARGV do
  if redis.call('HEXISTS', KEYS[3], ARGV[i]) == 0 then
    local list = redis.call('ZSCORE', KEYS[4], ARGV[i]) and delivered or lost
    list[#list + 1] = ARGV[i]
  end
end
local records, count = {}, holder == ARGV[1] and ARGV[3] or 1
for _, message in ipairs(redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', count)) do
  records[#records + 1] = message[1]
  records[#records + 1] = message[2][2]
end
return {holder or '', redis.call('XLEN', KEYS[2]), records, math.max(seq, 0), redis.call('HGET', KEYS[5], 'state') or '', delivered, lost}`

// saveScript allows saveState only to the process that has the lease and knows
// the latest state. The client repeats a script whose answer did not come: what
// is saved already is a success, too.
const saveScript = `
local kept = redis.call('HMGET', KEYS[5], 'seq', 'state')
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if kept[1] == ARGV[2] and kept[2] == ARGV[3] then return 1 end
if tonumber(kept[1]) ~= ARGV[2] - 1 then return 0 end`

// restoreScript allows saveState only where Redis has an older state, and gives
// the lease back to the process that had it.
const restoreScript = `
if (tonumber(redis.call('HGET', KEYS[5], 'seq')) or -1) >= tonumber(ARGV[2]) then return 0 end
if ARGV[1] ~= '' then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[6], 'NX') end`

// saveState sets the state, and notes that records are delivered.
// ARGV: token of the lease's holder, number of the state, the state, now and the
// time before which deliveries are forgotten in ms, the lease in ms; then ID and
// stream ID of each record. The latter counts for a record of an earlier version
// of the program, which is not in the hash, and may be anything.
const saveState = `
redis.call('HSET', KEYS[5], 'seq', ARGV[2], 'state', ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', ARGV[5])
for i = 7, #ARGV, 2 do
  redis.pcall('XDEL', KEYS[2], redis.call('HGET', KEYS[3], ARGV[i]) or ARGV[i + 1])
  redis.call('HDEL', KEYS[3], ARGV[i])
  redis.call('ZADD', KEYS[4], ARGV[4], ARGV[i])
end
return 1`
