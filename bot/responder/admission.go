package responder

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"

	"hostbot/bot/interaction"
)

const (
	// maxServed is how many interactions are served at once. Most are over
	// within milliseconds; those that run an action last as long as that. One
	// that waits for the hosting service takes 60 KB.
	maxServed = 1000
	// maxOfUser is how many of them may be one user's: the actions that a user may
	// start in a minute, and more questions than one person asks at a time.
	maxOfUser = 40
	// maxRefused is how many interactions may be refused at once: those of half a
	// second in a flood of 2,000 a second. More are dropped, to bound the memory.
	maxRefused = 1000
)

// admission decides which interactions are served: those who come first. Neither a
// flood nor one user's many interactions keep others from being served. Whoever is
// not served is told so at once.
type admission struct {
	served, refused *semaphore.Weighted

	mu       sync.Mutex
	stopping bool
	ofUser   map[string]int // interactions that are served
}

func newAdmission() *admission {
	return &admission{
		served: semaphore.NewWeighted(maxServed), refused: semaphore.NewWeighted(maxRefused), ofUser: make(map[string]int),
	}
}

// enter lets an interaction of a user in, to be served or, where there is a
// refusal, to be told that. leave is to be called when that is done. Without a
// leave the interaction is dropped.
func (a *admission) enter(userID string) (leave func(), refusal error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.stopping:
		refusal = interaction.ErrStopping
	case a.ofUser[userID] >= maxOfUser:
		refusal = interaction.ErrUserBusy
	case !a.served.TryAcquire(1):
		refusal = interaction.ErrBusy
	default:
		a.ofUser[userID]++
		return func() { a.leave(userID) }, nil
	}
	if !a.refused.TryAcquire(1) {
		return nil, refusal
	}
	return func() { a.refused.Release(1) }, refusal
}

func (a *admission) leave(userID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ofUser[userID]--; a.ofUser[userID] == 0 {
		delete(a.ofUser, userID)
	}
	a.served.Release(1)
}

// stop lets nothing more be served.
func (a *admission) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopping = true
}

// wait waits until all of the places are free. It returns ctx's error where that is
// done before.
func wait(ctx context.Context, places *semaphore.Weighted, all int64) error {
	if err := places.Acquire(ctx, all); err != nil {
		return err
	}
	places.Release(all)
	return nil
}
