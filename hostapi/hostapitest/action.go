package hostapitest

import (
	"errors"
	"net/http"
	"time"
)

// errGone says that no one is left to answer.
var errGone = errors.New("the caller or the service is gone")

// action is a call that takes time: the state meanwhile, and the one after.
type action struct {
	meanwhile string
	after     string // empty: the state before
	takes     time.Duration
}

func (s *Service) action(op Operation) action {
	switch op {
	case OpStart:
		return action{Starting, Running, s.options.Start}
	case OpStop:
		return action{Stopping, Stopped, s.options.Stop}
	case OpReinstall:
		return action{Installing, "", s.options.Reinstall}
	default:
		return action{Restarting, Running, s.options.Restart}
	}
}

// CrashAgain has each server that is started or restarted from now on crash at once, or not any more.
func (s *Service) CrashAgain(on bool) { s.crashAgain.Store(on) }

// act begins an action and waits for its end, or until gone.
func (s *Service) act(c call, gone <-chan struct{}) (any, error) {
	a := s.action(c.operation)
	if a.after == Running && s.crashAgain.Load() {
		a.after = Crashed
	}
	ended, err := s.beginAction(c, a)
	if err != nil {
		return nil, err
	}
	select {
	case <-ended:
	case <-gone:
		return nil, errGone
	case <-s.done:
		return nil, errGone
	}
	now, ok := s.Server(c.userID, c.serverID)
	switch {
	case !ok:
		return nil, errNoServer()
	case c.operation == OpReinstall:
		return doneAnswer{OK: true}, nil
	default:
		return doneAnswer{OK: true, Status: now.Status}, nil
	}
}

// after returns a channel that is closed when a time has passed by the service's clock.
func (s *Service) after(d time.Duration) <-chan struct{} {
	passed := make(chan struct{})
	s.options.Clock.AfterFunc(d, func() { close(passed) })
	return passed
}

// beginAction moves the server into the action's state and returns a channel
// that is closed when the action has ended, whoever waits for that.
func (s *Service) beginAction(c call, a action) (<-chan struct{}, error) {
	s.accounts.mu.Lock()
	defer s.accounts.mu.Unlock()
	_, found, err := s.accounts.require(c)
	if err == nil && (c.operation != OpStop || found.Status != Starting) { // what hangs while it starts can be stopped
		_, found, err = s.accounts.requireSettled(c)
	}
	switch {
	case err != nil:
		return nil, err
	// The service's document shows no such refusal. It is assumed that what the host has suspended
	// does not move: as 403, which such services answer where the caller may not.
	case found.Status == Suspended:
		return nil, refuse(http.StatusForbidden, CodeSuspended, "the server is suspended")
	case c.operation == OpStart && found.Status == Running:
		return nil, refuse(http.StatusConflict, CodeAlreadyRunning, "the server is running")
	case c.operation == OpStop && found.Status == Stopped:
		return nil, refuse(http.StatusConflict, CodeAlreadyStopped, "the server is stopped")
	}
	if a.after == "" {
		a.after = found.Status
	}
	if !s.begin() {
		return nil, errGone
	}
	s.acted(c, found.ID)
	found.setStatus(a.meanwhile)
	mine := found.change
	over := s.after(a.takes)
	ended := make(chan struct{})
	go func() {
		defer s.work.Done()
		select {
		case <-over:
		case <-s.done:
			return
		}
		s.accounts.mu.Lock()
		if found.change == mine {
			found.setStatus(a.after)
		}
		s.accounts.mu.Unlock()
		close(ended)
	}()
	return ended, nil
}
