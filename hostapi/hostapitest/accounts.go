package hostapitest

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"
)

// accounts is what the service knows, by the user's id.
type accounts struct {
	mu     sync.Mutex
	byUser map[string]*account
	nextID int
}

type account struct {
	plan    Plan
	servers []*server // in the order of creation
}

type server struct {
	Server
	// change counts what happened to the status, so that an action that ends
	// sees whether the status is still its own.
	change int
}

func (s *server) setStatus(status string) {
	s.Status = status
	s.change++
}

func (a *account) find(id string) *server {
	for _, s := range a.servers {
		if s.ID == id {
			return s
		}
	}
	return nil
}

func (a *account) ramMB() int {
	sum := 0
	for _, s := range a.servers {
		sum += s.RAMMB
	}
	return sum
}

func (a *account) list() []Server {
	list := make([]Server, len(a.servers)) // never nil: an empty list is [] in JSON
	for i, s := range a.servers {
		list[i] = s.Server
	}
	return list
}

// find returns the account and the server; either is nil where it is not there.
func (a *accounts) find(userID, id string) (*account, *server) {
	owner := a.byUser[userID]
	if owner == nil {
		return nil, nil
	}
	return owner, owner.find(id)
}

// add puts s at the end of an account's list and fills in what it lacks.
func (a *accounts) add(owner *account, s Server, now time.Time) Server {
	for s.ID == "" || owner.find(s.ID) != nil { // a test may have taken the next one
		a.nextID++
		s.ID = fmt.Sprintf("srv-%d", a.nextID)
	}
	s.Name = cmp.Or(s.Name, "bot "+s.ID)
	s.Language = cmp.Or(s.Language, "NODE")
	s.Status = cmp.Or(s.Status, Running)
	s.StartupCommand = cmp.Or(s.StartupCommand, "node index.js")
	s.EntryFile = cmp.Or(s.EntryFile, "index.js")
	s.RAMMB = cmp.Or(s.RAMMB, 256)
	s.DiskMB = cmp.Or(s.DiskMB, 1024)
	s.CPUPercent = cmp.Or(s.CPUPercent, 50)
	s.PlanName = cmp.Or(s.PlanName, owner.plan.Name)
	s.CreatedAt = cmp.Or(s.CreatedAt, now)
	owner.servers = append(owner.servers, &server{Server: s})
	return s
}

// AddAccount opens an account, or changes the plan of one.
func (s *Service) AddAccount(userID string, plan Plan) {
	s.accounts.mu.Lock()
	defer s.accounts.mu.Unlock()
	s.accounts.open(userID).plan = plan
}

// open returns the user's account, a new one with a plan of 10 servers and
// 4 GB where there is none.
func (a *accounts) open(userID string) *account {
	if a.byUser == nil {
		a.byUser = make(map[string]*account)
	}
	if a.byUser[userID] == nil {
		a.byUser[userID] = &account{plan: Plan{Name: "Standard", RAMMB: 4096, MaxServers: 10}}
	}
	return a.byUser[userID]
}

// AddServer puts a server into an account whatever its plan allows, opening
// the account where there is none, and returns it as it is then: what is zero
// has a default, the id among it. A server with the same id is replaced.
func (s *Service) AddServer(userID string, record Server) Server {
	s.accounts.mu.Lock()
	defer s.accounts.mu.Unlock()
	owner := s.accounts.open(userID)
	if record.ID != "" {
		owner.remove(record.ID)
	}
	return s.accounts.add(owner, record, s.options.Clock.Now())
}

func (a *account) remove(id string) bool {
	before := len(a.servers)
	a.servers = slices.DeleteFunc(a.servers, func(s *server) bool { return s.ID == id })
	return len(a.servers) < before
}

// Server returns a server as it is now.
func (s *Service) Server(userID, id string) (Server, bool) {
	s.accounts.mu.Lock()
	defer s.accounts.mu.Unlock()
	if _, found := s.accounts.find(userID, id); found != nil {
		return found.Server, true
	}
	return Server{}, false
}

// Servers returns the servers of an account, none where it is not there.
func (s *Service) Servers(userID string) []Server {
	s.accounts.mu.Lock()
	defer s.accounts.mu.Unlock()
	if owner := s.accounts.byUser[userID]; owner != nil {
		return owner.list()
	}
	return nil
}

// SetStatus gives a server any status and reports whether it is there. An
// action under way then ends without changing the status and answers with the
// one set here: so a restart comes to end in CRASHED.
func (s *Service) SetStatus(userID, id, status string) bool {
	s.accounts.mu.Lock()
	defer s.accounts.mu.Unlock()
	_, found := s.accounts.find(userID, id)
	if found != nil {
		found.setStatus(status)
	}
	return found != nil
}

// SetStatuses sets the status of all servers of an account at once, as a machine that fails does.
func (s *Service) SetStatuses(userID, status string) {
	s.accounts.mu.Lock()
	defer s.accounts.mu.Unlock()
	for _, server := range s.accounts.open(userID).servers {
		server.setStatus(status)
	}
}

// Remove takes a server away, even in the middle of an action, and reports
// whether it was there.
func (s *Service) Remove(userID, id string) bool {
	s.accounts.mu.Lock()
	defer s.accounts.mu.Unlock()
	owner := s.accounts.byUser[userID]
	return owner != nil && owner.remove(id)
}
