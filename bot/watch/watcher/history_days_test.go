package watcher_test

import (
	"testing"
	"time"

	"hostbot/bot/watch/history"
	"hostbot/hostapi"
)

// TestDays judges thirty days of a bot that was watched for six, at noon of the last.
func TestDays(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	midnight := now.Add(-12 * time.Hour)
	at := func(days float64) time.Time {
		return midnight.Add(time.Duration(days * 24 * float64(time.Hour)))
	}
	spans := []history.Span{
		{From: now.AddDate(0, 0, -30), To: at(-5), State: history.Unwatched},
		{From: at(-5), To: at(-3.5), State: hostapi.StateRunning},
		{From: at(-3.5), To: at(-3.5).Add(30 * time.Minute), State: hostapi.StateCrashed},
		{From: at(-3.5).Add(30 * time.Minute), To: at(-2.5), State: hostapi.StateRunning},
		{From: at(-2.5), To: at(-2.4), State: hostapi.StateError},
		{From: at(-2.4), To: at(-2.3), State: history.Unwatched},
		{From: at(-2.3), To: at(-2.2), State: hostapi.StateCrashed},
		{From: at(-2.2), To: at(-2), State: hostapi.StateRunning},
		{From: at(-2), To: at(-1), State: hostapi.StateStopped},
		{From: at(-1), To: at(-0.5), State: hostapi.StateStopped},
		{From: at(-0.5), To: now, State: hostapi.StateRunning},
	}
	days := history.Days(spans, now.In(time.FixedZone("", 9*60*60)))
	if len(days) != 30 || !days[29].From.Equal(midnight) || !days[0].From.Equal(midnight.AddDate(0, 0, -29)) {
		t.Fatalf("%d days, from %v to %v", len(days), days[0].From, days[len(days)-1].From)
	}
	for ago, want := range []history.Grade{
		history.GradeUp, history.GradeUp, history.GradeStopped, history.GradeLong, history.GradeShort, history.GradeUp, history.GradeUnknown,
	} {
		if got := days[29-ago].Grade(); got != want {
			t.Errorf("%d days ago the grade is %d, want %d: %v", ago, got, want, days[29-ago].Tally)
		}
	}
	if out := days[26].Tally[history.Out].Round(time.Second); out != days[26].Tally[history.Out] || out.Hours() < 7.1 || out.Hours() > 7.3 {
		t.Errorf("a gap parts an outage: %v", out)
	}
	if share, known := days[25].Uptime(); !known || share < 0.979 || share > 0.98 {
		t.Errorf("half an hour of a day leaves %v", share)
	}
	if _, known := days[27].Uptime(); known {
		t.Error("a day of being stopped has a share")
	}
}
