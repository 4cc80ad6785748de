package hostapi

import "time"

// List is the servers of an account and the summary of its plan.
type List struct {
	Servers []Server `json:"servers"`
	Account Account  `json:"account"`
	// Unread tells staff which members of the answer could not be read, and of what type they are, but never their values.
	// It is not stored with the list.
	Unread []string `json:"-"`
}

// Missing returns how many of the account's servers are not in the list.
func (l List) Missing() int { return max(0, l.Account.ServerCount-len(l.Servers)) }

// IDs returns the IDs of servers, in their order.
func IDs(servers []Server) []string {
	ids := make([]string, len(servers))
	for i, s := range servers {
		ids[i] = s.ID
	}
	return ids
}

// RAM returns the memory of all servers together, in megabytes, and whether it is known of all of them. Those of which it
// is not known are left out.
func (l List) RAM() (mb int, all bool) {
	all = l.Missing() == 0
	for _, s := range l.Servers {
		mb += s.RAMMB
		all = all && s.RAMMB > 0
	}
	return mb, all
}

// Server is a customer's application. Any text in it may be empty or hostile, since the customer has written much of it.
// A number that is not known is 0.
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
	// StatusMap has the meanings of Status that the program's settings add. It is not stored, so a change of the settings
	// also holds for servers that are stored already.
	StatusMap StatusMap `json:"-"`
}

// Account is the summary of an account's plan.
type Account struct {
	PlanName    string `json:"planName"`
	PlanRAMMB   int    `json:"planRamMb"`   // megabytes that the plan grants
	MaxServers  int    `json:"maxServers"`  // servers that the plan allows
	ServerCount int    `json:"serverCount"` // at least as many as are in the list
}

// Language is one in which a new server can be written.
type Language struct {
	ID    string // as the service knows it, such as NODE
	Label string // for people
	// Startup is how such a server is started by default. If it is empty, the customer must say how.
	Startup
}
