//go:debug x509usefallbackroots=1

// Package e2e_test has the whole bot under test, between fakes of all that it
// depends on: an event of the gateway goes in, and calls to Discord come out.
//
// A world is a bot with its counterparts. The fault matrix breaks each of them
// in each way; the soak does so at random.
package e2e_test

import (
	"bytes"
	"context"
	"flag"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"hostbot/bot"
	"hostbot/bot/discordtest"
	"hostbot/bot/faultproxy"
	"hostbot/bot/logging"
	"hostbot/bot/redisclient"
	"hostbot/configs"
	"hostbot/hostapi/hostapitest"
)

// sideBySide is how many tests run at once if -parallel does not say: they wait
// for most of the time, and each has a world of its own.
const sideBySide = "6"

// joined is the network of relays that the test process believes in.
var joined = sync.OnceValues(func() (*faultproxy.Network, error) {
	n, err := faultproxy.NewNetwork()
	if err == nil {
		n.Join()
	}
	return n, err
})

// network returns the network of relays with names and TLS.
func network(t testing.TB) *faultproxy.Network {
	t.Helper()
	n, err := joined()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", sideBySide); err != nil {
		panic(err)
	}
	redisclient.RedirectLibraryLog(zerolog.Nop())
	defineSoakFlags()
	flag.Bool("update", false, "write the tables of faults to FAILURES.md")
	_ = os.Setenv("NO_PROXY", ".test") // where the relays' names are
	_, _ = joined()                    // before anything connects; network says what went wrong
	goleak.VerifyTestMain(m)
}

// world is the bot between a Discord and a hosting service, and what its
// process log says. The service's time moves only as a test says.
type world struct {
	discord *discordtest.Server
	service *hostapitest.Service
	clock   *hostapitest.ManualClock
	redis   string
	env     []string
	log     *logBuffer
	channel *discordtest.Channel    // that staff watch
	tune    func(*configs.Settings) // changes what no setting allows; may be nil
	ended   <-chan struct{}         // closed when the bot that was started last has ended
}

// newWorld makes a world without a bot.
func newWorld(t *testing.T, redisURL string, env ...string) *world {
	t.Helper()
	return newWorldWith(t, discordtest.Config{NoRateLimits: true}, redisURL, env...)
}

// newWorldWith makes a world with a Discord of a certain kind.
func newWorldWith(t *testing.T, config discordtest.Config, redisURL string, env ...string) *world {
	t.Helper()
	config.StrictUserAgent = true
	clock := hostapitest.NewManualClock(time.Now())
	w := &world{
		discord: discordtest.RunT(t, config),
		service: hostapitest.RunWith(t, hostapitest.Options{Clock: clock}),
		clock:   clock,
		redis:   redisURL,
		env:     env,
		log:     &logBuffer{},
	}
	w.channel = w.discord.AddChannel("bot-log")
	t.Cleanup(func() { w.findSecrets(t) })
	return w
}

// start starts a bot and waits until it serves. stop stops it as a signal
// would, waits for its end, and returns what Run returned.
func (w *world) start(t *testing.T) (stop func() error) {
	t.Helper()
	stop = w.launch(t)
	w.log.waitFor(t, "the commands are registered")
	return stop
}

// launch starts a bot and does not wait.
func (w *world) launch(t *testing.T) (stop func() error) {
	t.Helper()
	settings, err := configs.Load("", append([]string{
		"DISCORD_TOKEN=" + w.discord.Token(),
		"DISCORD_API_URL=" + w.discord.URL(),
		"HOSTAPI_URL=" + w.service.URL(),
		"HOSTAPI_SECRET=" + w.service.Secret(),
		"REDIS_URL=" + w.redis,
		"LOG_CHANNEL_ID=" + w.channel.ID,
		"HTTP_ADDR=off",
		"LOG_LEVEL=debug",
	}, w.env...))
	if err != nil {
		t.Fatal(err)
	}
	if w.tune != nil {
		w.tune(settings)
	}
	b, err := bot.New(settings, "test", logging.New(settings.Log, w.log))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err = b.Run(ctx)
	}()
	w.ended = ended
	stop = func() error {
		cancel()
		<-ended
		return err
	}
	t.Cleanup(func() { _ = stop() })
	return stop
}

// operator asks a bot that was started with HTTP_ADDR=127.0.0.1:0 for one of
// its pages.
func (w *world) operator(t *testing.T, page string) (status int, body string) {
	t.Helper()
	w.log.waitFor(t, "health and metrics are served")
	found := regexp.MustCompile(`"address":"([^"]+)"`).FindStringSubmatch(w.log.String())
	if found == nil {
		t.Fatalf("no address in the log:\n%s", w.log)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 20 * time.Second}
	res, err := client.Get("http://" + found[1] + page)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// waitForLog waits for an entry in the log channel with all these texts.
func (w *world) waitForLog(t *testing.T, texts ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err := w.channel.Await(ctx, func(v discordtest.View) bool {
		for _, text := range texts {
			if !v.Contains(text) {
				return false
			}
		}
		return true
	})
	if err != nil {
		for _, m := range w.channel.Messages() {
			t.Logf("log channel: %s", m.Text())
		}
		t.Fatalf("no entry in the log channel says all of %q", texts)
	}
}

// logBuffer is a process log that can be waited upon.
type logBuffer struct {
	mu      sync.Mutex
	text    bytes.Buffer
	written chan struct{}
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.written != nil {
		close(l.written)
		l.written = nil
	}
	return l.text.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// next returns a channel that is closed with the next line.
func (l *logBuffer) next() <-chan struct{} {
	if l.written == nil {
		l.written = make(chan struct{})
	}
	return l.written
}

// waitFor waits until the log says text.
func (l *logBuffer) waitFor(t *testing.T, text string) {
	t.Helper()
	l.waitForTimes(t, text, 1)
}

// waitForTimes waits until the log says text n times.
func (l *logBuffer) waitForTimes(t *testing.T, text string, n int) {
	t.Helper()
	timeout := time.After(20 * time.Second)
	for {
		l.mu.Lock()
		found, next := strings.Count(l.text.String(), text) >= n, l.next()
		l.mu.Unlock()
		if found {
			return
		}
		select {
		case <-next:
		case <-timeout:
			t.Fatalf("the log does not say %q %d times:\n%s", text, n, l)
		}
	}
}
