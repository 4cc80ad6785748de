package record

// Records of a kind have these keys, in one slot of a Cluster:
//
//	{kind}:record:ID hash: v the version, f the format, r the record as JSON, o the owner
//	{kind}:due       sorted set: the IDs, by when they are due (Unix ms, by Redis's clock)
//	{kind}:of:OWNER  set: the IDs of an owner's records
//	{kind}:counts    hash: how often records were saved with a Count, by that
//
// A version is the time in µs, so that a record that is removed and added again does not reuse one.

const clock = `
local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)
local function text(ms) return string.format('%.0f', ms) end
`

// saveScript saves a record. It returns nothing if Redis has another version; "" as the version if the owner has too
// many; otherwise the new version, the time, ARGV 5 for the next Save, and when the record is due (0: never).
//
// KEYS: 1 the record, 2 what is due, 3 the owner's records, 4 the counts. ARGV: 1 the ID, 2 the version that was
// read (0: a new record), 3 the format, 4 the record, 5 its due time since it was taken ("" if it was not), 6 after
// how many ms it is due (-1: unchanged, -2: never), 7 how many the owner may have (0: no limit), 8 for how many ms
// it is kept (0: unchanged, -1: for ever), 9 the Count ("" for none).
const saveScript = clock + `
local version = redis.call('HGET', KEYS[1], 'v') or '0'
if version ~= ARGV[2] then return {} end
local after, due = tonumber(ARGV[6]), tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or nil)
if version == '0' and tonumber(ARGV[7]) > 0 and redis.call('SCARD', KEYS[3]) >= tonumber(ARGV[7]) then return {'', '', '', ''} end
redis.call('SADD', KEYS[3], ARGV[1])
if ARGV[9] ~= '' then redis.call('HINCRBY', KEYS[4], ARGV[9], 1) end
if version == '0' then redis.call('HSET', KEYS[1], 'o', string.match(KEYS[3], ':of:(.*)$')) end
version = text(math.max(tonumber(version) + 1, t[1] * 1000000 + t[2]))
redis.call('HSET', KEYS[1], 'v', version, 'f', ARGV[3], 'r', ARGV[4])
if tonumber(ARGV[8]) > 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[8])
  if redis.call('PTTL', KEYS[3]) < tonumber(ARGV[8]) then redis.call('PEXPIRE', KEYS[3], ARGV[8]) end
elseif tonumber(ARGV[8]) < 0 then redis.call('PERSIST', KEYS[1]) redis.call('PERSIST', KEYS[3]) end
local free = not due or due == tonumber(ARGV[5]) or ARGV[5] == '' and (after < 0 or due > now + after)
if after >= 0 and free then
  due = now + after
  redis.call('ZADD', KEYS[2], text(due), ARGV[1])
elseif after == -2 and free then
  redis.call('ZREM', KEYS[2], ARGV[1])
  due = nil
end
return {version, text(now), ARGV[5] == '' and due and text(due) or ARGV[5], text(due or 0)}`

// takeScript takes a record that is due. It returns the time, when the record is due again, and its version, format,
// content and owner ("" if missing); only the first two if it is not due yet; nothing if it has no due time. A due
// time without a record is removed. KEYS: 1 the record, 2 what is due. ARGV: 1 the ID, 2 after how many ms it is due
// again.
const takeScript = clock + `
local due = redis.call('ZSCORE', KEYS[2], ARGV[1])
if not due then return {} end
if tonumber(due) > now then return {text(now), due} end
local got = redis.call('HMGET', KEYS[1], 'v', 'f', 'r', 'o')
if not got[1] and not got[3] then
  redis.call('ZREM', KEYS[2], ARGV[1])
  return {}
end
due = text(now + ARGV[2])
redis.call('ZADD', KEYS[2], due, ARGV[1])
return {text(now), due, got[1] or '', got[2] or '', got[3] or '', got[4] or ''}`

// dropScript removes a record of a version, and reports whether there was one. KEYS: 1 the record, 2 what is due, 3
// the owner's records. ARGV: 1 the ID, 2 the version.
const dropScript = `
if redis.call('HGET', KEYS[1], 'v') ~= ARGV[2] then return 0 end
redis.call('DEL', KEYS[1]) redis.call('ZREM', KEYS[2], ARGV[1]) redis.call('SREM', KEYS[3], ARGV[1])
return 1`
