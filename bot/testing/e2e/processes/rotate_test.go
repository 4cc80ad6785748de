//go:build integration

package processes_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
)

// TestARedisPasswordIsReplaced follows configs/deploy/ROTATE.md: Redis takes two passwords while one
// replica after the other starts with the new one, and customers ask all the time.
func TestARedisPasswordIsReplaced(t *testing.T) {
	t.Parallel()
	const shards = 4
	w := newScene(t, instantly, discordtest.Config{})
	admin := w.redisClient(t)
	acl := func(rule ...any) {
		t.Helper()
		if err := admin.Do(t.Context(), append([]any{"ACL", "SETUSER", "default"}, rule...)...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	environment := func(password string) []string {
		return []string{"LOG_LEVEL=warn", "DISCORD_SHARDS=4", "REDIS_URL=redis://:" + password + "@" + w.redis.Addr()}
	}
	acl("resetpass", ">old") // whoever is connected stays authenticated
	replicas := []*replica{w.start(t, environment("old")...), w.start(t, environment("old")...)}
	w.waitSpread(t, shards, replicas...)
	s := w.stream(t, 100, 10)
	acl(">new")
	for i, old := range replicas {
		replicas[i] = w.start(t, environment("new")...)
		_ = old.cmd.Process.Signal(syscall.SIGTERM)
		<-old.ended
		w.waitSpread(t, shards, replicas...)
	}
	w.order(t, "AUTH new", "CONFIG SET requirepass new", "CLIENT KILL TYPE normal") // so that all connect again
	if done := restartAll(t, w.customers("after", 10), 5); done != 10 {
		t.Errorf("%d of 10 restarts were done afterwards", done)
	}
	if _, unanswered := s.end(t); unanswered > 0 {
		t.Errorf("%d interactions were not answered", unanswered)
	}
	if read := world.Entries(w.staff.Messages(), "Redis"); len(read) > 0 {
		t.Errorf("staff read of Redis: %q", read)
	}
	if n := w.discord.Gateway().Identifies; n != shards {
		t.Errorf("%d IDENTIFYs were spent on %d shards", n, shards)
	}
}

// TestTheTokenIsReset has the bot's owner reset its token while two replicas run and an action is under
// way. Both end, and say why; with the new token all goes on, as what Redis holds belongs to the
// application.
func TestTheTokenIsReset(t *testing.T) {
	t.Parallel()
	w := newScene(t, 8*time.Second, discordtest.Config{}) // so that the restart is under way on a slow machine too
	replicas := []*replica{w.start(t, "DISCORD_SHARDS=2"), w.start(t, "DISCORD_SHARDS=2")}
	w.waitSpread(t, 2, replicas...)
	anna := w.managers("anna", 1)[0]
	w.paneled(t, []customer{anna})
	card := allRestart(t, []customer{anna})[0]
	w.service.WaitFor(t, hostapitest.OpRestart, 1)
	token := w.discord.ResetToken()
	for _, r := range replicas {
		eventually(t, "a replica whose token is void ends", func() bool { return !r.alive() })
		if r.kill(); r.cmd.ProcessState.ExitCode() != 1 || !strings.Contains(r.tail(), "check DISCORD_TOKEN") {
			t.Errorf("it exits with %d: %s", r.cmd.ProcessState.ExitCode(), r.tail())
		}
	}
	if v := card.View(); !v.Contains("don't know yet whether") { // the interaction's own token is good
		t.Errorf("the customer reads %.150q", v.Text())
	}
	w.waitServing(t, w.start(t, "DISCORD_SHARDS=2", "DISCORD_TOKEN="+token))
	anna.Types(t, "/panel").WaitFor(t, "Your public panels")
	eventually(t, "staff read how the restart ended", func() bool { return w.logged(anna.bot) > 0 })
	w.silence(t, 5*time.Second)
	if sent, logged := w.sentOn(anna.bot), w.logged(anna.bot); sent != 1 || logged != 1 {
		t.Errorf("the restart was sent %d times and logged %d times", sent, logged)
	}
}

// TestTheTokenIsResetOverHTTP does so where interactions arrive over HTTP: these need no token, and go on.
// What the bot does by itself waits for the process that has the new one.
func TestTheTokenIsResetOverHTTP(t *testing.T) {
	t.Parallel()
	w := newScene(t, instantly, discordtest.Config{})
	old := w.startHTTP(t)
	token := w.discord.ResetToken()
	who := w.customers("anna", 5)
	if done := restartAll(t, who, 5); done != len(who) {
		t.Errorf("%d of %d restarts were done with a token that is void", done, len(who))
	}
	eventually(t, "the log channel is refused", func() bool { return old.figure("hostbot_log_channel_failing", "") > 0 })
	if !old.alive() || w.logged(who[0].bot) > 0 {
		t.Error("the process has ended, or has written to a channel")
	}
	_ = old.cmd.Process.Signal(syscall.SIGTERM)
	<-old.ended
	w.startHTTP(t, "DISCORD_TOKEN="+token)
	for _, c := range who {
		eventually(t, "the line is delivered", func() bool { return w.logged(c.bot) == 1 })
	}
}
