package discordtest

import (
	"fmt"
	"net/http"
	"time"
)

// RateLimited is a fault that answers 429 with a wait of retryAfter
// (docs:topics/rate-limits#exceeding-a-rate-limit). Retry-After counts whole
// seconds, and of a global limit there is no X-RateLimit-Reset-After.
func RateLimited(method, route string, retryAfter time.Duration, global bool) Fault {
	seconds := retryAfter.Seconds()
	refused := rateLimited(retryAfter, global, 0)
	refused.limit.RetryAfter = seconds
	fault := refused.fault(method, route)
	if !global {
		fault.Header.Set("X-RateLimit-Limit", "5")
		fault.Header.Set("X-RateLimit-Remaining", "0")
		fault.Header.Set("X-RateLimit-Reset-After", fmt.Sprintf("%.3f", seconds))
		fault.Header.Set("X-RateLimit-Bucket", "injected")
	}
	return fault
}

// Overloaded is a fault that answers 503 in plain text, as the proxy in front of
// Discord's service does (CSSS/wall_e#664).
func Overloaded(method, route string) Fault {
	return Fault{
		Method: method, Route: route, Status: http.StatusServiceUnavailable, Header: http.Header{"Content-Type": {"text/plain"}},
		Body: "upstream connect error or disconnect/reset before headers. reset reason: overflow",
	}
}

// Refused is a fault that answers with an error code which Discord gives for
// reasons that the server does not simulate:
//
//   - CodeUnknownWebhook, 404: on a token that is good, for seconds (#7220).
//   - CodeBlockedMessage, 400: Discord's filters do not let a text pass. An edit of
//     a response fails then (docs:change-log 2024); the first response of an
//     application that only the user has installed turns ephemeral instead
//     (tibue99/ezcord#85).
//
// Any other code is answered with 400.
func Refused(method, route string, code int) Fault {
	switch code {
	case CodeUnknownWebhook:
		return refuse(http.StatusNotFound, code, "Unknown Webhook").fault(method, route)
	case CodeBlockedMessage:
		return refuse(http.StatusBadRequest, code, "Message was blocked by automatic moderation").fault(method, route)
	}
	return refuse(http.StatusBadRequest, code, "Refused").fault(method, route)
}

// fault is a fault that answers with the refusal.
func (r *refusal) fault(method, route string) Fault {
	header := http.Header{"Content-Type": {"application/json"}}
	for name, values := range r.header {
		header[name] = values
	}
	return Fault{Method: method, Route: route, Status: r.status, Header: header, Body: string(r.body())}
}
