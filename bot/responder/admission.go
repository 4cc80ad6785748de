package responder

import (
	"context"
	"sync"

	"hostbot/bot/interaction"
)

const (
	// maxServed is how many interactions are served at once. Most are over
	// within milliseconds; those that run an action last as long as that.
	maxServed = 2000
	// maxShare is how many interactions of one user may wait for their answer
	// at once: more than one person brings about, even while the service is slow.
	maxShare = 10
	// maxRefused is how many interactions that are not served may be told so at
	// once. Beyond that they are dropped: a flood must not beget another.
	maxRefused = 200
)

// admission decides which interactions are served, so that neither a flood nor
// one user's many interactions keep others from being served.
type admission struct {
	mu       sync.Mutex
	stopping bool
	served   int
	refused  int            // interactions that are being refused at the moment
	waiting  map[string]int // by user: interactions that are served and not answered yet
	left     chan struct{}  // closed when an interaction leaves; nil while nobody waits
}

func newAdmission() *admission { return &admission{waiting: make(map[string]int)} }

// ticket is the admission of one interaction, or its refusal.
type ticket struct {
	admission *admission
	userID    string
	refusal   error // why it is not served; nil where it is
	answered  bool
}

// enter lets an interaction of a user in; nil means that it is dropped.
func (a *admission) enter(userID string) *ticket {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := &ticket{admission: a, userID: userID}
	switch {
	case a.stopping:
		t.refusal = interaction.ErrStopping
	case a.waiting[userID] >= maxShare:
		t.refusal = interaction.ErrTooQuick
	case a.served >= maxServed:
		t.refusal = interaction.ErrBusy
	default:
		a.served++
		a.waiting[userID]++
		return t
	}
	if a.refused >= maxRefused {
		return nil
	}
	a.refused++
	return t
}

// answer gives the user's share back: what goes on after the answer, such as
// an action, is bounded elsewhere.
func (t *ticket) answer() {
	t.admission.mu.Lock()
	defer t.admission.mu.Unlock()
	t.giveBack()
}

func (t *ticket) giveBack() {
	if t.answered || t.refusal != nil {
		return
	}
	t.answered = true
	if t.admission.waiting[t.userID]--; t.admission.waiting[t.userID] == 0 {
		delete(t.admission.waiting, t.userID)
	}
}

// leave is called once, when the interaction is over.
func (t *ticket) leave() {
	a := t.admission
	a.mu.Lock()
	defer a.mu.Unlock()
	t.giveBack()
	if t.refusal != nil {
		a.refused--
	} else {
		a.served--
	}
	if a.left != nil {
		close(a.left)
		a.left = nil
	}
}

// stop lets nothing more be served.
func (a *admission) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopping = true
}

// wait waits until nothing is served any more, or nothing at all where the
// refused count as well. It returns ctx's error where that is done first.
func (a *admission) wait(ctx context.Context, andRefused bool) error {
	for {
		a.mu.Lock()
		over := a.served == 0 && (!andRefused || a.refused == 0)
		if a.left == nil {
			a.left = make(chan struct{})
		}
		left := a.left
		a.mu.Unlock()
		if over {
			return nil
		}
		select {
		case <-left:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
