package commands

import (
	"time"

	"hostbot/bot/history"
	"hostbot/commands/chart"
	"hostbot/hostapi"
)

// period is how a bot fared for some time until now.
type period struct {
	from, to time.Time
	spans    []chart.Span // without what is not known
}

// fared returns how a bot fared since from. States that mean the same to a reader are
// one span.
func fared(states []history.Span, from, to time.Time) period {
	p := period{from: from, to: to}
	for _, s := range states {
		kind := kindOf(s.State)
		if kind == chart.Unknown || !s.To.After(from) {
			continue
		}
		start, end := s.From, s.To
		if start.Before(from) {
			start = from
		}
		if end.After(to) {
			end = to
		}
		if last := len(p.spans) - 1; last >= 0 && p.spans[last].Kind == kind && p.spans[last].To.Equal(start) {
			p.spans[last].To = end
			continue
		}
		p.spans = append(p.spans, chart.Span{From: start, To: end, Kind: kind})
	}
	return p
}

func kindOf(s hostapi.State) chart.Kind {
	switch s {
	case hostapi.StateRunning:
		return chart.Running
	case hostapi.StateStarting, hostapi.StateStopping, hostapi.StateRestarting, hostapi.StateInstalling:
		return chart.Changing
	case hostapi.StateStopped:
		return chart.Stopped
	case hostapi.StateCrashed, hostapi.StateError, hostapi.StateSuspended:
		return chart.Out
	default: // history.Unwatched, history.Gone and what nobody knows
		return chart.Unknown
	}
}

// uptime returns for which share of the time that is known the bot ran; false where
// nothing is known.
func (p period) uptime() (share float64, known bool) {
	var ran, watched time.Duration
	for _, s := range p.spans {
		watched += s.To.Sub(s.From)
		if s.Kind == chart.Running {
			ran += s.To.Sub(s.From)
		}
	}
	return float64(ran) / float64(max(watched, 1)), watched > 0
}

// outages returns the times in which the bot was down although nobody wanted it, the
// latest first.
func (p period) outages() []chart.Span {
	var found []chart.Span
	for i := len(p.spans) - 1; i >= 0; i-- {
		if p.spans[i].Kind == chart.Out {
			found = append(found, p.spans[i])
		}
	}
	return found
}
