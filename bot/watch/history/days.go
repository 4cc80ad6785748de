package history

import (
	"time"

	"hostbot/hostapi"
)

// Kind is a state as far as a user of the bot is concerned.
type Kind int

// The kinds.
const (
	Unknown Kind = iota // nobody polled, or the service does not say
	Running
	Changing // on its way to another state
	Stopped  // on request
	Out      // down, though nobody asked for it
	kinds
)

// KindOf returns the kind of a state.
func KindOf(s hostapi.State) Kind {
	switch s {
	case hostapi.StateRunning:
		return Running
	case hostapi.StateStarting, hostapi.StateStopping, hostapi.StateRestarting, hostapi.StateInstalling:
		return Changing
	case hostapi.StateStopped:
		return Stopped
	case hostapi.StateCrashed, hostapi.StateError, hostapi.StateSuspended:
		return Out
	default: // Unwatched, Gone and what nobody knows
		return Unknown
	}
}

// Stretch is a time of one kind.
type Stretch struct {
	From, To time.Time
	Kind     Kind
}

// Stretches returns a bot's stretches between two times, oldest first, without Unknown ones. If a bot was Out before and
// after a gap, it is one outage.
func Stretches(spans []Span, from, to time.Time) []Stretch {
	var list []Stretch
	for _, s := range spans {
		kind, start, end := KindOf(s.State), Later(s.From, from), earlier(s.To, to)
		if kind == Unknown || !end.After(start) {
			continue
		}
		last := len(list) - 1
		if last >= 0 && list[last].Kind == kind && (kind == Out || list[last].To.Equal(start)) {
			list[last].To = end
			continue
		}
		list = append(list, Stretch{start, end, kind})
	}
	return list
}

// Tally is the total time of each kind.
type Tally [kinds]time.Duration

// TallyOf adds up the parts of stretches between two times.
func TallyOf(stretches []Stretch, from, to time.Time) (t Tally) {
	for _, s := range stretches {
		t[s.Kind] += max(0, earlier(s.To, to).Sub(Later(s.From, from)))
	}
	return t
}

// Uptime returns the share of Running in Running and Out. Times in which the bot was stopped on request or changing do
// not count.
func (t Tally) Uptime() (share float64, known bool) {
	all := t[Running] + t[Out]
	return float64(t[Running]) / float64(max(all, 1)), all > 0
}

// Grade is a summary of a time, as status pages colour days.
type Grade int

// The grades.
const (
	GradeUnknown Grade = iota
	GradeUp            // without an outage
	GradeShort         // with outages of ShortOutage at most, added up
	GradeLong          // with longer ones
	GradeStopped       // neither running nor out
)

// ShortOutage is the longest total outage of a day with GradeShort.
const ShortOutage = time.Hour

// Grade returns the grade of a tally.
func (t Tally) Grade() Grade {
	switch {
	case t[Out] > ShortOutage:
		return GradeLong
	case t[Out] > 0:
		return GradeShort
	case t[Running]+t[Changing] > 0:
		return GradeUp
	case t[Stopped] > 0:
		return GradeStopped
	default:
		return GradeUnknown
	}
}

// ShownDays is how many days a picture or a panel shows.
const ShownDays = 30

// Day is the tally of a day in UTC, as each of these has 24 hours.
type Day struct {
	From time.Time
	Tally
}

// Days returns the last ShownDays days, oldest first. The last is today so far.
func Days(spans []Span, now time.Time) []Day {
	stretches := Stretches(spans, now.Add(-ShownDays*24*time.Hour), now)
	today := now.UTC().Truncate(24 * time.Hour)
	days := make([]Day, ShownDays)
	for i := range days {
		from := today.AddDate(0, 0, i+1-ShownDays)
		days[i] = Day{from, TallyOf(stretches, from, from.AddDate(0, 0, 1))}
	}
	return days
}

// Later returns the later of two times.
func Later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
