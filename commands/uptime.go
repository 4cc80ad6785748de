package commands

import (
	"slices"
	"time"

	"hostbot/bot/history"
	"hostbot/commands/chart"
	"hostbot/hostapi"
)

// fared returns how a bot fared since from, without what is not known. States that mean
// the same to a reader are one span.
func fared(states []history.Span, from, to time.Time) chart.Strip {
	strip := chart.Strip{From: from, To: to}
	for _, s := range states {
		kind := kindOf(s.State)
		if kind == chart.Unknown || !s.To.After(from) {
			continue
		}
		start := s.From
		if start.Before(from) {
			start = from
		}
		if last := len(strip.Spans) - 1; last >= 0 && strip.Spans[last].Kind == kind && strip.Spans[last].To.Equal(start) {
			strip.Spans[last].To = s.To
			continue
		}
		strip.Spans = append(strip.Spans, chart.Span{From: start, To: s.To, Kind: kind})
	}
	return strip
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
func uptime(s chart.Strip) (share float64, known bool) {
	var ran, watched time.Duration
	for _, span := range s.Spans {
		watched += span.To.Sub(span.From)
		if span.Kind == chart.Running {
			ran += span.To.Sub(span.From)
		}
	}
	return float64(ran) / float64(max(watched, 1)), watched > 0
}

// outages returns the times in which the bot was down although nobody wanted it, the
// latest first.
func outages(s chart.Strip) []chart.Span {
	var found []chart.Span
	for _, span := range slices.Backward(s.Spans) {
		if span.Kind == chart.Out {
			found = append(found, span)
		}
	}
	return found
}
