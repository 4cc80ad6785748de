package watcher

import (
	"maps"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// recovery is the number of intervals in which the whole rate is regained, and for which a 429 is
	// remembered.
	recovery = 5
	// longestWait is the most intervals that an account waits after a 429.
	longestWait = 2
)

// Limits are the effects of the service's rate limits on polls.
type Limits struct {
	Since    time.Time `json:"since"`    // when a poll first met a 429; zero if none did lately
	Accounts int       `json:"accounts"` // how many accounts' polls wait
	All      bool      `json:"all"`      // the rate of all polls is reduced
}

// pace limits how many polls begin. The service limits requests by answering 429, to one account or to all, and does
// not say which.
//
// If polls of two accounts meet a 429 within an interval, the service is taken to limit all. The rate is then halved
// and regained gradually, as in TCP (additive increase, multiplicative decrease; RFC 5681, 3.1), as nobody knows the
// limit. That leaves room for customers' requests. Polls that were running when the rate was halved do not halve it
// again.
//
// An account whose polls always meet a 429 while polls of others succeed is limited by itself.
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

// admit reports whether one more poll may begin; if so, it begins.
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

// succeeded notes that the service has answered a poll of an account.
func (p *pace) succeeded(customerID string, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.accounts, customerID)
	p.answered = now
}

// refused notes that a poll of an account met a 429, and when the poll began. It returns the limits' effects. since is
// when any process first met one.
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
