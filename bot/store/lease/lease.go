// Package lease decides which of the processes that share a Redis does what only one of
// them is to do.
//
// A process holds the lease for as long as it renews it. Where it dies, another one has
// it when the time is over. A process that is stopped and goes on later may believe that
// it holds a lease which another has by then: what it does must bear that, or be bounded
// by the lease's time.
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
	until atomic.Pointer[time.Time] // for how long it holds the lease; nil if it does not
}

// New returns a lease with a key in Redis, which nobody here holds yet. The name is that of this
// process, which Holder returns; it has no space in it.
func New(client redis.UniversalClient, key, name string) *Lease {
	return &Lease{redis: client, key: key, token: name + " " + rand.Text()}
}

// holdScript has one process hold the lease for ARGV[2] ms, or no more if that is 0, unless another
// one does. It returns whether it was not another's.
// KEYS: the lease's. ARGV: the token, and for how long.
const holdScript = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
if ARGV[2] == '0' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
return 1`

// Hold takes the lease, or renews it, unless another process holds it, and reports whether
// this one does. It lasts for whole milliseconds, and for as long in each process. After an error nobody knows who holds it.
func (l *Lease) Hold(ctx context.Context, lasts time.Duration) (bool, error) {
	until := time.Now().Add(lasts)
	held, err := l.hold(ctx, lasts)
	switch {
	case err != nil: // what was held before is held until its time is over
	case held:
		l.until.Store(&until)
	default:
		l.until.Store(nil)
	}
	return held, err
}

// Release lets another process take the lease at once, where this one holds it. Where
// that fails, the lease ends by itself.
func (l *Lease) Release(ctx context.Context) error {
	l.until.Store(nil)
	_, err := l.hold(ctx, 0)
	return err
}

// hold runs the script, and reports whether no other process holds the lease.
func (l *Lease) hold(ctx context.Context, lasts time.Duration) (bool, error) {
	return redis.NewScript(holdScript).Run(ctx, l.redis, []string{l.key}, l.token, lasts.Milliseconds()).Bool()
}
