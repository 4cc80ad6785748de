package shards_test

import (
	"net/http"
	"testing"
	"time"

	"hostbot/bot/store/keyspace"
	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"
	"hostbot/hostapi/secret"
)

// TestReserveOfSessionsIsForShardsThatAreLost has few of the day's sessions be left: a
// shard whose session Discord gives up begins another, a replica that starts begins none,
// and the last few are nobody's.
func TestReserveOfSessionsIsForShardsThatAreLost(t *testing.T) {
	t.Parallel()
	for name, redis := range map[string]string{"redis": redistest.StartMiniredis(t).URL(), "none": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, redis)
			a := s.start(1)
			s.spread(1, a)
			lose := func(left int) {
				s.discord.LeaveSessions(left, time.Hour)
				a.discovery.Forget()
				s.discord.InvalidateSession(false)
			}
			lose(11) // a reserve of 10, and one for each shard
			s.await("the shard has another session", func() bool { return s.discord.Gateway().Identifies == 2 })
			s.spread(1, a)
			b := s.start(2) // another set, of which nothing was there
			s.await("who starts holds back", func() bool { return b.waited() == 2 })
			lose(10)
			s.await("who has lost its session holds back", func() bool { return a.waited() == 1 })
			s.wantIdentifies(2)
		})
	}
}

// TestSessionOfAnotherVersionIsNotResumed replaces the only replica by one that speaks
// another version of the gateway's protocol.
func TestSessionOfAnotherVersionIsNotResumed(t *testing.T) {
	t.Parallel()
	s := newScene(t, redistest.StartMiniredis(t).URL())
	a := s.start(1)
	s.spread(1, a)
	_ = a.end()
	s.version = 9
	s.spread(1, s.start(1))
	s.wantIdentifies(2)
	if n := s.discord.Gateway().Connections; n != 2 {
		t.Errorf("%d connections, want 2: a RESUME was tried that Discord refuses", n)
	}
}

// TestApplicationsDivideNoShards has two bots use one Redis: neither stands by for the
// other, resumes the other's sessions or waits for the other's turn.
func TestApplicationsDivideNoShards(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		for range 2 {
			s := newScene(t, redis)
			s.space, s.turns = keyspace.Of(secret.Text(s.discord.Token())), true
			s.window = time.Hour // whoever waits for one fails
			a := s.start(4)
			s.spread(4, a)
			if n := s.discord.Gateway().Connections; n != 4 {
				t.Errorf("%d connections for 4 shards", n)
			}
		}
	})
}

// TestReplicaStartsWhileDiscordRefusesToSayWhereTheGatewayIs has Discord refuse that for 23 hours, as it was seen to
// (discord-api-docs#8570): a process that starts resumes what another has left, and begins sessions that are lost.
func TestReplicaStartsWhileDiscordRefusesToSayWhereTheGatewayIs(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		const shards = 3
		s := newScene(t, redis)
		s.discord.RecommendShards(shards)
		a := s.start(0)
		s.spread(shards, a)
		_ = a.end()
		s.discord.Inject(discordtest.RateLimited(http.MethodGet, discordtest.RouteGatewayBot, 82_721*time.Second, false))
		b := s.start(0)
		s.spread(shards, b)
		s.wantIdentifies(shards)
		s.discord.InvalidateSession(false)
		s.await("other sessions are begun", func() bool { return s.discord.Gateway().Identifies == 2*shards })
		s.spread(shards, b)
	})
}
