// Package history keeps which state each watched bot was in, and since when, for 90
// days. It keeps changes and no samples: five bytes in Redis for each.
//
// Package watcher writes it as it looks at accounts. A time without looks is kept as
// well, so that nobody takes it for a time in which nothing changed.
package history

import (
	"context"
	"encoding/binary"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/store/keyspace"
	"hostbot/hostapi"
)

const (
	// Unwatched stands for a state that nobody looked at.
	Unwatched hostapi.State = '-'
	// Gone stands for a bot that the account had no more.
	Gone hostapi.State = 'g'

	// KeptFor is how long a change is kept.
	KeptFor = 90 * 24 * time.Hour
	// MaxEntries bounds what is kept of one bot. One that flaps once a minute gets there
	// within three days.
	MaxEntries = 4000
	// missedLooks is how many intervals between two looks make a gap.
	missedLooks = 3
)

// Span is a time in which a bot's state was the same, as far as looks can tell.
type Span struct {
	From, To time.Time
	State    hostapi.State // Unwatched for a gap
}

// Gap reports whether so much time passed between two looks that nobody knows what was in
// between. The interval is the one at which accounts are looked at.
func Gap(between, interval time.Duration) bool { return between > missedLooks*interval }

// History reads what is kept. It is safe for concurrent use.
type History struct {
	redis    redis.UniversalClient
	space    keyspace.Space
	interval func() time.Duration
}

// New returns the history in a space of a Redis. interval returns at which interval accounts are
// looked at now.
func New(client redis.UniversalClient, space keyspace.Space, interval func() time.Duration) *History {
	return &History{client, space, interval}
}

// Of returns a bot's states from since until now, oldest first and without holes
// between: what was not looked at is Unwatched, and so is the time before the bot was
// watched. Where nothing is kept of the bot, there are no spans.
func (h *History) Of(ctx context.Context, customerID, serverID string, since time.Time) ([]Span, error) {
	logs, looked, err := h.logs(ctx, customerID, []string{serverID})
	if err != nil {
		return nil, err
	}
	return h.spans(logs[serverID], looked, since, time.Now()), nil
}

// Since returns from when on states of a customer's bots are kept; zero where none are.
func (h *History) Since(ctx context.Context, customerID string) (first time.Time, err error) {
	fields, err := h.redis.HGetAll(ctx, AccountKey(h.space, customerID)).Result()
	limit := time.Now().Add(-KeptFor)
	for field, log := range fields {
		if entries := Decode(log[:min(len(log), entrySize)]); strings.HasPrefix(field, FieldPrefix) && len(entries) > 0 {
			at := entries[0].At
			if at.Before(limit) { // a state that lasted until then
				at = limit
			}
			if first.IsZero() || at.Before(first) {
				first = at
			}
		}
	}
	return first, err
}

// spans returns what entries say of the time from since until now.
func spans(entries []Entry, since, now time.Time) []Span {
	if len(entries) == 0 {
		return nil
	}
	var list []Span
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
		if e.At.Before(since) {
			e.At = since
		}
		if e.At.Before(now) {
			add(e.At, e.State)
		}
	}
	return list
}

// Entry is a change: from At on, the bot was in a state.
type Entry struct {
	At    time.Time
	State hostapi.State
}

// entrySize is that of an encoded entry: the state, and seconds since 1970, which fit
// into four bytes until 2106.
const entrySize = 5

// Encode returns entries as Redis keeps them.
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

// Append returns a log with what is added to it, without what was over before a limit, and
// without the oldest of more than MaxEntries. A log that ends in a part of an entry loses that part,
// as nobody could read what comes after it.
func Append(log, added string, limit time.Time) string {
	log = log[:len(log)-len(log)%entrySize] + added
	log = log[max(0, len(log)-MaxEntries*entrySize):]
	for len(log) >= 2*entrySize && !Decode(log[entrySize : 2*entrySize])[0].At.After(limit) {
		log = log[entrySize:]
	}
	return log
}

// What Redis keeps of a watched account is a hash. It has a field for each bot, with
// that one's log, and one for the time of the last look, in Unix seconds. The others
// are package watcher's.
const FieldAt = "at"

// AccountKey is the key of an account's hash. All that is kept for watching is in one
// slot of a cluster, so that one script can write all of it.
func AccountKey(space keyspace.Space, customerID string) string {
	return space.Key("{watch}:record:" + customerID)
}

// Field is the field with a bot's log.
func Field(serverID string) string { return FieldPrefix + serverID }

// FieldPrefix begins such a field.
const FieldPrefix = "b:"
