package discordtest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"net/http"
	"sync"
	"time"
)

// limit is how many calls are let through in a time.
type limit struct {
	calls  int
	window time.Duration
}

// routeLimits are Discord's as observed; it documents none and may change them.
var routeLimits = map[string]limit{
	"POST " + RouteMessages:  {5, 5 * time.Second},
	"PATCH " + RouteMessage:  {5, 5 * time.Second},
	"POST " + RouteFollowUps: {5, 2 * time.Second},
	"PATCH " + RouteOriginal: {5, 2 * time.Second},
	"PATCH " + RouteFollowUp: {5, 2 * time.Second},
}

// globalLimit counts all calls but those that answer interactions.
var globalLimit = limit{50, time.Second}

// maxWindows is when windows that are over are swept out.
const maxWindows = 1024

// limiter counts calls in fixed windows, as Discord does.
type limiter struct {
	clock   Clock
	mu      sync.Mutex
	windows map[string]*window
}

type window struct {
	used int
	ends time.Time
}

func newLimiter(clock Clock) *limiter {
	return &limiter{clock: clock, windows: map[string]*window{}}
}

// take counts a call, writes what is left to header, and refuses one too many.
func (l *limiter) take(c *call, header http.Header) *refusal {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock.Now()
	if !isInteractionRoute(c.route) {
		if wait := l.count("global", globalLimit, now); wait > 0 {
			return rateLimited(wait, true, 0)
		}
	}
	limit, limited := routeLimits[c.name()]
	if !limited {
		return nil
	}
	// A bucket is a route together with its channel or its webhook's token.
	key := c.name() + " " + c.r.PathValue("channel") + c.r.PathValue("token")
	wait := l.count(key, limit, now)
	w := l.windows[key]
	sum := sha256.Sum256([]byte(c.name()))
	header.Set("X-RateLimit-Limit", fmt.Sprint(limit.calls))
	header.Set("X-RateLimit-Remaining", fmt.Sprint(max(limit.calls-w.used, 0)))
	header.Set("X-RateLimit-Reset", fmt.Sprintf("%.3f", float64(w.ends.UnixMilli())/1000))
	header.Set("X-RateLimit-Reset-After", fmt.Sprintf("%.3f", w.ends.Sub(now).Seconds()))
	header.Set("X-RateLimit-Bucket", hex.EncodeToString(sum[:8]))
	if wait > 0 {
		return rateLimited(wait, false, 0)
	}
	return nil
}

// takeEdit counts an edit of a message that is more than an hour old.
func (l *limiter) takeEdit(channelID string) *refusal {
	l.mu.Lock()
	defer l.mu.Unlock()
	wait := l.count("old "+channelID, limit{3, time.Minute}, l.clock.Now())
	if wait > 0 {
		refused := rateLimited(wait, false, CodeOldMessageEdits)
		refused.message = "Maximum number of edits to messages older than 1 hour reached. Try again later"
		return refused
	}
	return nil
}

// count returns 0 or, for one call too many, how long it is to wait.
func (l *limiter) count(key string, limit limit, now time.Time) time.Duration {
	w := l.windows[key]
	if w == nil || !now.Before(w.ends) {
		l.sweep(now)
		w = &window{ends: now.Add(limit.window)}
		l.windows[key] = w
	}
	if w.used >= limit.calls {
		return w.ends.Sub(now)
	}
	w.used++
	return 0
}

func (l *limiter) sweep(now time.Time) {
	if len(l.windows) < maxWindows {
		return
	}
	for key, w := range l.windows {
		if !now.Before(w.ends) {
			delete(l.windows, key)
		}
	}
}

func rateLimited(wait time.Duration, global bool, code int) *refusal {
	r := refuse(http.StatusTooManyRequests, code, "You are being rate limited.")
	r.innocent = true
	r.limit = &waiting{RetryAfter: math.Ceil(wait.Seconds()*1000) / 1000, Global: global}
	r.header = http.Header{"Retry-After": {fmt.Sprint(int(math.Ceil(wait.Seconds())))}}
	scope := "user"
	if global {
		scope = "global"
		r.header["X-Ratelimit-Global"] = []string{"true"}
	}
	r.header["X-Ratelimit-Scope"] = []string{scope}
	return r
}
