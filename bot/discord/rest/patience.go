package rest

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// Patiently asks until Discord answers with something else than 429, and waits in between for
// as long as Discord says, for limit in all. It does not wait where that would take longer,
// or where ctx would end before.
func Patiently(ctx context.Context, limit time.Duration, ask func(context.Context) error) error {
	for {
		err := ask(ctx)
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Status != http.StatusTooManyRequests || e.RetryAfter > limit {
			return err
		}
		if end, ok := ctx.Deadline(); ok && time.Until(end) <= e.RetryAfter {
			return err
		}
		limit -= e.RetryAfter
		select {
		case <-ctx.Done():
			return err
		case <-time.After(e.RetryAfter):
		}
	}
}
