package discordtest

import "time"

const (
	// startsWindow is for how long sessions that were started are counted. No
	// source says when it begins; here with the first IDENTIFY.
	startsWindow = 24 * time.Hour
	// identifyWindow is how long the shards wait between IDENTIFYs
	// (docs:events/gateway#rate-limiting).
	identifyWindow = 5 * time.Second
)

// startsTotal is how many sessions a bot may start in startsWindow
// (docs:events/gateway#session-start-limit-object).
const startsTotal = 1000

// startLimit counts IDENTIFYs of all shards; RESUMEs are free
// (docs:events/gateway#identifying). The gateway's lock guards it.
type startLimit struct {
	remaining int
	resets    time.Time // zero while none is counted
}

// take counts an IDENTIFY and reports whether it was allowed. Discord counts a successful
// one (#215, staff). Here one that op 9 answers counts as well, which asks more of the bot.
func (l *startLimit) take(now time.Time) bool {
	l.roll(now)
	if l.remaining <= 0 {
		return false
	}
	l.remaining--
	if l.resets.IsZero() {
		l.resets = now.Add(startsWindow)
	}
	return true
}

// roll begins anew where the window is over. No source says that all sessions may be started again then.
func (l *startLimit) roll(now time.Time) {
	if !l.resets.IsZero() && !now.Before(l.resets) {
		l.remaining, l.resets = startsTotal, time.Time{}
	}
}

// ExhaustSessions makes GET /gateway/bot say for some time that no session may
// be started. One that is started all the same has Discord reset the bot's token: see resetToken. That Discord
// asks for a shorter time than startsWindow then, as where the day began earlier, has no source.
func (s *Server) ExhaustSessions(d time.Duration) { s.LeaveSessions(0, d) }

// LeaveSessions makes GET /gateway/bot say for some time that only n sessions may be
// started.
func (s *Server) LeaveSessions(n int, d time.Duration) {
	s.gateway.mu.Lock()
	defer s.gateway.mu.Unlock()
	s.gateway.starts.remaining, s.gateway.starts.resets = n, s.clock.Now().Add(d)
}

// getGatewayBot says where the gateway is (docs:events/gateway#get-gateway-bot).
// No source says what reset_after is while nothing is counted; here 0.
func (s *Server) getGatewayBot(*call) (any, *refusal) {
	g := s.gateway
	g.mu.Lock()
	defer g.mu.Unlock()
	now := s.clock.Now()
	g.starts.roll(now)
	var reset time.Duration
	if !g.starts.resets.IsZero() {
		reset = g.starts.resets.Sub(now)
	}
	return map[string]any{
		"url":    s.GatewayURL(),
		"shards": g.recommended,
		"session_start_limit": map[string]any{
			"total": startsTotal, "remaining": g.starts.remaining, "reset_after": reset.Milliseconds(), "max_concurrency": s.cfg.MaxConcurrency,
		},
	}, nil
}

// IdentifyAtOnce lets sessions be started within 5 s of others in their buckets, which
// Discord answers with op 9: for tests that start one bot after another.
func (s *Server) IdentifyAtOnce() {
	s.gateway.becomes(func() { s.gateway.atOnce = true })
}

// tooSoon reports whether a shard identifies within 5 s of another in its bucket
// (docs:events/gateway#sharding-max-concurrency). The gateway's lock is held.
func (g *gateway) tooSoon(shard int) bool {
	if g.atOnce {
		return false
	}
	now := g.server.clock.Now()
	bucket := shard % g.server.cfg.MaxConcurrency
	if now.Sub(g.identified[bucket]) < identifyWindow {
		g.stats.TooSoon++
		return true
	}
	g.identified[bucket] = now
	return false
}

// resetToken is what Discord does on an IDENTIFY too many: all sessions end and
// the bot's token is void (docs:events/gateway#identifying). The gateway's lock is held.
func (g *gateway) resetToken() {
	g.server.fail("IDENTIFY", "the day's sessions were used up, so that Discord resets the bot's token")
	g.server.token.Store(new(string))
	g.endSessions()
}

// ResetToken has the bot's owner reset its token in the portal, and returns the new one. All sessions end,
// and the former token is void.
func (s *Server) ResetToken() string {
	token := newBotToken(s.app.id)
	s.gateway.becomes(func() {
		s.token.Store(&token)
		s.gateway.endSessions()
	})
	return token
}

// endSessions ends all sessions, as their token is void. No source names the close code; here it is
// that of a wrong token. The gateway's lock is held.
func (g *gateway) endSessions() {
	g.sessions = nil
	for l := range g.links {
		l.detach()
		l.closeWith(closeAuthentication)
	}
}
