package history

import (
	"context"
	"strconv"
	"time"
)

// bridged is how long nobody may have looked for a state, which is the same before and after, to
// count as one for readers: they want to know when something changed, and not when the hosting
// service was away. A history shows such a gap.
const bridged = time.Hour

// Past is what is kept of a bot.
type Past struct {
	Spans []Span // as of History.Of
	// Standing is as of the last look, however long ago that was. Short gaps are bridged.
	Standing Standing
}

// Bots returns what is kept of those of a customer's bots that something is kept of, by their IDs.
// The spans are those since a time.
func (h *History) Bots(ctx context.Context, customerID string, since time.Time, serverIDs ...string) (map[string]Past, error) {
	logs, looked, err := h.logs(ctx, customerID, serverIDs)
	if err != nil {
		return nil, err
	}
	kept, now := make(map[string]Past, len(logs)), time.Now()
	for serverID, entries := range logs {
		kept[serverID] = Past{h.spans(entries, looked, since, now), StandingOf(bridge(entries), looked)}
	}
	return kept, nil
}

// logs returns the logs of bots that have one, by their IDs, and when the account was looked at last.
func (h *History) logs(ctx context.Context, customerID string, serverIDs []string) (logs map[string][]Entry, looked time.Time, err error) {
	fields := make([]string, 0, len(serverIDs)+1)
	for _, serverID := range serverIDs {
		fields = append(fields, Field(serverID))
	}
	values, err := h.redis.HMGet(ctx, AccountKey(h.space, customerID), append(fields, FieldAt)...).Result()
	if err != nil {
		return nil, time.Time{}, err
	}
	logs = make(map[string][]Entry, len(serverIDs))
	for i, serverID := range serverIDs {
		log, _ := values[i].(string)
		if entries := Decode(log); len(entries) > 0 {
			logs[serverID] = entries
		}
	}
	text, _ := values[len(serverIDs)].(string)
	seconds, _ := strconv.ParseInt(text, 10, 64)
	return logs, time.Unix(seconds, 0), nil
}

// spans returns what a log says of the time from since until now, when the account was looked at
// last at a time.
func (h *History) spans(entries []Entry, looked, since, now time.Time) []Span {
	if len(entries) > 0 && Gap(now.Sub(looked), h.interval()) {
		entries = append(entries[:len(entries):len(entries)], Entry{looked, Unwatched})
	}
	return spans(entries, since, now)
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
