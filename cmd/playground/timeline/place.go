package timeline

import (
	"slices"
	"time"
)

const (
	// afterwards is how long after its latest call to Discord an interaction is under way: what its
	// handler still does for the answer, such as reading an account for the next one.
	afterwards = 500 * time.Millisecond
	// unanswered is how long an interaction without a first response is under way: Discord gives up
	// after 3 s, and calls that hang end later.
	unanswered = 10 * time.Second
)

// step is a Step with what is needed to place it.
type step struct {
	Step
	Bodies
	began time.Time
	first bool     // a first response
	token string   // of the interaction, where it is known
	users []string // whose IDs are in it
	ours  bool     // a call to Discord about messages of a channel
}

// interaction is an Interaction with what is needed to find its steps.
type interaction struct {
	Interaction
	token  string
	userID string
	until  time.Time // under way until then
}

// see takes note of a step of the interaction.
func (in *interaction) see(s *step) {
	if s.token == "" {
		return
	}
	end := s.began.Add(afterwards)
	if s.Took != nil {
		end = end.Add(time.Duration(*s.Took * float64(time.Millisecond)))
	}
	if s.first && !s.Failed && in.Answered == nil {
		after := milliseconds(s.began.Sub(in.At)) + *s.Took
		in.Answered = &after
		in.until = end
	}
	if end.After(in.until) {
		in.until = end
	}
}

// place is where a step is listed: at an interaction, among the rounds, or apart.
type place struct {
	in    *interaction
	round bool
}

func (r *Recorder) placeOf(s *step) place {
	in := r.owner(s)
	return place{in, in == nil && (len(s.users) > 0 || s.ours)}
}

// owner returns the interaction to which a step belongs; nil where there is none. One that was under
// way is known to be so still once it has called Discord again, so the answer may change.
func (r *Recorder) owner(s *step) *interaction {
	for _, in := range slices.Backward(r.interactions) {
		byToken := s.token != "" && s.token == in.token
		byUser := s.token == "" && !s.began.Before(in.At) && s.began.Before(in.until) && slices.Contains(s.users, in.userID)
		if byToken || byUser {
			return in
		}
	}
	return nil
}

// bound drops steps where there are too many in the place of a new one.
func (r *Recorder) bound(latest *step) {
	where := r.placeOf(latest)
	most, spared := keptApart, 0
	switch {
	case where.in != nil:
		most, spared = keptOfEach, keptFirst
	case where.round:
		most = keptRounds
	}
	var there []int
	for i, s := range r.steps {
		if r.placeOf(s) == where {
			there = append(there, i)
		}
	}
	surplus := max(0, len(there)-most)
	for _, i := range slices.Backward(there[min(spared, len(there)):][:surplus]) {
		r.steps = slices.Delete(r.steps, i, i+1)
	}
	if where.in != nil && surplus > 0 {
		where.in.Cut = true
	}
	if where.round {
		r.rounds += surplus
	}
}

// forget drops the steps of an interaction that is not kept any more.
func (r *Recorder) forget(in *interaction) {
	r.steps = slices.DeleteFunc(r.steps, func(s *step) bool { return r.owner(s) == in })
}
