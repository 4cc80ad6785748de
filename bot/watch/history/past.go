package history

import (
	"context"
	"strconv"
	"time"
)

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

// logs returns the logs of bots, by ID, and when the account was last polled.
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

// spans returns the spans of a log from since until now. looked is when the account was last polled.
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
