package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/bot/faultproxy"
)

// asJSON is what Discord says of its answers.
func asJSON() http.Header { return http.Header{"Content-Type": {"application/json"}} }

// answers makes Discord meet calls to routes with a fault.
func answers(f discordtest.Fault, routes ...string) func(*testing.T, *broken) func() {
	return func(_ *testing.T, b *broken) func() {
		var ends []func()
		for _, route := range routes {
			f.Route = route
			ends = append(ends, b.discord.Inject(f))
		}
		return func() {
			for _, end := range ends {
				end()
			}
		}
	}
}

// status is a fault that answers so, and nothing happens.
func status(code int, body string) discordtest.Fault {
	return discordtest.Fault{Status: code, Header: asJSON(), Body: body}
}

// handled lets the call be handled before the fault meets its answer.
func handled(f discordtest.Fault) discordtest.Fault {
	f.After = true
	return f
}

// Answers in Discord's place that make no sense.
func signIn() discordtest.Fault {
	return discordtest.Fault{Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<!doctype html><title>Sign in</title>"}
}

func truncated() discordtest.Fault {
	return discordtest.Fault{Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}, "Content-Length": {"100"}}, Body: `{"id":`}
}

func huge() discordtest.Fault {
	return discordtest.Fault{Status: http.StatusOK, Header: asJSON(), Body: strings.Repeat(" ", 5<<20) + "{}"}
}

// firstResponseFaults meet the first response. Where Discord has not taken that,
// nothing is done.
func firstResponseFaults() []fault {
	toDiscord := func(b *broken) *faultproxy.Relay { return b.toDiscord }
	unheardOf := func(name string, strike func(*testing.T, *broken) func()) fault {
		return fault{name: name, strike: strike, unknown: unheard, known: unheard, acts: unheard, staff: "could not be told", breaks: []string{"no first response", "10062", "10015"}}
	}
	meets := func(name string, f discordtest.Fault) fault {
		return unheardOf(name, answers(f, discordtest.RouteCallback))
	}
	fine := func(name string, f discordtest.Fault) fault {
		return fault{name: name, strike: answers(f, discordtest.RouteCallback), unknown: usual, known: usual, acts: usual}
	}
	// Discord has taken what it does not say to have taken. Where that promised
	// something it is corrected.
	corrected := func(name string, f discordtest.Fault) fault {
		return fault{
			name: name, strike: answers(f, discordtest.RouteCallback), unknown: usual, known: usual, acts: "error.canceled", staff: "could not be told", breaks: []string{"10062"},
		}
	}
	secure := func(x fault) fault {
		x.secure = true
		return x
	}
	forAMoment := discordtest.RateLimited("", "", 300*time.Millisecond, false)
	forAMoment.Times = 10
	return []fault{
		unheardOf("connection refused", relays(toDiscord, faultproxy.Refusing)),
		unheardOf("connection reset", relays(toDiscord, faultproxy.Resetting)),
		meets("hanging", discordtest.Fault{Hang: true}),
		meets("slow", discordtest.Fault{Delay: 4 * time.Second}),
		corrected("answers late", discordtest.Fault{After: true, Delay: 4 * time.Second}),
		corrected("answers lost", discordtest.Fault{After: true, Reset: true}),
		fine("answers truncated", handled(truncated())),
		fine("huge answers", handled(huge())),
		fine("wrong types", handled(status(http.StatusOK, `[1]`))),
		meets("another content type", signIn()),
		meets("401", status(http.StatusUnauthorized, `{"message":"401: Unauthorized","code":0}`)),
		meets("403", status(http.StatusForbidden, `{"message":"Missing Access","code":50001}`)),
		meets("404", status(http.StatusNotFound, `{"message":"Unknown interaction","code":10062}`)),
		meets("409", status(http.StatusConflict, `{"message":"Conflict","code":0}`)),
		fine("429 for a moment", forAMoment),
		meets("429", discordtest.RateLimited("", "", time.Minute, true)),
		meets("503", status(http.StatusServiceUnavailable, `{"message":"503: Service Unavailable","code":0}`)),
		secure(unheardOf("TLS fails", relays(toDiscord, faultproxy.Untrusted))),
		secure(unheardOf("name not found", relays(toDiscord, faultproxy.Unknown))),
	}
}

// outage is for how long later responses meet a fault that passes.
const outage = 2 * time.Second

// laterResponseFaults meet what is said after the first response: how an action
// ended. It is said as soon as Discord takes it.
func laterResponseFaults() []fault {
	routes := []string{discordtest.RouteOriginal, discordtest.RouteFollowUps}
	passing := func(name string, f discordtest.Fault) fault {
		strike := func(t *testing.T, b *broken) func() {
			end := answers(f, routes...)(t, b)
			timer := time.AfterFunc(outage, end)
			return func() {
				timer.Stop()
				end()
			}
		}
		return fault{name: name, strike: strike, unknown: usual, known: usual, acts: usual}
	}
	lasting := func(name string, f discordtest.Fault) fault {
		return fault{name: name, strike: answers(f, routes...), unknown: usual, known: usual, acts: unfinished, staff: "could not be told"}
	}
	return []fault{
		passing("connection reset", discordtest.Fault{Reset: true}),
		passing("answers lost", discordtest.Fault{Reset: true, After: true}),
		passing("hanging", discordtest.Fault{Hang: true}),
		passing("slow", discordtest.Fault{Delay: time.Second}),
		passing("answers truncated", handled(truncated())),
		passing("another content type", signIn()),
		passing("429", discordtest.RateLimited("", "", time.Second, false)),
		passing("503", status(http.StatusServiceUnavailable, `{"message":"503: Service Unavailable","code":0}`)),
		passing("404", discordtest.Refused("", "", discordtest.CodeUnknownWebhook)), // discord-api-docs#7220
		lasting("401", status(http.StatusUnauthorized, `{"message":"Invalid Webhook Token","code":50027}`)),
		lasting("403", status(http.StatusForbidden, `{"message":"Missing Access","code":50001}`)),
	}
}

// gatewayFaults keep interactions from arriving. What arrives too late is not
// acted upon. The way to the gateway is a secure one, as it would else be left for
// the address that Discord gives to resume at, which is without a relay.
func gatewayFaults() []fault {
	away := func(name string, heartbeats time.Duration, c faultproxy.Condition) fault {
		return fault{
			name: name, secure: true, heartbeats: heartbeats, unknown: unheard, known: unheard, acts: unheard,
			lifecycle: "Connection to Discord lost", staff: "could not be told", breaks: []string{"no first response", "10062", "10015"},
			strike: func(t *testing.T, b *broken) func() {
				b.toGateway.Set(c)
				b.discord.AskHeartbeat() // so that there is something to truncate
				b.log.waitFor(t, "connection to discord lost")
				return func() { b.toGateway.Set(faultproxy.Open) }
			},
		}
	}
	return []fault{
		away("connection refused", 0, faultproxy.Refusing),
		away("connection reset", 0, faultproxy.Resetting),
		away("hanging", 2*time.Second, faultproxy.Hanging),
		away("events truncated", 0, faultproxy.CuttingOff),
		away("TLS fails", 0, faultproxy.Untrusted),
		away("name not found", 0, faultproxy.Unknown),
	}
}

// logChannelFaults are told by nothing to customers; staff read everything, once,
// as soon as it can be delivered.
func logChannelFaults() []fault {
	meets := func(name string, f discordtest.Fault) fault {
		return fault{name: name, unknown: usual, known: usual, acts: usual, strike: answers(f, discordtest.RouteMessages, discordtest.RouteMessage)}
	}
	access := func(name string, a discordtest.Access) fault {
		return fault{name: name, unknown: usual, known: usual, acts: usual, breaks: []string{"10003", "50001", "50013"}, strike: func(_ *testing.T, b *broken) func() {
			b.actions.Allow(a)
			return func() { b.actions.Allow(discordtest.FullAccess) }
		}}
	}
	return []fault{
		meets("connection reset", discordtest.Fault{Reset: true}),
		meets("answers lost", discordtest.Fault{Reset: true, After: true}),
		meets("hanging", discordtest.Fault{Hang: true}),
		meets("slow", discordtest.Fault{Delay: time.Second}),
		meets("answers truncated", handled(truncated())),
		meets("wrong types", handled(status(http.StatusOK, `{"id":1}`))),
		meets("another content type", signIn()),
		meets("401", status(http.StatusUnauthorized, `{"message":"401: Unauthorized","code":0}`)),
		access("403", discordtest.MissingAccess),
		access("may not write", discordtest.MissingPermissions),
		access("404", discordtest.Gone),
		meets("429", discordtest.RateLimited("", "", 2*time.Second, false)),
		meets("503", status(http.StatusServiceUnavailable, `{"message":"503: Service Unavailable","code":0}`)),
	}
}
