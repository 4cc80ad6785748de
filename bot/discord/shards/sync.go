package shards

import (
	"context"
	"slices"
	"time"

	"hostbot/bot/discord/gateway"
)

// askAgain is how often Discord is asked for its recommendation and for the sessions that are left. Somebody else
// may begin sessions with the token: one every five seconds
// (https://discord.com/developers/docs/events/gateway#rate-limiting) uses up a day's 1,000 in less than two
// hours.
const askAgain = 5 * time.Minute

// sync renews the leases, takes free shards, and hands over surplus ones. It returns how long to wait until the
// next sync.
func (s *Shards) sync(ctx context.Context) (next time.Duration) {
	if ctx.Err() != nil {
		return s.cfg.Timing.Sync
	}
	s.compare(ctx)
	if s.cfg.Redis == nil {
		s.holdAll(ctx)
		return s.cfg.Timing.Sync
	}
	rested := (!s.failed || s.phase == joining) && time.Now().After(s.cooldownEnds)
	claimed := slices.DeleteFunc(s.ids(), func(id int) bool { return !s.held[id].leased && !rested })
	got, err := s.leases.sync(ctx, s.count, claimed, s.phase != leaving)
	s.mu.Lock()
	s.last = got
	s.mu.Unlock()
	if err != nil {
		s.failed = true
		if s.phase == joining && time.Since(s.began) >= s.cfg.Timing.Alone {
			s.cfg.Log.Warn().Err(err).Msg("redis does not say which shards others hold: all of them are served here")
			s.phase = member
			s.holdAll(ctx)
		}
		return s.cfg.Timing.Retry
	}
	if got.count > 0 && got.count != s.count && s.phase != leaving {
		s.join(ctx, got.count)
		return 0
	}
	switch {
	case s.refused:
		if got.count != askDiscord {
			s.leases.agree(ctx, askDiscord)
		}
	case got.count == 0 || s.phase == joining:
		s.leases.agree(ctx, s.count)
	}
	if s.phase == member && (got.unknown || s.failed) {
		s.cooldownEnds, rested = time.Now().Add(s.cfg.Timing.Cooldown), false
		for _, h := range s.held {
			h.savedAt = time.Time{}
		}
	}
	s.failed = false
	s.divide(ctx, got, claimed, rested)
	return min(s.cfg.Timing.Sync, got.nextDies)
}

// divide takes or hands over shards, so that this replica comes to its share.
func (s *Shards) divide(ctx context.Context, got *standing, claimed []int, rested bool) {
	if len(got.lost) > 0 {
		s.cfg.Log.Info().Ints("shards", got.lost).Msg("shards are held by others")
		s.stop(got.lost, gateway.ErrHandOver)
	}
	leased := 0
	for _, id := range claimed {
		if h := s.held[id]; h != nil {
			h.leased = true
			leased++
		}
	}
	share := (s.count + got.others) / (got.others + 1) // rounded up
	if s.phase == leaving && got.others > 0 {
		share = 0
	}
	free := slices.DeleteFunc(slices.Clone(got.free), func(id int) bool { return s.held[id] != nil })
	if room := min(len(free), share-leased); rested && room > 0 {
		for id, session := range s.leases.take(ctx, s.count, free[:room]) {
			s.cfg.Log.Info().Int("shard", id).Bool("resumed", session.ID != "").Msg("a shard is held")
			s.hold(ctx, id, session, true)
		}
	}
	if s.phase == joining { // others may have a surplus now
		s.phase = member
		s.leases.wake(ctx)
	}
	if standby := s.Standby(); standby != s.standby {
		s.standby = standby
		if standby {
			s.cfg.Log.Info().Msg("other replicas hold all shards: this one stands by")
		}
	}
	s.save(ctx)
	s.giveSurplus(ctx, leased-share)
}

// giveSurplus hands over one shard of a surplus, or all of them if this replica is leaving.
func (s *Shards) giveSurplus(ctx context.Context, surplus int) {
	if surplus <= 0 {
		return
	}
	// A session that has yet to begin would cost a second IDENTIFY elsewhere.
	ids := slices.DeleteFunc(s.ids(), func(id int) bool {
		return !s.held[id].leased || s.held[id].gateway.Session().ID == "" && s.phase != leaving
	})
	if s.phase != leaving && len(ids) > 0 {
		ids = ids[len(ids)-1:]
	}
	if len(ids) > 0 {
		s.handOver(ctx, ids)
	}
}

// save saves the sessions that have changed, so that others can resume them after this replica's death.
func (s *Shards) save(ctx context.Context) {
	now, changed := time.Now(), make(map[int]gateway.Session)
	for id, h := range s.held {
		session := h.gateway.Session()
		if h.leased && (session != h.saved || session.ID != "" && now.Sub(h.savedAt) > sessionLife/2) {
			changed[id] = session
		}
	}
	if len(changed) == 0 || s.leases.save(ctx, s.count, changed) != nil { // the next sync does
		return
	}
	for id, session := range changed {
		s.held[id].saved, s.held[id].savedAt = session, now
	}
}

// holdAll serves all shards, without leases.
func (s *Shards) holdAll(ctx context.Context) {
	for id := range s.count {
		s.hold(ctx, id, gateway.Session{}, false)
	}
}

// handOver stops serving shards and releases their leases.
func (s *Shards) handOver(ctx context.Context, ids []int) {
	if len(ids) == 0 {
		return
	}
	if err := s.leases.release(ctx, s.count, s.stop(ids, gateway.ErrHandOver)); err != nil {
		s.cfg.Log.Warn().Err(err).Ints("shards", ids).Msg("shards could not be given away: others take them when their leases are over")
		return
	}
	s.handovers.Add(int64(len(ids)))
	s.cfg.Log.Info().Ints("shards", ids).Msg("shards are given away")
}

// join changes to the number of shards that other replicas have agreed on.
func (s *Shards) join(ctx context.Context, count int) {
	s.cfg.Log.Info().Int("from", s.count).Int("to", count).Msg("the number of shards changes")
	ended := s.stop(s.ids(), nil)
	for id := range ended {
		ended[id] = gateway.Session{}
	}
	_ = s.leases.release(ctx, s.count, ended) // if that fails, the leases expire
	s.count, s.phase, s.began, s.cooldownEnds, s.refused = count, joining, time.Now(), time.Time{}, false
}

// compare calls OnOutgrown once if Discord recommends more shards than are running. Discord is asked before each
// session and every askAgain; while it refuses to answer, as soon as it may be asked.
func (s *Shards) compare(ctx context.Context) {
	if time.Since(s.asked) > askAgain || s.cfg.Discovery.Refused() != nil {
		s.asked = time.Now()
		s.sessions.Go(func() { _, _ = s.cfg.Discovery.GatewayBot(ctx) })
	}
	if limits := s.cfg.Discovery.Last(); limits != nil && limits.Shards > s.count && !s.outgrown {
		s.outgrown = true
		s.cfg.OnOutgrown(limits.Shards, s.count)
	}
}
