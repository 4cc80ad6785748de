package incident

import (
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
)

const (
	// sameFor is for how long equal failures of one user share the reference of the first.
	sameFor = time.Minute
	// shownFor is for how long an interaction may tell of its failure: as long as its token lives.
	// https://discord.com/developers/docs/interactions/receiving-and-responding
	shownFor = 15 * time.Minute
)

// References gives equal failures of one user within a minute one reference: who presses again and
// again in an outage reads the same, and staff look up one incident. A process knows its own
// failures alone. Nil gives each failure a reference of its own.
type References struct {
	mu    sync.Mutex
	met   expiring[meeting] // by the user and the cause
	shown expiring[string]  // the reference that is shown, by that of the interaction
}

// meeting is the first of equal failures.
type meeting struct {
	reference string
	at        time.Time
}

// NewReferences returns references of which none was given.
func NewReferences() *References {
	return &References{met: expiring[meeting]{life: sameFor}, shown: expiring[string]{life: shownFor}}
}

// Meet takes note that a user meets a failure, before the user and staff are told of it. The first
// failure of an interaction decides.
func (s *References) Meet(r *interaction.Request, err error) {
	if s == nil || r.Reference == "" || err == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.shown.get(r.Reference); known {
		return
	}
	now, key := time.Now(), r.UserID+" "+kindOf(r, err)
	first, known := s.met.get(key)
	if !known || now.Sub(first.at) >= sameFor {
		first = meeting{r.Reference, now}
		s.met.put(key, first, now)
	}
	s.shown.put(r.Reference, first.reference, now)
}

// Shown returns the reference that is shown for an interaction's own.
func (s *References) Shown(own string) string {
	if s == nil {
		return own
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if shown, known := s.shown.get(own); known {
		return shown
	}
	return own
}

// Staff returns a request as staff are told of it: with the reference that is shown.
func (s *References) Staff(r *interaction.Request) *interaction.Request {
	shown := s.Shown(r.Reference)
	if shown == r.Reference {
		return r
	}
	told := *r
	told.Reference = shown
	return &told
}

// digits are what differs in errors that are otherwise the same.
var digits = regexp.MustCompile(`\d+`)

// kindOf is equal for failures with one cause: of one call to the hosting service, about one bot where
// an action was running.
func kindOf(r *interaction.Request, err error) string {
	kind := CauseOf(err)
	if service, ok := errors.AsType[*hostapi.Error](err); ok {
		kind += fmt.Sprintf(" %s %t", service.Op, service.Uncertain)
	} else if kind == string(hostapi.CodeInternal) {
		kind = digits.ReplaceAllString(sanitize.Plain(err.Error(), nameLimit), "#")
	}
	if r.Running != nil {
		kind += " " + r.Running.BotID
	}
	return kind
}

// expiring keeps values for life at least, and for twice that at most.
type expiring[V any] struct {
	life         time.Duration
	newer, older map[string]V
	turned       time.Time // when newer was begun
}

func (r *expiring[V]) get(key string) (v V, known bool) {
	if v, known = r.newer[key]; !known {
		v, known = r.older[key]
	}
	return v, known
}

func (r *expiring[V]) put(key string, v V, now time.Time) {
	if r.newer == nil || now.Sub(r.turned) >= r.life {
		if r.older = r.newer; now.Sub(r.turned) >= 2*r.life {
			r.older = nil
		}
		r.newer, r.turned = make(map[string]V), now
	}
	r.newer[key] = v
}
