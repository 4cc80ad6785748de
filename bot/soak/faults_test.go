package soak_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"regexp"
	"sync"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/bot/e2e/world"
	"hostbot/hostapi/hostapitest"
)

// weather remembers when Discord, or the way to it, was broken last.
type weather struct {
	mu     sync.Mutex
	storms int
	raging bool
	ended  time.Time // of the last
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

// stormySince tells whether something that began then may have met a storm.
func (w *weather) stormySince(began time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.raging || w.ended.Add(afterStorm).After(began)
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
		switch n := random.IntN(8); n {
		case 0, 1:
			s.redisServer.Stop()
			pause(ctx, lasting)
			s.redisServer.Restart()
		case 2:
			s.replace(t, random.IntN(len(s.replicas)))
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

// judge looks whether every promise was kept.
func (s *soak) judge(t *testing.T) {
	entries := s.actionEntries(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stray := range s.strays {
		t.Error(stray)
	}
	for bot, l := range s.ledgers {
		if n := s.executed[bot]; n < l.done || n > l.done+l.unconfirmed+l.unseen {
			t.Errorf("%s: the service carried out %d actions, customers know of %+v", bot, n, l)
		}
		if n := s.executed[bot] - entries[bot]; n > 0 {
			t.Errorf("%s: staff did not read of %d actions that the service carried out", bot, n)
		}
		told := l.done + l.failed + l.unconfirmed
		if n := entries[bot]; n < told || n > told+l.unseen {
			t.Errorf("%s: staff read of %d actions, customers know of %+v", bot, n, l)
		}
	}
	owner := make(map[string]string)
	for _, c := range s.customers {
		for _, bot := range c.bots {
			owner[bot] = c.user.ID
		}
	}
	for _, r := range s.Service.Requests() {
		if r.ServerID != "" && owner[r.ServerID] != r.UserID {
			t.Errorf("%s was asked for %s's bot %s", r.Operation, r.UserID, r.ServerID)
		}
	}
}

// actionEntries waits until the log channel has what customers know of, and
// returns how many actions staff read of, by bot.
func (s *soak) actionEntries(t *testing.T) map[string]int {
	s.mu.Lock()
	expected := 0
	for _, l := range s.ledgers {
		expected += l.done + l.failed + l.unconfirmed
	}
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		s.read()
		if _, sum := s.counted(); sum >= expected {
			break
		}
		pause(ctx, 500*time.Millisecond)
	}
	pause(ctx, 5*time.Second) // in which what is told twice would come
	s.read()
	entries, _ := s.counted()
	return entries
}

// readAll reads what staff read, all the time: a channel forgets old messages.
func (s *soak) readAll(ctx context.Context) {
	for ctx.Err() == nil {
		s.read()
		pause(ctx, 5*time.Second)
	}
}

// actionEntry is what staff read of an action, with the bot's ID.
var actionEntry = regexp.MustCompile("(?:✅|❌|⚠️) (?s:.*)`(id-c[0-9]+-[0-9]+)`")

func (s *soak) read() {
	messages := s.Channel.Messages()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range messages {
		var bots []string
		for _, entry := range world.Entries([]discordtest.View{m}) {
			if found := actionEntry.FindStringSubmatch(entry); found != nil {
				bots = append(bots, found[1])
			}
		}
		s.entries[m.ID] = bots
	}
}

// counted returns how many actions were read of, by bot, and in all.
func (s *soak) counted() (byBot map[string]int, sum int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	byBot = make(map[string]int)
	for _, bots := range s.entries {
		sum += len(bots)
		for _, bot := range bots {
			byBot[bot]++
		}
	}
	return byBot, sum
}
