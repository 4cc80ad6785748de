package actions

// The actions on a customer's bots have these keys, in one slot of a Cluster. The keys name no Discord
// application, as a bot's lock holds for all applications that share this Redis.
//
//	hostbot:actions:{CUSTOMER}               hash: for each bot the fields below, each as BOT:FIELD
//	hostbot:actions:{CUSTOMER}:once:ID       by interaction: the ID of its action, or a random text if it has
//	                                         changed something other than a bot
//	hostbot:actions:{CUSTOMER}:token:ID      by action: the token of its interaction
//	hostbot:actions:{CUSTOMER}:undone:ID     by action: it was reported as not done
//	hostbot:actions:{CUSTOMER}:pause:BOT     the name of the action that is paused on a bot
//	hostbot:actions:{CUSTOMER}:started:USER  sorted set: the IDs of a user's actions, by when they began
//
// The fields are id, state, action (its name), since (when it began), record (a document), renewed (when), and
// free: 1 if others may act on the bot, as the outcome is logged for staff. Times are in Unix ms, by Redis's
// clock, except since: that is shown, and is by the process's clock.
//
// Each application has an index of its actions, in another slot. The leader looks at each of them whenever it
// reads the index.
//
//	{actions}:due                  sorted set: CUSTOMER/BOT/ID, each with the score 0

// common is shared by all scripts. KEYS: 1 the customer's actions. ARGV: 1 the bot, 2 the action's ID, 3 how
// long a lock lasts.
const common = `
local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)
local function text(ms) return string.format('%.0f', ms) end
local bot, id = ARGV[1] .. ':', ARGV[2]
local function get(name) return redis.call('HGET', KEYS[1], bot .. name) or '' end
local holder, renewed = get('id'), tonumber(get('renewed')) or 0
local function lockLeft() return holder ~= '' and get('free') == '' and renewed + ARGV[3] - now or 0 end
`

// written is shared by acquireScript and saveScript. KEYS also: 3 the action's token. ARGV also: 4 to 8 the
// fields state, action, since, record and free, 9 how long the hash is kept, 10 the token ("" for none), 11 how
// long that is valid.
const written = common + `
local function write()
  redis.call('HSET', KEYS[1], bot .. 'id', id, bot .. 'state', ARGV[4], bot .. 'action', ARGV[5], bot .. 'since', ARGV[6],
    bot .. 'record', ARGV[7], bot .. 'free', ARGV[8], bot .. 'renewed', text(now))
  redis.call('PEXPIRE', KEYS[1], ARGV[9])
  if ARGV[10] ~= '' then redis.call('SET', KEYS[3], ARGV[10], 'PX', ARGV[11]) end
end
`

// acquireScript begins an action, unless the interaction has acted, another action runs on the bot, the same one
// is paused, or the user has started too many. Even a refusal counts as acting, so that only one process
// answers. A client that hears no answer sends the script again; it must not be taken for another process then.
// It returns the decision, the name of the action that runs (for busy), and since when, or how many ms are left.
//
// KEYS also: 2 what the interaction has done, 4 the bot's pause, 5 what the user has started. ARGV also: 12 how
// long 2 is kept, 13 Window, 14 PerWindow, 15 Pause. A pause that is longer than Pause begins with the rest of
// a dead process's lock.
const acquireScript = written + `
if not redis.call('SET', KEYS[2], id, 'NX', 'PX', ARGV[12]) and redis.call('GET', KEYS[2]) ~= id then return {'duplicate', '', ''} end
if holder == id then return {'granted', '', ''} end
if lockLeft() > 0 then return {'busy', get('action'), get('since')} end
local paused, left = redis.call('GET', KEYS[4]), redis.call('PTTL', KEYS[4]) - ARGV[15]
if paused and left > 0 then return {'busy', paused, text(now + left - ARGV[3])} end
if paused == ARGV[5] then return {'paused', '', text(left + ARGV[15])} end
redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', now - ARGV[13])
if redis.call('ZCARD', KEYS[5]) >= tonumber(ARGV[14]) then
  return {'limit', '', text(redis.call('ZRANGE', KEYS[5], 0, 0, 'WITHSCORES')[2] + ARGV[13] - now)}
end
write()
redis.call('ZADD', KEYS[5], text(now), id) redis.call('PEXPIRE', KEYS[5], ARGV[13])
return {'granted', '', ''}`

// saveScript writes the record of an action, or removes it if its state is gone. A record that Redis has lost
// is written again, unless another action has the lock. If the action was reported as not done before it ended,
// the script changes nothing and returns undone.
//
// KEYS also: 2 whether it was reported as not done, 4 the bot's pause, 5 what the user has started. ARGV also:
// 12 how long the same action is paused from now on (0: as it is), 13 whether an action that is gone is taken
// out of 5.
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

// takeScript takes an action to report it. It returns nothing if the action has no record; the ms after which it
// can be taken if it is still renewed; or 0, the fields state, free and record, the token, and how many ms its
// lock still lasts. A locked action cannot be sent any more after that. KEYS also: 2 that it was reported as not
// done, 3 its token. ARGV also: 4 Timing.Abandoned, 5 how long 2 is kept.
const takeScript = common + `
if holder ~= id then return {} end
local left = renewed + ARGV[4] - now
if left > 0 then return {text(left)} end
if get('state') == 'locked' then redis.call('SET', KEYS[2], '1', 'PX', ARGV[5]) end
return {'0', get('state'), get('free'), get('record'), redis.call('GET', KEYS[3]) or '', text(math.max(lockLeft(), 0))}`
