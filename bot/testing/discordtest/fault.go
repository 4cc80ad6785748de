package discordtest

import (
	"net/http"
	"slices"
	"sync"
	"time"
)

// Fault is something that goes wrong with REST calls.
type Fault struct {
	// Method and Route choose the calls; empty means any. Route is one of the
	// Route constants. RouteEndpoint chooses calls of Discord's own: with Delay it
	// hangs up that late, with Reset the answer is lost.
	Method, Route string
	// Times is how many calls it meets; 0 means all until it is removed.
	Times int

	// After lets the call be handled first: it has happened, and the fault
	// meets its answer alone. Otherwise nothing happens where no answer comes.
	After bool
	// Delay is waited on the server's clock before anything else.
	Delay time.Duration
	// Hang gives no answer until the fault is removed, the caller gives up or
	// the server closes; then the connection is cut.
	Hang bool
	// Reset cuts the connection instead of an answer.
	Reset bool
	// Status, where it is not 0, is answered, with Header and Body.
	Status int
	Header http.Header
	Body   string
	// Cloudflare says that the answer is Cloudflare's own: it has none of
	// Discord's headers.
	Cloudflare bool
}

// faults holds the faults that are set, oldest first.
type faults struct {
	mu   sync.Mutex
	list []*activeFault
}

type activeFault struct {
	Fault
	left    int
	removed chan struct{}
}

// Inject sets a fault. Of several that match a call the oldest one counts.
// remove ends it and is safe to call more than once.
func (s *Server) Inject(f Fault) (remove func()) {
	active := &activeFault{Fault: f, left: f.Times, removed: make(chan struct{})}
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.list = append(s.faults.list, active)
	var once sync.Once
	return func() {
		once.Do(func() {
			s.faults.mu.Lock()
			defer s.faults.mu.Unlock()
			s.faults.drop(active)
			close(active.removed)
		})
	}
}

// take returns the fault that meets a call, or nil.
func (f *faults) take(method, route string) *activeFault {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, active := range f.list {
		anyRoute := active.Route == "" && route != RouteEndpoint
		if active.Method != "" && active.Method != method || !anyRoute && active.Route != route {
			continue
		}
		if active.Times > 0 {
			if active.left--; active.left == 0 {
				f.drop(active)
			}
		}
		return active
	}
	return nil
}

func (f *faults) drop(active *activeFault) {
	f.list = slices.DeleteFunc(f.list, func(other *activeFault) bool { return other == active })
}

// strike lets a fault happen where its time has come, and reports whether the
// call is over with that.
func (s *Server) strike(active *activeFault, handled bool, w http.ResponseWriter, c *call) (over bool) {
	if active == nil || active.After != handled {
		return false
	}
	if active.Delay > 0 && !s.pause(c.r.Context(), active.Delay) {
		cut(w)
		return true
	}
	if active.Hang {
		select {
		case <-active.removed:
		case <-c.r.Context().Done():
		case <-s.done:
		}
	}
	if active.Hang || active.Reset {
		cut(w)
		return true
	}
	if active.Status == 0 {
		return false
	}
	for name, values := range active.Header {
		w.Header()[name] = values
	}
	if active.Cloudflare {
		c.writeByCloudflare(w, active.Status, []byte(active.Body))
	} else {
		c.write(w, active.Status, []byte(active.Body))
	}
	return true
}

// cut ends the connection without an answer.
func cut(w http.ResponseWriter) {
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		return
	}
	if conn, _, err := hijacker.Hijack(); err == nil {
		_ = conn.Close()
	}
}
