package accounts

import (
	"maps"
	"slices"
	"time"

	"hostbot/hostapi"
)

// entry is an account as the service described it. It is shared and stays as it is.
// Who changes the form in which it is stored changes the version in freshKey.
type entry struct {
	UserID    string    `json:"userId"`
	FetchedAt time.Time `json:"fetchedAt"`
	Missing   bool      `json:"missing,omitempty"` // there is no such account
	// DoubtedSince is since when the service does not find the account, which is not believed yet; zero: it does.
	DoubtedSince time.Time `json:"doubted,omitzero"`
	// Generation is the account's since this was stored; "" where it was not.
	Generation string       `json:"generation"`
	List       hostapi.List `json:"list"`
	// Notes are what is known of servers beside the list, by their IDs.
	Notes map[string]Note `json:"notes,omitempty"`
}

// Note is what is known of a server beside the list.
type Note struct {
	// Action is the last action that this program carried out on the server, and At is
	// when. It is "" where none is known.
	Action string    `json:"action,omitempty"`
	At     time.Time `json:"at,omitzero"`
	// Settled reports whether the server was seen at rest after the action. If it moves all the
	// same, that is not the action's doing.
	Settled bool `json:"settled,omitempty"`
	// StartupAt is when this program last changed the way in which the server is started; zero
	// where that is not known.
	StartupAt time.Time `json:"startupAt,omitzero"`
	// Seen is when the service told of this server alone; zero where the list is newer.
	Seen time.Time `json:"seen,omitzero"`
}

// snapshot returns the account, or that there is none.
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

// with returns the entry with a change of one server, and of what is noted of it. An
// account that does not have the server stays as it is.
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

// actions returns the notes that a newer list does not replace: those of actions on
// servers that are still there.
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
