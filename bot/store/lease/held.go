package lease

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrLost says that this process does not hold the lease any more that it acts under.
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

// Left returns for how long this process certainly holds the lease; 0 if it may not. The time counts from before the
// request by which Hold took or renewed it.
//
// The lesser of two clocks' answers counts: the monotonic clock may stop while a machine is suspended (Go's package
// time, "Monotonic Clocks"), and the wall clock may be set.
func (l *Lease) Left() time.Duration {
	until := l.until.Load()
	if until == nil {
		return 0
	}
	return max(0, min(time.Until(*until), until.Round(0).Sub(time.Now().Round(0))))
}

// Held reports whether this process certainly holds the lease.
func (l *Lease) Held() bool { return l.Left() > 0 }

// guardKey is the key of a lease in a context.
type guardKey struct{}

// Guard returns a context for what is done under the lease.
func (l *Lease) Guard(ctx context.Context) context.Context {
	return context.WithValue(ctx, guardKey{}, l)
}

// Check returns ErrLost if a context is Guard's and this process does not hold the lease any more. It is called right
// before each request to the outside.
func Check(ctx context.Context) error {
	if l, ok := ctx.Value(guardKey{}).(*Lease); ok && !l.Held() {
		return ErrLost
	}
	return nil
}
