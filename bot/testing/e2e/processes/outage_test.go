//go:build integration

package processes_test

import (
	"encoding/json"
	"strings"
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/bot/testing/faultproxy"
	"hostbot/hostapi/hostapitest"
)

// TestAnOutageIsOneLineAndNotOneForEachCall has many customers come while the service is away, and
// then while Redis is. Who looks for a mistake reads of each interaction, and of each call that
// failed.
func TestAnOutageIsOneLineAndNotOneForEachCall(t *testing.T) {
	t.Parallel()
	w := newScene(t, instantly, discordtest.Config{})
	redis := faultproxy.RunT(t, w.redis.Addr())
	var normal, debug world.Log
	w.waitFor(t, w.launch(t, &normal, "REDIS_URL=redis://"+redis.Addr(), "CACHE_TTL=1s", "DISCORD_SHARDS=1"))
	w.waitFor(t, w.launch(t, &debug, "REDIS_URL=redis://"+redis.Addr(), "CACHE_TTL=1s", "DISCORD_SHARDS=2", "LOG_LEVEL=debug"))
	who := w.customers("c", 20)
	w.service.Fail("", hostapitest.Fault{Status: 503}, -1)
	for range 3 {
		var replies []*discordtest.Reply
		for _, c := range who {
			replies = append(replies, c.Types(t, "/bot list"))
		}
		settled(replies)
	}
	w.service.ClearFaults()
	redis.Set(faultproxy.Refusing)
	normal.WaitFor(t, "redis cannot be used")
	restartAll(t, who, 10)
	redis.Set(faultproxy.Open)
	w.discord.RefuseConnections(true)
	w.discord.Drop()
	debug.WaitForTimes(t, "connection to discord lost", 5) // which it tries to make again

	for line, most := range map[string]int{"did not tell of an account": 1, "is not up to date": 1, "redis cannot be used": 1, "connection to discord lost": 1} {
		if n := normal.Count(line); n == 0 || n > most {
			t.Errorf("%q is written %d times:\n%s", line, n, &normal)
		}
	}
	if n := normal.Count(`"level":"debug"`); n > 0 {
		t.Errorf("%d lines are at level debug", n)
	}
	for message, fields := range map[string][]string{
		"an interaction is over":                           {"route", "outcome", "deferred", "first_response_ms", "took_ms"},
		"a call to the hosting service failed or was slow": {"operation", "code", "attempts", "took_ms"},
		"a command to redis failed or was slow":            {"command", "error", "took_ms"},
	} {
		lines := 0
		for line := range strings.Lines(debug.String()) {
			var has map[string]any
			if err := json.Unmarshal([]byte(line), &has); err != nil || has["message"] != message {
				continue
			}
			if took, _ := has["took_ms"].(float64); message == "a command to redis failed or was slow" && has["error"] == nil && took >= 100 {
				continue // it was slow
			}
			lines++
			for _, field := range fields {
				if has[field] == nil {
					t.Errorf("there is no %s in %s", field, line)
				}
			}
		}
		if lines < 20 {
			t.Errorf("%q is written %d times", message, lines)
		}
	}
	for _, secret := range append(w.discord.InteractionTokens(), w.discord.Token(), w.service.Secret()) {
		if strings.Contains(debug.String(), secret) {
			t.Errorf("the log tells %s", secret)
		}
	}
}
