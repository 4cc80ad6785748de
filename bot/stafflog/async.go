package stafflog

import "sync"

// Async writes entries in the background: the gateway, for one, must not wait for
// Redis, as writing an entry may. The zero value is ready to use.
type Async struct {
	running sync.WaitGroup

	mu   sync.Mutex
	last chan struct{} // closed when the newest entry is written; nil before the first
}

// Go calls write after those of earlier calls have returned: that something is lost
// must not be read after that it is back.
func (a *Async) Go(write func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	former, written := a.last, make(chan struct{})
	a.last = written
	a.running.Go(func() {
		if former != nil {
			<-former
		}
		write()
		close(written)
	})
}

// Wait waits until everything is written.
func (a *Async) Wait() { a.running.Wait() }
