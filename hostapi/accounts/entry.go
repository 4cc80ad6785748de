package accounts

import (
	"errors"
	"slices"
	"time"

	// It reads an account of ten servers in a third of the time of encoding/json,
	// which is to become like it.
	"github.com/go-json-experiment/json"

	"hostbot/hostapi"
)

// entry is an account as the service described it. It is shared and stays as it is.
// Who changes its form, or that of hostapi's records, changes the version in freshKey.
type entry struct {
	UserID    string       `json:"userId"`
	FetchedAt time.Time    `json:"fetchedAt"`
	Missing   bool         `json:"missing,omitempty"` // there is no such account
	List      hostapi.List `json:"list"`
}

// decode reads a user's entry, which another machine's clock must not date in the
// future.
func decode(data []byte, userID string, now time.Time) (*entry, error) {
	e := new(entry)
	if err := json.Unmarshal(data, e); err != nil {
		return nil, err
	}
	if e.UserID != userID {
		return nil, errors.New("the account of another user")
	}
	if e.FetchedAt.After(now) {
		e.FetchedAt = now
	}
	return e, nil
}

// snapshot returns the account, which is fresh, or that there is none.
func (e *entry) snapshot() (Snapshot, error) {
	if e.Missing {
		return Snapshot{}, &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpList, Detail: "there was no such account a moment ago"}
	}
	return Snapshot{List: e.List, FetchedAt: e.FetchedAt}, nil
}

// withStatus returns the entry with another status of one server.
func (e *entry) withStatus(serverID, status string) *entry {
	changed := *e
	changed.List.Servers = slices.Clone(e.List.Servers)
	for i := range changed.List.Servers {
		if changed.List.Servers[i].ID == serverID {
			changed.List.Servers[i].Status = status
		}
	}
	return &changed
}
