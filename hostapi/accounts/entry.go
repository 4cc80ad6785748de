package accounts

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"hostbot/hostapi"
)

const (
	// maxEntry bounds what is read of one entry, in bytes. It leaves room for
	// the longest answer that the client of the service takes.
	maxEntry = 6 << 20
	// changesLast is how long a change is remembered: longer than a call to the
	// service that began before it can still be under way.
	changesLast = 2 * time.Minute
	// maxChanges bounds how many changes an entry remembers.
	maxChanges = 64
	// maxSkew is how far the clocks of two machines may be apart.
	maxSkew = time.Minute
)

// entry is what Redis holds of an account.
type entry struct {
	// List is nil where nothing is known but changes.
	List      *hostapi.List `json:"list,omitempty"`
	FetchedAt time.Time     `json:"fetchedAt"`
	// Expired says that the list is old, whatever its age.
	Expired bool `json:"expired,omitempty"`
	// Changes are what actions brought to light, oldest first.
	Changes []change `json:"changes,omitempty"`
}

// change is something that became known otherwise than by a list. A list that
// the service was asked for before then does not know of it.
type change struct {
	// Revision orders the changes of an account. It is a time in nanoseconds
	// where clocks allow, so that one that was forgotten does not come back.
	Revision int64           `json:"revision"`
	At       time.Time       `json:"at"`
	ServerID string          `json:"serverId,omitempty"` // empty: it is only known that something changed
	Status   string          `json:"status,omitempty"`
	Server   *hostapi.Server `json:"server,omitempty"` // the whole record, in place of Status
}

// revision returns that of the latest change; 0 where none is known.
func (e *entry) revision() int64 {
	if len(e.Changes) == 0 {
		return 0
	}
	return e.Changes[len(e.Changes)-1].Revision
}

// record notes a change and applies it to the list.
func (e *entry) record(c change, now time.Time) {
	c.At, c.Revision = now, max(now.UnixNano(), e.revision()+1)
	e.Changes = slices.DeleteFunc(e.Changes, func(old change) bool {
		return old.ServerID == c.ServerID || now.Sub(old.At) > changesLast
	})
	if over := len(e.Changes) - maxChanges + 1; over > 0 {
		e.Changes = e.Changes[over:]
	}
	e.Changes = append(e.Changes, c)
	e.apply(c)
}

// apply puts into the list what a change says.
func (e *entry) apply(c change) {
	if e.List == nil {
		return
	}
	if c.ServerID == "" {
		e.Expired = true
		return
	}
	i := slices.IndexFunc(e.List.Servers, func(s hostapi.Server) bool { return s.ID == c.ServerID })
	switch {
	case c.Server != nil && i < 0:
		e.List.Servers = append(e.List.Servers, *c.Server)
		e.List.Account.ServerCount++
	case c.Server != nil:
		e.List.Servers[i] = *c.Server
	case i >= 0:
		e.List.Servers[i].Status = c.Status
	}
}

// renewed returns the entry with a list for which the service was asked when
// the entry was at a revision. Changes since then are newer than the list. All
// are kept, for a list that was asked for still earlier and comes still later.
func (e *entry) renewed(list hostapi.List, now time.Time, asked int64) entry {
	list.Servers = slices.Clone(list.Servers)
	renewed := entry{List: &list, FetchedAt: now}
	for _, c := range e.Changes {
		if now.Sub(c.At) > changesLast {
			continue
		}
		renewed.Changes = append(renewed.Changes, c)
		if c.Revision > asked {
			renewed.apply(c)
		}
	}
	return renewed
}

// fresh tells whether the list may be shown as it is.
func (e *entry) fresh(now time.Time, limit time.Duration) bool {
	return e.List != nil && !e.Expired && now.Sub(e.FetchedAt) < limit
}

// lasts returns for how long Redis is to keep the entry.
func (e *entry) lasts(now time.Time, keep time.Duration) time.Duration {
	if e.List == nil {
		return changesLast
	}
	return max(keep-now.Sub(e.FetchedAt), changesLast)
}

// decodeEntry reads what Redis holds. A list that is older than keep is left
// out: not every Redis lets keys expire by itself.
func decodeEntry(data string, now time.Time, keep time.Duration) (entry, error) {
	var e entry
	if data == "" {
		return e, nil
	}
	if len(data) > maxEntry {
		return entry{}, fmt.Errorf("entry: longer than %d bytes", maxEntry)
	}
	if err := json.Unmarshal([]byte(data), &e); err != nil {
		return entry{}, fmt.Errorf("entry: %w", err)
	}
	horizon := now.Add(maxSkew)
	if e.FetchedAt.After(horizon) {
		return entry{}, errors.New("entry: from the future")
	}
	last := int64(0)
	for _, c := range e.Changes {
		if c.At.After(horizon) || c.Revision <= last || c.Revision > horizon.UnixNano() {
			return entry{}, errors.New("entry: changes that can not be")
		}
		if c.Server != nil && c.Server.ID != c.ServerID {
			return entry{}, errors.New("entry: a change that is of two servers")
		}
		last = c.Revision
	}
	if now.Sub(e.FetchedAt) > keep {
		e.List = nil
	}
	return e, nil
}
