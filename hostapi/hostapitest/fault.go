package hostapitest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"
)

// hugeSize is how much a Huge answer is longer than a client may read.
const hugeSize = 8 << 20

// Fault is what goes wrong with a request. Several fields may be set; they take
// effect in the order of their mention here. All but the last four keep the
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
	// WrongTypes acts, then answers with numbers for text and text for all else.
	WrongTypes bool
	// Huge acts, then answers in 8 MiB of blanks before the JSON.
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
		var value any
		if json.Unmarshal(body, &value) == nil {
			body, _ = json.Marshal(otherTypes(value)) // of what JSON itself gave, it cannot fail
		}
	}
	if f.Malformed {
		body = body[:len(body)/2]
	}
	if f.Huge {
		body = append(bytes.Repeat([]byte(" "), hugeSize), body...)
	}
	return body
}

func otherTypes(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = otherTypes(member)
		}
		return v
	case []any:
		for i, member := range v {
			v[i] = otherTypes(member)
		}
		return v
	case string:
		return 1
	default:
		return "wrong"
	}
}
