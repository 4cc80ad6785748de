package record

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/store/aside"
)

// rebuildLimit bounds how long it may take to find all records of a kind.
const rebuildLimit = time.Minute

// SetAside sets a record aside that cannot be read: it is kept for 30 days under another key, and
// is due no more.
func (k *Kind[T]) SetAside(ctx context.Context, id string, reason error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callLimit)
	defer cancel()
	name := "record:" + id
	if aside.Key(ctx, k.Redis, k.key(name), k.key("aside:"+name)) != nil { // it is still there
		return
	}
	k.tellAside(name, reason)
	_ = k.Redis.ZRem(ctx, k.key("due"), id).Err() // otherwise Take does it
}

func (k *Kind[T]) tellAside(name string, reason error) {
	if k.Aside != nil {
		k.Aside(name, fmt.Errorf("%s of %s: %w", name, k.Name, reason))
	}
}

// mend sets aside what has another type than it should have: a record, an owner's set, which
// fills again as records are saved, the counts, which begin anew, or what is due, which is all
// there is then.
func (k *Kind[T]) mend(ctx context.Context, id, owner string) {
	for name, wanted := range map[string]string{"record:" + id: "hash", "of:" + owner: "set", "due": "zset", "counts": "hash"} {
		found, err := aside.OtherType(ctx, k.Redis, k.key(name), wanted, k.key("aside:"+name))
		if err != nil || found == "" {
			continue
		}
		k.tellAside(name, fmt.Errorf("it is a %s", found))
		if name == "due" {
			_ = k.rebuild(ctx)
		}
	}
}

// rebuild has all records be due.
func (k *Kind[T]) rebuild(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rebuildLimit)
	defer cancel()
	prefix := k.key("record:")
	return aside.EachKey(ctx, k.Redis, prefix+"*", func(key string) error {
		due := redis.Z{Member: strings.TrimPrefix(key, prefix)}
		return k.Redis.ZAddNX(ctx, k.key("due"), due).Err()
	})
}
