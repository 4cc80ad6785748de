package shards

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"hostbot/bot/discord/gateway"
)

// askAgain is between two questions how many shards Discord recommends, and how many sessions
// are left. Somebody else may begin sessions with the token: one each five seconds
// (https://discord.com/developers/docs/events/gateway#rate-limiting) is a day's 1,000 in less
// than two hours.
const askAgain = 5 * time.Minute

// sync renews the leases, takes what is free, and gives away what is too much. It returns
// after how long to do so again.
func (s *Shards) sync(ctx context.Context) (next time.Duration) {
	if ctx.Err() != nil {
		return s.cfg.Timing.Sync
	}
	s.compare(ctx)
	if s.cfg.Redis == nil {
		s.holdAll(ctx)
		return s.cfg.Timing.Sync
	}
	rested := time.Now().After(s.cooldownEnds)
	claimed := make(map[int]gateway.Session)
	for id, h := range s.held {
		if h.leased || rested {
			claimed[id] = h.gateway.Session()
		}
	}
	got, err := s.leases.sync(ctx, request{count: s.count, most: MostTimes * s.recommended, phase: s.phase, take: rested, claimed: claimed})
	if err == nil && got.Larger > 0 {
		s.join(ctx, got.Larger)
		return 0
	}
	s.mu.Lock()
	s.last = got
	s.mu.Unlock()
	if err != nil {
		if s.phase == joining && time.Since(s.began) >= s.cfg.Timing.Alone {
			s.cfg.Log.Warn().Err(err).Msg("redis does not say which shards others hold: all of them are served here")
			s.phase = member
			s.holdAll(ctx)
		}
		return s.cfg.Timing.Retry
	}
	switch {
	case s.phase == joining:
		s.phase = member
	case !got.Known:
		s.cooldownEnds = time.Now().Add(s.cfg.Timing.Cooldown)
	}
	s.apply(ctx, got, claimed)
	return min(s.cfg.Timing.Sync, time.Duration(got.Wait)*time.Millisecond)
}

// apply does what Redis has answered.
func (s *Shards) apply(ctx context.Context, got *answer, claimed map[int]gateway.Session) {
	if len(got.Lost) > 0 {
		lost := slices.Sorted(maps.Keys(got.Lost))
		s.cfg.Log.Info().Ints("shards", lost).Msg("shards are held by others")
		s.stop(lost, gateway.ErrHandOver)
	}
	for id := range claimed {
		if h := s.held[id]; h != nil {
			h.leased = true
		}
	}
	for id, text := range got.Taken {
		var session gateway.Session
		_ = json.Unmarshal([]byte(text), &session) // where it makes no sense, a new one is begun
		s.cfg.Log.Info().Int("shard", id).Bool("resumed", session.ID != "").Msg("a shard is held")
		s.hold(ctx, id, session, true)
	}
	if standby := s.Standby(); standby != s.standby {
		s.standby = standby
		if standby {
			s.cfg.Log.Info().Msg("other replicas hold all shards: this one stands by")
		}
	}
	if got.Surplus > 0 && time.Now().After(s.cooldownEnds) {
		// A session that is being begun would have to be begun again.
		ids := slices.DeleteFunc(s.ids(), func(id int) bool {
			return !s.held[id].leased || s.held[id].gateway.Session().ID == "" && s.phase != leaving
		})
		if len(ids) > 0 {
			s.handOver(ctx, ids[len(ids)-min(got.Surplus, len(ids)):])
		}
	}
}

// holdAll serves all shards, whoever else does.
func (s *Shards) holdAll(ctx context.Context) {
	for id := range s.count {
		s.hold(ctx, id, gateway.Session{}, false)
	}
}

// handOver leaves shards to whoever takes them.
func (s *Shards) handOver(ctx context.Context, ids []int) {
	left := s.stop(ids, gateway.ErrHandOver)
	_, err := s.leases.sync(ctx, request{count: s.count, phase: s.phase, left: left})
	switch {
	case len(ids) == 0: // who stood by just leaves
	case err != nil:
		s.cfg.Log.Warn().Err(err).Ints("shards", ids).Msg("shards could not be given away: others take them when their leases are over")
	default:
		s.handovers.Add(int64(len(ids)))
		s.cfg.Log.Info().Ints("shards", ids).Msg("shards are given away")
	}
}

// join goes on with a larger number of shards, which other replicas were told and serve.
func (s *Shards) join(ctx context.Context, larger int) {
	s.cfg.Log.Info().Int("from", s.count).Int("to", larger).Msg("the number of shards changes")
	if s.phase == member {
		left := s.stop(s.ids(), nil)
		for id := range left {
			left[id] = gateway.Session{} // it has ended
		}
		_, _ = s.leases.sync(ctx, request{count: s.count, phase: leaving, left: left}) // otherwise the leases end by themselves
	}
	s.count, s.phase, s.began, s.cooldownEnds = larger, joining, time.Now(), time.Time{}
}

// compare tells once where Discord recommends more shards than run. It is asked before each
// session that is begun, and every five minutes; where it refuses to answer, as soon as it may be asked.
func (s *Shards) compare(ctx context.Context) {
	if time.Since(s.asked) > askAgain || s.cfg.Discovery.Refused() != nil {
		s.asked = time.Now()
		s.sessions.Go(func() { _, _ = s.cfg.Discovery.GatewayBot(ctx) })
	}
	limits := s.cfg.Discovery.Last()
	if limits == nil || limits.Shards == 0 {
		return
	}
	s.recommended = limits.Shards
	if !s.told && limits.Shards > s.count {
		s.told = true
		s.cfg.OnOutgrown(limits.Shards, s.count)
	}
}
