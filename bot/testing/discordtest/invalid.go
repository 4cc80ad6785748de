package discordtest

import (
	"net/http"
	"sync"
	"time"

	"hostbot/hostapi/testclock"
)

const (
	// maxInvalid is how many invalid requests an address may send in invalidWindow
	// (docs:topics/rate-limits#invalid-request-limit-aka-cloudflare-bans).
	maxInvalid    = 10_000
	invalidWindow = 10 * time.Minute
	// banTime is how long a ban lasts. Discord does not say; #5385 was told to wait for
	// about an hour.
	banTime = time.Hour
)

// invalidRequests counts the invalid requests of the one address that all clients of
// the server have, in fixed windows. No source says whether Discord's slide: the leaky buckets of #7680 are those of
// routes.
type invalidRequests struct {
	clock testclock.Clock

	mu          sync.Mutex
	sent        int
	windowEnds  time.Time
	bannedUntil time.Time
}

// count notes an answer. 401, 403 and 429 are invalid requests, but for a 429 of a limit
// that others share (docs:topics/rate-limits). Once many of these were seen to lead to a ban as well (#7243), of
// which nobody knows how many.
func (i *invalidRequests) count(status int, header http.Header) {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
	case status == http.StatusTooManyRequests && header.Get("X-RateLimit-Scope") != "shared":
	default:
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	now := i.clock.Now()
	if !now.Before(i.windowEnds) {
		i.sent, i.windowEnds = 0, now.Add(invalidWindow)
	}
	if i.sent++; i.sent == maxInvalid {
		i.bannedUntil = now.Add(banTime)
	}
}

// InvalidRequests is how many invalid requests were sent in the running ten minutes.
func (s *Server) InvalidRequests() int {
	i := s.invalid
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.clock.Now().Before(i.windowEnds) {
		return 0
	}
	return i.sent
}

// banned reports whether the address is banned, and answers as Cloudflare does then:
// with text in place of JSON (#5385).
func (s *Server) banned(w http.ResponseWriter, c *call) bool {
	s.invalid.mu.Lock()
	until := s.invalid.bannedUntil
	s.invalid.mu.Unlock()
	if s.cfg.NoRateLimits || !s.clock.Now().Before(until) {
		return false
	}
	s.fail(c.name(), "the address is banned for %d invalid requests within %v", maxInvalid, invalidWindow)
	w.Header().Set("Content-Type", "text/plain; charset=UTF-8")
	w.Header().Set("Retry-After", "3600")
	c.writeByCloudflare(w, http.StatusTooManyRequests, []byte("error code: 1015"))
	return true
}
