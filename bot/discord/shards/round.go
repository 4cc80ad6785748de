package shards

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"hostbot/bot/discord/gateway"
)

// round renews the leases, takes what is free, and gives away what is too much.
func (s *Shards) round(ctx context.Context) {
	if ctx.Err() != nil {
		return
	}
	s.compare(ctx)
	if s.cfg.Redis == nil {
		s.holdAll(ctx)
		return
	}
	claimed := make(map[int]gateway.Session)
	for id, h := range s.held {
		if h.leased || time.Now().After(s.quiet) {
			claimed[id] = h.gateway.Session()
		}
	}
	got, err := s.leases.round(ctx, request{
		count: s.count, claimed: claimed, joined: s.joined, stopping: s.stopping, take: time.Now().After(s.quiet),
	})
	s.mu.Lock()
	s.last = got
	s.mu.Unlock()
	if err != nil {
		if !s.joined && time.Since(s.began) >= aloneAfter {
			s.cfg.Log.Warn().Err(err).Msg("redis does not say which shards others hold: all of them are served here")
			s.joined = true
			s.holdAll(ctx)
		}
		return
	}
	if s.joined && !got.Known {
		s.quiet = time.Now().Add(quiet)
	}
	s.follow(ctx, got, claimed)
}

// follow does what a round has told.
func (s *Shards) follow(ctx context.Context, got *answer, claimed map[int]gateway.Session) {
	joining := !s.joined
	s.joined = true
	if larger := slices.Max(append(slices.Collect(maps.Keys(got.Sets)), 0)); larger > s.count && !s.stopping {
		complete, err := s.leases.complete(ctx, larger)
		if joining || err == nil && complete { // who joins gives nothing up
			s.move(ctx, larger)
			return
		}
	}
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
	if got.Surplus > 0 && time.Now().After(s.quiet) {
		// A session that is being begun would have to be begun again.
		ids := slices.DeleteFunc(s.ids(), func(id int) bool { return !s.held[id].leased || s.held[id].gateway.Session().ID == "" && !s.stopping })
		if len(ids) > 0 {
			s.give(ctx, ids[len(ids)-min(got.Surplus, len(ids)):])
		}
	}
}

// holdAll serves all shards, whoever else does.
func (s *Shards) holdAll(ctx context.Context) {
	for id := range s.count {
		s.hold(ctx, id, gateway.Session{}, false)
	}
}

// choose returns how many shards there are to be. Replicas that asked Discord before may
// have been told more: a larger set that is complete is joined in the first round.
func (s *Shards) choose(ctx context.Context) (int, error) {
	s.asked = time.Now()
	if s.cfg.Count > 0 {
		return s.cfg.Count, nil
	}
	limits, err := s.cfg.Discovery.Ask(ctx, s.cfg.OnLost)
	if err != nil {
		return 0, err
	}
	return max(limits.Shards, 1), nil
}

// move leaves the shards for those of another number.
func (s *Shards) move(ctx context.Context, count int) {
	s.cfg.Log.Info().Int("from", s.count).Int("to", count).Msg("the number of shards changes")
	left := s.stop(s.ids(), nil)
	for id := range left {
		left[id] = gateway.Session{} // it has ended
	}
	if s.cfg.Redis != nil {
		_ = s.leases.release(ctx, s.count, left, true) // otherwise they end by themselves
	}
	s.count, s.joined, s.began, s.quiet = count, false, time.Now(), time.Time{}
}

// compare tells once where Discord recommends more shards than run. It has been asked
// whenever a session was begun, and is asked each hour.
func (s *Shards) compare(ctx context.Context) {
	if time.Since(s.asked) > askAgain {
		s.asked = time.Now()
		s.sessions.Go(func() { _, _ = s.cfg.Discovery.GatewayBot(ctx) })
	}
	if limits := s.cfg.Discovery.Last(); !s.told && limits != nil && limits.Shards > s.count {
		s.told = true
		s.cfg.OnOutgrown(limits.Shards, s.count)
	}
}
