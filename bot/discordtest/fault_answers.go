package discordtest

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"
)

// Bodies with which Cloudflare refuses an address that sent too much.
const (
	// CloudflareText is plain text (#5385).
	CloudflareText = "error code: 1015"
	// CloudflarePage is HTML (bwmarrin/discordgo#659).
	CloudflarePage = `<!doctype html>
<html lang="en-US">
<head><title>Access denied | discord.com used Cloudflare to restrict access</title></head>
<body><h1>Error 1015</h1><p>You are being rate limited</p></body>
</html>
`
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

// DisagreeingLimit is a fault that answers 429 with a wait of 1 s in the header
// and of 1163.097 s in the body, as edits of a published message were (#6109).
// The header speaks of the bucket, the body of a limit that many share.
func DisagreeingLimit(method, route string) Fault {
	refused := rateLimited(time.Second, false, CodeWriteLimit)
	refused.message = "The write action you are performing on the channel has hit the write rate limit."
	refused.limit.RetryAfter = 1163.097
	fault := refused.fault(method, route)
	fault.Header.Set("X-RateLimit-Scope", "shared")
	fault.Header.Set("X-RateLimit-Limit", "5")
	fault.Header.Set("X-RateLimit-Remaining", "4")
	fault.Header.Set("X-RateLimit-Reset-After", "0.999")
	fault.Header.Set("X-RateLimit-Bucket", "1d3c67957bcdccc6709861c232df8529")
	return fault
}

// CloudflareLimited is a fault that answers a 429 of Cloudflare's: body is
// CloudflareText, CloudflarePage, or empty where only the header tells the wait
// (Javacord/Javacord#704). A retryAfter of 0 was seen as well
// (DiscordSRV/DiscordSRV#1767), and an hour with the text (#5385); a negative
// one leaves the header out.
func CloudflareLimited(method, route, body string, retryAfter time.Duration) Fault {
	fault := Fault{Method: method, Route: route, Status: http.StatusTooManyRequests, Header: http.Header{}, Body: body, Cloudflare: true}
	switch {
	case strings.HasPrefix(body, "<"):
		fault.Header.Set("Content-Type", "text/html; charset=UTF-8")
	case body != "":
		fault.Header.Set("Content-Type", "text/plain; charset=UTF-8")
	}
	if retryAfter >= 0 {
		fault.Header.Set("Retry-After", fmt.Sprint(math.Ceil(retryAfter.Seconds())))
	}
	return fault
}

// BannedAddress is a fault that answers as to an address that is banned for a
// while: a 429 of static JSON that names no wait (#5810).
func BannedAddress(method, route string) Fault {
	fault := refuse(http.StatusTooManyRequests, 0, "You are being blocked from accessing our API temporarily due to exceeding our rate limits "+
		"frequently. Please read our docs at https://discord.com/developers/docs/topics/rate-limits to prevent this moving forward.").fault(method, route)
	fault.Cloudflare = true
	return fault
}

// ServerError is a fault that answers 500 with Discord's JSON (#2335).
func ServerError(method, route string) Fault {
	return refuse(http.StatusInternalServerError, 0, "500: Internal Server Error").fault(method, route)
}

// Overloaded is a fault that answers 503 in plain text, as the proxy in front of
// Discord's service does (CSSS/wall_e#664).
func Overloaded(method, route string) Fault {
	return Fault{
		Method: method, Route: route, Status: http.StatusServiceUnavailable, Header: http.Header{"Content-Type": {"text/plain"}},
		Body: "upstream connect error or disconnect/reset before headers. reset reason: overflow",
	}
}

// BadOrigin is a fault that answers 520 with Cloudflare's page, which says that
// it did not understand Discord's answer (#7408, Discord4J/Discord4J#802).
func BadOrigin(method, route string) Fault {
	return htmlPage(method, route, 520, `<!DOCTYPE html>
<html lang="en-US">
<head><title>discord.com | 520: Web server is returning an unknown error</title></head>
<body><h1>Web server is returning an unknown error</h1><p>Error code 520</p></body>
</html>
`)
}

func htmlPage(method, route string, status int, page string) Fault {
	return Fault{
		Method: method, Route: route, Status: status, Header: http.Header{"Content-Type": {"text/html; charset=UTF-8"}},
		Body: page, Cloudflare: true,
	}
}

// Refused is a fault that answers with an error code which Discord gives for
// reasons that the server does not simulate, or where the code is not what it
// seems:
//
//   - CodeInvalidToken, 401: the interaction's token is void. That came after
//     15 min (discordjs/discord.js#10798) and, in an outage, before
//     (discordjs/discord.js#8335). The bot's own token is still valid.
//   - CodeUnknownInteraction, 404: in the place of CodeAlreadyAcknowledged where
//     another process was faster (JDA InteractionCallbackImpl.java,
//     KBVE/kbve#7329), and at random (#5558).
//   - CodeUnknownWebhook, 404: on a token that is good, for seconds (#7220).
//   - CodeBlockedMessage, CodeBlockedTitle and CodeHarmfulLink, 400: Discord's
//     filters do not let a text pass. An edit of a response fails then
//     (docs:change-log 2024); the first response of an application that only the
//     user has installed turns ephemeral instead (tibue99/ezcord#85).
//   - CodeCannotMessageUser, 403, CodeDMsTooFast, 403
//     (davidhozic/discord-advertisement-framework#82), and CodeNoMutualGuild: in
//     DMs. No source says which status the last has; it is 403.
//   - CodeBlocked, 403: by Cloudflare (#6473).
//
// Any other code is answered with 400.
func Refused(method, route string, code int) Fault {
	refusals := map[int]refusal{
		CodeInvalidToken:       {status: http.StatusUnauthorized, message: "Invalid Webhook Token"},
		CodeUnknownInteraction: {status: http.StatusNotFound, message: "Unknown interaction"},
		CodeUnknownWebhook:     {status: http.StatusNotFound, message: "Unknown Webhook"},
		CodeBlockedMessage:     {status: http.StatusBadRequest, message: "Message was blocked by automatic moderation"},
		CodeBlockedTitle:       {status: http.StatusBadRequest, message: "Title was blocked by automatic moderation"},
		CodeHarmfulLink:        {status: http.StatusBadRequest, message: "Message blocked by harmful links filter"},
		CodeCannotMessageUser:  {status: http.StatusForbidden, message: "Cannot send messages to this user"},
		CodeDMsTooFast:         {status: http.StatusForbidden, message: "You are opening direct messages too fast"},
		CodeNoMutualGuild:      {status: http.StatusForbidden, message: "Cannot send messages to this user due to having no mutual guilds"},
		CodeBlocked:            {status: http.StatusForbidden, message: "internal network error"},
	}
	refused, known := refusals[code]
	if !known {
		refused = refusal{status: http.StatusBadRequest, message: "Refused"}
	}
	refused.code = code
	fault := refused.fault(method, route)
	fault.Cloudflare = code == CodeBlocked
	return fault
}

// fault is a fault that answers with the refusal.
func (r *refusal) fault(method, route string) Fault {
	header := http.Header{"Content-Type": {"application/json"}}
	for name, values := range r.header {
		header[name] = values
	}
	return Fault{Method: method, Route: route, Status: r.status, Header: header, Body: string(r.body())}
}
