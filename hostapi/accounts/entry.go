package accounts

import (
	"maps"
	"slices"
	"time"

	"hostbot/hostapi"
)

// entry is an account as the service described it. It is shared, so nobody may change it. If you change how it is stored,
// change the version in freshKey, too.
type entry struct {
	UserID    string    `json:"userId"`
	FetchedAt time.Time `json:"fetchedAt"`
	Missing   bool      `json:"missing,omitempty"` // there is no such account
	// DoubtedSince is since when the service does not find the account and is not believed; zero if it finds it.
	DoubtedSince time.Time `json:"doubted,omitzero"`
	// Generation is the account's generation since this entry was stored; "" if it was not stored.
	Generation string       `json:"generation"`
	List       hostapi.List `json:"list"`
	// Notes are what is known of servers beside the list, by server ID.
	Notes map[string]Note `json:"notes,omitempty"`
}

// Note is what is known of a server beside the list.
type Note struct {
	// Action is the last action that this program carried out on the server, "" if none is known, and At is when.
	Action string    `json:"action,omitempty"`
	At     time.Time `json:"at,omitzero"`
	// Settled says that the server was seen at rest after the action. If its state changes after that, the action is not
	// the cause.
	Settled bool `json:"settled,omitempty"`
	// StartupAt is when this program last changed how the server is started; zero if that is not known.
	StartupAt time.Time `json:"startupAt,omitzero"`
	// Seen is when the service last described this server alone; zero if the list is newer.
	Seen time.Time `json:"seen,omitzero"`
}

// snapshot returns the account, or the error that says that there is none.
func (e *entry) snapshot() (Snapshot, error) {
	if e.Missing {
		return Snapshot{}, &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpList, Detail: "there was no such account a moment ago"}
	}
	return Snapshot{List: e.List, FetchedAt: e.FetchedAt, Notes: e.Notes}, nil
}

// has reports whether the account has a server.
func (e *entry) has(serverID string) bool {
	return slices.ContainsFunc(e.List.Servers, func(s hostapi.Server) bool { return s.ID == serverID })
}

// with returns the entry with a change of one server and of its note. If the account does not have the server, the entry
// is returned as it is.
func (e *entry) with(serverID string, change func(*hostapi.Server, *Note)) *entry {
	i := slices.IndexFunc(e.List.Servers, func(s hostapi.Server) bool { return s.ID == serverID })
	if i < 0 {
		return e
	}
	changed := *e
	changed.List.Servers = slices.Clone(e.List.Servers)
	changed.Notes = make(map[string]Note, len(e.Notes)+1)
	maps.Copy(changed.Notes, e.Notes)
	note := changed.Notes[serverID]
	change(&changed.List.Servers[i], &note)
	changed.Notes[serverID] = note
	return &changed
}

// without returns the entry without a server.
func (e *entry) without(serverID string) *entry {
	if !e.has(serverID) {
		return e
	}
	changed := *e
	changed.List.Servers = slices.DeleteFunc(slices.Clone(e.List.Servers), func(s hostapi.Server) bool { return s.ID == serverID })
	changed.List.Account.ServerCount = max(0, e.List.Account.ServerCount-1)
	return &changed
}

// actions returns the notes that a newer list does not replace: those about actions on servers that it still has.
func (e *entry) actions(newer hostapi.List) map[string]Note {
	if e == nil {
		return nil
	}
	var kept map[string]Note
	for _, s := range newer.Servers {
		if note := e.Notes[s.ID]; note.Action != "" || !note.StartupAt.IsZero() {
			if kept == nil {
				kept = make(map[string]Note)
			}
			kept[s.ID] = Note{Action: note.Action, At: note.At, Settled: note.Settled || !s.State().Moving(), StartupAt: note.StartupAt}
		}
	}
	return kept
}
