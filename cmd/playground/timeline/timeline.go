// Package timeline tells what happened underneath each interaction: its event
// from Discord, the commands to Redis, the calls to the hosting service and
// those to Discord, with their times and bodies. Interaction tokens are left
// out of all of it.
//
// Which interaction a call to Discord belongs to is told by its token. Nothing
// marks the other steps, so they are told by the user whose ID is in them, and
// the time: they go to that user's latest interaction that is under way. A step about a
// user of whom none is belongs to what the bot does by itself, again and again: it polls
// accounts, and keeps alerts, panels and logs true.
package timeline

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// How much is kept: the latest ones.
const (
	keptInteractions = 40
	keptBody         = 16 << 10 // bytes
	// keptOfEach is how many steps an interaction has at most. Of one that has more, those in the
	// middle go: how it began and ended is what one looks for.
	keptOfEach = 60
	keptFirst  = 20 // of those, to what an action asks of the service
	keptRounds = 60
	keptApart  = 20
)

// Interaction is something that a user did, and what came of it.
type Interaction struct {
	ID    string    `json:"id"`
	User  string    `json:"user"` // name
	Title string    `json:"title"`
	At    time.Time `json:"at"`
	// Answered is how many milliseconds it took to the end of the first response
	// that Discord accepted; nil while there is none. It is kept for as long as the
	// interaction, whose steps may be gone before that.
	Answered *float64 `json:"answered"`
	Steps    []Step   `json:"steps"`
	// Cut says that steps are not kept any more.
	Cut bool `json:"cut"`
}

// Activity is what happened.
type Activity struct {
	Interactions []Interaction `json:"interactions"` // the newest first
	// Rounds are what the bot does by itself, again and again, and SoFar is how much of that there
	// has been.
	Rounds []Step `json:"rounds"`
	SoFar  int    `json:"so_far"`
	// Apart is what is about no user: connecting, and registering commands.
	Apart []Step `json:"apart"`
}

// Step is one thing that happened between two parts of the system.
type Step struct {
	ID      int    `json:"id"`
	Kind    Kind   `json:"kind"`
	Title   string `json:"title"`  // what it means
	Detail  string `json:"detail"` // what was sent, in short
	Outcome string `json:"outcome"`
	Failed  bool   `json:"failed"`
	// After is when it began, in milliseconds since the interaction did; of
	// those apart from interactions, since 1970.
	After float64 `json:"after"`
	// Took is in milliseconds; nil while it goes on.
	Took *float64 `json:"took"`
}

// Bodies are what was sent and what was answered.
type Bodies struct {
	Request  string `json:"request"`
	Response string `json:"response"`
}

// Kind says between which parts a step happened.
type Kind string

// The kinds of steps.
const (
	Gateway Kind = "gateway" // an event from Discord
	Redis   Kind = "redis"
	Service Kind = "service" // the hosting service
	Discord Kind = "discord" // Discord's REST API
)

// Recorder keeps what happened. It is safe for concurrent use.
type Recorder struct {
	changed func()

	mu           sync.Mutex
	users        map[string]bool // by ID
	latest       int             // ID of a step
	steps        []*step         // in order of their IDs
	interactions []*interaction  // in order of arrival
	rounds       int             // that are not kept any more
}

// New returns an empty recorder, which calls changed after each change.
func New(changed func()) *Recorder {
	return &Recorder{changed: changed, users: make(map[string]bool)}
}

// Know makes users known by their IDs: steps without a token are theirs where
// they hold one of these.
func (r *Recorder) Know(userIDs ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range userIDs {
		r.users[id] = true
	}
}

// usersIn returns the known users whose IDs are in a text.
func (r *Recorder) usersIn(text string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(snowflake.FindAllString(text, -1), func(id string) bool { return !r.users[id] })
}

// add keeps a step, and returns a function that changes it.
func (r *Recorder) add(s *step) (change func(func(*step))) {
	s.Request, s.Response = bounded(s.Request), bounded(s.Response)
	r.mu.Lock()
	r.latest++
	s.ID = r.latest
	if in := r.owner(s); in != nil {
		in.see(s)
	}
	r.steps = append(r.steps, s)
	r.bound(s)
	r.mu.Unlock()
	r.changed()
	return func(edit func(*step)) {
		r.mu.Lock()
		edit(s)
		s.Response = bounded(s.Response)
		r.mu.Unlock()
		r.changed()
	}
}

// bounded cuts a body, and puts dots for what is no text.
func bounded(body string) string { return strings.ToValidUTF8(body[:min(len(body), keptBody)], "·") }

// begin keeps an interaction.
func (r *Recorder) begin(in *interaction) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.interactions) == keptInteractions {
		r.forget(r.interactions[0])
		r.interactions = slices.Delete(r.interactions, 0, 1)
	}
	r.interactions = append(r.interactions, in)
}

// Bodies returns what was sent and answered in a step.
func (r *Recorder) Bodies(id int) (bodies Bodies, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.steps {
		if s.ID == id {
			return s.Bodies, true
		}
	}
	return Bodies{}, false
}

// List returns what happened, the steps of each interaction and of the rest in the order in
// which they began.
func (r *Recorder) List() Activity {
	r.mu.Lock()
	defer r.mu.Unlock()
	steps := slices.Clone(r.steps)
	slices.SortStableFunc(steps, func(a, b *step) int { return a.began.Compare(b.began) })
	placed := make(map[place][]*step)
	for _, s := range steps {
		at := r.placeOf(s)
		placed[at] = append(placed[at], s)
	}
	a := Activity{Interactions: make([]Interaction, 0, len(r.interactions))}
	for _, in := range slices.Backward(r.interactions) {
		out := in.Interaction
		out.Steps = relative(placed[place{in: in}], in.At)
		a.Interactions = append(a.Interactions, out)
	}
	a.Rounds = relative(placed[place{round: true}], time.UnixMilli(0))
	a.SoFar = r.rounds + len(a.Rounds)
	a.Apart = relative(placed[place{}], time.UnixMilli(0))
	return a
}

// relative returns steps as seen from a time.
func relative(steps []*step, start time.Time) []Step {
	list := make([]Step, len(steps))
	for i, s := range steps {
		list[i] = s.Step
		list[i].After = milliseconds(s.began.Sub(start))
	}
	return list
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
