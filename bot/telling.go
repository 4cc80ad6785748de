package bot

import "sync"

// telling is what is being written for staff in the background: whoever noticed
// what an entry tells of must not wait for Redis, as writing one may.
type telling struct {
	running sync.WaitGroup

	mu   sync.Mutex
	last chan struct{} // closed when the newest entry is written; nil before the first
}

// tell has an entry written after those that were told before: that something is
// lost must not be read after that it is back.
func (t *telling) tell(write func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	former, written := t.last, make(chan struct{})
	t.last = written
	t.running.Go(func() {
		if former != nil {
			<-former
		}
		write()
		close(written)
	})
}

// wait waits until everything is written.
func (t *telling) wait() { t.running.Wait() }
