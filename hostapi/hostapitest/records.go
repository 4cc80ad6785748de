package hostapitest

import (
	"encoding/json"
	"time"
)

// The states of a server. The document gives RUNNING alone.
const (
	Running    = "RUNNING"
	Stopped    = "STOPPED"
	Crashed    = "CRASHED"
	Suspended  = "SUSPENDED"
	Starting   = "STARTING"
	Stopping   = "STOPPING"
	Restarting = "RESTARTING"
	Installing = "INSTALLING"
)

// Plan is what an account may use.
type Plan struct {
	Name       string
	RAMMB      int // of all servers together
	MaxServers int
}

// Server is a hosted application.
type Server struct {
	ID             string
	Name           string
	Language       string
	Status         string
	Subdomain      string // empty: null
	StartupCommand string
	EntryFile      string
	RAMMB          int
	DiskMB         int
	CPUPercent     int
	PlanName       string
	CreatedAt      time.Time
}

// MarshalJSON writes the document's Server record.
func (s Server) MarshalJSON() ([]byte, error) {
	var subdomain *string
	if s.Subdomain != "" {
		subdomain = &s.Subdomain
	}
	return json.Marshal(struct {
		ID             string  `json:"id"`
		Name           string  `json:"name"`
		Language       string  `json:"language"`
		Status         string  `json:"status"`
		Subdomain      *string `json:"subdomain"`
		StartupCommand string  `json:"startupCommand"`
		EntryFile      string  `json:"entryFile"`
		RAMMB          int     `json:"ramMb"`
		DiskMB         int     `json:"diskMb"`
		CPUPercent     int     `json:"cpuPercent"`
		PlanName       string  `json:"planName"`
		CreatedAt      string  `json:"createdAt"`
	}{s.ID, s.Name, s.Language, s.Status, subdomain, s.StartupCommand, s.EntryFile, s.RAMMB, s.DiskMB, s.CPUPercent, s.PlanName,
		s.CreatedAt.UTC().Format("2006-01-02T15:04:05.000Z")})
}

// The bodies of answers.
type (
	listAnswer struct {
		Servers []Server       `json:"servers"`
		Account accountSummary `json:"account"`
	}
	accountSummary struct {
		PlanName    string `json:"planName"`
		PlanRAMMB   int    `json:"planRamMb"`
		MaxServers  int    `json:"maxServers"`
		ServerCount int    `json:"serverCount"`
	}
	doneAnswer struct {
		OK     bool    `json:"ok"`
		Status string  `json:"status,omitempty"`
		Server *Server `json:"server,omitempty"`
	}
	refusalAnswer struct {
		Error string `json:"error"`
		Code  string `json:"code"`
	}
)
