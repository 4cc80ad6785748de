//go:build integration

package processes_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/hostapitest"
)

// TestWhatAKilledReplicaBeganIsKnown kills the replica while the service works
// on a restart. Another one is there then, or comes.
func TestWhatAKilledReplicaBeganIsKnown(t *testing.T) {
	t.Parallel()
	for name, isThere := range map[string]bool{"another one comes": false, "another one is there": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newScene(t, 3*time.Second, discordtest.Config{})
			first := w.start(t)
			who := w.customers("anna", 1)
			anna, card := who[0], allRestart(t, who)[0]
			card.WaitFor(t, "Restarting **")
			w.service.WaitFor(t, hostapitest.OpRestart, 1)
			if isThere {
				w.start(t)
			}
			first.kill()
			if !isThere {
				w.start(t)
			}
			known := func() bool { return w.logged(anna.bot) > 0 && isSettled(card.View()) }
			eventually(t, "staff and the customer know of the restart", known)
			if read := texts(w.actions); !strings.Contains(read, "Not confirmed · the process running it crashed") {
				t.Errorf("staff do not read that it is not confirmed, and why: %q", read)
			}
			if v := card.View(); !v.Contains("don't know yet whether") {
				t.Errorf("the customer reads: %.150q", v.Text())
			}
			if sent := w.sentOn(anna.bot); sent != 1 {
				t.Errorf("the service was sent it %d times", sent)
			}
		})
	}
}

// TestManyKillsLeaveNothingUnsaid replaces replicas by kill -9 while customers
// restart their bots all the time. The replicas run side by side, as each has another
// number of shards.
func TestManyKillsLeaveNothingUnsaid(t *testing.T) {
	t.Parallel()
	const kills, each = 6, 12
	w := newScene(t, time.Second, discordtest.Config{})
	var replicas []*replica
	startNext := func() {
		replicas = append(replicas, w.start(t, fmt.Sprint("DISCORD_SHARDS=", len(replicas)%3+1)))
		w.waitServing(t, replicas[len(replicas)-1])
	}
	for range 3 {
		startNext()
	}
	var all []customer
	var replies []*discordtest.Reply
	for i := range kills {
		who, sent := w.customers(fmt.Sprintf("round%d-", i), each), w.service.Count(hostapitest.OpRestart)
		all, replies = append(all, who...), append(replies, allRestart(t, who)...)
		w.service.WaitFor(t, hostapitest.OpRestart, sent+each/2)
		replicas[i].kill()
		startNext()
	}
	views := settled(replies)
	wait(func() bool {
		return !slices.ContainsFunc(all, func(c customer) bool { return w.sentOn(c.bot) > 0 && w.logged(c.bot) == 0 })
	})
	failures := make(map[string]int)
	for i, c := range all {
		sent, v := w.sentOn(c.bot), views[i]
		if sent > 0 && w.logged(c.bot) == 0 {
			failures["were not logged"]++
		}
		if sent > 1 {
			failures["were sent twice"]++
		}
		if sent > 0 && !isSettled(v) {
			failures["have no end that the customer reads"]++
		}
		if sent == 0 && v.Contains("✅") || sent > 0 && v.Contains("couldn't be restarted") {
			failures["did not end as the customer reads"]++
		}
	}
	for what, n := range failures {
		t.Errorf("of %d restarts under %d kills %d %s", len(all), kills, n, what)
	}
}

// TestTokensInRedisExpireWithDiscords looks for interactions' tokens in Redis while
// an action is under way, and once it has ended.
func TestTokensInRedisExpireWithDiscords(t *testing.T) {
	t.Parallel()
	w := newScene(t, time.Second, discordtest.Config{})
	w.order(t, "CONFIG SET rdbcompression no") // for DUMP, by which a test reads keys
	w.start(t)
	who := w.customers("c", 5)
	replies := allRestart(t, who)
	w.service.WaitFor(t, hostapitest.OpRestart, len(who))
	for key, ttl := range w.keysWithTokens(t) {
		if ttl <= 0 || ttl > 15*time.Minute {
			t.Errorf("%s holds a token and expires in %v", key, ttl)
		}
	}
	t.Logf("%d keys hold tokens", len(w.keysWithTokens(t)))
	settled(replies)
	eventually(t, "no token is left in Redis once its action has ended", func() bool { return len(w.keysWithTokens(t)) == 0 })
}

// keysWithTokens returns the Redis keys whose values hold the token of an
// interaction, with the time after which they expire.
func (w *scene) keysWithTokens(t *testing.T) map[string]time.Duration {
	t.Helper()
	var tokens []string
	for _, call := range w.discord.Calls() {
		if rest, ok := strings.CutPrefix(call.Path, "/interactions/"); ok {
			tokens = append(tokens, strings.Split(rest, "/")[1])
		}
	}
	if len(tokens) == 0 {
		t.Fatal("no interaction was answered")
	}
	client, found := w.redisClient(t), make(map[string]time.Duration)
	keys, err := client.Keys(t.Context(), "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		for _, token := range tokens {
			if strings.Contains(key+client.Dump(t.Context(), key).Val(), token) {
				found[key] = client.PTTL(t.Context(), key).Val()
			}
		}
	}
	return found
}

// TestAKilledReplicaBlocksNobody kills the replica whose question the service
// does not answer, and has the same customer ask another one.
func TestAKilledReplicaBlocksNobody(t *testing.T) {
	t.Parallel()
	w := newScene(t, instantly, discordtest.Config{})
	asked := w.start(t)
	anna := w.customers("anna", 1)[0]
	w.service.Fail(hostapitest.OpList, hostapitest.Fault{Hang: true}, 1)
	if _, err := anna.Start("/bot list", nil); err != nil {
		t.Fatal(err)
	}
	w.service.WaitFor(t, hostapitest.OpList, 1)
	w.start(t, "DISCORD_SHARDS=2")
	asked.kill()
	began := time.Now()
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestOneAccountsTroubleIsItsOwn has the service answer 500 for ten accounts, whose
// customers try all the time.
func TestOneAccountsTroubleIsItsOwn(t *testing.T) {
	t.Parallel()
	w := newScene(t, instantly, discordtest.Config{})
	sick, healthy := w.customers("sick", 10), w.customers("healthy", 30)
	account, isSick := regexp.MustCompile(`chatUserId[=":]+(\d+)`), make(map[string]bool)
	for _, c := range sick {
		isSick[c.ID] = true
	}
	w.start(t, "HOSTAPI_URL="+line(t, w.service.URL(), func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		if isSick[account.FindStringSubmatch(r.URL.RawQuery + string(body))[1]] {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		pass.ServeHTTP(w, r)
	}))
	done := 0
	for len(healthy) > 0 {
		settled(allRestart(t, sick))
		var trying sync.WaitGroup
		trying.Go(func() { settled(allRestart(t, sick)) })
		done += restartAll(t, healthy[:10], 5)
		trying.Wait()
		healthy = healthy[10:]
	}
	if done != 30 {
		t.Errorf("%d of 30 restarts were done for accounts without trouble", done)
	}
}
