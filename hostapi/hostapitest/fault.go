package hostapitest

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Fault is what goes wrong with a request. Several fields may be set; they take
// effect in the order of their mention here. All but the last five keep the
// request from being acted upon, except a Delay alone.
type Fault struct {
	// UserID is whose requests meet the fault; empty: everybody's.
	UserID string

	// Delay is how long nothing happens first, on the service's clock.
	Delay time.Duration
	// Reset breaks the connection off without an answer.
	Reset bool
	// Hang gives no answer until the faults are cleared, and then breaks the
	// connection off.
	Hang bool
	// Redirect answers 307 with this Location.
	Redirect string
	// Status, Header and Body are answered as they are: 200 where only a Body
	// is given.
	Status int
	Header http.Header
	Body   string

	// ResetAfter acts, then breaks the connection off in place of an answer.
	ResetAfter bool
	// Malformed acts, then breaks its answer off in the middle, so that it is no JSON.
	Malformed bool
	// WrongTypes acts, then answers with a number for each text and with text for all else.
	WrongTypes bool
	// Odd acts, then answers with other members, in JSON, in its last server, and in its only one.
	// "" leaves a member out.
	Odd map[string]string
	// Huge acts, then answers with over 4 MiB of blanks before the JSON: more than a client may read.
	Huge bool
}

// ActiveFault is a fault that will meet requests to come.
type ActiveFault struct {
	Operation Operation // empty: all
	Fault     Fault
	Times     int // how many more requests it will meet; 0: all until it is cleared
}

type faults struct {
	mu      sync.Mutex
	active  []ActiveFault
	cleared chan struct{} // closed by ClearFaults; nil while no request hangs
}

// take returns the fault that a user's request for op meets, with a channel that is
// closed when faults are cleared.
func (f *faults) take(op Operation, userID string) (Fault, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cleared == nil {
		f.cleared = make(chan struct{})
	}
	for i := range f.active {
		found := &f.active[i]
		if found.Operation != "" && found.Operation != op || found.Fault.UserID != "" && found.Fault.UserID != userID {
			continue
		}
		fault := found.Fault
		if found.Times == 1 {
			f.active = slices.Delete(f.active, i, i+1)
		} else if found.Times > 1 {
			found.Times--
		}
		return fault, f.cleared
	}
	return Fault{}, f.cleared
}

// Fail lets the next so many requests for op, for any where it is empty, meet a
// fault; all of them until ClearFaults where times is 0. Of several faults for a
// request the one set first is met, and only that.
func (s *Service) Fail(op Operation, fault Fault, times int) {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.active = append(s.faults.active, ActiveFault{op, fault, times})
}

// ClearFaults takes all faults away and lets go of requests that hang.
func (s *Service) ClearFaults() {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.active = nil
	if s.faults.cleared != nil {
		close(s.faults.cleared)
		s.faults.cleared = nil
	}
}

// Faults returns what requests to come will meet, in the order it was set.
func (s *Service) Faults() []ActiveFault {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	return slices.Clone(s.faults.active)
}

// spoil makes a good answer's body what the fault wants it to be.
func (f Fault) spoil(body []byte) []byte {
	if f.WrongTypes {
		body = changed(body, otherTypes)
	}
	if f.Odd != nil {
		body = changed(body, f.makeOdd)
	}
	if f.Malformed {
		body = body[:len(body)/2]
	}
	return body
}

// changed returns an answer that was changed.
func changed(body []byte, change func(answer map[string]any)) []byte {
	var answer map[string]any
	if json.Unmarshal(body, &answer) != nil {
		return body
	}
	change(answer)
	body, _ = json.Marshal(answer) // of what JSON itself gave, it cannot fail
	return body
}

func otherTypes(answer map[string]any) {
	for name, member := range answer {
		if _, text := member.(string); text {
			answer[name] = 1
		} else {
			answer[name] = "wrong"
		}
	}
}

// makeOdd gives a server of an answer other members. One that is alone is bare or under "server".
func (f Fault) makeOdd(answer map[string]any) {
	record := answer
	if wrapped, ok := answer["server"].(map[string]any); ok {
		record = wrapped
	}
	if servers, listed := answer["servers"].([]any); listed {
		if len(servers) == 0 {
			return
		}
		record, _ = servers[len(servers)-1].(map[string]any)
	}
	for name, value := range f.Odd {
		if value == "" {
			delete(record, name)
		} else {
			record[name] = json.RawMessage(value)
		}
	}
}
