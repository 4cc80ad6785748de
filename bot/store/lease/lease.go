// Package lease lets one of the processes that share a Redis hold a lease.
//
// A process holds the lease as long as it renews it. When it dies, the lease expires and another process may take
// it. A process that was suspended may believe that it holds a lease that another one has by then. Guard and Check
// help; what they do not catch must be harmless.
package lease

import (
	"context"
	"crypto/rand"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// Lease is this process's part in a lease. It is safe for concurrent use.
type Lease struct {
	redis redis.UniversalClient
	key   string
	token string                    // of this process
	until atomic.Pointer[time.Time] // when the lease expires; nil if this process does not hold it
}

// New returns a lease with a key in Redis. name is what Holder returns for this process; it has no space in it.
func New(client redis.UniversalClient, key, name string) *Lease {
	return &Lease{redis: client, key: key, token: name + " " + rand.Text()}
}

// holdScript takes or renews the lease, or releases it, unless another process holds it. It returns 1 unless another
// process holds it. KEYS: 1 the lease. ARGV: 1 the token, 2 for how many ms; 0 to release.
const holdScript = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
if ARGV[2] == '0' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
return 1`

// Hold takes or renews the lease, unless another process holds it, and reports whether this one does. lasts is in
// whole milliseconds, and the same in each process. After an error it is not known who holds the lease.
func (l *Lease) Hold(ctx context.Context, lasts time.Duration) (bool, error) {
	until := time.Now().Add(lasts)
	held, err := l.hold(ctx, lasts)
	switch {
	case err != nil: // a lease that was held before is held until it expires
	case held:
		l.until.Store(&until)
	default:
		l.until.Store(nil)
	}
	return held, err
}

// Release releases the lease if this process holds it. If that fails, the lease expires.
func (l *Lease) Release(ctx context.Context) error {
	l.until.Store(nil)
	_, err := l.hold(ctx, 0)
	return err
}

// hold runs the script, and reports whether no other process holds the lease.
func (l *Lease) hold(ctx context.Context, lasts time.Duration) (bool, error) {
	return redis.NewScript(holdScript).Run(ctx, l.redis, []string{l.key}, l.token, lasts.Milliseconds()).Bool()
}

// Pipe adds Hold to a pipeline, or Release if lasts is 0. After the pipeline's execution, held returns Hold's results.
// It does not affect Left and Held.
func (l *Lease) Pipe(ctx context.Context, p redis.Pipeliner, lasts time.Duration) (held func() (bool, error)) {
	return p.Eval(ctx, holdScript, []string{l.key}, l.token, lasts.Milliseconds()).Bool
}
