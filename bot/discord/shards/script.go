package shards

// syncScript renews a replica's leases, notes what it gives away, and grants it what is free.
// It reads and writes one hash:
//
//	field                value
//	replica <name>       <time> <its number of shards> <1 if Discord recommended that, else 0> <phase>
//	shard <number> <ID>  <time> <holder, or "-"> <session as JSON, or nothing>
//
// Shards of another number are another set. A time is when the field was written, in ms of
// Redis's clock. A replica lives, and a shard is held, until its lease is over by then; a
// session is kept for longer. A time that lies ahead by as much was a wrong clock's. A replica
// that leaves stays in the hash for the rest of its lease, so that who starts then learns the
// number of shards to resume.
//
// The fair share is the number of shards divided by that of the replicas, and one more for as
// many replicas as are left over: for this one, unless others have these already.
//
// The others are woken where that lets them take or give a shard, as each of them syncs then.
//
// ARGV: this replica, its number of shards, whether Discord recommends that, its phase, whether
// it may take shards, how long a lease and a session last (ms), the channel of notices, the largest
// number of shards that is believed of others, and three values for each shard: claim or leave, the ID, the session.
const syncScript = `
local me, set, auto, phase, take = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5] == '1'
local lease, keep, channel = tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8]
local most, count, t = tonumber(ARGV[9]), tonumber(set), redis.call('TIME')
local at = t[1] * 1000 + math.floor(t[2] / 1000)
local function text(n) return string.format('%d', n) end

local all = redis.pcall('HGETALL', KEYS[1])
if all.err then
  if not string.find(all.err, 'WRONGTYPE') then return all end
  redis.call('DEL', KEYS[1]) -- it is nobody's
  all = {}
end
local replicas, sets, over = {}, {}, {}
for i = 1, #all, 2 do
  local who = string.match(all[i], '^replica (%S+)$')
  local number, shard = string.match(all[i], '^shard (%d+) (%d+)$')
  local since, first, second = string.match(all[i + 1], '^(%d+) (%S+) (.*)$')
  local age = since and #since < 16 and math.abs(at - tonumber(since)) or keep -- what is longer is no time
  if who and first and string.match(first, '^[1-9]%d*$') and #first < 6 and age < lease then
    local recommended, stage = string.match(second, '^(%S+) (%S+)$')
    replicas[who] = {set = first, auto = recommended, leaves = stage == 'leaving', ends = lease - age}
  elseif shard and age < keep then
    sets[number] = sets[number] or {}
    sets[number][shard] = {last = first, session = second, ends = lease - age, holder = age < lease and first ~= '-' and first or nil}
  else
    over[#over + 1] = all[i]
  end
end

local larger = 0
for _, other in pairs(replicas) do
  local others = tonumber(other.set)
  if auto == '1' and other.auto == '1' and others <= most then larger = math.max(larger, others) end
end
if larger > count and phase ~= 'leaving' then
  local complete, shards = true, sets[text(larger)] or {}
  for i = 0, larger - 1 do
    local shard = shards[text(i)]
    complete = complete and shard and shard.holder and shard.session ~= ''
  end
  if complete or phase == 'joining' then return cjson.encode({Larger = larger}) end -- who joins gives nothing up
end

local shards, fields, lost, mine, freed = sets[set] or {}, {}, {}, 0, false
local function write(shard, holder, session)
  shards[shard] = {last = holder, session = session, holder = holder, written = true}
  fields[#fields + 1] = 'shard ' .. set .. ' ' .. shard
  fields[#fields + 1] = text(at) .. ' ' .. (holder or '-') .. ' ' .. session
end
for i = 10, #ARGV, 3 do
  local verb, id, session = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local shard = shards[id]
  if verb == 'leave' then -- what another has had meanwhile is left alone
    if not shard or shard.last == me then
      write(id, nil, session)
      freed = true
    end
  elseif shard and shard.holder and shard.holder ~= me then
    lost[id] = true
  else
    write(id, me, session)
    mine = mine + 1
  end
end

local known = phase == 'leaving' or replicas[me] and replicas[me].set == set
replicas[me] = {set = set, leaves = phase == 'leaving', ends = lease}
fields[#fields + 1] = 'replica ' .. me
fields[#fields + 1] = text(at) .. ' ' .. set .. ' ' .. auto .. ' ' .. phase
local n, has, wait = 0, {}, lease
for who, replica in pairs(replicas) do
  if replica.set == set and not replica.leaves then
    n, has[who], wait = n + 1, 0, math.min(wait, replica.ends)
  end
end
for _, shard in pairs(shards) do
  local who = shard.holder
  if who and who ~= me then
    wait = math.min(wait, shard.ends)
    if has[who] then has[who] = has[who] + 1 end
  end
end
local share, least = count, 0
if n > 0 then
  least = math.floor(count / n)
  local left = count % n
  for who, holds in pairs(has) do if who ~= me and holds > least then left = left - 1 end end
  share = left > 0 and least + 1 or least
  if phase == 'leaving' then share = 0 end
end

local taken, free = {}, 0
for i = 0, count - 1 do
  local id = text(i)
  local shard = shards[id]
  -- A lease of mine that I do not claim is one of whose grant I did not hear.
  if not shard or not shard.holder or shard.holder == me and not shard.written then
    if take and mine < share and (known or phase == 'joining') then
      mine = mine + 1
      taken[id] = shard and shard.session or ''
      write(id, me, taken[id])
    else
      free = free + 1
    end
  end
end

-- Lua passes on no more than some thousand values. What is over may be written anew.
for i = 1, #over, 1000 do redis.call('HDEL', KEYS[1], unpack(over, i, math.min(i + 999, #over))) end
for i = 1, #fields, 1000 do redis.call('HSET', KEYS[1], unpack(fields, i, math.min(i + 999, #fields))) end
redis.call('PEXPIRE', KEYS[1], keep)
if freed or phase == 'joining' and free == 0 and mine < least then redis.call('PUBLISH', channel, '') end
local function some(list) return next(list) and list or nil end -- an empty one might be taken for a list
return cjson.encode({
  Known = known and true or false, Replicas = n, Free = free, Surplus = math.max(0, mine - share), Wait = wait,
  Lost = some(lost), Taken = some(taken)
})`
