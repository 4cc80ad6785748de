package lease

import (
	"context"
	"time"
)

// callLimit bounds one use of Redis.
const callLimit = time.Second

// Run calls do each turn, until ctx is done, and says whether this process holds the
// lease. The lease lasts for a time from the beginning of a turn on; what do does under it
// is to end before that. At the end another process may have the lease at once.
func (l *Lease) Run(ctx context.Context, turn, lasts time.Duration, do func(ctx context.Context, held bool)) {
	defer l.within(context.WithoutCancel(ctx), func(ctx context.Context) { _ = l.Release(ctx) })
	ticker := time.NewTicker(turn)
	defer ticker.Stop()
	for {
		held := false
		l.within(ctx, func(ctx context.Context) {
			ours, err := l.Hold(ctx, lasts)
			held = ours && err == nil
		})
		do(ctx, held)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (l *Lease) within(ctx context.Context, use func(context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	use(ctx)
}
