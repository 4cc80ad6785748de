package e2e_test

import (
	"net/http"
	"testing"
	"time"

	"hostbot/bot/faultproxy"
	"hostbot/hostapi/hostapitest"
)

// dependency is something that the bot depends on, with what may go wrong with it.
type dependency struct {
	name   string
	faults []fault
}

func dependencies() []dependency {
	return []dependency{
		{"hosting service", serviceFaults()},
		{"Redis", redisFaults()},
		{"Discord, first response", firstResponseFaults()},
		{"Discord, later responses", laterResponseFaults()},
		{"gateway", gatewayFaults()},
		{"log channels", logChannelFaults()},
	}
}

// serves makes the service answer every request with a fault.
func serves(f hostapitest.Fault) func(*testing.T, *broken) func() {
	return func(_ *testing.T, b *broken) func() {
		b.service.Fail("", f, 0)
		return b.service.ClearFaults
	}
}

// relays puts the relay that pick returns into a condition.
func relays(pick func(*broken) *faultproxy.Relay, c faultproxy.Condition) func(*testing.T, *broken) func() {
	return func(_ *testing.T, b *broken) func() {
		pick(b).Set(c)
		return func() { pick(b).Set(faultproxy.Open) }
	}
}

func serviceFaults() []fault {
	toService := func(b *broken) *faultproxy.Relay { return b.toService }
	const away, nonsense, gone = "error.unavailable", "error.malformed", "The hosting service is away"
	// lost is a fault under which nobody knows whether what was asked was done, and
	// unreached one under which it certainly was not.
	lost := func(name string, unknown ending, strike func(*testing.T, *broken) func()) fault {
		return fault{
			name: name, strike: strike, unknown: unknown, known: aged, acts: unconfirmed, loses: true, trips: true,
			staff: "malformed|unavailable", lifecycle: gone,
		}
	}
	unreached := func(name string, secure bool, c faultproxy.Condition) fault {
		return fault{
			name: name, secure: secure, strike: relays(toService, c), unknown: away, known: aged, acts: failed(away), trips: true,
			staff: "unavailable", lifecycle: gone,
		}
	}
	// refused is an answer that is one to what was asked.
	refused := func(name string, f hostapitest.Fault, key, staff string) fault {
		return fault{name: name, strike: serves(f), unknown: ending(key), known: aged, acts: failed(key), staff: staff}
	}
	hanging := lost("hanging", away, relays(toService, faultproxy.Hanging))
	hanging.env = []string{"HOSTAPI_TIMEOUT=1s"}
	return []fault{
		unreached("connection refused", false, faultproxy.Refusing),
		lost("connection reset", away, relays(toService, faultproxy.Resetting)),
		hanging,
		{
			name: "slow", strike: serves(hostapitest.Fault{Delay: 2500 * time.Millisecond}), env: []string{"HOSTAPI_TIMEOUT=20s"},
			unknown: usual, known: usual, acts: usual, suggest: nothing,
		},
		lost("answers lost", away, serves(hostapitest.Fault{ResetAfter: true})),
		lost("answers cut off", away, relays(toService, faultproxy.CuttingOff)),
		lost("answers truncated", nonsense, serves(hostapitest.Fault{Malformed: true})),
		lost("wrong types", nonsense, serves(hostapitest.Fault{WrongTypes: true})),
		lost("huge answers", nonsense, serves(hostapitest.Fault{Huge: true})),
		lost("another content type", nonsense, serves(hostapitest.Fault{
			Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<!doctype html><title>Sign in</title>",
		})),
		refused("redirect to elsewhere", hostapitest.Fault{Redirect: "http://elsewhere.test/"}, "error.internal", `internal \(307\)`),
		refused("401", hostapitest.Fault{Status: http.StatusUnauthorized}, "error.unauthorized", `unauthorized \(401\)`),
		refused("403", hostapitest.Fault{Status: http.StatusForbidden, Body: `{"error":"forbidden"}`}, "error.forbidden", `forbidden \(403\)`),
		{
			name: "404", strike: serves(hostapitest.Fault{Status: http.StatusNotFound, Body: `{"error":"no such account"}`}),
			unknown: "error.no_account", known: "error.no_account", acts: "error.no_account", suggest: nothing,
		},
		refused("409", hostapitest.Fault{Status: http.StatusConflict, Body: `{"error":"busy"}`}, "error.conflict", `conflict \(409\)`),
		refused("429", hostapitest.Fault{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"5"}}}, "error.rate_limited", `rate_limited`),
		lost("500", away, serves(hostapitest.Fault{Status: http.StatusInternalServerError, Body: "<h1>oh</h1>"})),
		lost("503", away, serves(hostapitest.Fault{Status: http.StatusServiceUnavailable})),
		unreached("TLS fails", true, faultproxy.Untrusted),
		unreached("name not found", true, faultproxy.Unknown),
	}
}
