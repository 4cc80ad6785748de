package actions

// The actions on a customer's bots have these keys, in one slot of a Cluster. They name no
// application: an action on a bot keeps back those that begin in another application's bot.
//
//	hostbot:actions:{CUSTOMER}               hash: of each bot the fields below, after the bot and a colon
//	hostbot:actions:{CUSTOMER}:once:ID       what an interaction has done: the ID of its action, or what
//	                                         stands for another change
//	hostbot:actions:{CUSTOMER}:token:ID      the token of the interaction of the action ID
//	hostbot:actions:{CUSTOMER}:undone:ID     it was reported that the action ID was not done
//	hostbot:actions:{CUSTOMER}:pause:BOT     the kind of action whose end on a bot is not known, for as long
//	                                         as it is held back
//	hostbot:actions:{CUSTOMER}:started:USER  sorted set: the IDs of a user's actions, by when they began
//
// The fields are the action's id, its state, its name as action, since when it runs, the record of
// who asked for it, when it was renewed, and free: 1 if others may act on the bot, as staff know how
// the action ended. Times are in Unix ms, by Redis's clock but for since, which is shown.
//
// Each application has an index of the actions that are in Redis, in another slot. The leader asks
// Redis about each of them whenever it reads the index.
//
//	{actions}:due                  sorted set: CUSTOMER/BOT/ID, each with the score 0

// common is what all scripts share. KEYS: the customer's actions. ARGV: the bot, the action's ID, for
// how long a lock holds.
const common = `
local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)
local function text(ms) return string.format('%.0f', ms) end
local bot, id = ARGV[1] .. ':', ARGV[2]
local function get(name) return redis.call('HGET', KEYS[1], bot .. name) or '' end
local holder, renewed = get('id'), tonumber(get('renewed')) or 0
local function lockLeft() return holder ~= '' and get('free') == '' and renewed + ARGV[3] - now or 0 end
`

// written is what acquireScript and saveScript share. KEYS also: the action's token (the third). ARGV
// also: the action's state, name, since and record, whether the bot is free, for how long the hash is
// kept, the token ("" for none), and for how long that is good.
const written = common + `
local function write()
  redis.call('HSET', KEYS[1], bot .. 'id', id, bot .. 'state', ARGV[4], bot .. 'action', ARGV[5], bot .. 'since', ARGV[6],
    bot .. 'record', ARGV[7], bot .. 'free', ARGV[8], bot .. 'renewed', text(now))
  redis.call('PEXPIRE', KEYS[1], ARGV[9])
  if ARGV[10] ~= '' then redis.call('SET', KEYS[3], ARGV[10], 'PX', ARGV[11]) end
end
`

// acquireScript begins an action, unless the interaction has acted, another action runs on the
// bot, the same one is held back, or the user has started too many. The first process to ask
// decides for an interaction, also if it is refused: another one must not answer in between. A
// client that hears no answer sends the script again, which must not make it another process.
// It returns what it decided, and of that the action and since when, or how many ms are left.
//
// KEYS also: what the interaction has done (the second), the bot's pause, what the user has started.
// ARGV also: for how long the interaction is known to have acted, the window and how many may be
// started in it, and for how long an action is held back. A pause of more than that is a lock.
const acquireScript = written + `
if not redis.call('SET', KEYS[2], id, 'NX', 'PX', ARGV[12]) and redis.call('GET', KEYS[2]) ~= id then return {'duplicate', '', ''} end
if holder == id then return {'granted', '', ''} end
if lockLeft() > 0 then return {'busy', get('action'), get('since')} end
local paused, left = redis.call('GET', KEYS[4]), redis.call('PTTL', KEYS[4]) - ARGV[15]
if paused and left > 0 then return {'busy', paused, text(now + left - ARGV[3])} end
if paused == ARGV[5] then return {'held', '', text(left + ARGV[15])} end
redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', now - ARGV[13])
if redis.call('ZCARD', KEYS[5]) >= tonumber(ARGV[14]) then
  return {'limit', '', text(redis.call('ZRANGE', KEYS[5], 0, 0, 'WITHSCORES')[2] + ARGV[13] - now)}
end
write()
redis.call('ZADD', KEYS[5], text(now), id) redis.call('PEXPIRE', KEYS[5], ARGV[13])
return {'granted', '', ''}`

// saveScript writes what has become of an action, or removes it if its state is "gone". What Redis
// lost is written anew, unless another action has the lock. It returns "undone", and changes nothing,
// if the action has yet to be sent and another process has reported that it was not.
//
// KEYS also: whether it was reported as not done (the second), the bot's pause, what the user has
// started. ARGV also: for how long the same action is held back from now on (0 to leave that as it
// is), and whether an action that is gone does not count among those that were started.
const saveScript = written + `
if (ARGV[4] == 'locked' or ARGV[4] == 'sent') and redis.call('EXISTS', KEYS[2]) == 1 then return 'undone' end
if tonumber(ARGV[12]) > 0 then redis.call('SET', KEYS[4], ARGV[5], 'PX', ARGV[12]) end
if ARGV[4] == 'gone' then
  if holder == id then
    for _, name in ipairs({'id', 'state', 'action', 'since', 'record', 'free', 'renewed'}) do redis.call('HDEL', KEYS[1], bot .. name) end
  end
  redis.call('DEL', KEYS[3])
  if ARGV[13] == '1' then redis.call('ZREM', KEYS[5], id) end
  return 'saved'
end
if holder == id or lockLeft() <= 0 then write() end
return 'saved'`

// takeScript is what a process asks that is to report an action. It returns nothing if there is none
// (any more); for how many ms its own process has yet to renew it; or 0, the action's state, "1" if its
// bot is free, its record, its token, and for how many ms its lock holds. An action that has yet to be
// sent cannot be from then on. KEYS also: that it was reported as not done, its token. ARGV also: after
// which time an action is abandoned that is not renewed, and for how long a report is remembered.
const takeScript = common + `
if holder ~= id then return {} end
local left = renewed + ARGV[4] - now
if left > 0 then return {text(left)} end
if get('state') == 'locked' then redis.call('SET', KEYS[2], '1', 'PX', ARGV[5]) end
return {'0', get('state'), get('free'), get('record'), redis.call('GET', KEYS[3]) or '', text(math.max(lockLeft(), 0))}`
