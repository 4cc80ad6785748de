package logchannel

import "hostbot/bot/store/keyspace"

// What Redis keeps of a channel in the application's space. The names have one hash tag, so
// that a Cluster has them in one place. Only the lease expires, so that an eviction policy
// of volatile-* takes nothing that is needed.
//
//	log:{channel}            stream: the records that wait
//	log:{channel}:waiting    hash: their stream IDs by their IDs
//	log:{channel}:delivered  sorted set: the IDs of the past day's delivered records, by time
//	log:{channel}:delivery   hash: the state of the delivery, its number in sequence (seq), and the epoch
//	log:{channel}:lease      the token of the process that delivers
//
// Redis has a new epoch after it lost something: each process then tells it
// what it knows. KEYS of all scripts are these; a script is done as a whole or
// not at all.
func keysOf(space keyspace.Space, channelID string) []string {
	key := space.Key("log:{" + channelID + "}")
	return []string{key + ":lease", key, key + ":waiting", key + ":delivered", key + ":delivery"}
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
// it up where it should last 0 ms. It returns the epoch, the holder, how many
// records wait, stream ID and content of the first of them (of one where another
// process has the lease), seq and the state, and which of the caller's records
// were delivered and which are not known. It does nothing and returns nothing
// where Redis has lost something since the caller's epoch. A key of another type in the place
// of the delivery's hash is lost as well.
// ARGV: token, the lease in ms, how many records, the caller's seq and epoch, an
// epoch to begin; then the IDs of the caller's records.
const takeScript = `
local seq = redis.pcall('HGET', KEYS[5], 'seq')
if type(seq) == 'table' then redis.call('DEL', KEYS[5]) end
seq = type(seq) == 'string' and tonumber(seq) or -1
local epoch = redis.call('HGET', KEYS[5], 'epoch') or ''
if ARGV[5] ~= '' and (seq < tonumber(ARGV[4]) or epoch ~= ARGV[5]) then return {} end
if epoch == '' then
  epoch = ARGV[6]
  redis.call('HSET', KEYS[5], 'seq', math.max(seq, 0), 'epoch', epoch)
end
local holder = redis.call('GET', KEYS[1])
if ARGV[2] == '0' then
  if holder == ARGV[1] then redis.call('DEL', KEYS[1]); holder = false end
elseif not holder or holder == ARGV[1] then
  holder = ARGV[1]
  redis.call('SET', KEYS[1], holder, 'PX', ARGV[2])
end
local delivered, lost = {}, {}
for i = 7, #ARGV do
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
local state = redis.call('HGET', KEYS[5], 'state') or ''
return {epoch, holder or '', redis.call('XLEN', KEYS[2]), records, math.max(seq, 0), state, delivered, lost}`

// saveScript sets the state, where the caller has the lease and knows the latest
// state. The client repeats a script whose answer did not come: what is saved
// already is a success, too. ARGV are those of markDelivered.
const saveScript = `
local kept = redis.call('HMGET', KEYS[5], 'seq', 'state')
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if kept[1] == ARGV[2] and kept[2] == ARGV[3] then return 1 end
if tonumber(kept[1]) ~= ARGV[2] - 1 then return 0 end
redis.call('HSET', KEYS[5], 'seq', ARGV[2], 'state', ARGV[3])` + markDelivered + `
return 1`

// restoreScript tells Redis what it has lost: the state, where the caller has a
// later one, and who has the lease. That begins an epoch, for others may know more.
// It returns the epoch. ARGV are those of markDelivered.
const restoreScript = `
if (tonumber(redis.call('HGET', KEYS[5], 'seq')) or -1) < tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[5], 'seq', ARGV[2], 'state', ARGV[3], 'epoch', ARGV[7])
  if ARGV[1] ~= '' then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[6], 'NX') end
end
redis.call('HSETNX', KEYS[5], 'epoch', ARGV[7])` + markDelivered + `
return redis.call('HGET', KEYS[5], 'epoch')`

// markDelivered notes that records are delivered. One that this program did not
// write is not in the hash, and has its stream ID for an ID.
// ARGV: token of the lease's holder, seq, the state, now and the time before which
// deliveries are forgotten in ms, the lease in ms, an epoch to begin; then the IDs
// of the records.
const markDelivered = `
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', ARGV[5])
for i = 8, #ARGV do
  redis.pcall('XDEL', KEYS[2], redis.call('HGET', KEYS[3], ARGV[i]) or ARGV[i])
  redis.call('HDEL', KEYS[3], ARGV[i])
  redis.call('ZADD', KEYS[4], ARGV[4], ARGV[i])
end`
