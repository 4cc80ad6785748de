//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// onDebugSignal calls f at each SIGUSR1, until stop is called.
func onDebugSignal(f func()) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range signals {
			f()
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
		<-done
	}
}
