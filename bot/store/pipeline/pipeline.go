// Package pipeline has Redis do what belongs together in one round trip.
package pipeline

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// InOrder has Redis do one thing and then another, in one round trip. In a Cluster that takes two:
// each may be done by another server, and the second is done only if the first was. Elsewhere one
// server does both, which then fails in neither or in both, but for what it says of a command itself. Each
// command has its own error; the first of them is returned.
func InOrder(ctx context.Context, client redis.UniversalClient, first, second func(redis.Pipeliner)) error {
	do := func(all ...func(redis.Pipeliner)) error {
		_, err := client.Pipelined(ctx, func(p redis.Pipeliner) error {
			for _, add := range all {
				add(p)
			}
			return nil
		})
		return err
	}
	if _, cluster := client.(*redis.ClusterClient); !cluster {
		return do(first, second)
	}
	if err := do(first); err != nil {
		return err
	}
	return do(second)
}
