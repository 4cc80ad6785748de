package accounts

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/hostapi"
)

// That the service does not find an account which it has listed, or lists no servers of it, may be
// the answer of a gateway, or of a service that has lost its data for a moment. It is doubted: the
// account stays as it is known, with its age, and whoever asked gets hostapi.CodeUnavailable. It is believed
// once it has been so for hostapi.Blip, or at once if the service says so in its own words (hostapi.AsListed).
//
// It is not believed of any account while the service is away, or does not find several: that is
// no customer's doing.

// doubtLasts is how old a doubt may be. An older one starts over, as nobody may have asked in between.
const doubtLasts = time.Hour

// lostKey is a sorted set of the accounts that the service lately did not find though it has listed them, by
// when it did not (Unix ms).
func (c *Cache) lostKey() string { return c.config.Prefix + "v6:accounts:lost" }

// asListed returns the context in which the service is asked for an account of which something is found.
func (c *Cache) asListed(ctx context.Context, f found) context.Context {
	if f.entry == nil || f.entry.Missing || c.believes(ctx, f.entry) {
		return ctx
	}
	return hostapi.AsListed(ctx, hostapi.Listing{At: f.entry.FetchedAt, Servers: len(f.entry.List.Servers)})
}

// believes reports whether an account has been doubted for so long that the service is believed.
func (c *Cache) believes(ctx context.Context, e *entry) bool {
	if !c.isDoubted(e) {
		return false
	}
	c.lose(ctx, e.UserID)
	since := max(e.DoubtedSince.UnixNano(), c.outage.Load())
	return c.config.Now().Sub(time.Unix(0, since)) >= hostapi.Blip
}

// isDoubted reports whether there is a doubt of an account already.
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

// settle ends the doubt of an account if there was one: the service has found it, or is believed.
func (c *Cache) settle(ctx context.Context, userID string, f found) {
	if f.entry != nil && !f.entry.DoubtedSince.IsZero() {
		_ = c.listed(ctx, userID) // it counts for a while longer otherwise
	}
}

// lose notes that the service does not find an account, and returns of how many that is so. It also notes whether
// that is an outage.
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

// listed notes that an account is not among those any more that the service does not find.
func (c *Cache) listed(ctx context.Context, userID string) error {
	var removed *redis.IntCmd
	c.config.OnDoubt(c.lost(ctx, func(p redis.Pipeliner) { removed = p.ZRem(ctx, c.lostKey(), userID) }), nil)
	return removed.Err()
}

// lost changes which accounts the service lately did not find, and returns how many those are.
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
	return int(count.Val()) // none while Redis is away, which then knows of no account
}
