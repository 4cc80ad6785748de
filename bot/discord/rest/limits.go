package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"hostbot/bot/discord/recent"
)

// Discord takes 50 requests a second from a bot. Answers to interactions are not counted
// (https://discord.com/developers/docs/topics/rate-limits#global-rate-limit).
const (
	// perSecond and burst together are the most that is sent in any second. The rest of the 50 is for other
	// processes with the same token, such as hostbot check.
	perSecond, burst = 40, 5
	// panelsPerSecond leaves room for log entries and alerts while many panels change.
	panelsPerSecond, panelsBurst = 25, 5
)

// Discord bans an address entirely that sends 10,000 invalid requests in ten minutes: those that it answers with
// 401, 403, or 429 unless the scope of that is shared
// (https://discord.com/developers/docs/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans).
const (
	// InvalidWindow is the time over which they are counted.
	InvalidWindow = 10 * time.Minute
	// FewerFrom is the number of invalid requests from which on panels and alerts wait.
	FewerFrom = 5_000
	// PanelsWaitFrom is the number of 429s of shared scope from which on panels wait: these may lead to a ban
	// as well (discord-api-docs#7243).
	PanelsWaitFrom = 1_000
	// AnswersOnlyFrom is the number of invalid requests from which on only interactions are answered.
	AnswersOnlyFrom = 8_000
	// recovered is the number below which OnInvalid will be called again for a threshold.
	recovered = FewerFrom / 2
	// recheck is how long a request waits for one of these.
	recheck = time.Minute
)

// Purpose is what a request is for. It decides who waits for whom.
type Purpose int

const (
	ForAll    Purpose = iota // log entries, commands to register, and the rest
	ForAlerts                // not sent from FewerFrom invalid requests on
	ForPanels                // likewise; and they leave room for all others. Announcements of notices are sent so, too
	// forGateway is for GET /gateway/bot. Without the gateway no interaction arrives, so it waits only if
	// Discord asks for that.
	forGateway
)

// limits is what a process knows of Discord's limits, for all of its parts.
type limits struct {
	all, panels *rate.Limiter
	answered    recent.Counter // answers; failed ones are invalid requests
	shared      recent.Counter // 429s of shared scope

	mu          sync.Mutex
	pausedUntil time.Time        // all requests, as Discord asked
	lines       map[string]*line // of what a limit of a channel holds back, by lineOf
	reached     int              // the highest threshold that was reached; 0 for none
}

func newLimits() *limits {
	return &limits{
		all:      rate.NewLimiter(perSecond, burst),
		panels:   rate.NewLimiter(panelsPerSecond, panelsBurst),
		answered: recent.Counter{Window: InvalidWindow},
		shared:   recent.Counter{Window: InvalidWindow},
		lines:    make(map[string]*line),
	}
}

// answersInteraction reports whether an interaction's token authenticates requests to a path below the API's
// base: first responses, their edits, and follow-ups.
func answersInteraction(path string) bool {
	return strings.HasPrefix(path, "interactions/") || strings.HasPrefix(path, "webhooks/")
}

// admit waits until a request may be sent or ctx is done. Its error is like Discord's: a 429. in is the line
// of the request.
func (l *limits) admit(ctx context.Context, purpose Purpose, in string) *Error {
	if refused := l.paused(purpose); refused != nil {
		return refused
	}
	if wait := l.turn(in); wait > 0 {
		return &Error{Status: http.StatusTooManyRequests, Message: "not sent: others wait for the same limit", RetryAfter: wait}
	}
	if purpose == ForPanels {
		if err := l.panels.Wait(ctx); err != nil {
			return notSent(ctx, time.Second, "other panels come first")
		}
	}
	if err := l.all.Wait(ctx); err != nil {
		return notSent(ctx, time.Second, "too many requests wait")
	}
	return l.paused(purpose) // Discord may have refused others meanwhile
}

// paused returns why nothing may be sent now, or nil.
func (l *limits) paused(purpose Purpose) *Error {
	now := time.Now()
	l.mu.Lock()
	pause := l.pausedUntil.Sub(now)
	l.mu.Unlock()
	_, invalid := l.answered.Sum(now)
	shared, _ := l.shared.Sum(now)
	switch {
	case pause > 0:
		return postponed(pause, "discord asked to wait with all requests")
	case purpose == forGateway:
	case invalid >= AnswersOnlyFrom, invalid >= FewerFrom && purpose != ForAll:
		return postponed(recheck, fmt.Sprintf("discord refused %d requests in %v, and bans at 10,000", invalid, InvalidWindow))
	case shared >= PanelsWaitFrom && purpose == ForPanels:
		return postponed(recheck, fmt.Sprintf("discord limited %d requests in %v for what others did", shared, InvalidWindow))
	}
	return nil
}

// notSent returns the error of a request for which there was no room before ctx was done.
func notSent(ctx context.Context, wait time.Duration, why string) *Error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return &Error{Message: "not sent: " + ctx.Err().Error()}
	}
	return postponed(wait, why)
}

func postponed(wait time.Duration, why string) *Error {
	return &Error{Status: http.StatusTooManyRequests, Message: "not sent: " + why, RetryAfter: wait, Global: true}
}

// news is what changes with an answer.
type news struct {
	pause     time.Duration // of all requests that begins with it; 0 for none
	threshold int           // of invalid requests that is reached with it; 0 for none
	invalid   int           // how many there are; 0 if no threshold is reached
}

// note counts an answer. pause is for how long it asks all requests to wait; 0 if it does not.
func (l *limits) note(status int, pause time.Duration, scope string) (n news) {
	now := time.Now()
	counts := status == http.StatusUnauthorized || status == http.StatusForbidden ||
		status == http.StatusTooManyRequests && scope != "shared"
	l.answered.Add(now, counts)
	if !counts {
		if status == http.StatusTooManyRequests {
			l.shared.Add(now, true)
		}
		return news{}
	}
	_, invalid := l.answered.Sum(now)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.pausedUntil.After(now) {
		n.pause = pause
	}
	if until := now.Add(pause); pause > 0 && until.After(l.pausedUntil) {
		l.pausedUntil = until
	}
	if invalid < recovered {
		l.reached = 0
	}
	for _, threshold := range []int{FewerFrom, AnswersOnlyFrom} {
		if invalid >= threshold && threshold > l.reached {
			l.reached, n.threshold, n.invalid = threshold, threshold, invalid
		}
	}
	return n
}
