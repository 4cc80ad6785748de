package watcher_test

import (
	"testing"
	"time"

	"hostbot/bot/watch/history"
	"hostbot/hostapi"
	"hostbot/hostapi/redistest"
)

func TestSpans(t *testing.T) {
	client := redistest.Connect(t, redistest.StartMiniredis(t).URL())
	h := history.New(client, "", func() time.Duration { return time.Minute })
	now := time.Now().Truncate(time.Second)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	entry := func(d time.Duration, s hostapi.State) history.Entry { return history.Entry{At: ago(d), State: s} }
	for name, test := range map[string]struct {
		log    []history.Entry
		looked time.Duration // ago
		want   []history.Entry
	}{
		"nothing is kept": {looked: time.Hour},
		"watched for less": {
			[]history.Entry{entry(2*time.Hour, history.Unwatched), entry(2*time.Hour, hostapi.StateRunning), entry(time.Hour, hostapi.StateCrashed)}, time.Minute,
			[]history.Entry{entry(24*time.Hour, history.Unwatched), entry(2*time.Hour, hostapi.StateRunning), entry(time.Hour, hostapi.StateCrashed)},
		},
		"watched for longer": {
			[]history.Entry{entry(50*time.Hour, hostapi.StateCrashed), entry(48*time.Hour, hostapi.StateRunning), entry(time.Hour, hostapi.StateStopped)}, 0,
			[]history.Entry{entry(24*time.Hour, hostapi.StateRunning), entry(time.Hour, hostapi.StateStopped)},
		},
		"a gap": {
			[]history.Entry{entry(48*time.Hour, hostapi.StateRunning), entry(3*time.Hour, history.Unwatched), entry(time.Hour, hostapi.StateRunning)}, 0,
			[]history.Entry{entry(24*time.Hour, hostapi.StateRunning), entry(3*time.Hour, history.Unwatched), entry(time.Hour, hostapi.StateRunning)},
		},
		"nobody looks now": {
			[]history.Entry{entry(48*time.Hour, hostapi.StateRunning)}, 4 * time.Minute,
			[]history.Entry{entry(24*time.Hour, hostapi.StateRunning), entry(4*time.Minute, history.Unwatched)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			fields := []any{history.FieldAt, ago(test.looked).Unix(), history.Field("other"), "x"}
			if test.log != nil {
				fields = append(fields, history.Field("bot"), history.Encode(test.log...))
			}
			if err := client.HSet(t.Context(), history.AccountKey("", name), fields...).Err(); err != nil {
				t.Fatal(err)
			}
			spans, err := h.Of(t.Context(), name, "bot", ago(24*time.Hour))
			if err != nil || len(spans) != len(test.want) {
				t.Fatalf("the spans are %v (%v), want %v", spans, err, test.want)
			}
			for i, want := range test.want {
				until := spans[i].To
				if i+1 < len(spans) && !until.Equal(spans[i+1].From) {
					t.Errorf("there is a hole after span %d", i)
				}
				if !spans[i].From.Equal(want.At) || spans[i].State != want.State {
					t.Errorf("span %d is %v, want %v", i, spans[i], want)
				}
			}
			if len(spans) > 0 && time.Since(spans[len(spans)-1].To) > time.Minute {
				t.Errorf("the last span ends at %v", spans[len(spans)-1].To)
			}
		})
	}
}
