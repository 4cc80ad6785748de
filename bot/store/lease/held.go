package lease

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrLost says that this process does not hold the lease any more under which it was to act.
var ErrLost = errors.New("lease: this process does not hold it any more")

// Holder returns the name of the process that holds the lease; "" if none does.
func (l *Lease) Holder(ctx context.Context) (string, error) {
	token, err := l.redis.Get(ctx, l.key).Result()
	if errors.Is(err, redis.Nil) {
		return "", nil
	}
	name, _, _ := strings.Cut(token, " ")
	return name, err
}

// Left returns for how long this process surely holds the lease, 0 if it may not. That counts
// from before the request by which Hold took or renewed it.
//
// It is told by two clocks, the one of which is earlier counts: a machine that is suspended may
// stop the monotonic one (Go's package time, "Monotonic Clocks"), and somebody may set the other.
func (l *Lease) Left() time.Duration {
	until := l.until.Load()
	if until == nil {
		return 0
	}
	return max(0, min(time.Until(*until), until.Round(0).Sub(time.Now().Round(0))))
}

// Held reports whether this process surely holds the lease.
func (l *Lease) Held() bool { return l.Left() > 0 }

// guardKey is the key of a lease in a context.
type guardKey struct{}

// Guard returns a context for what is done under the lease.
func (l *Lease) Guard(ctx context.Context) context.Context {
	return context.WithValue(ctx, guardKey{}, l)
}

// Check returns ErrLost if a context is for what is done under a lease that this process does
// not hold any more. Who writes to the outside calls it right before.
func Check(ctx context.Context) error {
	if l, ok := ctx.Value(guardKey{}).(*Lease); ok && !l.Held() {
		return ErrLost
	}
	return nil
}
