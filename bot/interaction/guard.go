package interaction

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// PanicError is what Guard makes of a panic. It is an ErrPanic.
type PanicError struct {
	Value string
	Stack []byte
}

func (e *PanicError) Error() string { return ErrPanic.Error() + ": " + e.Value }

// Unwrap returns ErrPanic.
func (e *PanicError) Unwrap() error { return ErrPanic }

// Guard calls f and returns its error, or a *PanicError if f panics. All goroutines beside a handler run under
// it, so that a bug in serving one interaction does not end the process.
func Guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{fmt.Sprint(p), debug.Stack()}
		}
	}()
	return f()
}

// Go is Try in a goroutine of its own.
func Go(f func(), broke func(*PanicError)) {
	go Try(f, broke)
}

// Try calls f, and broke if f panics.
func Try(f func(), broke func(*PanicError)) {
	err := Guard(func() error {
		f()
		return nil
	})
	if p, ok := errors.AsType[*PanicError](err); ok {
		broke(p)
	}
}

// Beside runs functions concurrently and collects their errors and panics. The zero value is ready to use.
type Beside struct {
	running sync.WaitGroup
	mu      sync.Mutex
	errs    []error
}

// Go calls f in a goroutine of its own, and keeps its error for Wait.
func (b *Beside) Go(f func() error) {
	b.running.Go(func() {
		if err := Guard(f); err != nil {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.errs = append(b.errs, err)
		}
	})
}

// Wait waits until all functions have returned, and joins their errors.
func (b *Beside) Wait() error {
	b.running.Wait()
	return errors.Join(b.errs...)
}
