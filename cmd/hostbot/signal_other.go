//go:build !unix

package main

// onDebugSignal does nothing, as there is no SIGUSR1.
func onDebugSignal(func()) (stop func()) { return func() {} }

// onReloadSignal does nothing, as nobody sends SIGHUP.
func onReloadSignal(func()) (stop func()) { return func() {} }
