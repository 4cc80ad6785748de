package hostapi

import (
	"encoding/json"
	"errors"
	"fmt"
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
// where it is not null, so anything but a string is kept as JSON.
func (s *Server) UnmarshalJSON(data []byte) error {
	type plain Server // without this method
	record := struct {
		*plain
		Subdomain any `json:"subdomain"`
		CreatedAt any `json:"createdAt"`
	}{plain: (*plain)(s)}
	if err := json.Unmarshal(data, &record); err != nil {
		return fmt.Errorf("server: %w", err)
	}
	if s.ID == "" {
		return errors.New("server: no id")
	}
	switch subdomain := record.Subdomain.(type) {
	case nil:
	case string:
		s.Subdomain = subdomain
	default:
		text, err := json.Marshal(subdomain)
		if err != nil {
			return fmt.Errorf("server: subdomain: %w", err)
		}
		s.Subdomain = string(text)
	}
	created, _ := record.CreatedAt.(string)
	if at, err := time.Parse(time.RFC3339, created); err == nil {
		s.CreatedAt = at.UTC()
	}
	return nil
}
