package responder

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"

	"hostbot/bot/interaction"
)

const (
	// maxServed is how many interactions are served at once. Most take milliseconds; an action's takes as long
	// as the action. One that waits for the hosting service takes 60 KB.
	maxServed = 1000
	// maxOfUser is how many of them may be one user's: the actions that a user may start in a minute, and more
	// requests than a person makes at a time.
	maxOfUser = 40
	// maxRefused is how many interactions may be being refused at once: half a second of a flood of 2,000 a
	// second. More are dropped, to bound memory.
	maxRefused = 1000
)

// admission decides which interactions are served: the first to come, up to these limits. Users whose
// interactions are not served read that at once.
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

// enter admits an interaction to be served or, with a refusal, to be refused. leave is called when that is done.
// If leave is nil, the interaction is dropped.
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

// stop refuses all interactions from now on.
func (a *admission) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopping = true
}

// wait waits until all places are free, or returns ctx's error.
func wait(ctx context.Context, places *semaphore.Weighted, all int64) error {
	if err := places.Acquire(ctx, all); err != nil {
		return err
	}
	places.Release(all)
	return nil
}
