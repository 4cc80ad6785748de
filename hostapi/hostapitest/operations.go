package hostapitest

import (
	"fmt"
	"net/http"
	"strings"
)

// The codes of refusals.
const (
	CodeUnauthorized   = "unauthorized"       // 401
	CodeBadRequest     = "bad_request"        // 400, 413: it breaks the document
	CodeInvalid        = "invalid"            // 400: a value that no server can have
	CodeNoSuchPath     = "no_such_path"       // 404
	CodeMethod         = "method_not_allowed" // 405
	CodeNoAccount      = "account_not_found"  // 404
	CodeNoServer       = "server_not_found"   // 404: nowhere, or in another's account
	CodeLimitReached   = "limit_reached"      // 403: maxServers or planRamMb
	CodeSuspended      = "suspended"          // 403: by the host
	CodeBusy           = "busy"               // 409: another action is under way
	CodeAlreadyRunning = "already_running"    // 409
	CodeAlreadyStopped = "already_stopped"    // 409
)

func refuse(status int, code, message string) error { return &refusal{status, code, message} }

func errNoAccount() error {
	return refuse(http.StatusNotFound, CodeNoAccount, "no account is linked to this user")
}

func errNoServer() error {
	return refuse(http.StatusNotFound, CodeNoServer, "the account has no such server")
}

// do carries a call out and returns the body of its answer. The error is a
// *refusal, or errGone where gone was closed before a call that takes time ended.
func (s *Service) do(c call, gone <-chan struct{}) (any, error) {
	switch c.operation {
	case OpList:
		return s.list(c)
	case OpGet:
		return s.get(c)
	case OpCreate:
		return s.create(c)
	case OpDelete:
		return s.delete(c)
	case OpUpdateStartup:
		return s.updateStartup(c)
	default:
		return s.act(c, gone)
	}
}

func (s *Service) list(c call) (any, error) {
	s.accounts.mu.Lock()
	defer s.accounts.mu.Unlock()
	owner := s.accounts.byUser[c.userID]
	if owner == nil {
		return nil, errNoAccount()
	}
	return listAnswer{owner.list(), accountSummary{owner.plan.Name, owner.plan.RAMMB, owner.plan.MaxServers, len(owner.servers)}}, nil
}

func (s *Service) get(c call) (any, error) {
	s.accounts.mu.Lock()
	defer s.accounts.mu.Unlock()
	_, found, err := s.accounts.require(c)
	if err != nil {
		return nil, err
	}
	return found.Server, nil
}

// require finds the server that a call is about.
func (a *accounts) require(c call) (*account, *server, error) {
	owner, found := a.find(c.userID, c.serverID)
	switch {
	case owner == nil:
		return nil, nil, errNoAccount()
	case found == nil:
		return nil, nil, errNoServer()
	}
	return owner, found, nil
}

// requireSettled finds the server that a call is about and refuses where an
// action is under way on it.
func (a *accounts) requireSettled(c call) (*account, *server, error) {
	owner, found, err := a.require(c)
	if err != nil {
		return nil, nil, err
	}
	switch found.Status {
	case Starting, Stopping, Restarting, Installing:
		return nil, nil, refuse(http.StatusConflict, CodeBusy, "another action is under way: the server is "+found.Status)
	}
	return owner, found, nil
}

func (s *Service) create(c call) (any, error) {
	f := c.fields
	for _, text := range []struct{ name, value string }{{"name", f.Name}, {"language", f.Language}, {"entryFile", f.EntryFile}, {"startupCommand", f.StartupCommand}} {
		if strings.TrimSpace(text.value) == "" {
			return nil, refuse(http.StatusBadRequest, CodeInvalid, text.name+" is empty")
		}
	}
	if f.RAMMB <= 0 || f.DiskMB <= 0 || f.CPUPercent <= 0 {
		return nil, refuse(http.StatusBadRequest, CodeInvalid, "ramMb, diskMb and cpuPercent are positive")
	}
	s.accounts.mu.Lock()
	defer s.accounts.mu.Unlock()
	owner := s.accounts.byUser[c.userID]
	if owner == nil {
		return nil, errNoAccount()
	}
	if len(owner.servers) >= owner.plan.MaxServers {
		return nil, refuse(http.StatusForbidden, CodeLimitReached, fmt.Sprintf("the plan allows %d servers", owner.plan.MaxServers))
	}
	if free := owner.plan.RAMMB - owner.ramMB(); f.RAMMB > free {
		return nil, refuse(http.StatusForbidden, CodeLimitReached, fmt.Sprintf("the plan has %d MB of memory left", max(free, 0)))
	}
	made := s.accounts.add(owner, Server{
		Name: f.Name, Language: f.Language, Status: Stopped, EntryFile: f.EntryFile, StartupCommand: f.StartupCommand,
		RAMMB: f.RAMMB, DiskMB: f.DiskMB, CPUPercent: f.CPUPercent,
	}, s.options.Clock.Now())
	s.acted(c, made.ID)
	return doneAnswer{OK: true, Server: &made}, nil
}

func (s *Service) delete(c call) (any, error) {
	s.accounts.mu.Lock()
	defer s.accounts.mu.Unlock()
	owner, found, err := s.accounts.requireSettled(c)
	if err != nil {
		return nil, err
	}
	owner.remove(found.ID)
	s.acted(c, found.ID)
	return doneAnswer{OK: true}, nil
}

func (s *Service) updateStartup(c call) (any, error) {
	if strings.TrimSpace(c.fields.StartupCommand) == "" || strings.TrimSpace(c.fields.EntryFile) == "" {
		return nil, refuse(http.StatusBadRequest, CodeInvalid, "startupCommand and entryFile are not empty")
	}
	s.accounts.mu.Lock()
	defer s.accounts.mu.Unlock()
	_, found, err := s.accounts.requireSettled(c)
	if err != nil {
		return nil, err
	}
	found.StartupCommand, found.EntryFile = c.fields.StartupCommand, c.fields.EntryFile
	s.acted(c, found.ID)
	record := found.Server
	return doneAnswer{OK: true, Server: &record}, nil
}
