package lease

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// Pipe adds Hold to a pipeline, or Release if lasts is 0. After the pipeline's execution, held returns Hold's results.
// It does not affect Left and Held.
func (l *Lease) Pipe(ctx context.Context, p redis.Pipeliner, lasts time.Duration) (held func() (bool, error)) {
	said := p.Eval(ctx, holdScript, []string{l.key}, l.token, lasts.Milliseconds())
	return said.Bool
}
