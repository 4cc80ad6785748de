// Package aside sets aside what Redis holds and nobody can read, so that it delays nothing else
// and somebody may look at it.
package aside

import (
	"context"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// KeptFor is for how long what was set aside is kept.
const KeptFor = 30 * 24 * time.Hour

// IsWrongType reports whether Redis has something of another type than a command or a script
// takes. A miniredis says so of a script in the middle of a line.
func IsWrongType(err error) bool { return err != nil && strings.Contains(err.Error(), "WRONGTYPE") }

// Key gives a key another name, in the same slot of a Cluster, under which it is kept for a while.
// An error says that it stays where it is.
func Key(ctx context.Context, client redis.UniversalClient, key, name string) error {
	_, err := client.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.Rename(ctx, key, name)
		p.PExpire(ctx, name, KeptFor)
		return nil
	})
	return err
}

// OtherType returns the type of what a key holds if that is another one than is wanted; "" if it
// is that one, or if nothing is there.
func OtherType(ctx context.Context, client redis.UniversalClient, key, wanted string) (string, error) {
	found, err := client.Type(ctx, key).Result()
	if err != nil || found == wanted || found == "none" {
		return "", err
	}
	return found, nil
}
