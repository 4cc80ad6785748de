package bot_test

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"hostbot/bot"
	"hostbot/bot/discordtest"
	"hostbot/configs"
	"hostbot/hostapi/hostapitest"
)

func TestMain(m *testing.M) {
	benchmarkFlags()
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
	channel *discordtest.Channel // that staff watch
}

// newWorld makes a world without a bot.
func newWorld(t *testing.T, redisURL string, env ...string) *world {
	t.Helper()
	return newWorldWith(t, discordtest.Config{NoRateLimits: true}, redisURL, env...)
}

// newWorldWith makes a world with a Discord of a certain kind.
func newWorldWith(t *testing.T, config discordtest.Config, redisURL string, env ...string) *world {
	t.Helper()
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
	settings, err := configs.Load("", append([]string{
		"DISCORD_TOKEN=" + w.discord.Token(),
		"DISCORD_API_URL=" + w.discord.URL(),
		"HOSTAPI_URL=" + w.service.URL(),
		"HOSTAPI_SECRET=" + w.service.Secret(),
		"REDIS_URL=" + w.redis,
		"LOG_CHANNEL_ID=" + w.channel.ID,
		"HTTP_ADDR=off",
	}, w.env...))
	if err != nil {
		t.Fatal(err)
	}
	b, err := bot.New(settings, "test", zerolog.New(w.log).Level(zerolog.DebugLevel))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { _ = stop() })
	w.log.waitFor(t, "the commands are registered")
	return stop
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

// findSecrets fails the test where a secret got out.
func (w *world) findSecrets(t *testing.T) {
	secrets := map[string]string{"bot token": w.discord.Token(), "shared secret": w.service.Secret()}
	for _, call := range w.discord.Calls() {
		if _, rest, ok := strings.Cut(call.Path, "/interactions/"); ok {
			secrets["interaction token"] = strings.Split(rest, "/")[1]
		}
		for what, secret := range secrets {
			if bytes.Contains(call.Request, []byte(secret)) {
				t.Errorf("%s %s sends the %s", call.Method, call.Route, what)
			}
		}
	}
	for what, secret := range secrets {
		if strings.Contains(w.log.String(), secret) {
			t.Errorf("the log holds the %s", what)
		}
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
	timeout := time.After(20 * time.Second)
	for {
		l.mu.Lock()
		found, next := strings.Contains(l.text.String(), text), l.next()
		l.mu.Unlock()
		if found {
			return
		}
		select {
		case <-next:
		case <-timeout:
			t.Fatalf("the log does not say %q:\n%s", text, l)
		}
	}
}
