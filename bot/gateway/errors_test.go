package gateway

import (
	"testing"
	"time"

	"github.com/coder/websocket"
)

// TestCloseCodes follows Discord's list of gateway close event codes, and those of
// RFC 6455 that a server sends.
func TestCloseCodes(t *testing.T) {
	const (
		resumes = iota
		begins
		ends
	)
	for code, want := range map[websocket.StatusCode]int{
		1000: resumes, 1001: resumes, 1005: resumes, 1011: resumes, 1012: resumes,
		4000: resumes, 4001: resumes, 4002: resumes, 4003: begins, 4004: ends, 4005: resumes, 4006: resumes, 4007: begins,
		4008: resumes, 4009: begins, 4010: ends, 4011: ends, 4012: ends, 4013: ends, 4014: ends, 4999: resumes, 0: resumes,
	} {
		reason := closeError{Code: code}
		got := resumes
		if endsSession(reason) {
			got = begins
		}
		if finalError(reason) != nil {
			got = ends
		}
		if got != want {
			t.Errorf("after %d: %d, want %d", code, got, want)
		}
	}
}

func TestDelayAfterAnInvalidSessionIsRandom(t *testing.T) {
	for range 100 {
		if d := delayOf(errInvalidSession); d < time.Second || d > 5*time.Second {
			t.Errorf("after %v", d)
		}
	}
}
