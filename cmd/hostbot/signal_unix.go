//go:build unix

package main

import (
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"

	"github.com/mattn/go-isatty"
)

// onDebugSignal calls f at each SIGUSR1, until stop is called.
func onDebugSignal(f func()) (stop func()) { return on(syscall.SIGUSR1, f) }

// onReloadSignal calls f at each SIGHUP, until stop is called. SIGHUP also comes when the process's terminal is closed
// (termios(3), HUPCL), or when the shell ends that started it. Then the process is to end: it sends itself a SIGTERM.
func onReloadSignal(f func()) (stop func()) {
	hasTerminal := func() bool {
		return slices.ContainsFunc([]*os.File{os.Stdin, os.Stdout, os.Stderr}, func(f *os.File) bool { return isatty.IsTerminal(f.Fd()) })
	}
	had := hasTerminal()
	end := sync.OnceFunc(func() { _ = syscall.Kill(os.Getpid(), syscall.SIGTERM) }) // once: a second SIGTERM would not let it finish
	return on(syscall.SIGHUP, func() {
		if had && !hasTerminal() {
			end()
			return
		}
		f()
	})
}

func on(s os.Signal, f func()) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, s)
	var calling sync.WaitGroup
	calling.Go(func() {
		for range signals {
			f()
		}
	})
	return func() {
		signal.Stop(signals)
		close(signals)
		calling.Wait()
	}
}
