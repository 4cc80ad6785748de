package hostapi

import "time"

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

// Language is one in which a new server can be written.
type Language struct {
	ID    string // as the service knows it, such as NODE
	Label string // for people
	// How such a server is started where nothing else is said; empty where that must be
	// said.
	Startup
}
