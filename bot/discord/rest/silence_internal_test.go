package rest

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestGapEndsASilence: what fails now says nothing of the time in which nobody asked.
func TestGapEndsASilence(t *testing.T) {
	for name, test := range map[string]struct{ between, want time.Duration }{
		"asked again soon":  {10 * time.Second, 14 * time.Second},
		"asked an hour ago": {time.Hour, 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s silence
				lasts := func() time.Duration { from, until := s.span(); return until.Sub(from) }
				fails := func(after time.Duration) {
					s.began()
					time.Sleep(after) // of the bubble
					s.ended(unanswered)
				}
				fails(time.Second)
				time.Sleep(test.between)
				s.began()
				time.Sleep(2 * time.Second)
				if got, want := lasts(), test.want-time.Second; got != want {
					t.Errorf("while a request is in flight the silence has lasted %v, not %v", got, want)
				}
				time.Sleep(time.Second)
				s.ended(unanswered)
				time.Sleep(time.Hour)
				if got := lasts(); got != test.want {
					t.Errorf("the silence has lasted %v, not %v", got, test.want)
				}
			})
		})
	}
}
