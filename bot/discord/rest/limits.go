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

// Discord takes 50 requests a second from a bot, but for the answers to interactions,
// which are not counted (https://discord.com/developers/docs/topics/rate-limits#global-rate-limit).
const (
	// perSecond and burst together are the most that is sent in any second. What is left
	// of the 50 is for others with the same token, such as hostbot check.
	perSecond, burst = 40, 5
	// panelsPerSecond leaves room for log entries and alerts while many panels change.
	panelsPerSecond, panelsBurst = 25, 5
)

// Discord bans an address that sends 10,000 invalid requests in ten minutes, for
// everything: requests that it answers with 401, 403 or 429, but for a 429 that is due to
// others (https://discord.com/developers/docs/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans).
const (
	// InvalidWindow is the time over which they are counted.
	InvalidWindow = 10 * time.Minute
	// FewerFrom is from how many invalid requests on nothing is sent that may wait: panels
	// and alerts.
	FewerFrom = 5_000
	// PanelsWaitFrom is from how many 429 that are due to others on no panel is edited: these may lead to a
	// ban as well (discord-api-docs#7243).
	PanelsWaitFrom = 1_000
	// AnswersOnlyFrom is from how many on only interactions are answered.
	AnswersOnlyFrom = 8_000
	// recovered is below how many the first threshold is told of again.
	recovered = FewerFrom / 2
	// recheck is when to try again what was held back for these.
	recheck = time.Minute
)

// Purpose is what a request is for. It decides who waits for whom.
type Purpose int

const (
	ForAll    Purpose = iota // log entries, commands to register, and the rest
	ForAlerts                // not sent from FewerFrom invalid requests on
	ForPanels                // likewise; and they leave room for all others
	// forGateway is a question where the gateway is. Interactions arrive there, so only
	// Discord's own word holds it back.
	forGateway
)

// limits is what a process knows of Discord's limits, whichever of its parts sends.
type limits struct {
	all, panels *rate.Limiter
	answered    recent.Counter // and how many of the answers say that a request was invalid
	shared      recent.Counter // answers of 429 that are due to others

	mu          sync.Mutex
	pausedUntil time.Time // as Discord asked, with all requests
	told        int       // the threshold that OnInvalid was last told of
}

func newLimits() *limits {
	return &limits{
		all:      rate.NewLimiter(perSecond, burst),
		panels:   rate.NewLimiter(panelsPerSecond, panelsBurst),
		answered: recent.Counter{Window: InvalidWindow},
		shared:   recent.Counter{Window: InvalidWindow},
	}
}

// answersInteraction reports whether what is at a path, below the API's base, is
// authenticated by an interaction's token: its first response, the edits of that, and
// follow-ups.
func answersInteraction(path string) bool {
	return strings.HasPrefix(path, "interactions/") || strings.HasPrefix(path, "webhooks/")
}

// admit waits until a request may be sent, for as long as ctx lasts. Its error is the one
// that Discord would answer with: a global 429.
func (l *limits) admit(ctx context.Context, purpose Purpose) *Error {
	if refused := l.held(purpose); refused != nil {
		return refused
	}
	if purpose == ForPanels {
		if err := l.panels.Wait(ctx); err != nil {
			return notSent(ctx, time.Second, "other panels come first")
		}
	}
	if err := l.all.Wait(ctx); err != nil {
		return notSent(ctx, time.Second, "too many requests wait")
	}
	return l.held(purpose) // Discord may have refused others meanwhile
}

// held returns why nothing may be sent now, or nil.
func (l *limits) held(purpose Purpose) *Error {
	now := time.Now()
	l.mu.Lock()
	pause := l.pausedUntil.Sub(now)
	l.mu.Unlock()
	_, invalid := l.answered.Sum(now)
	shared, _ := l.shared.Sum(now)
	switch {
	case pause > 0:
		return heldBack(pause, "discord asked to wait with all requests")
	case purpose == forGateway:
	case invalid >= AnswersOnlyFrom, invalid >= FewerFrom && purpose != ForAll:
		return heldBack(recheck, fmt.Sprintf("discord refused %d requests in %v, and bans at 10,000", invalid, InvalidWindow))
	case shared >= PanelsWaitFrom && purpose == ForPanels:
		return heldBack(recheck, fmt.Sprintf("discord limited %d requests in %v for what others did", shared, InvalidWindow))
	}
	return nil
}

// notSent is a request for which there was no room within its context.
func notSent(ctx context.Context, wait time.Duration, why string) *Error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return &Error{Message: "not sent: " + ctx.Err().Error()}
	}
	return heldBack(wait, why)
}

func heldBack(wait time.Duration, why string) *Error {
	return &Error{Status: http.StatusTooManyRequests, Message: "not sent: " + why, RetryAfter: wait, Global: true}
}

// news is what an answer says that nobody knew.
type news struct {
	pause     time.Duration // that begins for all requests; 0 for none
	threshold int           // of invalid requests, which is reached; 0 for none
	invalid   int           // requests, where a threshold is reached
}

// note learns from an answer, which asks all requests to pause; 0 for not.
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
	reached := 0
	switch {
	case invalid >= AnswersOnlyFrom:
		reached = AnswersOnlyFrom
	case invalid >= FewerFrom:
		reached = FewerFrom
	}
	if invalid < recovered {
		l.told = 0
	}
	if reached > l.told {
		l.told, n.threshold, n.invalid = reached, reached, invalid
	}
	return n
}
