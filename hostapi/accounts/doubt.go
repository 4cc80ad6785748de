package accounts

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/hostapi"
)

// If the service does not find an account that it has listed, or lists no servers of it, the answer may be a gateway's, or
// the service may have lost its data for a moment. So the answer is doubted: the account stays as it was known, with its
// age, and whoever asked gets hostapi.CodeUnavailable. The answer is believed once it has been the same for hostapi.Blip,
// or at once if the service says so in its own words (hostapi.AsListed).
//
// While the service is away, or does not find several accounts, no such answer is believed: the cause is not the
// customers'.

// doubtLasts is how old a doubt may be. An older doubt begins again, since perhaps nobody asked in between.
const doubtLasts = time.Hour

// lostKey is the key of a sorted set: the accounts that the service has listed and lately did not find, by when that was
// (Unix ms).
func (c *Cache) lostKey() string { return c.config.Prefix + "v6:accounts:lost" }

// asListed returns the context for asking the service for an account. If the account was found, and its doubt is not over,
// it is that of hostapi.AsListed.
func (c *Cache) asListed(ctx context.Context, f found) context.Context {
	if f.entry == nil || f.entry.Missing || c.believes(ctx, f.entry) {
		return ctx
	}
	return hostapi.AsListed(ctx, hostapi.Listing{At: f.entry.FetchedAt, Servers: len(f.entry.List.Servers)})
}

// believes reports whether an account has been doubted for so long that the service is now believed.
func (c *Cache) believes(ctx context.Context, e *entry) bool {
	if !c.isDoubted(e) {
		return false
	}
	c.lose(ctx, e.UserID)
	since := max(e.DoubtedSince.UnixNano(), c.outage.Load())
	return c.config.Now().Sub(time.Unix(0, since)) >= hostapi.Blip
}

// isDoubted reports whether an account is in doubt already.
func (c *Cache) isDoubted(e *entry) bool { return c.config.Now().Sub(e.DoubtedSince) < doubtLasts }

// doubt notes that the service did not find an account. The error may be errChanged.
func (c *Cache) doubt(ctx context.Context, userID string, f found, failure error) error {
	ctx = context.WithoutCancel(ctx)
	var begun error
	if !c.isDoubted(f.entry) {
		doubted := *f.entry
		doubted.DoubtedSince, begun = c.config.Now(), failure
		if err := c.store(ctx, userID, f, &doubted); err != nil {
			return err
		}
	}
	c.config.OnDoubt(c.lose(ctx, userID), begun)
	return nil
}

// settle ends the doubt about an account, if there was one: the service has found the account, or is believed.
func (c *Cache) settle(ctx context.Context, userID string, f found) {
	if f.entry != nil && !f.entry.DoubtedSince.IsZero() {
		_ = c.listed(ctx, userID) // if that fails, the account counts as lost for a while longer
	}
}

// lose notes that the service does not find an account, and returns how many it does not find. If that is an outage, it
// notes that, too.
func (c *Cache) lose(ctx context.Context, userID string) int {
	now := c.config.Now()
	lost := c.lost(ctx, func(p redis.Pipeliner) {
		p.ZAdd(ctx, c.lostKey(), redis.Z{Score: float64(now.UnixMilli()), Member: userID})
	})
	if c.config.Away() || lost >= hostapi.Several {
		c.outage.Store(now.UnixNano())
	}
	return lost
}

// listed notes that an account is not lost any more.
func (c *Cache) listed(ctx context.Context, userID string) error {
	var removed *redis.IntCmd
	c.config.OnDoubt(c.lost(ctx, func(p redis.Pipeliner) { removed = p.ZRem(ctx, c.lostKey(), userID) }), nil)
	return removed.Err()
}

// lost changes the set of lost accounts, and returns how many are in it.
func (c *Cache) lost(ctx context.Context, change func(redis.Pipeliner)) int {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), useLimit)
	defer cancel()
	var count *redis.IntCmd
	_, _ = c.config.Redis.Pipelined(limited, func(p redis.Pipeliner) error {
		change(p)
		p.ZRemRangeByScore(limited, c.lostKey(), "-inf", strconv.FormatInt(c.config.Now().Add(-hostapi.Blip).UnixMilli(), 10))
		count = p.ZCard(limited, c.lostKey())
		p.Expire(limited, c.lostKey(), hostapi.Blip)
		return nil
	})
	return int(count.Val()) // 0 while Redis is away
}
