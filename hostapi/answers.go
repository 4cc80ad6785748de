package hostapi

import (
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// result is the content of an answer. Each operation has its own part of it.
type result struct {
	list   List
	server Server
	status string // of a server after an action; may be empty
}

// decoder reads the body of an answer. serverID is the server that the call was
// about; it is empty where the call was not about one.
type decoder func(body []byte, serverID string) (result, error)

// decodeList reads a list. Of several records with one ID, which could not be told
// apart in a call, it keeps the first.
func decodeList(body []byte, _ string) (result, error) {
	var answer struct {
		Servers *[]record `json:"servers"`
		Account Account   `json:"account"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return result{}, err
	}
	if answer.Servers == nil {
		return result{}, errors.New("no servers")
	}
	list := List{Servers: make([]Server, 0, len(*answer.Servers)), Account: answer.Account}
	seen := make(map[string]bool, len(*answer.Servers))
	for _, r := range *answer.Servers {
		if r.ID == "" {
			return result{}, errNoID
		}
		if !seen[r.ID] {
			seen[r.ID] = true
			list.Servers = append(list.Servers, r.server())
		}
	}
	return result{list: list}, nil
}

// decodeServer reads a record that is bare or under "server". The document does
// not say which it is.
func decodeServer(body []byte, serverID string) (result, error) {
	var answer struct {
		record
		Wrapped *record `json:"server"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return result{}, err
	}
	r := answer.record
	if answer.Wrapped != nil {
		r = *answer.Wrapped
	}
	switch {
	case r.ID == "":
		return result{}, errNoID
	case serverID != "" && r.ID != serverID:
		return result{}, errors.New("the record of another server")
	}
	return result{server: r.server()}, nil
}

var errNoID = errors.New("a server without an id")

// record is a Server as the service sends it.
type record struct {
	Server
	Subdomain json.RawMessage `json:"subdomain"`
	CreatedAt any             `json:"createdAt"`
}

// server returns the record in the form of our own. The document does not say what
// a subdomain is where it is not null, so anything but a string is kept as JSON.
func (r record) server() Server {
	s := r.Server
	if json.Unmarshal(r.Subdomain, &s.Subdomain) != nil {
		s.Subdomain = strings.ToValidUTF8(string(r.Subdomain), "\uFFFD")
	}
	created, _ := r.CreatedAt.(string)
	if at, err := time.Parse(time.RFC3339, created); err == nil {
		s.CreatedAt = at.UTC()
	}
	return s
}

// decodeStatus reads the answer to an action, which must say that it succeeded.
func decodeStatus(body []byte, _ string) (result, error) {
	var answer struct {
		OK     bool   `json:"ok"`
		Status string `json:"status"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return result{}, err
	}
	if !answer.OK {
		return result{}, errors.New(`no "ok": true`)
	}
	return result{status: answer.Status}, nil
}

// decodeChangedServer reads the answer to an action that made or changed a
// server.
func decodeChangedServer(body []byte, serverID string) (result, error) {
	if _, err := decodeStatus(body, ""); err != nil {
		return result{}, err
	}
	return decodeServer(body, serverID)
}
