package redistest

import (
	"testing"

	"github.com/alicebob/miniredis/v2"
)

// StartMiniredis starts an in-process Redis whose TTLs run with the clock.
func StartMiniredis(t testing.TB) *Server {
	t.Helper()
	return newServer(t, startInProcess)
}

func startInProcess(t testing.TB, addr string) (string, func()) {
	t.Helper()
	m := miniredis.NewMiniRedis()
	if err := m.StartAddr(addr); err != nil {
		t.Fatalf("start miniredis: %v", err)
	}
	m.ClockTTL(true)
	return m.Addr(), m.Close
}
