package accounts

import (
	"errors"
	"slices"
	"time"

	"hostbot/hostapi"
)

// entry is an account as the service described it. It is shared and stays as it is.
//
//go:generate go run github.com/tinylib/msgp@v1.6.5 -file entry.go -io=false -tests=false -unexported
//msgp:tuple entry
//msgp:timezone utc
type entry struct {
	UserID    string
	FetchedAt time.Time
	Missing   bool // there is no such account
	List      hostapi.List
}

// decode reads a user's entry, which another machine's clock must not date in the
// future.
func decode(data []byte, userID string, now time.Time) (*entry, error) {
	e := new(entry)
	rest, err := e.UnmarshalMsg(data)
	switch {
	case err != nil:
		return nil, err
	case len(rest) > 0:
		return nil, errors.New("more than an account")
	case e.UserID != userID:
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
	i := slices.IndexFunc(e.List.Servers, func(s hostapi.Server) bool { return s.ID == serverID })
	if i < 0 {
		return e
	}
	changed := *e
	changed.List.Servers = slices.Clone(e.List.Servers)
	changed.List.Servers[i].Status = status
	return &changed
}
