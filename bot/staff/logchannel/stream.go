package logchannel

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/redis/go-redis/v9"

	"hostbot/bot/sanitize"
)

const (
	// rememberFor is how long Redis knows an entry's ID, at about 150 bytes each. An entry that is added
	// again after that is there twice.
	rememberFor = 24 * time.Hour
	// formerFor is for how long entries wait for a channel that is not in the settings any more.
	// Until then a replica with the former settings may run, and its channel may be mended.
	formerFor = 24 * time.Hour
	// readAtOnce is how many entries are read for a message. An entry that only adds to a count is not one of them.
	// readMost bounds the entries with those that only add to a count.
	readAtOnce, readMost = maxEmbeds, 1000
	// group and consumer are the same for all leaders. So a leader first reads what the one before has read and not
	// acknowledged.
	group, consumer = "leader", "leader"
)

// stream is what Redis has of a channel. It is safe for concurrent use.
//
//	{logs}:stream:CHANNEL  stream: the entries that wait, as JSON in the field e; no key if none waits
//	{logs}:state:CHANNEL   hash: the version v and the state s as JSON, for as long as a message counts
//	{logs}:id:CHANNEL:ID   string: an entry with this ID was added within a day
//	{logs}:due             sorted set: the channels for which entries wait, by when they are tried
//	                       (Unix ms by Redis's clock)
//
// The keys of entries that wait do not expire, so an eviction policy of volatile-* takes none of them.
type stream struct {
	redis    redis.UniversalClient
	channel  string
	key, due string
	state    string        // key
	ids      string        // what the keys of IDs begin with
	stateFor time.Duration // for how long the state is kept
}

func newStream(c Config, channel string) *stream {
	key := func(name string) string { return c.Space.Key("{" + kind + "}:" + name) }
	return &stream{
		redis: c.Redis, channel: channel, key: key("stream:" + channel), state: key("state:" + channel), ids: key("id:" + channel + ":"), due: key("due"),
		stateFor: max(c.Timing.CountFor, time.Millisecond),
	}
}

// addScript adds an entry unless its ID is known, and returns 1 if the channel was not due before. It may
// be repeated if its outcome is not known.
//
// KEYS: the entry's ID, the stream, what is due. ARGV: for how long the ID is known (ms), the entry, the channel.
const addScript = `
if not redis.call('SET', KEYS[1], 1, 'NX', 'PX', ARGV[1]) then return 0 end
redis.call('XADD', KEYS[2], '*', 'e', ARGV[2])
return redis.call('ZADD', KEYS[3], 'NX', 0, ARGV[3])`

// doneScript removes entries, saves the state, and makes the channel due later or, if no entry waits, not at all. It
// returns how many entries wait. If the saved state has another version than was read, it changes nothing and returns -1.
// It may be repeated.
//
// KEYS: the stream, the state, what is due. ARGV: the version that was read ("" for none), the new one, the
// state, for how long it is kept (ms), the channel, after how many ms it is due, the group, then the
// entries by their IDs in the stream.
const doneScript = `
local version = redis.call('HGET', KEYS[2], 'v') or ''
if version ~= ARGV[1] and version ~= ARGV[2] then return -1 end
if #ARGV > 7 then
  redis.call('XACK', KEYS[1], ARGV[7], unpack(ARGV, 8))
  redis.call('XDEL', KEYS[1], unpack(ARGV, 8))
end
redis.call('HSET', KEYS[2], 'v', ARGV[2], 's', ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
local t, waiting = redis.call('TIME'), redis.call('XLEN', KEYS[1])
if waiting > 0 then redis.call('ZADD', KEYS[3], string.format('%.0f', t[1] * 1000 + math.floor(t[2] / 1000) + ARGV[6]), ARGV[5])
else redis.call('ZREM', KEYS[3], ARGV[5]) redis.call('DEL', KEYS[1]) end
return waiting`

// add adds entries in this order, and reports whether the channel was not due before. If the outcome is not known, add
// may be called again.
func (s *stream) add(ctx context.Context, entries []kept) (due bool, err error) {
	added := make([]*redis.Cmd, len(entries))
	_, err = s.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, e := range entries {
			content, _ := json.Marshal(e) // it consists of what can be encoded
			// the whole script, as Redis may have forgotten it
			added[i] = redis.NewScript(addScript).Eval(ctx, p, []string{s.ids + e.ID, s.key, s.due}, rememberFor.Milliseconds(), content, s.channel)
		}
		return nil
	})
	return slices.ContainsFunc(added, func(a *redis.Cmd) bool { is, _ := a.Bool(); return is }), err
}

// reading is what is known of a channel.
type reading struct {
	state   state
	version string
	waiting int      // entries
	first   string   // ID in the stream of the first one; "" without any
	entries []kept   // that wait first
	gone    []string // IDs in the stream of pending entries that were trimmed
}

// look returns what is known of a channel, without the entries.
func (s *stream) look(ctx context.Context) (r reading, err error) {
	var saved *redis.SliceCmd
	var length *redis.IntCmd
	var first *redis.XMessageSliceCmd
	_, err = s.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		saved, length, first = p.HMGet(ctx, s.state, "v", "s"), p.XLen(ctx, s.key), p.XRangeN(ctx, s.key, "-", "+", 1)
		return nil
	})
	if err != nil {
		return r, err
	}
	r.waiting = int(length.Val())
	if list := first.Val(); len(list) > 0 {
		r.first = list[0].ID
	}
	r.version, _ = saved.Val()[0].(string)
	content, _ := saved.Val()[1].(string)
	if json.Unmarshal([]byte(content), &r.state) != nil { // what waits can be delivered without it
		r.state = state{}
	}
	return r, nil
}

// oldest returns when the first entry was added, from its ID in the stream; zero if there is none.
func (r *reading) oldest() time.Time {
	if r.first == "" {
		return time.Time{}
	}
	ms, _, _ := strings.Cut(r.first, "-")
	at, _ := strconv.ParseInt(ms, 10, 64)
	return time.UnixMilli(at)
}

// read reads the first entries: pending ones, and then new ones as far as there is room. If Discord may have the pending
// ones (sure is not set), it reads only these and sets tried: a message with more entries would not be found.
func (s *stream) read(ctx context.Context, r *reading, sure bool) (tried bool, err error) {
	if err = s.readFrom(ctx, r, "0", readMost); err != nil || !sure && len(r.entries) > 0 {
		return true, err
	}
	for slots := r.slots(); slots < readAtOnce && len(r.entries) < readMost; slots = r.slots() {
		before := len(r.entries)
		n := min(readAtOnce-slots+before-slots, readMost-before) // of what comes as many may be counted as were so far
		if err = s.readFrom(ctx, r, ">", n); err != nil || len(r.entries) < before+n {
			break
		}
	}
	return false, err
}

// slots returns how many of the entries need a slot of their own: the others only add to a count.
func (r *reading) slots() (n int) {
	groups := make(map[string]bool)
	for _, c := range r.state.Counters {
		for _, s := range c.Slots {
			groups[s.GroupKey] = true
		}
	}
	for _, e := range r.entries {
		if e.GroupKey == "" || !groups[e.GroupKey] {
			n++
		}
		groups[e.GroupKey] = true
	}
	return n
}

// readFrom reads entries that are pending ("0"), or that were never read (">"). If the group does not exist, it creates
// it: Redis may have lost it, or no entry has waited lately.
func (s *stream) readFrom(ctx context.Context, r *reading, from string, count int) error {
	args := &redis.XReadGroupArgs{Group: group, Consumer: consumer, Streams: []string{s.key, from}, Count: int64(count), Block: -1}
	found, err := s.redis.XReadGroup(ctx, args).Result()
	if redis.HasErrorPrefix(err, "NOGROUP") {
		if err = s.redis.XGroupCreateMkStream(ctx, s.key, group, "0").Err(); err == nil {
			found, err = s.redis.XReadGroup(ctx, args).Result()
		}
	}
	if errors.Is(err, redis.Nil) || err == nil && len(found) == 0 {
		return nil
	} else if err != nil {
		return err
	}
	for _, m := range found[0].Messages {
		content, is := m.Values["e"].(string)
		if !is {
			r.gone = append(r.gone, m.ID)
			continue
		}
		e := readKept(content)
		e.at = m.ID
		r.entries = append(r.entries, e)
	}
	return nil
}

// settle removes entries, saves the state, and makes the channel due after a time. It returns how many entries wait; -1
// if another process has saved a state meanwhile: then nothing changes.
func (s *stream) settle(ctx context.Context, r reading, done []string, after time.Duration) (waiting int, err error) {
	content, _ := json.Marshal(r.state) // it consists of what can be encoded
	args := []any{r.version, rand.Text(), content, s.stateFor.Milliseconds(), s.channel, after.Milliseconds(), group}
	for _, id := range slices.Concat(r.gone, done) {
		args = append(args, id)
	}
	return redis.NewScript(doneScript).Run(ctx, s.redis, []string{s.key, s.state, s.due}, args...).Int()
}

// skip drops the entry that waits first, with the state, and reports whether there was one.
func (s *stream) skip(ctx context.Context) (skipped bool, err error) {
	r, err := s.look(ctx)
	if err != nil || r.first == "" {
		return false, err
	}
	r.state = state{}
	waiting, err := s.settle(ctx, r, []string{r.first}, 0)
	return err == nil && waiting >= 0, err
}

// dropOutdated drops the entries that have waited for longer than formerFor, and returns how many those were.
func (s *stream) dropOutdated(ctx context.Context) (dropped int64, err error) {
	before := strconv.FormatInt(time.Now().Add(-formerFor).UnixMilli(), 10)
	return s.redis.XTrimMinID(ctx, s.key, before).Result()
}

// dropSurplus drops entries so that at most most are left, and returns how many it has dropped. Among the oldest it drops
// errors that are counted first.
func (s *stream) dropSurplus(ctx context.Context, surplus, most int) (dropped int64, err error) {
	oldest, err := s.redis.XRangeN(ctx, s.key, "-", "+", readMost).Result()
	if err != nil {
		return 0, err
	}
	var counted []string
	for _, m := range oldest {
		content, _ := m.Values["e"].(string)
		if len(counted) < surplus && readKept(content).GroupKey != "" {
			counted = append(counted, m.ID)
		}
	}
	if len(counted) > 0 {
		if dropped, err = s.redis.XDel(ctx, s.key, counted...).Result(); err != nil {
			return 0, err
		}
	}
	rest, err := s.redis.XTrimMaxLen(ctx, s.key, int64(most)).Result()
	return dropped + rest, err
}

// readKept decodes an entry. If it cannot, since another version of the program has written the entry, it returns one
// that shows the JSON as it is.
func readKept(content string) kept {
	var e kept
	if err := json.Unmarshal([]byte(content), &e); err != nil || e.Line == "" && e.Embed == nil {
		e = newKept(Entry{Embed: &discordgo.MessageEmbed{Description: sanitize.Code(content, reasonLimit)}}, time.Now())
	}
	one := []slot{e.slot}
	tidy(one)
	e.slot = one[0]
	return e
}
