package logchannel

import "github.com/redis/go-redis/v9"

// scripts are the changes to a channel's queue in Redis, each of which happens
// as a whole or not at all.
type scripts struct {
	add, take, keep, commit *redis.Script
}

func newScripts() scripts {
	return scripts{
		add: redis.NewScript(addScript), take: redis.NewScript(takeScript), keep: redis.NewScript(keepScript),
		commit: redis.NewScript(commitScript),
	}
}

// addScript adds records that are not known yet. KEYS: stream, recorded.
// ARGV: now and how long to remember, in ms; then ID and content of each.
const addScript = `
for i = 3, #ARGV, 2 do
  if redis.call('ZADD', KEYS[2], 'NX', ARGV[1], ARGV[i]) == 1 then
    redis.call('XADD', KEYS[1], '*', 'record', ARGV[i + 1])
  end
end
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return 1`

// takeScript takes the lease or makes it last, unless it is another's, and
// returns whether, how many records wait, the first of them, state and plan.
// A lease of 0 ms is given up instead.
// KEYS: lease, stream, plan, state. ARGV: token, the lease's ms, how many records.
const takeScript = `
local holder = redis.call('GET', KEYS[1])
local waiting, state = redis.call('XLEN', KEYS[2]), redis.call('GET', KEYS[4])
if holder == ARGV[1] and ARGV[2] == '0' then redis.call('DEL', KEYS[1]) end
if ARGV[2] == '0' or holder and holder ~= ARGV[1] then
  return {0, waiting, redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1), state, false}
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {1, waiting, redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', ARGV[3]), state, redis.call('GET', KEYS[3])}`

// keepScript keeps a plan. KEYS: lease, plan. ARGV: token, plan.
const keepScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[2], ARGV[2])
return 1`

// commitScript sets the state, forgets records and, where done is 1, the plan, and
// what was recorded before a time.
// KEYS: lease, stream, plan, state, recorded. ARGV: token, state, done, time in ms;
// then positions.
const commitScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[4], ARGV[2])
if ARGV[3] == '1' then redis.call('DEL', KEYS[3]) end
redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', ARGV[4])
for i = 5, #ARGV do redis.call('XDEL', KEYS[2], ARGV[i]) end
return 1`
