package commands_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"hostbot/bot/watch/history"
	"hostbot/hostapi"
)

const aDay = 24 * time.Hour

func TestHistorySaysWhatIsKnown(t *testing.T) {
	var restless []any
	for range 20 {
		restless = append(restless, aDay, hostapi.StateRunning, time.Hour, hostapi.StateCrashed)
	}
	for name, test := range map[string]struct {
		spans []history.Span
		want  []string
	}{
		"always up": {past(30*aDay, hostapi.StateRunning), []string{"24 h: **100%** · 7 days: **100%** · 30 days: **100%**", "No outages in the last 30 days"}},
		"a crash that became an error is one outage": {
			past(29*aDay, hostapi.StateRunning, 6*time.Hour, hostapi.StateCrashed, 6*time.Hour, hostapi.StateError, 12*time.Hour, hostapi.StateRunning),
			[]string{"24 h: **50%** · 7 days: **92.8%** · 30 days: **98.3%**", "1 outage in 30 days", " · 12 h"},
		},
		"an outage with a gap that nobody saw is one": {
			past(29*aDay, hostapi.StateRunning, 6*time.Hour, hostapi.StateCrashed, 2*time.Hour, history.Unwatched, 4*time.Hour, hostapi.StateCrashed, 12*time.Hour, hostapi.StateRunning),
			[]string{"24 h: **50%**", "1 outage in 30 days", " · 12 h"},
		},
		"a moment is no whole": {past(30*aDay-time.Second, hostapi.StateRunning, time.Second, hostapi.StateCrashed), []string{"30 days: **99.9%**", "ongoing"}},
		"what was not watched does not count": {
			past(25*aDay, history.Unwatched, 4*aDay, hostapi.StateRunning, 12*time.Hour, history.Unwatched, 12*time.Hour, hostapi.StateStopped),
			[]string{"24 h: **–** · 7 days: **100%** · 30 days: **100%**", "Stopped on request: 12 h", "Monitored since <t:", "No outage"},
		},
		"stopping is no outage": {
			past(20*aDay, hostapi.StateRunning, 150*time.Minute, hostapi.StateCrashed, 2*aDay+4*time.Hour, hostapi.StateStopped, 7*aDay, hostapi.StateRunning),
			[]string{"30 days: **99.6%**", "Stopped on request: 2 days 4 h", "1 outage in 30 days", " · 2 h 30 min"},
		},
		"the latest outages are listed": {past(restless...), []string{"20 outages in 30 days", "…"}},
		"nothing is known lately":       {past(28*aDay, hostapi.StateRunning, 2*aDay, history.Unwatched), []string{"24 h: **–** · 7 days: **100%**"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := watching(t, &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}, spans: test.spans})
			shown := answer(t, c, onBot("bot history", "Shop"))
			wantText(t, shown.Message, test.want...)
			if f := shown.Message.Files; len(f) != 1 || f[0].Type != "image/png" || shown.Message.Embeds[0].Image.URL != "attachment://"+f[0].Name {
				t.Errorf("files: %d", len(f))
			}
			if n := strings.Count(shown.Message.Embeds[0].Description, "🟥 <t:"); n > 5 {
				t.Errorf("%d outages are listed", n)
			}
			sendable(t, shown)
		})
	}
}

// TestPictureHasAKeyAndADescription explains the colours that there are and no others, and says to who
// does not see the picture what it shows.
func TestPictureHasAKeyAndADescription(t *testing.T) {
	for name, test := range map[string]struct {
		spans          []history.Span
		key, described string
	}{
		"always up": {past(30*aDay, hostapi.StateRunning), "-# 🟩 Running\n", "No outages in the last 30 days"},
		"stopped on purpose": {
			past(20*aDay, hostapi.StateRunning, 8*aDay, hostapi.StateStopped, 2*aDay, hostapi.StateRunning), "-# 🟩 Running · ⬜ Stopped\n", "Stopped on request: 8 days",
		},
		"watched for two days": {past(28*aDay, history.Unwatched, 2*aDay, hostapi.StateRunning), "-# 🟩 Running · ⬛ Not monitored\n", "24 h: 100%"},
		"a bad one": {
			past(20*aDay, hostapi.StateRunning, 2*aDay, hostapi.StateCrashed, 4*aDay, hostapi.StateRunning, 20*time.Minute, hostapi.StateError, time.Hour, hostapi.StateStarting, 3*aDay, hostapi.StateRunning),
			"-# 🟩 Running · 🟥 Down · 🟨 Down for up to 60 min that day · 🟦 Starting or stopping\n", "2 outages in 30 days\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := watching(t, &watched{w: &world{list: account(server("a", "Quiz *night*", "RUNNING"))}, spans: test.spans})
			m := answer(t, c, onBot("bot history", "Quiz *night*")).Message
			if said := strings.ReplaceAll(m.Embeds[0].Description, "\u00a0", " "); !strings.Contains(said, test.key) {
				t.Errorf("the key %q is not in %q", test.key, said)
			}
			said := strings.ReplaceAll(m.Files[0].Description, "\u00a0", " ")
			if !strings.HasPrefix(said, "Uptime of Quiz *night* over") || !strings.Contains(said, test.described) || strings.Contains(said, "**") || strings.Contains(said, "<t:") {
				t.Errorf("the picture is described as %q", said)
			}
		})
	}
}

func TestHistoryOfWhatIsNotKnown(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}}
	c := watching(t, h)
	shown := answer(t, c, press("history/a"))
	wantText(t, shown.Message, "it isn't monitored")
	if _, there := buttons(shown.Message)["Alerts on for Shop"]; !there {
		t.Errorf("buttons: %v", buttons(shown.Message))
	}
	h.err = errors.New("redis is away")
	refused(t, c, press("history/a"), "can't be loaded right now")
	refused(t, c, press("history/b"), "no longer exists")
	if h.w.others != nil {
		t.Errorf("touched: %v", h.w.others)
	}
}
