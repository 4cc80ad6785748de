//go:build integration

package processes_test

import (
	"net"
	"regexp"
	"sync/atomic"
	"testing"

	"hostbot/bot/store/keyspace"
	"hostbot/bot/testing/discordtest"
)

// TestSessionIsResumedAtDiscordAlone has somebody write into Redis where a session is to be resumed,
// whose replica has died. Whoever resumes it shows the bot's token to nobody but Discord.
func TestSessionIsResumedAtDiscordAlone(t *testing.T) {
	t.Parallel()
	stranger, err := net.Listen("tcp", "127.0.0.2:0") // Discord's host here is 127.0.0.1
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = stranger.Close() })
	var asked atomic.Int64
	go func() {
		for {
			connection, err := stranger.Accept()
			if err != nil {
				return
			}
			asked.Add(1)
			_ = connection.Close()
		}
	}()

	w := newScene(t, instantly, discordtest.Config{})
	first := w.start(t, "DISCORD_SHARDS=1")
	w.waitServing(t, first)
	client, held := w.redisClient(t), keyspace.Space(w.discord.ApplicationID()).Key("{shards}:held")
	session := ""
	eventually(t, "the session is in Redis", func() bool {
		session = client.HGet(t.Context(), held, "shard 1 0").Val()
		return regexp.MustCompile(`ws://`).MatchString(session)
	})
	first.kill()
	spoiled := regexp.MustCompile(`ws://[^"]*`).ReplaceAllString(session, "ws://"+stranger.Addr().String())
	if err := client.HSet(t.Context(), held, "shard 1 0", spoiled).Err(); err != nil || spoiled == session {
		t.Fatal(session, err)
	}
	second := w.start(t, "DISCORD_SHARDS=1")
	w.waitServing(t, second)
	who := w.customers("c", 1)
	if done := restartAll(t, who, 1); done != 1 {
		t.Error("the shard is not served")
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("somebody else was asked %d times", n)
	}
	if n := len(w.discord.Sessions()); n != 1 {
		t.Errorf("there are %d sessions, where the first could be resumed", n)
	}
}
