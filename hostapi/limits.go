package hostapi

import (
	"sync"
	"time"
)

const (
	// maxAccountPause is the longest pause of one account's requests. Then one request shows whether the limit
	// still holds.
	maxAccountPause = 10 * time.Minute
	// maxPause is the longest pause of all requests.
	maxPause = 30 * time.Second
	// maxPaused bounds the number of paused accounts, at some 100 bytes each.
	maxPaused = 10_000
)

// limits pauses calls after the service has answered 429 and said when to try again.
//
// A service limits one account (pterodactyl/panel#3043) or all requests together, and its answer does not say which.
// So the calls of the account are paused. If another account meets a 429 before that time is over, and within 30 s, the
// limit is taken to be one of all requests, and all calls are paused.
type limits struct {
	mu       sync.Mutex
	accounts map[string]time.Time // until when an account is paused, by user ID
	all      time.Time            // until when all are paused
	latest   string               // the account that met a 429 last
	suspect  time.Time            // until when a 429 of another account is one for all
}

// left returns how long an account's requests are still paused; 0 or less if they are not.
func (l *limits) left(userID string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return later(l.all, l.accounts[userID]).Sub(now)
}

// until returns until when all accounts are paused, or the one that met a 429 last.
func (l *limits) until() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return later(l.all, l.accounts[l.latest])
}

// refused notes a 429 that asks to wait.
func (l *limits) refused(userID string, wait time.Duration, now time.Time) {
	if wait <= 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	pause := now.Add(min(wait, maxPause))
	switch {
	case userID != l.latest && now.Before(l.suspect):
		l.all = later(l.all, pause)
		clear(l.accounts) // none of them was limited by itself
	case len(l.accounts) >= maxPaused:
		clear(l.accounts) // most are over; the others cost one request more
		fallthrough
	default:
		l.accounts[userID] = now.Add(min(wait, maxAccountPause))
	}
	l.latest, l.suspect = userID, pause
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
