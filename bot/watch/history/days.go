package history

import (
	"time"

	"hostbot/hostapi"
)

// Kind is how a bot fared for a while, to somebody who relies on it.
type Kind int

// The kinds. Of a bot that nobody looked at, or that the service says nothing of, it is Unknown.
const (
	Unknown Kind = iota
	Running
	Changing // on its way to another state
	Stopped  // because somebody wanted it so
	Out      // down although nobody wanted it
	kinds
)

// KindOf returns what a state means.
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

// Stretches returns how a bot fared between two times, oldest first, without what is Unknown. A bot
// that was down before and after a time that nobody saw was down throughout: one outage.
func Stretches(spans []Span, from, to time.Time) []Stretch {
	var list []Stretch
	for _, s := range spans {
		kind, start, end := KindOf(s.State), later(s.From, from), earlier(s.To, to)
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

// Tally is for how long a bot was of each kind, of what is known.
type Tally [kinds]time.Duration

// TallyOf adds up the parts of stretches between two times.
func TallyOf(stretches []Stretch, from, to time.Time) (t Tally) {
	for _, s := range stretches {
		t[s.Kind] += max(0, earlier(s.To, to).Sub(later(s.From, from)))
	}
	return t
}

// Uptime returns the share of running in running and outages. Neither a time in which the bot was
// stopped, as its owner wanted, nor one in which it changed states says how reliable it is.
func (t Tally) Uptime() (share float64, known bool) {
	all := t[Running] + t[Out]
	return float64(t[Running]) / float64(max(all, 1)), all > 0
}

// Grade is a time in a word, as status pages colour days.
type Grade int

// The grades.
const (
	GradeUnknown Grade = iota
	GradeUp            // without an outage
	GradeShort         // with outages of ShortOutage at most, added up
	GradeLong          // with longer ones
	GradeStopped       // neither running nor out
)

// ShortOutage is for how long a bot may be down on a day that is not a bad one.
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

// Day is how a bot fared on a day of UTC, in which nobody's clock is put forward or back.
type Day struct {
	From time.Time
	Tally
}

// Days returns the last ShownDays days, oldest first. The last is the day of now, as far as it has come.
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

func later(a, b time.Time) time.Time {
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
