package monitor

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"hostbot/bot/discord/recent"
	"hostbot/bot/responder"
)

// maxTimes is of how many first responses the times are kept.
const maxTimes = 500

// responses is how interactions were answered lately. It is safe for concurrent use.
type responses struct {
	recent.Outcomes

	mu    sync.Mutex
	times [maxTimes]firstResponse // the latest, from next on the oldest first
	next  int
}

type firstResponse struct {
	at   time.Time
	took time.Duration
}

func (r *responses) note(now time.Time, o responder.Observation) {
	reason := ""
	if o.Outcome == "unanswered" {
		reason = cmp.Or(o.Reason, "this bot served too many at once")
	}
	r.Note(now, reason)
	if o.First <= 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times[r.next] = firstResponse{now, o.First}
	r.next = (r.next + 1) % maxTimes
}

// Responses is how interactions were answered within Window.
type Responses struct {
	recent.Summary               // those failed that were not answered in time
	P95            time.Duration // within which 95 of 100 first responses were there; 0 if there were none
}

// RecentResponses is how interactions were answered within Window.
func (m *Monitor) RecentResponses() Responses {
	r, now := &m.responses, time.Now()
	result := Responses{Summary: r.Summary(now)}
	r.mu.Lock()
	defer r.mu.Unlock()
	var took []time.Duration
	for _, t := range r.times {
		if now.Sub(t.at) < Window {
			took = append(took, t.took)
		}
	}
	if len(took) > 0 {
		slices.Sort(took)
		result.P95 = took[(len(took)*95+99)/100-1]
	}
	return result
}
