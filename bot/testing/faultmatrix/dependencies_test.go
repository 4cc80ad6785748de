package faultmatrix_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/bot/testing/faultproxy"
	"hostbot/hostapi/hostapitest"
)

// dependency is something that the bot depends on, with what may go wrong with it.
type dependency struct {
	name     string
	outcomes []outcome
}

// messages is how Discord takes messages that are no answers.
type messages int

const (
	taken   messages = iota // as usual
	unsure                  // what it answers where one is posted cannot be understood
	failing                 // it does not say that it takes one, or deletes one
	refused                 // for good
)

// outcome is how each way of using the bot ends during some faults. It is a line of
// FAILURES.md.
type outcome struct {
	faults []fault

	unknown ending // where an account is shown that is not remembered
	known   ending // the same of one that is
	acts    ending // where something is changed
	keeps   ending // where staff use what only Redis has; usual where empty
	suggest ending // where a bot is suggested that is not remembered; usual where empty

	messages messages

	// late is where an account is shown that will do as it is remembered; known where empty.
	late ending

	// trips says that the service is taken to be away after a while. What is asked
	// of it is then refused at once, and certainly not done.
	trips bool
	// loses says that it may be unknown whether something was done.
	loses bool
	// staff is what all entries of failures say, as a regular expression; empty
	// where nothing fails.
	staff string
	// lifecycle is what staff read of the dependency itself; empty for nothing.
	lifecycle string
	// noticed is what the process log says before the fault is ended.
	noticed string
	// breaks are rules of Discord's that are broken on purpose, by a part of
	// what is said of that.
	breaks     []string
	heartbeats time.Duration // between two of the gateway's; Discord's where it is 0
}

func dependencies() []dependency {
	all := []dependency{
		{"hosting service", append(serviceLost(), serviceAnswers()...)},
		{"Redis", redisOutcomes()},
		{"Discord, first response", firstResponses()},
		{"Discord, later responses", laterResponses()},
		{"gateway", gatewayOutcomes()},
		{"log channels and other messages", logChannels()},
	}
	if world.OverHTTP() {
		all[2].outcomes = onlyForActions(all[2].outcomes)
		all[4] = dependency{"endpoint", endpointOutcomes()}
	}
	return all
}

const away, slow, broken, nonsense = "error.away", "error.slow", "error.broken", "error.malformed"

// gone is what staff read of a service that is taken to be away.
const gone = "The hosting service is down"

// serviceLost are the faults in which nobody answers what was asked.
func serviceLost() []outcome {
	hanging := onTheWay("hanging", toService, faultproxy.Hanging)
	hanging.env = []string{"HOSTAPI_TIMEOUT=1s"}
	const either = "malformed|unavailable"
	return []outcome{
		{ // certainly not done
			unknown: away, known: aged, acts: failed(away), trips: true, staff: "unavailable", lifecycle: gone,
			faults: []fault{
				onTheWay("connection refused", toService, faultproxy.Refusing),
				onTheWay("TLS fails", toService, faultproxy.Untrusted),
				onTheWay("name not found", toService, faultproxy.Unknown),
			},
		}, {
			unknown: away, known: aged, acts: unconfirmed, trips: true, loses: true, staff: either, lifecycle: gone,
			faults: []fault{
				onTheWay("connection reset", toService, faultproxy.Resetting),
				atTheService("answers lost", hostapitest.Fault{ResetAfter: true}),
				onTheWay("answers cut off", toService, faultproxy.CuttingOff),
				atTheService("503", hostapitest.Fault{Status: http.StatusServiceUnavailable}),
			},
		}, {
			unknown: slow, known: aged, acts: unconfirmed, trips: true, loses: true, staff: either, lifecycle: gone, faults: []fault{hanging},
		}, {
			unknown: broken, known: aged, acts: unconfirmed, trips: true, loses: true, staff: either, lifecycle: gone,
			faults: []fault{atTheService("500", hostapitest.Fault{Status: http.StatusInternalServerError, Body: "<h1>oh</h1> Authorization: Bearer {secret}"})},
		}, {
			unknown: usual, known: usual, acts: usual, suggest: nothing, late: aged,
			faults: []fault{atTheService("slow", hostapitest.Fault{Delay: 2500 * time.Millisecond}, "HOSTAPI_TIMEOUT=20s")},
		}, {
			unknown: nonsense, known: aged, acts: unconfirmed, trips: true, loses: true, staff: either, lifecycle: gone,
			faults: []fault{
				atTheService("answers truncated", hostapitest.Fault{Malformed: true}),
				atTheService("wrong types", hostapitest.Fault{WrongTypes: true}),
				atTheService("huge answers", hostapitest.Fault{Huge: true}),
				atTheService("another content type", hostapitest.Fault{Status: http.StatusOK, Header: html(), Body: signInPage}),
			},
		},
	}
}

// serviceAnswers are faults with an answer that is one to what was asked.
func serviceAnswers() []outcome {
	refused := func(name string, f hostapitest.Fault, key, staff string) outcome {
		return outcome{unknown: ending(key), known: aged, acts: failed(key), staff: staff, faults: []fault{atTheService(name, f)}}
	}
	return []outcome{
		{ // by something that stands before the service
			unknown: away, known: aged, acts: failed(away), trips: true, staff: "unavailable", lifecycle: gone,
			faults: []fault{
				atTheService("redirect to elsewhere", hostapitest.Fault{Redirect: "http://elsewhere.test/"}),
				atTheService("challenge page (403)", hostapitest.ChallengePage()),
			},
		},
		{unknown: usual, known: usual, acts: usual, faults: []fault{atTheService("odd record", hostapitest.Fault{Odd: map[string]string{"ramMb": `"512 MB"`, "cpuPercent": "12.5", "language": "[]"}})}},
		refused("401", hostapitest.Fault{Status: http.StatusUnauthorized, Body: `{"error":"no such secret: {secret}","message":"{secret}"}`}, "error.unauthorized", `secret refused \(401\)`),
		refused("403", hostapitest.Fault{Status: http.StatusForbidden, Body: `{"error":"forbidden to {secret}"}`}, "error.forbidden", `not allowed \(403\)`),
		{ // of the customers whom the service has listed
			unknown: "error.no_account", known: aged, acts: failed(away), suggest: nothing, trips: true, staff: "unavailable", lifecycle: "The hosting service is down",
			faults: []fault{atTheService(hostapitest.Gateways()[0].Name, hostapitest.Gateways()[0].Fault)},
		}, {
			unknown: "error.no_account", known: "error.no_account", acts: "error.no_account", suggest: nothing,
			faults: []fault{atTheService("404 with words on the account", hostapitest.Fault{Status: http.StatusNotFound, Body: `{"error":"no such account"}`})},
		},
		refused("409", hostapitest.Fault{Status: http.StatusConflict, Body: `{"error":"busy"}`}, "error.conflict", `current state \(409\)`),
		refused("429", hostapitest.Fault{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"5"}}}, "error.rate_limited", `rate_limited`),
	}
}

// redisOutcomes are told by nothing to customers: everything is asked of the
// service instead.
func redisOutcomes() []outcome {
	return []outcome{
		{
			unknown: usual, known: usual, acts: usual, keeps: "error.internal",
			staff: "admin[ /]|aside/(reference|reply|support|crashes)|[0-9] times", lifecycle: "Redis is unavailable", noticed: "redis cannot be used",
			faults: []fault{
				onTheWay("connection refused", toRedis, faultproxy.Refusing),
				onTheWay("connection reset", toRedis, faultproxy.Resetting),
				onTheWay("hanging", toRedis, faultproxy.Hanging),
				onTheWay("slow", toRedis, faultproxy.Slow),
				onTheWay("answers truncated", toRedis, faultproxy.CuttingOff),
				inRedis("not authorized", "NOAUTH Authentication required."),
				inRedis("not permitted", "NOPERM this user has no permissions to run the command"),
				inRedis("loading", "LOADING Redis is loading the dataset in memory"),
				onTheWay("TLS fails", toRedis, faultproxy.Untrusted),
				onTheWay("name not found", toRedis, faultproxy.Unknown),
			},
		}, {
			unknown: usual, known: usual, acts: usual, keeps: "error.internal", staff: "admin[ /]|aside/(reference|reply|support|crashes)|[0-9] times",
			faults: []fault{inRedis("full", "OOM command not allowed when used memory > 'maxmemory'.")},
		}, {
			unknown: usual, known: usual, acts: usual,
			faults: []fault{
				inRedisAccounts("garbage", func(s *scene, key string) { _ = s.redis.Set(key, "{") }),
				inRedisAccounts("huge value", func(s *scene, key string) { _ = s.redis.Set(key, strings.Repeat(" ", 1<<18)) }),
				{name: "gone and back, empty", strike: func(_ *testing.T, s *scene) func() {
					s.relays[toRedis].Set(faultproxy.Refusing)
					s.redis.FlushAll()
					s.relays[toRedis].Set(faultproxy.Open)
					return func() {}
				}},
			},
		},
	}
}

// firstResponses: where Discord has not taken the first response, nothing is done.
func firstResponses() []outcome {
	meets := func(name string, f discordtest.Fault) fault { return atDiscord(name, f, discordtest.RouteCallback) }
	forAMoment := discordtest.RateLimited("", "", 300*time.Millisecond, false)
	forAMoment.Times = 3 // one call may meet all of them, which delays it by 1.3 s
	return []outcome{
		{
			unknown: unheard, known: unheard, acts: unheard, staff: "could not be told", breaks: []string{"no first response", "10062", "10015"},
			faults: []fault{
				onTheWay("connection refused", toDiscord, faultproxy.Refusing),
				onTheWay("connection reset", toDiscord, faultproxy.Resetting),
				meets("hanging", discordtest.Fault{Hang: true}),
				meets("slow", discordtest.Fault{Delay: 4 * time.Second}),
				meets("another content type", signIn()),
				meets("401", status(http.StatusUnauthorized, `{"message":"401: Unauthorized: Bot {token}","code":0}`)),
				meets("403", status(http.StatusForbidden, `{"message":"Missing Access: Authorization: Bot {token}","code":50001}`)),
				meets("404", status(http.StatusNotFound, `{"message":"Unknown interaction","code":10062}`)),
				meets("409", status(http.StatusConflict, `{"message":"Conflict","code":0}`)),
				meets("429", discordtest.RateLimited("", "", time.Minute, true)),
				meets("503", status(http.StatusServiceUnavailable, `{"message":"503: Service Unavailable: Bot {token}","code":0}`)),
				onTheWay("TLS fails", toDiscord, faultproxy.Untrusted),
				onTheWay("name not found", toDiscord, faultproxy.Unknown),
			},
		}, { // Discord has taken it and does not say so. Where it promised something it is corrected.
			unknown: usual, known: usual, acts: "error.canceled", staff: "could not be told", breaks: []string{"10062"},
			faults: []fault{
				meets("answers late", discordtest.Fault{After: true, Delay: 4 * time.Second}),
				meets("answers lost", discordtest.Fault{After: true, Reset: true}),
			},
		}, {
			unknown: usual, known: usual, acts: usual,
			faults: []fault{
				meets("answers truncated", handled(truncated())),
				meets("huge answers", handled(status(http.StatusOK, strings.Repeat(" ", 4<<20)+"{}"))),
				meets("wrong types", handled(status(http.StatusOK, `[1]`))),
				meets("429 for a moment", forAMoment),
			},
		},
	}
}

// laterResponses say how an action ended, as soon as Discord takes them.
func laterResponses() []outcome {
	meets := func(name string, f discordtest.Fault) fault {
		return atDiscord(name, f, discordtest.RouteOriginal, discordtest.RouteFollowUps)
	}
	return []outcome{
		{
			unknown: usual, known: usual, acts: usual,
			faults: []fault{
				passing(meets("connection reset", discordtest.Fault{Reset: true})),
				passing(meets("answers lost", discordtest.Fault{Reset: true, After: true})),
				passing(meets("hanging", discordtest.Fault{Hang: true})),
				passing(meets("slow", discordtest.Fault{Delay: time.Second})),
				passing(meets("answers truncated", handled(truncated()))),
				passing(meets("another content type", signIn())),
				passing(meets("429", discordtest.RateLimited("", "", time.Second, false))),
				passing(meets("503", status(http.StatusServiceUnavailable, `{"message":"503: Service Unavailable: Bot {token}","code":0}`))),
				passing(meets("404", discordtest.Refused("", "", discordtest.CodeUnknownWebhook))), // discord-api-docs#7220
			},
		}, {
			unknown: usual, known: usual, acts: unfinished, staff: "could not be told",
			faults: []fault{
				meets("401", status(http.StatusUnauthorized, `{"message":"Invalid Webhook Token of Bot {token}","code":50027}`)),
				meets("403", status(http.StatusForbidden, `{"message":"Missing Access: Authorization: Bot {token}","code":50001}`)),
			},
		},
	}
}

// onlyForActions: over HTTP actions alone have a first response that is a call.
func onlyForActions(list []outcome) []outcome {
	for i := range list {
		list[i].unknown, list[i].known = usual, usual
	}
	return list
}

// endpointOutcomes: Discord does not get what answers its requests. An action does not
// need that.
func endpointOutcomes() []outcome {
	return []outcome{{
		unknown: unheard, known: unheard, acts: usual, breaks: []string{"no first response", "10062", "10015"},
		faults: []fault{atDiscord("answers lost", discordtest.Fault{Reset: true}, discordtest.RouteEndpoint)},
	}}
}

// gatewayOutcomes: interactions do not arrive, and are not acted upon where they arrive
// too late, of which staff are told.
func gatewayOutcomes() []outcome {
	return []outcome{{
		heartbeats: 2 * time.Second, unknown: unheard, known: unheard, acts: unheard,
		staff: "came too late to be answered", breaks: []string{"no first response", "10062", "10015"},
		faults: []fault{
			atTheGateway("connection refused", faultproxy.Refusing),
			atTheGateway("connection reset", faultproxy.Resetting),
			atTheGateway("hanging", faultproxy.Hanging),
			atTheGateway("events truncated", faultproxy.CuttingOff),
			atTheGateway("TLS fails", faultproxy.Untrusted),
			atTheGateway("name not found", faultproxy.Unknown),
		},
	}}
}

// logChannels: customers notice nothing but where they have messages posted or deleted
// themselves. Staff read everything, once, as soon as it can be delivered.
func logChannels() []outcome {
	meets := func(name string, f discordtest.Fault) fault {
		return atDiscord(name, f, discordtest.RouteMessages, discordtest.RouteMessage)
	}
	how := func(m messages, faults ...fault) outcome {
		return outcome{messages: m, unknown: usual, known: usual, acts: usual, breaks: []string{"10003", "50001", "50013"}, faults: faults}
	}
	lost := how(
		failing,
		meets("connection reset", discordtest.Fault{Reset: true}),
		meets("answers lost", discordtest.Fault{Reset: true, After: true}),
		meets("hanging", discordtest.Fault{Hang: true}),
		meets("another content type", signIn()),
		meets("429", discordtest.RateLimited("", "", 2*time.Second, false)),
		meets("503", status(http.StatusServiceUnavailable, `{"message":"503: Service Unavailable: Bot {token}","code":0}`)),
	)
	// Who does not hear that a message was deleted deletes it once more.
	lost.breaks = append(lost.breaks, "DELETE /channels/{channel}/messages/{message}: 404, code 10008")
	return []outcome{
		how(
			taken,
			meets("slow", discordtest.Fault{Delay: time.Second}),
			inLogChannels("403", discordtest.MissingAccess),
			inLogChannels("may not write", discordtest.MissingPermissions),
			inLogChannels("404", discordtest.Gone),
		),
		how(
			unsure,
			meets("answers truncated", handled(truncated())),
			meets("wrong types", handled(status(http.StatusOK, `{"id":1}`))),
		),
		lost,
		how(refused, meets("401", status(http.StatusUnauthorized, `{"message":"401: Unauthorized: Bot {token}","code":0}`))),
	}
}
