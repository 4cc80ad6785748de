package shards

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/discord/gateway"
	"hostbot/bot/store/keyspace"
)

// Times of what is kept in Redis.
const (
	// sessionLife is for how long a session is kept to which nobody is connected.
	// Discord keeps it for "a few minutes"
	// (https://discord.com/developers/docs/events/gateway#initiating-a-disconnect).
	sessionLife = 5 * time.Minute
	// callLimit bounds one use of Redis.
	callLimit = time.Second
)

// All keys have one slot, so that a cluster lets a script have them together.
const (
	prefix  = "{shards}:"
	channel = prefix + "freed" // says that a shard may be taken
	autoKey = prefix + "auto"  // the numbers of shards that were recommended and run, by when they expire
)

// A lease is "replica expiry", a replica is in a sorted set by its expiry. Both are
// in milliseconds of Redis's clock.
const (
	common = `
local function now() local t = redis.call('TIME') return t[1] * 1000 + math.floor(t[2] / 1000) end
local function holders(leases, at)
  local by, all = {}, redis.call('HGETALL', leases)
  for i = 1, #all, 2 do
    local who, till = string.match(all[i + 1], '^(%S+) (%d+)$')
    if who and tonumber(till) > at then by[all[i]] = who end
  end
  return by
end
`
	// A lease of mine that I do not claim is one of whose grant I did not hear.
	//
	// The fair share is count / replicas, and one more for as many replicas as are left
	// over: for me, unless others have these already.
	roundScript = common + `
local replicas, leases, sessions, auto = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local me, count, life, keep = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local joined, stopping, take, recommended = ARGV[5] == '1', ARGV[6] == '1', ARGV[7] == '1', ARGV[8] == '1'
local at = now()
redis.call('ZREMRANGEBYSCORE', replicas, '-inf', at)
local known = stopping or redis.call('ZSCORE', replicas, me)
if stopping then redis.call('ZREM', replicas, me) else redis.call('ZADD', replicas, at + life, me) end
if recommended then redis.call('ZADD', auto, at + life, count) end
local by, lost, mine = holders(leases, at), {}, 0
for shard, who in pairs(by) do if who == me then by[shard] = nil end end
local grant = me .. ' ' .. string.format('%d', at + life)
for i = 9, #ARGV, 2 do
  local shard = ARGV[i]
  if by[shard] then
    lost[shard] = true
  else
    by[shard], mine = me, mine + 1
    redis.call('HSET', leases, shard, grant)
    if ARGV[i + 1] ~= '' then redis.call('HSET', sessions, shard, ARGV[i + 1]) else redis.call('HDEL', sessions, shard) end
  end
end
local n, has = 0, {}
for _, who in ipairs(redis.call('ZRANGE', replicas, 0, -1)) do has[who] = 0; n = n + 1 end
for _, who in pairs(by) do if has[who] then has[who] = has[who] + 1 end end
local share = count
if n > 0 then
  share = math.floor(count / n)
  local over = count % n
  for who, held in pairs(has) do if who ~= me and held > share then over = over - 1 end end
  if over > 0 then share = share + 1 end
  if stopping then share = 0 end
end
local taken, free = {}, 0
for i = 0, count - 1 do
  local shard = string.format('%d', i)
  if not by[shard] then
    if take and (known or not joined) and mine < share then
      mine = mine + 1
      redis.call('HSET', leases, shard, grant)
      taken[shard] = redis.call('HGET', sessions, shard) or ''
    else
      free = free + 1
    end
  end
end
for _, key in ipairs({replicas, leases, sessions}) do redis.call('PEXPIRE', key, keep) end
redis.call('ZREMRANGEBYSCORE', auto, '-inf', at)
local sets = {}
for _, set in ipairs(recommended and redis.call('ZRANGE', auto, 0, -1) or {}) do sets[set] = true end
local function some(set) return next(set) and set or nil end -- an empty one might be taken for a list
return cjson.encode({
  Known = known and true or false, Replicas = n, Free = free, Surplus = math.max(0, mine - share),
  Lost = some(lost), Taken = some(taken), Sets = some(sets)
})`
	// What another holds by now is left alone. The replicas are woken only if there is
	// something to take: each has a round then.
	releaseScript = common + `
local replicas, leases, sessions = KEYS[1], KEYS[2], KEYS[3]
local me, keep, leaving = ARGV[1], ARGV[2], ARGV[3] == '1'
local by, freed = holders(leases, 0), false
for i = 5, #ARGV, 2 do
  local shard = ARGV[i]
  if by[shard] == me then
    freed = true
    redis.call('HDEL', leases, shard)
    if ARGV[i + 1] ~= '' then redis.call('HSET', sessions, shard, ARGV[i + 1]) else redis.call('HDEL', sessions, shard) end
  end
end
redis.call('PEXPIRE', sessions, keep)
if leaving then redis.call('ZREM', replicas, me) end
if freed then redis.call('PUBLISH', ARGV[4], '') end
return 0`
	completeScript = common + `
local count, n = tonumber(ARGV[1]), 0
for shard in pairs(holders(KEYS[2], now())) do
  if redis.call('HEXISTS', KEYS[3], shard) == 1 then n = n + 1 end
end
return n >= count and 1 or 0`
)

// leases are the shards as Redis has them.
type leases struct {
	redis       redis.UniversalClient
	space       keyspace.Space
	me          string
	recommended bool // the number of shards is what Discord recommends
}

func newLeases(client redis.UniversalClient, space keyspace.Space, recommended bool) leases {
	return leases{client, space, rand.Text(), recommended}
}

// request is what a round tells Redis.
type request struct {
	count    int
	claimed  map[int]gateway.Session // what is held; ID is empty for a session that is yet to begin
	joined   bool                    // Redis should know this replica
	stopping bool                    // nothing is wanted where there are others
	take     bool                    // what is free may be taken
}

// answer is what Redis says.
type answer struct {
	Known    bool // this replica is one that Redis knew
	Replicas int  // that live and are not stopping
	Free     int  // shards that nobody holds
	Surplus  int  // shards that others should have
	Lost     map[int]bool
	Taken    map[int]string // the sessions of shards that are held from now on, as JSON; empty where there is none
	Sets     map[int]bool   // numbers of shards that were recommended and run
}

func (l leases) round(ctx context.Context, r request) (*answer, error) {
	args := []any{l.me, r.count, lease.Milliseconds(), sessionLife.Milliseconds(), r.joined, r.stopping, r.take, l.recommended}
	said, err := l.run(ctx, roundScript, r.count, append(args, pairs(r.claimed)...)).Text()
	if err != nil {
		return nil, err
	}
	var got answer
	if err := json.Unmarshal([]byte(said), &got); err != nil {
		return nil, err
	}
	return &got, nil
}

// release gives leases back, with the sessions as they were left.
func (l leases) release(ctx context.Context, count int, left map[int]gateway.Session, leaving bool) error {
	args := []any{l.me, sessionLife.Milliseconds(), leaving, l.space.Key(channel)}
	return l.run(ctx, releaseScript, count, append(args, pairs(left)...)).Err()
}

// complete tells whether all shards of a set are held, with sessions that were begun.
func (l leases) complete(ctx context.Context, count int) (bool, error) {
	n, err := l.run(ctx, completeScript, count, []any{count}).Int()
	return n == 1, err
}

// subscribe returns a channel that says when a shard may be free.
func (l leases) subscribe(ctx context.Context) (freed <-chan *redis.Message, unsubscribe func()) {
	if l.redis == nil {
		return nil, func() {}
	}
	subscription := l.redis.Subscribe(ctx, l.space.Key(channel))
	return subscription.Channel(), func() { _ = subscription.Close() }
}

func (l leases) run(ctx context.Context, script string, count int, args []any) *redis.Cmd {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	set := l.space.Key(prefix + strconv.Itoa(count) + ":")
	return redis.NewScript(script).Run(ctx, l.redis, []string{set + "replicas", set + "leases", set + "sessions", l.space.Key(autoKey)}, args...)
}

// pairs lists shards with their sessions, as arguments of a script. A session that has
// not begun is the empty text.
func pairs(sessions map[int]gateway.Session) []any {
	var args []any
	for id, session := range sessions {
		text := []byte{}
		if session.ID != "" {
			text, _ = json.Marshal(session) // texts and a number always can be encoded
		}
		args = append(args, id, text)
	}
	return args
}
