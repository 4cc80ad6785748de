package hostapi

import "time"

// List is the servers of an account and the summary of its plan.
type List struct {
	Servers []Server `json:"servers"`
	Account Account  `json:"account"`
	// Unread is what of the answer could not be read, for staff: members, and of what kind they
	// are, never their values. It is not kept where the list is.
	Unread []string `json:"-"`
}

// Missing returns how many servers the account has that the list does not tell of.
func (l List) Missing() int { return max(0, l.Account.ServerCount-len(l.Servers)) }

// IDs returns the IDs of servers, in their order.
func IDs(servers []Server) []string {
	ids := make([]string, len(servers))
	for i, s := range servers {
		ids[i] = s.ID
	}
	return ids
}

// RAM returns the memory that the servers hold together, in megabytes, as far as it is known, and whether it is known of
// all servers.
func (l List) RAM() (mb int, all bool) {
	all = l.Missing() == 0
	for _, s := range l.Servers {
		mb += s.RAMMB
		all = all && s.RAMMB > 0
	}
	return mb, all
}

// Server is a customer's application. Any text in it may be empty, and may be
// anything: much of it was written by the customer. A number that is not known is 0.
type Server struct {
	ID             string `json:"id"` // never empty
	Name           string `json:"name"`
	Language       string `json:"language"`
	Status         string `json:"status"`    // such as RUNNING; as it came
	Subdomain      string `json:"subdomain"` // empty: none
	StartupCommand string `json:"startupCommand"`
	EntryFile      string `json:"entryFile"`
	RAMMB          int    `json:"ramMb"`      // megabytes
	DiskMB         int    `json:"diskMb"`     // megabytes
	CPUPercent     int    `json:"cpuPercent"` // 100 is one full unit
	PlanName       string `json:"planName"`
	// CreatedAt is in UTC; zero where the service's time could not be read.
	CreatedAt time.Time `json:"createdAt"`
	// StatusMap is what Status may mean beside what it commonly does. It is the program's, and stored
	// nowhere, so that all that is known of a server follows a change of it.
	StatusMap StatusMap `json:"-"`
}

// Account is the summary of an account's plan.
type Account struct {
	PlanName    string `json:"planName"`
	PlanRAMMB   int    `json:"planRamMb"`   // megabytes that the plan grants
	MaxServers  int    `json:"maxServers"`  // servers that the plan allows
	ServerCount int    `json:"serverCount"` // no fewer than are on the list
}

// Language is one in which a new server can be written.
type Language struct {
	ID    string // as the service knows it, such as NODE
	Label string // for people
	// How such a server is started where nothing else is said; empty where that must be
	// said.
	Startup
}
