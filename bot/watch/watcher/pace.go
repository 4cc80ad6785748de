package watcher

import (
	"maps"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// recovery is in how many intervals the rate of polls is won back as a whole, and for how
	// many a 429 is remembered.
	recovery = 5
	// longestWait is for how many intervals an account waits at most that met a 429. Then a poll
	// finds out whether that is still so.
	longestWait = 2
)

// Limits are what the service's limits of requests do to polls.
type Limits struct {
	Since    time.Time `json:"since"`    // when the first poll met one; zero: none did lately
	Accounts int       `json:"accounts"` // whose polls wait
	All      bool      `json:"all"`      // polls of all accounts are fewer
}

// pace is how many polls may begin. The service limits requests by answering 429, to one account
// alone or to all polls, and does not say which.
//
// If polls of two accounts meet a 429 within an interval, the service is taken to limit all. The
// rate is halved then, and won back little by little, as TCP does it for the same reason
// (additive increase, multiplicative decrease; RFC 5681, 3.1): nobody knows how much there is to
// share. So there is room for what customers request. Polls that were under way when the rate was
// halved say nothing new.
//
// An account whose polls meet a 429 each time, while polls of others succeed, is limited by itself.
type pace struct {
	most rate.Limit

	mu       sync.Mutex
	limiter  *rate.Limiter
	raised   time.Time            // when the limiter's rate was raised last
	halved   time.Time            // when it was halved last
	answered time.Time            // when the latest poll was answered
	accounts map[string]time.Time // whose latest poll met a 429: when
	latest   string               // the account that met a 429 last, at
	at       time.Time
	since    time.Time // when one met a 429 after none had for long
}

func newPace(most int) *pace {
	return &pace{
		most: rate.Limit(most), limiter: rate.NewLimiter(rate.Limit(most), max(1, most/4)), accounts: make(map[string]time.Time),
	}
}

// admit reports whether one more poll may begin, which then does.
func (p *pace) admit(now time.Time, interval time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if limit := p.limiter.Limit(); limit < p.most {
		won := float64(p.most) * float64(now.Sub(p.raised)) / float64(recovery*interval)
		p.limiter.SetLimitAt(now, min(p.most, limit+rate.Limit(won)))
	}
	p.raised = now
	return p.limiter.AllowN(now, 1)
}

// succeeded takes note that the service has answered a poll of an account.
func (p *pace) succeeded(customerID string, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.accounts, customerID)
	p.answered = now
}

// refused takes note that a poll of an account, which began at a time, met a 429. It returns what
// the limits do now; others may have met them since a time.
func (p *pace) refused(customerID string, began, since, now time.Time, interval time.Duration) Limits {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.accounts, func(_ string, at time.Time) bool { return now.Sub(at) > recovery*interval })
	if now.Sub(p.at) > recovery*interval {
		p.since = since
	}
	several := customerID != p.latest && now.Sub(p.at) <= interval
	before, again := p.accounts[customerID]
	alone := again && p.answered.After(before)
	if several && !alone && began.After(p.halved) {
		p.limiter.SetLimitAt(now, p.limiter.Limit()/2)
		p.halved = now
	}
	p.accounts[customerID], p.latest, p.at = now, customerID, now
	return Limits{Since: p.since, Accounts: len(p.accounts), All: p.limiter.Limit() < p.most}
}
