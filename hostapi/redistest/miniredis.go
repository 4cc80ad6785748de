package redistest

import (
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// portPatience is for how long a port may be held after its server was stopped.
const portPatience = 10 * time.Second

// StartMiniredis starts an in-process Redis whose TTLs run with the clock.
func StartMiniredis(t testing.TB) *Server {
	t.Helper()
	return newServer(t, startInProcess)
}

func startInProcess(t testing.TB, addr string) (string, func()) {
	t.Helper()
	m := miniredis.NewMiniRedis()
	// A process that another test is starting holds the listener of the server that was
	// stopped, until it executes its program.
	pause := time.NewTicker(time.Millisecond)
	defer pause.Stop()
	for deadline := time.Now().Add(portPatience); ; <-pause.C {
		err := m.StartAddr(addr)
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.EADDRINUSE) || time.Now().After(deadline) {
			t.Fatalf("start miniredis: %v", err)
		}
	}
	m.ClockTTL(true)
	return m.Addr(), m.Close
}
