package gateway

import (
	"slices"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// TestCloseCodes follows Discord's list of gateway close event codes, and those of
// RFC 6455 that a server sends. After the others the session is resumed.
func TestCloseCodes(t *testing.T) {
	final := []websocket.StatusCode{4004, 4010, 4011, 4012, 4013, 4014}
	ending := []websocket.StatusCode{4003, 4007, 4009}
	resumed := []websocket.StatusCode{0, 1000, 1001, 1005, 1011, 1012, 4000, 4001, 4002, 4005, 4006, 4008, 4999}
	for _, code := range slices.Concat(final, ending, resumed) {
		reason := closeError{Code: code}
		if got := finalError(reason) != nil; got != slices.Contains(final, code) {
			t.Errorf("%d is final: %v", code, got)
		}
		if got := endsSession(reason); got != slices.Contains(ending, code) {
			t.Errorf("%d ends the session: %v", code, got)
		}
	}
}

func TestDelayAfterAnInvalidSessionIsRandom(t *testing.T) {
	if d, other := delayOf(errInvalidSession), delayOf(errInvalidSession); d < time.Second || d > 5*time.Second || d == other {
		t.Errorf("after %v and %v", d, other)
	}
}
