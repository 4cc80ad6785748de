package watcher_test

import (
	"testing"
	"time"

	"hostbot/bot/watch/history"
	"hostbot/hostapi"
	"hostbot/hostapi/redistest"
)

// TestPastKeepsWhatIsKnownOverGaps has nobody look for a while, now or before.
func TestPastKeepsWhatIsKnownOverGaps(t *testing.T) {
	client := redistest.Connect(t, redistest.StartMiniredis(t).URL())
	h := history.New(client, "", func() time.Duration { return time.Minute })
	now := time.Now().Truncate(time.Second)
	const u, r, c = history.Unwatched, hostapi.StateRunning, hostapi.StateCrashed
	entry := func(ago time.Duration, s hostapi.State) history.Entry {
		return history.Entry{At: now.Add(-ago), State: s}
	}
	for name, test := range map[string]struct {
		log     []history.Entry
		looked  time.Duration // ago
		state   hostapi.State
		since   time.Duration // ago
		atLeast bool
	}{
		"nobody looks now":          {[]history.Entry{entry(9*time.Hour, c), entry(5*time.Hour, r)}, 2 * time.Hour, r, 5 * time.Hour, false},
		"a short gap":               {[]history.Entry{entry(9*time.Hour, c), entry(5*time.Hour, r), entry(time.Hour, u), entry(30*time.Minute, r)}, 0, r, 5 * time.Hour, false},
		"two short gaps":            {[]history.Entry{entry(5*time.Hour, r), entry(3*time.Hour, u), entry(150*time.Minute, r), entry(time.Hour, u), entry(30*time.Minute, r)}, 0, r, 5 * time.Hour, false},
		"a short gap since a start": {[]history.Entry{entry(5*time.Hour, u), entry(5*time.Hour, r), entry(time.Hour, u), entry(30*time.Minute, r)}, 0, r, 5 * time.Hour, true},
		"a long gap":                {[]history.Entry{entry(9*time.Hour, r), entry(5*time.Hour, u), entry(time.Hour, r)}, 0, r, time.Hour, true},
		"another state after a gap": {[]history.Entry{entry(9*time.Hour, r), entry(time.Hour, u), entry(30*time.Minute, c)}, 0, c, 30 * time.Minute, true},
	} {
		t.Run(name, func(t *testing.T) {
			fields := []any{history.FieldAt, now.Add(-test.looked).Unix(), history.Field("bot"), history.Encode(test.log...)}
			if err := client.HSet(t.Context(), history.AccountKey("", name), fields...).Err(); err != nil {
				t.Fatal(err)
			}
			kept, err := h.Bots(t.Context(), name, now.Add(-24*time.Hour), "bot", "other")
			if err != nil || len(kept) != 1 {
				t.Fatalf("kept is %v (%v)", kept, err)
			}
			got := kept["bot"].Standing
			if got.State != test.state || !got.Since.Equal(now.Add(-test.since)) || got.AtLeast != test.atLeast {
				t.Errorf("the bot stands at %+v", got)
			}
			if spans := kept["bot"].Spans; (spans[len(spans)-1].State == u) != (test.looked > 0) {
				t.Errorf("the spans are %v", spans)
			}
		})
	}
}
