package accounts

import (
	stdjson "encoding/json"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/segmentio/encoding/json"

	"hostbot/hostapi"
)

// encode encodes an entry as JSON.
func (e *entry) encode() ([]byte, error) {
	stored := *e
	if !e.Missing && e.List.Servers == nil {
		stored.List.Servers = []hostapi.Server{} // or it would read as one without a list
	}
	return stdjson.Marshal(stored)
}

// decode decodes a user's entry. Each interaction does it. segmentio/encoding takes an eighth of the time that
// encoding/json takes: that is 50 µs for ten servers, of an interaction's 124.
func decode(data, userID string) (*entry, error) {
	e := new(entry)
	if !utf8.ValidString(data) || json.Unmarshal([]byte(data), e) != nil {
		return nil, errors.New("it is no account in JSON") // the library's error repeats what it read
	}
	switch {
	case e.UserID != userID:
		return nil, errors.New("the account of another user")
	case e.FetchedAt.IsZero():
		return nil, errors.New("the account has no date")
	case !e.Missing && e.List.Servers == nil:
		return nil, errors.New("the account has no list of servers")
	case slices.ContainsFunc(e.List.Servers, func(s hostapi.Server) bool { return s.ID == "" }):
		return nil, errors.New("a server has no ID")
	}
	return e, nil
}
