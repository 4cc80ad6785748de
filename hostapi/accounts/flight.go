package accounts

import (
	"context"
	"sync"
	"time"

	"hostbot/hostapi"
)

// flight is a call to the service that is under way, or over. Anybody may wait
// for it, any number of times and at any time, and giving up does not end it.
type flight struct {
	done     chan struct{} // closed when the rest is set
	snapshot Snapshot
	err      error
}

// await returns when the outcome is known, or false when ctx is done before.
func (f *flight) await(ctx context.Context) bool {
	select {
	case <-f.done:
		return true
	default:
	}
	select {
	case <-f.done:
		return true
	case <-ctx.Done():
		return false
	}
}

// wait returns the outcome, or the reason why ctx was done before.
func (f *flight) wait(ctx context.Context) (Snapshot, error) {
	if !f.await(ctx) {
		return Snapshot{}, hostapi.Interrupted(ctx, hostapi.OpList)
	}
	return f.snapshot, f.err
}

// flights lets many who want the same account share one call to the service.
type flights struct {
	ctx    context.Context // of all calls
	cancel context.CancelFunc
	bound  time.Duration // of one call

	mu      sync.Mutex
	closed  bool
	calls   map[string]*flight // by user
	running sync.WaitGroup
}

func newFlights(bound time.Duration) *flights {
	ctx, cancel := context.WithCancel(context.Background())
	return &flights{ctx: ctx, cancel: cancel, bound: bound, calls: make(map[string]*flight)}
}

// join returns the flight of a user, which begins with call where there is none.
func (fs *flights) join(userID string, call func(context.Context) (Snapshot, error)) *flight {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f := fs.calls[userID]; f != nil {
		return f
	}
	f := &flight{done: make(chan struct{})}
	if fs.closed {
		f.err = hostapi.Interrupted(fs.ctx, hostapi.OpList)
		close(f.done)
		return f
	}
	fs.calls[userID] = f
	fs.running.Go(func() {
		ctx, cancel := context.WithTimeout(fs.ctx, fs.bound)
		defer cancel()
		f.snapshot, f.err = call(ctx)
		fs.mu.Lock()
		if fs.calls[userID] == f {
			delete(fs.calls, userID)
		}
		fs.mu.Unlock()
		close(f.done)
	})
	return f
}

// forget lets the next one who wants a user's account begin a new call.
func (fs *flights) forget(userID string) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	delete(fs.calls, userID)
}

// close ends all calls and waits until they have ended, but no longer than limit.
func (fs *flights) close(limit time.Duration) {
	fs.mu.Lock()
	fs.closed = true
	fs.mu.Unlock()
	fs.cancel()
	ended := make(chan struct{})
	go func() {
		fs.running.Wait()
		close(ended)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
	}
}
