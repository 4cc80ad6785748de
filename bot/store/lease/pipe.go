package lease

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// Pipe adds to a pipeline what Hold does or, if it is to last for 0, what Release does. Once that was
// executed, held returns what Hold would have. Left and Held know nothing of it.
func (l *Lease) Pipe(ctx context.Context, p redis.Pipeliner, lasts time.Duration) (held func() (bool, error)) {
	said := p.Eval(ctx, holdScript, []string{l.key}, l.token, lasts.Milliseconds())
	return said.Bool
}
