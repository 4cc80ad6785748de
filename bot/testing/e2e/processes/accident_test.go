//go:build integration

package processes_test

import (
	"context"
	"sync"
	"syscall"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

// How much is under way when a replica meets its accident.
const (
	alertsUnderWay  = 40 // and as many panels that are to be edited
	linesUnderWay   = 40 // of log
	actionsUnderWay = 10
	// restartTakes leaves a slow machine three seconds to strike while actions are under way: what ends in the
	// second that a failover loses may be told twice.
	restartTakes = 8 * time.Second // less than the bot waits for the service
)

// busy is a scene in which one replica leads and another could: much is under way at the first.
type busy struct {
	*scene
	first       *replica
	discordLine *stuck // the first replica's way to Discord
	redisLine   *held  // and to Redis, where that is one server
	group       *redistest.Group
	master      string // of the group: where alerts are

	watched, logging, acting []customer
	replies                  []*discordtest.Reply // to those who act
	stopUse                  func()               // ends what crash has begun
}

// newBusy returns a scene of which nothing is under way yet: the customers who are watched have
// alerts, and panels that may be edited.
func newBusy(t *testing.T, group func(testing.TB) *redistest.Group) *busy {
	t.Helper()
	b := &busy{scene: newScene(t, restartTakes, discordtest.Config{}), discordLine: newStuck()}
	environment, own := []string{"WATCH_INTERVAL=10s", "WATCH_RATE=100"}, ""
	if group != nil {
		b.group = group(t)
		b.master = b.group.Master(t, "{alerts}")
		environment = append(environment, "REDIS_URL="+b.group.URL())
	} else {
		b.redisLine = newHeld(t, b.redis.Addr())
		own = "REDIS_URL=redis://" + b.redisLine.relay.Addr()
	}
	b.first = b.start(t, append(environment, own, "DISCORD_API_URL="+line(t, b.discord.URL(), b.discordLine.handle))...)
	b.watched = b.managers("watched", alertsUnderWay)
	b.alerted(t, b.watched)
	b.paneled(t, b.watched)
	<-time.After(31 * time.Second) // until then a panel that was edited is not edited again
	b.start(t, environment...)
	b.awaitRound(t) // as they are now
	return b
}

// use has a customer use the first replica until stopUse is called. As Discord answers it then, it
// leads on although messages are stuck.
func (b *busy) use(t *testing.T) {
	t.Helper()
	user := b.customers("using", 1)[0]
	ctx, cancel := context.WithCancel(t.Context())
	var using sync.WaitGroup
	using.Go(func() {
		for ctx.Err() == nil {
			_, _ = user.Start("/help", nil)
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	})
	b.stopUse = cancel // nothing waits for that: the accident is to strike now
	t.Cleanup(func() { cancel(); using.Wait() })
}

// crash has all bots that are watched crash, and waits until the first replica has seen it. The
// replica is in use from then on.
func (b *busy) crash(t *testing.T) {
	t.Helper()
	b.use(t)
	b.discordLine.begin(b.actions.ID)
	b.allCrash()
	b.awaitRound(t)
}

func (b *busy) allCrash() {
	for _, c := range b.watched {
		b.service.SetStatus(c.ID, c.bot, hostapitest.Crashed)
	}
}

// awaitRound waits until each account that is watched was looked at once more.
func (b *busy) awaitRound(t *testing.T) {
	t.Helper()
	now := b.service.Count(hostapitest.OpList)
	b.service.WaitFor(t, hostapitest.OpList, now+len(b.watched)+5) // those of the moment may have come too early
}

// act has customers restart their bots: the lines of log of the first of them are under way when
// it returns, and so are the others' actions.
func (b *busy) act(t *testing.T) {
	t.Helper()
	b.logging, b.acting = b.customers("logging", linesUnderWay), b.customers("acting", actionsUnderWay)
	early := allRestart(t, b.logging)
	<-time.After(restartTakes / 2) // so that the others' actions are under way when these have ended
	b.replies = allRestart(t, b.acting)
	settled(early)
}

// state is how much of what was under way is missing, and how much is there twice.
type state struct{ missing, twice map[string]int }

func (s state) sum() (missing, twice int) {
	for _, n := range s.missing {
		missing += n
	}
	for _, n := range s.twice {
		twice += n
	}
	return missing, twice
}

// state looks at Discord.
func (b *busy) state() state {
	s := state{make(map[string]int), make(map[string]int)}
	count := func(what string, n int) {
		if n == 0 {
			s.missing[what]++
		} else if n > 1 {
			s.twice[what] += n - 1
		}
	}
	for _, c := range b.watched {
		count("alerts", alertsOf(c))
	}
	panels, changed := b.discord.Channels()[0].Messages(), 0
	for _, v := range panels {
		if v.Contains("🔴 **Shop** · Crashed") {
			changed++
		}
	}
	s.missing["panels"], s.twice["panels"] = max(0, len(b.watched)-changed), max(0, len(panels)-len(b.watched))
	for _, c := range b.logging {
		count("lines", b.logged(c.bot))
	}
	for i, reply := range b.replies {
		count("actions in the log", b.logged(b.acting[i].bot))
		count("actions at the service", b.sentOn(b.acting[i].bot))
		if !isSettled(reply.View()) {
			s.missing["ends of actions"]++
		}
	}
	return s
}

// quiet is after how long without a call to Discord nothing is expected to come any more: after
// more than all leases.
const quiet = 45 * time.Second

// judge waits until all that was under way is there and the accident is over, and then whether
// anything comes twice.
func (b *busy) judge(t *testing.T, name string, since time.Time, over func()) {
	t.Helper()
	there := make(map[string]bool)
	wait(func() bool {
		s := b.state()
		missing, _ := s.sum()
		for _, what := range []string{"alerts", "panels", "lines", "actions in the log", "ends of actions"} {
			if s.missing[what] == 0 && !there[what] {
				there[what] = true
				took(t, name+": all "+what, since, 15*time.Second)
			}
		}
		calls := b.discord.Calls()
		return missing == 0 || time.Since(since) > quiet && time.Since(calls[len(calls)-1].Started) > quiet
	})
	over()
	b.awaitRound(t) // what is seen anew may be told anew
	b.silence(t, 5*time.Second)
	s := b.state()
	missing, twice := s.sum()
	if missing+twice > 0 {
		t.Logf("%s: missing: %v, twice: %v", name, s.missing, s.twice)
	}
	within(t, name+": missing", missing)
	within(t, name+": twice", twice)
}

// TestAccidentsLoseNothing has the replica that leads meet an accident with alerts, panels, lines
// of log and actions under way: at Discord, on their way there, or in Redis. Another takes over.
func TestAccidentsLoseNothing(t *testing.T) {
	if !world.Everything() {
		t.Skip("runs with TEST_EVERYTHING=1") // each takes two minutes, of which most is waiting
	}
	t.Parallel()
	for name, accident := range map[string]struct {
		group  func(testing.TB) *redistest.Group // nil for a single Redis
		strike func(*busy, *testing.T)
	}{
		"killed":                         {nil, func(b *busy, _ *testing.T) { b.first.kill() }},
		"stopped for 20 s":               {nil, (*busy).stopForAWhile},
		"cut off from Discord":           {nil, (*busy).cutOff},
		"killed, sentinels":              {redistest.StartSentinels, func(b *busy, _ *testing.T) { b.first.kill() }},
		"killed, cluster":                {redistest.StartCluster, func(b *busy, _ *testing.T) { b.first.kill() }},
		"killed in a failover":           {redistest.StartSentinels, (*busy).failOver},
		"killed in a cluster's failover": {redistest.StartCluster, (*busy).failOver},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBusy(t, accident.group)
			b.crash(t)
			b.act(t)
			before, since := b.state(), time.Now()
			t.Logf("%s: missing before: %v", name, before.missing)
			b.stopUse()
			for _, what := range []string{"alerts", "panels", "lines", "ends of actions"} {
				if before.missing[what] == 0 {
					t.Errorf("no %s are under way", what)
				}
			}
			var striking sync.WaitGroup
			striking.Go(func() { accident.strike(b, t) })
			b.judge(t, name, since, striking.Wait)
		})
	}
}

// TestKilledBetweenToldAndNoted kills the replica after it has handed falls on and before it has
// written that.
func TestKilledBetweenToldAndNoted(t *testing.T) {
	if !world.Everything() {
		t.Skip("runs with TEST_EVERYTHING=1")
	}
	t.Parallel()
	b := newBusy(t, nil)
	b.redisLine.hold("\r\nb:") // a field with a bot's states
	b.crash(t)
	eventually(t, "the replica is about to note that falls are handed on", b.redisLine.isHeld)
	b.stopUse()
	since := time.Now()
	b.first.kill()
	b.judge(t, "killed between told and noted", since, func() {})
}

// TestFallsThatAFailoverLoses kills the replica and its Redis's master right after falls were seen
// and told of, none of which the master had replicated.
func TestFallsThatAFailoverLoses(t *testing.T) {
	if !world.Everything() {
		t.Skip("runs with TEST_EVERYTHING=1")
	}
	t.Parallel()
	b := newBusy(t, redistest.StartSentinels)
	b.group.Lag(t, b.master)
	b.allCrash()
	eventually(t, "some falls are told of", func() bool { return b.state().missing["alerts"] <= len(b.watched)-3 })
	since := time.Now()
	b.group.Kill(b.master)
	b.first.kill()
	b.judge(t, "a failover loses falls", since, func() {})
}

// stopForAWhile stops the replica as a machine that is suspended does, and lets it go on.
func (b *busy) stopForAWhile(_ *testing.T) {
	process := b.first.cmd.Process
	_ = process.Signal(syscall.SIGSTOP)
	<-time.After(20 * time.Second) // which is what the accident takes
	b.discordLine.free()
	_ = process.Signal(syscall.SIGCONT)
}

// cutOff lets nothing of the replica's reach Discord for a while, and says what came meanwhile.
func (b *busy) cutOff(t *testing.T) {
	t.Helper()
	b.discordLine.block()
	<-time.After(40 * time.Second) // longer than any lease
	s := b.state()
	t.Logf("cut off from Discord, after 40 s: missing: %v", s.missing)
	missing, _ := s.sum()
	within(t, "cut off from Discord, after 40 s: missing", missing)
	b.discordLine.free()
}

// failOver kills the replica and the master of its Redis, which had not passed on what it
// confirmed in the last second.
func (b *busy) failOver(t *testing.T) {
	t.Helper()
	b.group.Lag(t, b.master)
	<-time.After(time.Second) // that is lost
	b.group.Kill(b.master)
	b.first.kill()
}
