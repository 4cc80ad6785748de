package faultmatrix_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/faultproxy"
	"hostbot/hostapi/hostapitest"
)

// fault is something that goes wrong.
type fault struct {
	name string
	// strike lets it happen and returns what ends it.
	strike func(*testing.T, *scene) (mend func())
	secure bool     // the bot reaches everything by names and TLS
	env    []string // settings of the bot's
}

// onTheWay puts a relay into a condition.
func onTheWay(name string, to relay, c faultproxy.Condition) fault {
	return fault{
		name: name, secure: c == faultproxy.Untrusted || c == faultproxy.Unknown,
		strike: func(_ *testing.T, s *scene) func() {
			s.relays[to].Set(c)
			return func() { s.relays[to].Set(faultproxy.Open) }
		},
	}
}

// atTheService makes the service answer every request with a fault.
func atTheService(name string, f hostapitest.Fault, env ...string) fault {
	return fault{name: name, env: env, strike: func(_ *testing.T, s *scene) func() {
		f.Body = s.echo(f.Body)
		s.Service.Fail("", f, 0)
		return s.Service.ClearFaults
	}}
}

// inRedis makes Redis answer every command with an error.
func inRedis(name, text string) fault {
	return fault{name: name, strike: func(_ *testing.T, s *scene) func() {
		s.redis.SetError(text)
		return func() { s.redis.SetError("") }
	}}
}

// inRedisAccounts has Redis hold something else in the place of each account.
func inRedisAccounts(name string, put func(s *scene, key string)) fault {
	return fault{name: name, strike: func(_ *testing.T, s *scene) func() {
		for _, key := range s.redis.Keys() {
			if strings.Contains(key, accountKey) {
				s.redis.Del(key)
				put(s, key)
			}
		}
		return func() {}
	}}
}

// atDiscord makes Discord meet calls to routes with a fault.
func atDiscord(name string, f discordtest.Fault, routes ...string) fault {
	return fault{name: name, strike: func(_ *testing.T, s *scene) func() {
		var ends []func()
		f.Body = s.echo(f.Body)
		for _, route := range routes {
			f.Route = route
			ends = append(ends, s.Discord.Inject(f))
		}
		return func() {
			for _, end := range ends {
				end()
			}
		}
	}}
}

// outage is for how long later responses meet a fault that passes.
const outage = 2 * time.Second

// passing is a fault that ends after an outage.
func passing(x fault) fault {
	strike := x.strike
	x.strike = func(t *testing.T, s *scene) func() {
		end := strike(t, s)
		timer := time.AfterFunc(outage, end)
		return func() {
			timer.Stop()
			end()
		}
	}
	return x
}

// atTheGateway breaks the connection to the gateway. It is a secure one, as it
// would else be left for the address that Discord gives to resume at, which is
// without a relay.
func atTheGateway(name string, c faultproxy.Condition) fault {
	return fault{name: name, secure: true, strike: func(t *testing.T, s *scene) func() {
		s.relays[toGateway].Set(c)
		s.Discord.AskHeartbeat() // so that there is something to truncate
		s.Log.WaitForTimes(t, "connection to discord lost", max(1, len(s.places)))
		return func() { s.relays[toGateway].Set(faultproxy.Open) }
	}}
}

// inLogChannels restricts what the bot may do in a log channel.
func inLogChannels(name string, a discordtest.Access) fault {
	return fault{name: name, strike: func(_ *testing.T, s *scene) func() {
		s.actions.Allow(a)
		return func() { s.actions.Allow(discordtest.FullAccess) }
	}}
}

// echo has an answer repeat the secrets that whoever gives it knows.
func (s *scene) echo(body string) string {
	return strings.NewReplacer("{token}", s.Discord.Token(), "{secret}", s.Service.Secret()).Replace(body)
}

// status is a fault of Discord's that answers so, and nothing happens.
func status(code int, body string) discordtest.Fault {
	return discordtest.Fault{Status: code, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}
}

// handled lets the call be handled before the fault meets its answer.
func handled(f discordtest.Fault) discordtest.Fault {
	f.After = true
	return f
}

// signInPage is an answer in Discord's place, or the service's, by somebody between.
const signInPage = "<!doctype html><title>Sign in</title>"

func html() http.Header { return http.Header{"Content-Type": {"text/html"}} }

func signIn() discordtest.Fault {
	return discordtest.Fault{Status: http.StatusOK, Header: html(), Body: signInPage}
}

func truncated() discordtest.Fault {
	return discordtest.Fault{Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}, "Content-Length": {"100"}}, Body: `{"id":`}
}
