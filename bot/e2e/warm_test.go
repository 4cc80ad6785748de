package e2e_test

import (
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

// TestAWarmCacheCostsOneRoundTrip counts what an interaction costs once the
// account is cached: one round trip to Redis, one call to Discord, none to the
// service.
func TestAWarmCacheCostsOneRoundTrip(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, url string) {
		t.Parallel()
		counted := countRequests(t, strings.TrimPrefix(url, "redis://"))
		// Without log channels, which ask Redis every second what is to be told.
		w := newWorld(t, "redis://"+counted.addr, "LOG_CHANNEL_ACTIONS=off", "LOG_CHANNEL_ERRORS=off", "LOG_CHANNEL_LIFECYCLE=off")
		anna := w.addAnna(t, "Shop", "Radio")
		stop := w.start(t)
		list := anna.Types(t, "/bot list")
		list.WaitFor(t, "🟢 Shop")
		waitForKey(t, url) // which is set after the customer has the answer

		// Another start, so that nothing of the first call is still under way;
		// its first interaction makes the connection to Redis.
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		w.log = &logBuffer{}
		w.start(t)
		anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")

		for name, act := range map[string]func(){
			"/bot list": func() { anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop") },
			"/bot show": func() { anna.Types(t, "/bot show", discordtest.Options{"bot": "Shop"}).WaitFor(t, "node index.js") },
			"/plan":     func() { anna.Types(t, "/plan").WaitFor(t, "2 of 30") },
			"typing":    func() { anna.Completes(t, "/bot show", "bot", "s") },
			"Refresh":   func() { list.Press(t, "Refresh").WaitFor(t, "🟢 Shop") },
		} {
			requests, lists := counted.requests.Load(), w.service.Count(hostapitest.OpList)
			w.discord.ForgetCalls()
			act()
			if n := counted.requests.Load() - requests; n != 1 {
				t.Errorf("%s: %d round trips to Redis", name, n)
			}
			if n := w.service.Count(hostapitest.OpList) - lists; n != 0 {
				t.Errorf("%s: %d calls to the service", name, n)
			}
			if calls := w.discord.Calls(); len(calls) != 1 {
				t.Errorf("%s: %d calls to Discord", name, len(calls))
			}
		}
	})
}

// waitForKey waits until there is something in a Redis.
func waitForKey(t *testing.T, url string) {
	t.Helper()
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	defer func() { _ = client.Close() }()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		if n, err := client.DBSize(t.Context()).Result(); err == nil && n > 0 {
			return
		}
	}
	t.Fatal("nothing is cached")
}

// counter is a relay to a Redis that counts requests. A client waits for each
// answer before it sends more, so what arrives at once is one request.
type counter struct {
	addr     string
	requests atomic.Int64
}

func countRequests(t *testing.T, target string) *counter {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &counter{addr: listener.Addr().String()}
	var relays sync.WaitGroup
	relays.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			relays.Go(func() { c.relay(client, target) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		relays.Wait()
	})
	return c
}

func (c *counter) relay(client net.Conn, target string) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	var answers sync.WaitGroup
	answers.Go(func() { pass(client, server, func() {}) })
	pass(server, client, func() { c.requests.Add(1) })
	_ = server.Close()
	answers.Wait()
}

// pass copies what arrives, and calls arrived for each piece before it goes on.
func pass(to, from net.Conn, arrived func()) {
	piece := make([]byte, 64<<10)
	for {
		n, err := from.Read(piece)
		if n > 0 {
			arrived()
			if _, err := to.Write(piece[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
