//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// onDebugSignal calls f at each SIGUSR1, until stop is called.
func onDebugSignal(f func()) (stop func()) { return on(syscall.SIGUSR1, f) }

// onReloadSignal calls f at each SIGHUP, which would end the process otherwise, until stop is
// called.
func onReloadSignal(f func()) (stop func()) { return on(syscall.SIGHUP, f) }

func on(s os.Signal, f func()) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, s)
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
