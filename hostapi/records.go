package hostapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// The records have a MessagePack form as well, in which they are cached: fields
// in the order of their types, without names. Whoever changes a field generates
// it again, and changes the version in the keys of package accounts.
//
//go:generate go run github.com/tinylib/msgp@v1.6.5 -file records.go -io=false -tests=false
//msgp:tuple List Server Account
//msgp:timezone utc
//msgp:limit arrays:65536 marshal:true

// List is all servers of an account and the summary of its plan.
type List struct {
	Servers []Server `json:"servers"`
	Account Account  `json:"account"`
}

// Server is a customer's application. Any text in it may be empty, and may be
// anything: much of it was written by the customer.
type Server struct {
	ID             string `json:"id"` // never empty
	Name           string `json:"name"`
	Language       string `json:"language"`
	Status         string `json:"status"`    // such as RUNNING; case does not matter
	Subdomain      string `json:"subdomain"` // empty: none
	StartupCommand string `json:"startupCommand"`
	EntryFile      string `json:"entryFile"`
	RAMMB          int    `json:"ramMb"`      // megabytes
	DiskMB         int    `json:"diskMb"`     // megabytes
	CPUPercent     int    `json:"cpuPercent"` // 100 is one full unit
	PlanName       string `json:"planName"`
	// CreatedAt is in UTC; zero where the service's time could not be read.
	CreatedAt time.Time `json:"createdAt"`
}

// Account is the summary of an account's plan.
type Account struct {
	PlanName    string `json:"planName"`
	PlanRAMMB   int    `json:"planRamMb"`  // megabytes that the plan grants
	MaxServers  int    `json:"maxServers"` // servers that the plan allows
	ServerCount int    `json:"serverCount"`
}

// UnmarshalJSON reads a list as the service's document has it. Of several
// records with one ID, which could not be told apart in a call, it keeps the
// first.
func (l *List) UnmarshalJSON(data []byte) error {
	var answer struct {
		Servers *[]Server `json:"servers"`
		Account Account   `json:"account"`
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return fmt.Errorf("list: %w", err)
	}
	if answer.Servers == nil {
		return errors.New("list: no servers")
	}
	*l = List{Servers: make([]Server, 0, len(*answer.Servers)), Account: answer.Account}
	seen := make(map[string]bool, len(*answer.Servers))
	for _, s := range *answer.Servers {
		if !seen[s.ID] {
			seen[s.ID] = true
			l.Servers = append(l.Servers, s)
		}
	}
	return nil
}

// UnmarshalJSON reads a record. The document does not say what a subdomain is
// where it is not null, so anything but a string is kept as the JSON it is.
func (s *Server) UnmarshalJSON(data []byte) error {
	type plain Server // without this method
	*s = Server{}
	record := struct {
		*plain
		Subdomain json.RawMessage `json:"subdomain"`
		CreatedAt json.RawMessage `json:"createdAt"`
	}{plain: (*plain)(s)}
	if err := json.Unmarshal(data, &record); err != nil {
		return fmt.Errorf("server: %w", err)
	}
	if s.ID == "" {
		return errors.New("server: no id")
	}
	s.Subdomain = textOf(record.Subdomain)
	s.CreatedAt = timeOf(record.CreatedAt)
	return nil
}

func textOf(raw json.RawMessage) string {
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return ""
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD") // as in any other text
}

// timeOf returns the zero time for what is not one, and for one that could not
// be written as JSON again.
func timeOf(raw json.RawMessage) time.Time {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, text)
	if t = t.UTC(); err != nil || t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}

// receipt is the answer to an action.
type receipt struct {
	OK     *bool           `json:"ok"`
	Status string          `json:"status"`
	Server json.RawMessage `json:"server"`
}

// decodeReceipt reads the answer to an action, which must say that it
// succeeded. (One that says the contrary never gets here.)
func decodeReceipt(answer []byte) (receipt, error) {
	var r receipt
	if err := json.Unmarshal(answer, &r); err != nil {
		return receipt{}, err
	}
	if r.OK == nil {
		return receipt{}, errors.New("no word of success")
	}
	return r, nil
}

// decodeStatus reads the state of a server after an action; it may be empty.
func decodeStatus(answer []byte) (string, error) {
	r, err := decodeReceipt(answer)
	return r.Status, err
}

// decodeDone reads the answer to an action that has nothing more to tell.
func decodeDone(answer []byte) (struct{}, error) {
	_, err := decodeReceipt(answer)
	return struct{}{}, err
}

// decodeChanged reads the record that an action made or changed; wantID may be
// empty where it is not known.
func decodeChanged(wantID string) func(answer []byte) (Server, error) {
	return func(answer []byte) (Server, error) {
		r, err := decodeReceipt(answer)
		if err != nil {
			return Server{}, err
		}
		return decodeServer(r.Server, wantID)
	}
}

// decodeFound reads a record that is bare or under "server".
func decodeFound(wantID string) func(answer []byte) (Server, error) {
	return func(answer []byte) (Server, error) {
		var wrapped struct {
			Server json.RawMessage `json:"server"`
		}
		if err := json.Unmarshal(answer, &wrapped); err != nil {
			return Server{}, err
		}
		if len(wrapped.Server) > 0 {
			answer = wrapped.Server
		}
		return decodeServer(answer, wantID)
	}
}

// decodeServer reads a record, and refuses one that is of another server.
func decodeServer(record []byte, wantID string) (Server, error) {
	if len(record) == 0 {
		return Server{}, errors.New("no server")
	}
	var s Server
	if err := json.Unmarshal(record, &s); err != nil {
		return Server{}, err
	}
	if wantID != "" && s.ID != wantID {
		return Server{}, errors.New("the record of another server")
	}
	return s, nil
}

func decodeList(answer []byte) (List, error) {
	var l List
	err := json.Unmarshal(answer, &l)
	return l, err
}
