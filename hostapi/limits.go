package hostapi

import (
	"sync"
	"time"
)

const (
	// maxAccountHold bounds for how long no request is made for one account because the
	// service said so. Then one finds out whether that is still so.
	maxAccountHold = 10 * time.Minute
	// maxHold bounds for how long no request is made for any account.
	maxHold = 30 * time.Second
	// maxHeld bounds the memory for accounts that are held, at some 100 bytes each.
	maxHeld = 10_000
)

// limits keep calls from a service that has answered 429 and said when to try again.
//
// Services limit one account alone (pterodactyl/panel#3043) or all requests together, and the
// answer does not say which. It therefore holds the calls of its account. If another account
// meets a 429 before that time is over, for 30 s at most, the limit is taken for one of all
// requests, and all calls are held.
type limits struct {
	mu       sync.Mutex
	accounts map[string]time.Time // that are held, by user ID: until when
	all      time.Time            // until when all are held
	latest   string               // the account that met a 429 last
	suspect  time.Time            // until when a 429 of another account is one for all
}

// left returns for how long no request is to be made for an account. It is not above 0 if one
// may be made.
func (l *limits) left(userID string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return later(l.all, l.accounts[userID]).Sub(now)
}

// until returns until when all are held, or the account that met a 429 last.
func (l *limits) until() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return later(l.all, l.accounts[l.latest])
}

// refused takes note of a 429 that says for how long it is meant.
func (l *limits) refused(userID string, wait time.Duration, now time.Time) {
	if wait <= 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	hold := now.Add(min(wait, maxHold))
	switch {
	case userID != l.latest && now.Before(l.suspect):
		l.all = later(l.all, hold)
		clear(l.accounts) // none of them was limited by itself
	case len(l.accounts) >= maxHeld:
		clear(l.accounts) // most are over, and what is not costs one request more
		fallthrough
	default:
		l.accounts[userID] = now.Add(min(wait, maxAccountHold))
	}
	l.latest, l.suspect = userID, hold
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
