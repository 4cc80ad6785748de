package alerts

import "time"

// What Redis keeps in the application's space. The names have one hash tag, so that a
// Cluster has them in one place.
//
//	{alerts}:customer:ID    a customer's settings, locale and DM channel, or when alerts were turned off as Discord
//	                        refused them; of one who turned them off the channel
//	{alerts}:counts         hash: how much was sent and refused
//	{alerts}:held           hash: why all alerts are held, and until when
//	{alerts}:held:new       hash: the same of first messages to new people
//	…:told:CODE             with either: staff were told that Discord refuses with a code
//	{alerts}:opening        when the next DM would be opened were there no burst (ms)
//
// A hold has until and pause (ms), code (Discord's), who (the customer whose message was
// refused), and trying while one message is tried. Alerts are records of a kind, whose IDs are
// CUSTOMER/BOT and whose owner is the customer.
const (
	kind   = "alerts"
	format = 1 // of an episode as JSON

	countsKey  = "{alerts}:counts" // that of the kind
	sentCount  = "sent"
	allHoldKey = "{alerts}:held"
	newHoldKey = "{alerts}:held:new"
	openingKey = "{alerts}:opening"

	// flap is how long after a recovery a fall is counted in the same message, and countFor
	// up to which age a message counts: less than the hour after which edits are limited.
	flap     = 10 * time.Minute
	countFor = 50 * time.Minute
	// openFor is for how long an episode is kept while the bot is down, so that its message
	// can say when the bot is back, and episodeFor once that was told.
	openFor    = 90 * 24 * time.Hour
	episodeFor = 24 * time.Hour
	// unseenFor is how long nobody may have looked before a fall for it to be taken that
	// the bot had run until then.
	unseenFor = 10 * time.Minute
	// closedFor is for how long it is known why alerts are off.
	closedFor = 30 * 24 * time.Hour
	// channelFor is for how long a customer's DM channel is known once alerts are off.
	channelFor = 30 * 24 * time.Hour
	// heldFor is for how long a hold whose pause is over is remembered while nothing is tried.
	heldFor = 24 * time.Hour
	// callLimit bounds one use of Redis.
	callLimit = time.Second
	// nonceLength is in characters (see message.Wanted.Name).
	nonceLength = 20
)

func (a *Alerts) customerKey(customerID string) string {
	return a.Space.Key("{alerts}:customer:" + customerID)
}

const clock = `local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) `

// lookScript returns how a hold is: 0 none, 1 everything waits, 2 one message may be tried.
// KEYS: the hold. ARGV: for how long (ms) whoever is told of a try has it alone; 0 for no try.
const lookScript = clock + `
local ends = tonumber(redis.call('HGET', KEYS[1], 'until') or '0')
if ends > now then return 1 end
if ends == 0 or ARGV[1] == '0' then return 0 end
redis.call('HSET', KEYS[1], 'until', now + ARGV[1], 'trying', 1)
return 2`

// leftScript returns for how long (ms) everything waits that a hold keeps back. KEYS: the hold.
const leftScript = clock + `return math.max(tonumber(redis.call('HGET', KEYS[1], 'until') or '0') - now, 0)`

// holdScript begins a hold, or doubles its pause, unless a refusal of the same time has just
// done so. The pause stays as it is where the same customer's message was refused as the last
// time: that says nothing new of other people's. It returns 1 where the reason is none that is
// remembered, or 0, and for how long (ms) the hold lasts: also in quarantine Discord takes what
// goes to those to whom the bot has written, which ends a hold. KEYS: the hold, and what is
// there while the reason is remembered. ARGV: the first and the longest pause (ms), the reason,
// for how long (ms) both are remembered, and the customer; empty where the pause always doubles.
const holdScript = clock + `
local ends, pause, trying, code, who = unpack(redis.call('HMGET', KEYS[1], 'until', 'pause', 'trying', 'code', 'who'))
if ends and tonumber(ends) > now and not trying and code == ARGV[3] then return {0, tonumber(ends) - now} end
if not pause or ARGV[5] == '' or who ~= ARGV[5] then pause = math.min(math.max(2 * (pause or 0), ARGV[1]), ARGV[2]) end
redis.call('HSET', KEYS[1], 'until', now + pause, 'pause', pause, 'code', ARGV[3], 'who', ARGV[5])
redis.call('HDEL', KEYS[1], 'trying')
redis.call('PEXPIRE', KEYS[1], pause + ARGV[4])
local news = 1 - redis.call('EXISTS', KEYS[2])
redis.call('SET', KEYS[2], 1, 'PX', pause + ARGV[4])
return {news, tonumber(pause)}`

// brakeScript takes the next place in the line and returns for how long (ms) to wait, or
// takes none and returns that time below zero where it is too long. KEYS: the line. ARGV: the
// time from place to place, how much of it is let go, and the longest wait (ms).
const brakeScript = clock + `
local place = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now)
local wait = math.max(place - now - ARGV[2], 0)
if wait > tonumber(ARGV[3]) then return -wait end
place = place + ARGV[1]
redis.call('SET', KEYS[1], place, 'PX', math.max(place - now, 1))
return wait`

// putOffScript moves the line's next place away. KEYS: the line. ARGV: how far from now (ms).
const putOffScript = clock + `
local place = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now + ARGV[1])
redis.call('SET', KEYS[1], place, 'PX', math.max(place - now, 1))
return 0`
