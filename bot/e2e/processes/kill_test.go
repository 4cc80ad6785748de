package processes_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/hostapitest"
)

// takeover is within what time another process finishes what a killed one left.
const takeover = 15 * time.Second

// tokenLife is for how long Discord takes an interaction's token.
const tokenLife = 15 * time.Minute

// whyUnconfirmed finds the reason in what staff read of an action whose process
// was killed.
var whyUnconfirmed = regexp.MustCompile(`(?i)killed|ended|died|crash|process|replica|stopped`)

// acting is a set of replicas of which a test knows by which the service was sent
// an action. It may be told which.
type acting struct {
	mu sync.Mutex
	by map[string]*replica // by the bot's ID
}

// start starts a replica with a line to the service.
func (a *acting) start(t *testing.T, w *world) *replica {
	t.Helper()
	var r *replica
	ready := make(chan struct{})
	r = w.start(t, "HOSTAPI_URL="+line(t, w.service.URL(), func(w http.ResponseWriter, req *http.Request, pass http.Handler) {
		if parts := strings.Split(req.URL.Path, "/"); req.Method == http.MethodPost && len(parts) > 2 {
			<-ready
			a.mu.Lock()
			a.by[parts[len(parts)-2]] = r
			a.mu.Unlock()
		}
		pass.ServeHTTP(w, req)
	}))
	close(ready)
	return r
}

// on waits until the service was sent an action on a bot, and returns the replica.
func (a *acting) on(t *testing.T, bot string) (r *replica) {
	t.Helper()
	eventually(t, 10*time.Second, "the service is sent an action", func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		r = a.by[bot]
		return r != nil
	})
	if r == nil {
		t.FailNow()
	}
	return r
}

// TestWhatAKilledReplicaBeganIsKnown kills the replica while the service works
// on a restart.
func TestWhatAKilledReplicaBeganIsKnown(t *testing.T) {
	t.Parallel()
	for name, replicas := range map[string]int{"and started again": 1, "beside another one": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setting{restart: 2 * time.Second})
			a := &acting{by: make(map[string]*replica)}
			for range replicas {
				a.start(t, w)
			}
			anna := w.customers("anna", 1)[0]
			card := anna.restarts(t)
			card.WaitFor(t, "Restarting **")
			a.on(t, anna.bot).kill()
			if replicas == 1 {
				a.start(t, w)
			}
			known := func() bool { return w.logged(anna.bot) > 0 && isSettled(card.View()) }
			eventually(t, takeover, "staff and the customer know of the restart", known)
			if read := texts(w.actions); !strings.Contains(read, "Not confirmed") || !whyUnconfirmed.MatchString(read) {
				t.Errorf("staff do not read that it is not confirmed, and why: %q", read)
			}
			if v := card.View(); !v.Contains("not confirmed") {
				t.Errorf("the customer reads: %.150q", v.Text())
			}
			if sent, _ := w.carriedOut(anna.bot); sent != 1 {
				t.Errorf("the service was sent it %d times", sent)
			}
		})
	}
}

// TestManyKillsLeaveNothingUnsaid replaces replicas by kill -9 while customers
// restart their bots all the time.
func TestManyKillsLeaveNothingUnsaid(t *testing.T) {
	t.Parallel()
	const kills, each = 5, 12
	w := newWorld(t, setting{restart: time.Second})
	a := &acting{by: make(map[string]*replica)}
	for range 3 {
		a.start(t, w)
	}
	var all []customer
	var replies []*discordtest.Reply
	for i := range kills {
		who := w.customers(fmt.Sprintf("round%d-", i), each)
		all, replies = append(all, who...), append(replies, allRestart(t, who)...)
		a.on(t, who[each/2].bot).kill()
		a.start(t, w)
	}
	const longest = takeover + 10*time.Second // an answer, and the service's work
	views := settled(replies, longest)
	unlogged := func() (n int) {
		for _, c := range all {
			if sent, _ := w.carriedOut(c.bot); sent > 0 && w.logged(c.bot) == 0 {
				n++
			}
		}
		return n
	}
	wait(takeover, func() bool { return unlogged() == 0 })
	unsaid, twice, untrue := 0, 0, 0
	for i, c := range all {
		sent, acted := w.carriedOut(c.bot)
		switch v := views[i]; {
		case sent > 1 || acted > 1:
			twice++
		case sent > 0 && !isSettled(v):
			unsaid++
		case sent == 0 && v.Contains("was restarted"), sent > 0 && v.Contains("could not be restarted"):
			untrue++
		}
	}
	if n := unlogged(); n+unsaid+twice+untrue > 0 {
		t.Errorf("of %d restarts under %d kills staff do not read of %d, customers of the end of %d, %d customers read what is not so, %d were sent twice",
			len(all), kills, n, unsaid, untrue, twice)
	}
}

// TestTokensInRedisExpireWithDiscords looks for interactions' tokens in Redis while
// an action is under way, and once it has ended.
func TestTokensInRedisExpireWithDiscords(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{restart: time.Second})
	w.start(t)
	who := w.customers("c", 5)
	replies := allRestart(t, who)
	w.service.WaitFor(t, hostapitest.OpRestart, len(who))
	for key, ttl := range w.keysWithTokens(t) {
		if ttl <= 0 || ttl > tokenLife {
			t.Errorf("%s holds a token and expires in %v", key, ttl)
		}
	}
	t.Logf("%d keys hold tokens", len(w.keysWithTokens(t)))
	settled(replies, 10*time.Second)
	eventually(t, 5*time.Second, "no token is left in Redis once its action has ended", func() bool { return len(w.keysWithTokens(t)) == 0 })
}

// keysWithTokens returns the Redis keys whose values hold the token of an
// interaction, with the time after which they expire.
func (w *world) keysWithTokens(t *testing.T) map[string]time.Duration {
	t.Helper()
	client := w.redisClient()
	defer func() { _ = client.Close() }()
	var tokens []string
	for _, call := range w.discord.Calls() {
		if rest, ok := strings.CutPrefix(call.Path, "/interactions/"); ok {
			tokens = append(tokens, strings.Split(rest, "/")[1])
		}
	}
	if len(tokens) == 0 {
		t.Fatal("no interaction was answered")
	}
	found := make(map[string]time.Duration)
	keys, err := client.Keys(t.Context(), "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		held := key + content(t, client, key)
		for _, token := range tokens {
			if strings.Contains(held, token) {
				found[key] = client.PTTL(t.Context(), key).Val()
			}
		}
	}
	return found
}

// content returns all that a key holds.
func content(t *testing.T, client *redis.Client, key string) string {
	ctx := t.Context()
	switch client.Type(ctx, key).Val() {
	case "string":
		return client.Get(ctx, key).Val()
	case "hash":
		return fmt.Sprint(client.HGetAll(ctx, key).Val())
	case "list":
		return fmt.Sprint(client.LRange(ctx, key, 0, -1).Val())
	case "set":
		return fmt.Sprint(client.SMembers(ctx, key).Val())
	case "zset":
		return fmt.Sprint(client.ZRange(ctx, key, 0, -1).Val())
	case "stream":
		return fmt.Sprint(client.XRange(ctx, key, "-", "+").Val())
	}
	return "" // it has expired
}

// TestAKilledReplicaBlocksNobody kills the replica whose question the service
// does not answer, and has the same customer ask another one.
func TestAKilledReplicaBlocksNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{})
	asked := w.start(t)
	anna := w.customers("anna", 1)[0]
	w.service.Fail(hostapitest.OpList, hostapitest.Fault{Hang: true}, 1)
	if _, err := anna.Start("/bot list", nil); err != nil {
		t.Fatal(err)
	}
	w.service.WaitFor(t, hostapitest.OpList, 1)
	w.start(t)
	asked.kill()
	began := time.Now()
	list := anna.Types(t, "/bot list")
	list.WaitFor(t, "🟢 Shop")
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
}
