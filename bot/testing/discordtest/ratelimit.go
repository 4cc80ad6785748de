package discordtest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"net/http"
	"sync"
	"time"

	"hostbot/hostapi/testclock"
)

// limit is how many calls are let through in a time.
type limit struct {
	calls  int
	window time.Duration
	// bucket is shared by the calls whose limits have the same one.
	bucket string
}

// routeLimits are Discord's as others observed them: it documents none and may
// change them any day (docs:topics/rate-limits). The figures are those of hata
// (hata/discord/http/rate_limit_groups.py, 2025-12), measured at Discord. A
// callback has no limit and no such headers, as the creation of a DM (hata,
// hikari routes.py).
var routeLimits = map[string]limit{
	"POST " + RouteMessages:  {5, 4 * time.Second, "message create"},
	"PATCH " + RouteMessage:  {5, 4 * time.Second, "message edit"},
	"GET " + RouteMessages:   {5, 5 * time.Second, "message list"},
	"GET " + RouteMessage:    {5, 5 * time.Second, "message get"},
	"DELETE " + RouteMessage: {3, time.Second, "message delete"}, // one's own, of any age

	// The headers in discordjs/discord.js#3891 say the same.
	"GET " + RouteGatewayBot: {2, 5 * time.Second, "gateway"},

	// Counted for each interaction, though the path has the application's id
	// (#2701).
	"POST " + RouteFollowUps:  {5, 2 * time.Second, "interaction"},
	"GET " + RouteOriginal:    {5, 2 * time.Second, "interaction"},
	"PATCH " + RouteOriginal:  {5, 2 * time.Second, "interaction"},
	"DELETE " + RouteOriginal: {5, 2 * time.Second, "interaction"},
	"GET " + RouteFollowUp:    {5, 2 * time.Second, "interaction"},
	"PATCH " + RouteFollowUp:  {5, 2 * time.Second, "interaction"},
	"DELETE " + RouteFollowUp: {5, 2 * time.Second, "interaction"},

	"PUT " + RouteCommands:      {2, time.Minute, "commands overwrite"},
	"PUT " + RouteGuildCommands: {2, time.Minute, "guild commands overwrite"},
}

var (
	// globalLimit counts all calls but those that answer interactions
	// (docs:topics/rate-limits#global-rate-limit). With the bot's token in the header
	// these were counted as well (#4142, #5800, discordjs/discord.js#7022); whether they
	// still are is not known, and no library sends it.
	globalLimit = limit{calls: 50, window: time.Second}
	// followUpLimit counts the messages that webhooks create in a channel, those
	// of interactions among them (#3763, #4043: 30, and then a wait of 40 to 45
	// s). The headers do not tell of it.
	followUpLimit = limit{calls: 30, window: time.Minute}
	// oldEditLimit counts the edits of a channel's messages that are more than
	// an hour old. Discord keeps the figure to itself (#4413). Others saw 3 in
	// 20 s (circuitsacul/starboard-4#118) and in 6 s
	// (userdoccers:resources/message); the longer one counts here.
	oldEditLimit = limit{calls: 3, window: 20 * time.Second}
	// threadLimit counts the threads that are started in a guild, whoever starts them: the figures are
	// hata's (GROUP_THREAD_CREATE), and refusals have the scope "shared", with waits of 136 to 280 s (#7816,
	// NousResearch/hermes-agent#76060, #88653, #96101, #103296). So it is no leaky bucket, which would let
	// one through after 6 s.
	threadLimit = limit{calls: 50, window: 5 * time.Minute}
)

// maxWindows is when windows that are over are swept out.
const maxWindows = 1024

// limiter counts calls. The limits of routes are leaky buckets, as most of Discord's are since 2022:
// Retry-After is when there is room for a single call, and Reset-After when the bucket is empty (#7680). No source
// says so of the others, which are fixed windows here that begin with their first call.
type limiter struct {
	clock   testclock.Clock
	mu      sync.Mutex
	windows map[string]*window
}

type window struct {
	used int       // of a fixed one
	ends time.Time // when a bucket is empty
}

func newLimiter(clock testclock.Clock) *limiter {
	return &limiter{clock: clock, windows: map[string]*window{}}
}

// take counts a call, writes what is left to header, and refuses one too many.
func (l *limiter) take(c *call, header http.Header) *refusal {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock.Now()
	if !isInteractionRoute(c.route) || c.r.Header.Get("Authorization") != "" {
		if wait := l.count("global", globalLimit, now); wait > 0 {
			return rateLimited(wait, true, 0)
		}
	}
	limit, limited := routeLimits[c.name()]
	if !limited {
		return nil
	}
	// Limits are counted for each channel, guild and webhook, the token of which
	// counts too (docs:topics/rate-limits).
	key := limit.bucket + " " + c.r.PathValue("channel") + c.r.PathValue("guild") + c.r.PathValue("token")
	empty, wait := l.fill(key, limit, now)
	sum := sha256.Sum256([]byte(limit.bucket))
	header.Set("X-RateLimit-Limit", fmt.Sprint(limit.calls))
	header.Set("X-RateLimit-Remaining", fmt.Sprint(int((limit.window-empty.Sub(now))/limit.each())))
	header.Set("X-RateLimit-Reset", fmt.Sprintf("%.3f", float64(empty.UnixMilli())/1000))
	header.Set("X-RateLimit-Reset-After", fmt.Sprintf("%.3f", empty.Sub(now).Seconds()))
	header.Set("X-RateLimit-Bucket", hex.EncodeToString(sum[:16]))
	if wait > 0 {
		return rateLimited(wait, false, 0)
	}
	return nil
}

// takeFollowUp counts a further message of an interaction in its channel.
func (l *limiter) takeFollowUp(channelID string) *refusal {
	return l.takeShared("webhook "+channelID, followUpLimit)
}

// takeThread counts a thread that is started in a guild.
func (l *limiter) takeThread(guildID string) *refusal {
	return l.takeShared("thread "+guildID, threadLimit)
}

// UseUpThreads has others start as many threads in the guild as Discord lets all together start.
func (s *Server) UseUpThreads() {
	for s.limits.takeThread(s.guildID) == nil {
	}
}

// takeShared counts a call by a limit that others use as well. A refusal has the scope "shared" (#4043,
// #7816), beside headers of a bucket that is not used up.
func (l *limiter) takeShared(key string, limit limit) *refusal {
	wait := l.takeHidden(key, limit)
	if wait == 0 {
		return nil
	}
	refused := rateLimited(wait, false, 0)
	refused.message = "The resource is being rate limited." // docs:topics/rate-limits
	refused.header.Set("X-RateLimit-Scope", "shared")
	return refused
}

// takeEdit counts an edit of a message that is more than an hour old.
func (l *limiter) takeEdit(channelID string) *refusal {
	wait := l.takeHidden("old "+channelID, oldEditLimit)
	if wait == 0 {
		return nil
	}
	refused := rateLimited(wait, false, CodeOldMessageEdits)
	refused.message = "Maximum number of edits to messages older than 1 hour reached. Try again later"
	return refused
}

// takeHidden counts a call by a limit of which the headers do not tell.
func (l *limiter) takeHidden(key string, limit limit) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count(key, limit, l.clock.Now())
}

// each is after which time there is room for one more call in a full bucket.
func (l limit) each() time.Duration { return l.window / time.Duration(l.calls) }

// fill adds a call to a leaky bucket, and returns when that is empty. For a call that has no room, wait is after
// which time there is some.
func (l *limiter) fill(key string, limit limit, now time.Time) (empty time.Time, wait time.Duration) {
	w := l.windows[key]
	if w == nil || !now.Before(w.ends) {
		l.sweep(now)
		w = &window{ends: now}
		l.windows[key] = w
	}
	fuller := w.ends.Add(limit.each())
	if wait = fuller.Sub(now) - limit.window; wait > 0 {
		return w.ends, wait
	}
	w.ends = fuller
	return fuller, 0
}

// count returns 0 or, for one call too many in a fixed window, how long it is to wait.
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

// rateLimited is a 429 of Discord's (docs:topics/rate-limits). Retry-After counts
// whole seconds.
func rateLimited(wait time.Duration, global bool, code int) *refusal {
	r := refuse(http.StatusTooManyRequests, code, "You are being rate limited.")
	r.innocent = true
	r.limit = &waiting{RetryAfter: math.Ceil(wait.Seconds()*1000) / 1000, Global: global}
	r.header = http.Header{}
	r.header.Set("Retry-After", fmt.Sprint(math.Ceil(wait.Seconds())))
	r.header.Set("X-RateLimit-Scope", "user")
	if global {
		r.header.Set("X-RateLimit-Scope", "global")
		r.header.Set("X-RateLimit-Global", "true")
	}
	return r
}
