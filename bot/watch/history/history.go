// Package history keeps the states of watched bots for 90 days. It stores changes and not samples: five bytes in Redis
// for each.
//
// Package watcher writes the history as it polls accounts. Gaps without polls are stored as well, so that they are not
// taken for times without a change.
package history

import (
	"context"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/store/keyspace"
	"hostbot/hostapi"
)

const (
	// Unwatched is the state in a gap, when nobody polled.
	Unwatched hostapi.State = '-'
	// Gone is the state of a bot that the account does not have any more.
	Gone hostapi.State = 'g'

	// KeptFor is how long a change is kept.
	KeptFor = 90 * 24 * time.Hour
	// MaxEntries bounds a bot's log. A bot that changes once a minute reaches it within three days.
	MaxEntries = 4000
	// missedPolls is how many intervals between two polls make a gap.
	missedPolls = 3
)

// Span is a time in which a bot's state was the same, as far as polls can tell.
type Span struct {
	From, To time.Time
	State    hostapi.State // Unwatched for a gap
}

// Gap reports whether the time between two polls is a gap. interval is the usual time between two polls.
func Gap(between, interval time.Duration) bool { return between > missedPolls*interval }

// History reads the history. It is safe for concurrent use.
type History struct {
	redis    redis.UniversalClient
	space    keyspace.Space
	interval func() time.Duration
}

// New returns the history in a space of a Redis. interval returns the present time between two polls.
func New(client redis.UniversalClient, space keyspace.Space, interval func() time.Duration) *History {
	return &History{client, space, interval}
}

// Of returns a bot's states from since until now, oldest first. The spans are contiguous: gaps, and the time before the
// bot was watched, are Unwatched. If the bot has no log, there are no spans.
func (h *History) Of(ctx context.Context, customerID, serverID string, since time.Time) ([]Span, error) {
	past, err := h.Bots(ctx, customerID, since, serverID)
	return past[serverID].Spans, err
}

// Since returns when the history of a customer's bots begins; zero if there is none.
func (h *History) Since(ctx context.Context, customerID string) (first time.Time, err error) {
	fields, err := h.redis.HGetAll(ctx, AccountKey(h.space, customerID)).Result()
	limit := time.Now().Add(-KeptFor)
	for field, log := range fields {
		if entries := Decode(log[:min(len(log), entrySize)]); strings.HasPrefix(field, FieldPrefix) && len(entries) > 0 {
			at := Later(entries[0].At, limit) // a state may have lasted until then
			if first.IsZero() || at.Before(first) {
				first = at
			}
		}
	}
	return first, err
}

// bridged is the longest gap that Past.Standing ignores if the state is the same before and after: readers want to know
// when the bot changed, and not when the hosting service was away.
const bridged = time.Hour

// Past is the history of a bot.
type Past struct {
	Spans    []Span   // see History.Of
	Standing Standing // as of the last poll, with short gaps bridged
}

// Bots returns the history of those of a customer's bots that have one, by ID, with the spans since a time.
func (h *History) Bots(ctx context.Context, customerID string, since time.Time, serverIDs ...string) (map[string]Past, error) {
	fields := make([]string, 0, len(serverIDs)+1)
	for _, serverID := range serverIDs {
		fields = append(fields, Field(serverID))
	}
	values, err := h.redis.HMGet(ctx, AccountKey(h.space, customerID), append(fields, FieldAt)...).Result()
	if err != nil {
		return nil, err
	}
	text, _ := values[len(serverIDs)].(string)
	seconds, _ := strconv.ParseInt(text, 10, 64)
	kept, looked, now := make(map[string]Past, len(serverIDs)), time.Unix(seconds, 0), time.Now()
	for i, serverID := range serverIDs {
		log, _ := values[i].(string)
		if entries := Decode(log); len(entries) > 0 {
			kept[serverID] = Past{h.spans(entries, looked, since, now), StandingOf(bridge(entries), looked)}
		}
	}
	return kept, nil
}

// spans returns the spans of a log from since until now. looked is when the account was last polled.
func (h *History) spans(entries []Entry, looked, since, now time.Time) (list []Span) {
	if Gap(now.Sub(looked), h.interval()) {
		entries = append(slices.Clip(entries), Entry{looked, Unwatched})
	}
	add := func(from time.Time, state hostapi.State) {
		last := len(list) - 1
		if last >= 0 && !from.After(list[last].From) { // it lasted for less than a second
			list, last = list[:last], last-1
		}
		if last >= 0 && list[last].State == state {
			list[last].To = now
			return
		}
		if last >= 0 {
			list[last].To = from
		}
		list = append(list, Span{From: from, To: now, State: state})
	}
	add(since, Unwatched)
	for _, e := range entries {
		if at := Later(e.At, since); at.Before(now) {
			add(at, e.State)
		}
	}
	return list
}

// bridge returns entries without the short gaps that have the same state before and after.
func bridge(entries []Entry) []Entry {
	kept := entries[:0:0]
	for i, e := range entries {
		if e.State == Unwatched && i > 0 && i+1 < len(entries) {
			after := entries[i+1]
			if len(kept) > 0 && kept[len(kept)-1].State == after.State && after.At.Sub(e.At) < bridged {
				continue
			}
		}
		kept = append(kept, e)
	}
	return kept
}

// Entry is a change: from At on, the bot was in a state.
type Entry struct {
	At    time.Time
	State hostapi.State
}

// entrySize is the size of an encoded entry, in bytes: one for the state, and four for Unix seconds, until 2106.
const entrySize = 5

// Encode returns entries as they are stored.
func Encode(entries ...Entry) string {
	var log []byte
	for _, e := range entries {
		log = binary.BigEndian.AppendUint32(append(log, byte(e.State)), uint32(e.At.Unix()))
	}
	return string(log)
}

// Decode returns the entries of a log.
func Decode(log string) []Entry {
	var entries []Entry
	for ; len(log) >= entrySize; log = log[entrySize:] {
		at := time.Unix(int64(binary.BigEndian.Uint32([]byte(log[1:entrySize]))), 0)
		entries = append(entries, Entry{at, hostapi.State(log[0])})
	}
	return entries
}

// Append appends to a log, and drops the oldest entries: those of states that ended before limit, and those beyond
// MaxEntries. An incomplete entry at the end of the log is dropped.
func Append(log, added string, limit time.Time) string {
	log = log[:len(log)-len(log)%entrySize] + added
	log = log[max(0, len(log)-MaxEntries*entrySize):]
	for len(log) >= 2*entrySize && !Decode(log[entrySize : 2*entrySize])[0].At.After(limit) {
		log = log[entrySize:]
	}
	return log
}

// FieldAt is the field of an account's hash with the time of the last poll, in Unix seconds. Each bot has a field with
// its log (Field). The other fields are package watcher's.
const FieldAt = "at"

// AccountKey returns the key of an account's hash. It is in package watcher's slot of a Cluster.
func AccountKey(space keyspace.Space, customerID string) string {
	return space.Key("{watch}:record:" + customerID)
}

// Field returns the name of the field with a bot's log.
func Field(serverID string) string { return FieldPrefix + serverID }

// FieldPrefix begins such a field.
const FieldPrefix = "b:"
