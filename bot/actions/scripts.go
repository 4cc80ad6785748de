package actions

// The actions on a customer's bots have these keys, in one slot of a Cluster. They name no
// application: an action on a bot keeps back those that begin in another application's bot.
//
//	hostbot:actions:{CUSTOMER}             hash: of each bot the fields below, after the bot and a colon
//	hostbot:actions:{CUSTOMER}:once:ID     what an interaction has done: the ID of its action, "reported",
//	                                       or what stands for another change
//	hostbot:actions:{CUSTOMER}:token:ID    the token of an action's interaction
//
// The fields are the action's id, its state, its name as action, since when it runs, the record
// of who asked for it, when it was renewed, and from when on the bot is free for others. The last
// is missing until staff know how the action ended. All times are in ms, by Redis's clock but for
// since, which is shown.
//
// What a user has started is counted for whomever it was, so that staff have one limit for all
// customers. For customers themselves the key is in the slot of their actions, for staff in another:
//
//	hostbot:actions:{USER}:started:USER    sorted set: the IDs of a user's actions, by when they began
//
// Each application has an index of what runs, in another slot:
//
//	{actions}:due                  sorted set: CUSTOMER/BOT/ID, by when the action counts as abandoned
//
// An action is in the index before it is in the hash, and leaves it afterwards.

const clock = `
local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)
local function text(ms) return string.format('%.0f', ms) end
`

// holdScript has actions count as abandoned after a time. KEYS: the index. ARGV: the time in ms; the
// actions.
const holdScript = clock + `
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], text(now + ARGV[1]), ARGV[i]) end
return 0`

// fields is what acquireScript and saveScript share. A holder whose ID is not as long as all are is
// none, and what is no number is no time. KEYS: the customer's actions, what the interaction has done,
// and its token. ARGV: the bot, the action's ID, its name, its since, its record, for how long the hash
// is kept, the token ("" for none), and for how long that is good.
const fields = clock + `
local bot, id = ARGV[1] .. ':', ARGV[2]
local function get(name) return redis.call('HGET', KEYS[1], bot .. name) or '' end
local function time(name) return tonumber(get(name)) end
local holder = #get('id') == #id and get('id')
local function write(state)
  redis.call('HDEL', KEYS[1], bot .. 'free')
  redis.call('HSET', KEYS[1], bot .. 'id', id, bot .. 'state', state, bot .. 'action', ARGV[3],
    bot .. 'since', ARGV[4], bot .. 'record', ARGV[5], bot .. 'renewed', text(now))
  redis.call('PEXPIRE', KEYS[1], ARGV[6])
  if ARGV[7] ~= '' then redis.call('SET', KEYS[3], ARGV[7], 'PX', ARGV[8]) end
end
`

// acquireScript begins an action, unless the interaction has acted, another action runs on the
// bot, the same one is held back, or the user has started too many. The first process to ask
// decides for an interaction, also if it is refused: another one must not answer in between. A
// client that hears no answer sends the script again, which must not make it another process.
// It returns what it decided, and of that the action and since when, or how many ms are left.
//
// KEYS also: what the user has started, unless that is in another slot, and counted afterwards
// (store.count). ARGV also: for how long the interaction is known to have
// acted, the window and how many may be started in it, for how long an action is held back, and
// after how long an action that nobody renews or reports is forgotten.
const acquireScript = fields + `
if not redis.call('SET', KEYS[2], id, 'NX', 'PX', ARGV[9]) and redis.call('GET', KEYS[2]) ~= id then return {'duplicate', '', ''} end
if holder == id then return {'granted', '', ''} end
if holder then
  local left = (time('free') or (time('renewed') or 0) + ARGV[13]) - now
  if left > 0 and left <= tonumber(ARGV[13]) then return {'busy', get('action'), get('since')} end
  left = left + ARGV[12]
  if left > 0 and left <= tonumber(ARGV[12]) and get('state') == 'unconfirmed' and get('action') == ARGV[3] then return {'held', '', text(left)} end
end
if KEYS[4] and redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', now - ARGV[10]) and redis.call('ZCARD', KEYS[4]) >= tonumber(ARGV[11]) then
  return {'limit', '', text(redis.call('ZRANGE', KEYS[4], 0, 0, 'WITHSCORES')[2] + ARGV[10] - now)}
end
write('running')
if KEYS[4] then redis.call('ZADD', KEYS[4], text(now), id) redis.call('PEXPIRE', KEYS[4], ARGV[10]) end
return {'granted', '', ''}`

// saveScript writes what has become of an action: it runs still, it has ended, or it is to be
// removed ("gone"), which leaves of one that is not confirmed what holds the same action back.
// What Redis lost is written anew, unless another action was granted since. It returns
// "reported", and changes nothing, if another process has reported the action. ARGV also: the
// state, "free" if the bot is free for others from now on, and "reporter" if it is the reporter
// who asks.
const saveScript = fields + `
if ARGV[11] ~= 'reporter' and redis.call('GET', KEYS[2]) == 'reported' then return 'reported' end
if ARGV[9] == 'gone' then
  if holder ~= id then return 'saved' end
  redis.call('HDEL', KEYS[1], bot .. 'record')
  if get('state') ~= 'unconfirmed' then
    redis.call('HDEL', KEYS[1], bot .. 'id', bot .. 'state', bot .. 'action', bot .. 'since', bot .. 'renewed', bot .. 'free')
  elseif redis.call('HLEN', KEYS[1]) <= 6 then redis.call('PEXPIRE', KEYS[1], ARGV[6]) end -- no other bot is in it
elseif not holder or holder == id or (time('free') or now + 1) <= now then
  write(ARGV[9])
  if ARGV[10] == 'free' then redis.call('HSET', KEYS[1], bot .. 'free', text(now)) end
end
return 'saved'`
