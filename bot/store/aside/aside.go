// Package aside sets aside what Redis holds and nobody can read, so that it delays nothing else
// and somebody may look at it.
package aside

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// KeptFor is for how long what was set aside is kept.
const KeptFor = 30 * 24 * time.Hour

// IsWrongType reports whether Redis has something of another type than a command or a script
// takes. A miniredis says so of a script in the middle of a line.
func IsWrongType(err error) bool { return err != nil && strings.Contains(err.Error(), "WRONGTYPE") }

// IsGone reports whether Key has failed as there is no such key: another process has set it aside.
func IsGone(err error) bool { return err != nil && strings.Contains(err.Error(), "no such key") }

// Key gives a key another name, in the same slot of a Cluster, under which it is kept for a while.
// An error says that it stays where it is.
func Key(ctx context.Context, client redis.UniversalClient, key, name string) error {
	_, err := client.TxPipelined(ctx, rename(ctx, key, name))
	return err
}

func rename(ctx context.Context, key, name string) func(redis.Pipeliner) error {
	return func(p redis.Pipeliner) error {
		p.Rename(ctx, key, name)
		p.PExpire(ctx, name, KeptFor)
		return nil
	}
}

// OtherType does with a key as Key does if what it holds is of another type than is wanted, and
// returns that type. It returns "" if the key holds what is wanted, or nothing: also where another
// process has just seen to that, whose new key is left where it is.
func OtherType(ctx context.Context, client redis.UniversalClient, key, wanted, name string) (found string, err error) {
	err = client.Watch(ctx, func(tx *redis.Tx) error {
		kind, err := tx.Type(ctx, key).Result()
		if err != nil || kind == wanted || kind == "none" {
			return err
		}
		if _, err = tx.TxPipelined(ctx, rename(ctx, key, name)); err == nil {
			found = kind
		}
		return err
	}, key)
	if errors.Is(err, redis.TxFailedErr) {
		return "", nil
	}
	return found, err
}

// EachKey calls a function with each key of a pattern, whichever server of a Cluster holds it, until
// one call returns an error. It looks at all keys that there are.
func EachKey(ctx context.Context, client redis.UniversalClient, pattern string, each func(key string) error) error {
	scan := func(ctx context.Context, server redis.Cmdable) error {
		found := server.Scan(ctx, 0, pattern, 1000).Iterator()
		for found.Next(ctx) {
			if err := each(found.Val()); err != nil {
				return err
			}
		}
		return found.Err()
	}
	if cluster, ok := client.(*redis.ClusterClient); ok {
		return cluster.ForEachMaster(ctx, func(ctx context.Context, master *redis.Client) error { return scan(ctx, master) })
	}
	return scan(ctx, client)
}
