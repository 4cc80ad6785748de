//go:build integration

package soak_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
)

// weather remembers when Discord, or the way to it, was broken last.
type weather struct {
	mu     sync.Mutex
	storms int
	raging bool
	ended  time.Time // of the last
	kills  []time.Time
}

// afterStorm is how long customers may notice a storm that is over: what runs into
// it is sent again with growing pauses.
const afterStorm = 45 * time.Second

// begin begins a storm. There is one at a time.
func (w *weather) begin() (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.storms++
	w.raging = true
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.raging, w.ended = false, time.Now()
	}
}

// stormySince reports whether something that began then may have met a storm.
func (w *weather) stormySince(began time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.raging || w.ended.Add(afterStorm).After(began)
}

// beforeActing is how long a command may take until it is answered or its action begins.
const beforeActing = 15 * time.Second

// killedAfter reports whether a process was killed that may have had a command then
// which it had not answered, and whose action it had not begun. It is no promise that
// such a command is answered: nothing of it is kept, and Discord goes on showing that
// the bot is thinking.
func (w *weather) killedAfter(began time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.kills, func(at time.Time) bool { return at.After(began) && at.Before(began.Add(beforeActing)) })
}

func (w *weather) kill() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kills = append(w.kills, time.Now())
}

// breakService breaks the hosting service from time to time.
func (s *soak) breakService(ctx context.Context, random *rand.Rand) {
	faults := []hostapitest.Fault{
		{Reset: true}, {ResetAfter: true}, {Hang: true}, {Delay: 2500 * time.Millisecond}, {Delay: 500 * time.Millisecond},
		{Status: http.StatusInternalServerError}, {Status: http.StatusBadGateway, Body: "<html>bad gateway</html>"}, {Status: http.StatusUnauthorized},
		{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"1"}}}, {Status: http.StatusConflict}, {Status: http.StatusForbidden},
		{Malformed: true}, {WrongTypes: true}, {Huge: true},
	}
	for ctx.Err() == nil {
		pause(ctx, time.Duration(random.IntN(8000))*time.Millisecond)
		s.Service.Fail("", faults[random.IntN(len(faults))], random.IntN(40))
		pause(ctx, time.Duration(random.IntN(6000))*time.Millisecond)
		s.Service.ClearFaults()
	}
	s.Service.ClearFaults()
}

// breakOthers breaks one after the other of what else the bot depends on, and
// replaces replicas.
func (s *soak) breakOthers(ctx context.Context, t *testing.T, random *rand.Rand) {
	for ctx.Err() == nil {
		pause(ctx, time.Duration(2000+random.IntN(8000))*time.Millisecond)
		lasting := time.Duration(500+random.IntN(5000)) * time.Millisecond
		switch n := random.IntN(10); n {
		case 0, 1:
			s.redisServer.Stop()
			pause(ctx, lasting)
			s.redisServer.Restart()
		case 2:
			s.replace(t, random.IntN(len(s.replicas)))
		case 8, 9:
			s.kill(ctx, t)
		case 3, 4:
			s.breakREST(ctx, random, lasting)
		default:
			s.breakGateway(ctx, random, lasting)
		}
	}
}

// replace stops a replica and starts another, as an update does.
func (s *soak) replace(t *testing.T, i int) {
	defer s.weather.begin()() // what comes while it stops is told to try again
	if err := s.replicas[i](); err != nil {
		s.stray("a replica ended with %v", err)
	}
	s.replicas[i] = s.Launch(t)
}

func (s *soak) breakREST(ctx context.Context, random *rand.Rand, lasting time.Duration) {
	faults := []discordtest.Fault{
		{Status: http.StatusInternalServerError}, {Status: http.StatusServiceUnavailable, After: true}, {Reset: true}, {Reset: true, After: true},
		{Hang: true}, {Delay: 800 * time.Millisecond}, {Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"1"}}, Body: `{"message":"slow","retry_after":1,"global":false}`},
	}
	defer s.weather.begin()()
	defer s.Discord.Inject(faults[random.IntN(len(faults))])()
	pause(ctx, lasting)
}

// breakRights has Discord refuse what it takes from other bots: embeds in the log channel, and
// direct messages to people who are new. Nobody is to notice but who is told so.
func (s *soak) breakRights(ctx context.Context, random *rand.Rand) {
	for ctx.Err() == nil {
		pause(ctx, time.Duration(random.IntN(6000))*time.Millisecond)
		lasting := time.Duration(500+random.IntN(5000)) * time.Millisecond
		var end func()
		switch random.IntN(4) {
		case 0:
			s.Channel.Deny(discordtest.EmbedLinks)
			end = func() { s.Channel.Grant(discordtest.EmbedLinks) }
		case 1:
			s.Discord.Quarantine(true)
			end = func() { s.Discord.Quarantine(false) }
		case 2:
			end = s.Discord.Inject(discordtest.RateLimited(http.MethodPost, discordtest.RouteDMs, 2*time.Second, false))
		case 3:
			end = s.Discord.Inject(discordtest.Fault{
				Method: http.MethodPost, Route: discordtest.RouteDMs, Status: http.StatusForbidden,
				Header: http.Header{"Content-Type": {"application/json"}}, Body: `{"message": "You are opening direct messages too fast.", "code": 40003}`,
			})
		}
		pause(ctx, lasting)
		end()
	}
}

// breakGateway breaks the way on which interactions come. Over HTTP requests break off.
func (s *soak) breakGateway(ctx context.Context, random *rand.Rand, lasting time.Duration) {
	defer s.weather.begin()()
	if world.OverHTTP() {
		defer s.Discord.Inject(discordtest.Fault{Route: discordtest.RouteEndpoint, Delay: time.Duration(random.IntN(300)) * time.Millisecond})()
		pause(ctx, lasting)
		return
	}
	switch random.IntN(6) {
	case 0:
		s.Discord.Drop()
	case 1:
		s.Discord.CloseWith(4000)
	case 2:
		s.Discord.AskReconnect()
	case 3:
		s.Discord.InvalidateSession(random.IntN(2) == 0)
	case 4:
		s.Discord.RefuseConnections(true)
		s.Discord.Drop()
		pause(ctx, lasting)
		s.Discord.RefuseConnections(false)
	case 5:
		s.Discord.Silence(true)
		pause(ctx, lasting)
		s.Discord.Silence(false)
	}
}
