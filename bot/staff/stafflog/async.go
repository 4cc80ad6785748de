package stafflog

import (
	"context"
	"sync"

	"github.com/rs/zerolog"

	"hostbot/bot/interaction"
)

// Async writes entries in the background: the gateway, for one, must not wait for
// Redis, as writing an entry may. The zero value is ready to use.
type Async struct {
	Log zerolog.Logger // gets the panics

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
	interaction.Go(func() {
		defer close(written)
		if former != nil {
			<-former
		}
		write()
	}, func(p *interaction.PanicError) {
		a.Log.Error().Str("panic", p.Value).Bytes("stack", p.Stack).Msg("a panic: staff cannot read of something")
	})
}

// Wait waits until everything is written for which Go was called before, or until
// ctx is done.
func (a *Async) Wait(ctx context.Context) {
	a.mu.Lock()
	last := a.last
	a.mu.Unlock()
	if last == nil {
		return
	}
	select {
	case <-last:
	case <-ctx.Done():
	}
}
