package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

// operated is the built program as an operator runs it, among counterparts that
// outlive it. The service's time moves only as a test says.
type operated struct {
	path    string
	discord *discordtest.Server
	service *hostapitest.Service
	clock   *hostapitest.ManualClock
	anna    *discordtest.User
	redis   string
	stderr  *output
}

// output is what a process has written so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func newOperated(t *testing.T, path string) *operated {
	t.Helper()
	clock := hostapitest.NewManualClock(time.Now())
	o := &operated{
		path: path, discord: discordtest.RunT(t, discordtest.Config{NoRateLimits: true}),
		service: hostapitest.RunWith(t, hostapitest.Options{Clock: clock}), clock: clock,
		redis: redistest.StartMiniredis(t).URL(), stderr: &output{},
	}
	o.anna = o.discord.User("anna")
	o.service.AddAccount(o.anna.ID, hostapitest.Plan{Name: "Pro", RAMMB: 1024, MaxServers: 2})
	o.service.AddServer(o.anna.ID, hostapitest.Server{ID: "id-shop", Name: "Shop", Status: hostapitest.Running, RAMMB: 512})
	return o
}

// start starts the program and waits until it has connected for the nth time.
func (o *operated) start(t *testing.T, n int) *exec.Cmd {
	t.Helper()
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(o.discord.Token()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	bot := exec.Command(o.path)
	bot.Env = []string{
		"DISCORD_TOKEN_FILE=" + token, "DISCORD_API_URL=" + o.discord.URL(), "REDIS_URL=" + o.redis,
		"HOSTAPI_URL=" + o.service.URL(), "HOSTAPI_SECRET=" + o.service.Secret(), "HTTP_ADDR=127.0.0.1:0", "LOG_LEVEL=debug",
	}
	bot.Stderr = o.stderr
	if err := bot.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = bot.Process.Kill() // nothing, where it has ended
		_ = bot.Wait()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := o.discord.WaitConnected(ctx, n); err != nil {
		t.Fatalf("%v\n%s", err, o.stderr)
	}
	if err := o.discord.WaitCommands(ctx); err != nil {
		t.Fatalf("%v\n%s", err, o.stderr)
	}
	return bot
}

// restarting has anna restart her bot and waits until that is under way.
func (o *operated) restarting(t *testing.T) *discordtest.Reply {
	t.Helper()
	card := o.anna.Types(t, "/bot restart", discordtest.Options{"bot": "Shop"})
	card.WaitFor(t, "Restarting **Shop**")
	o.clock.BlockUntil(t, 1)
	return card
}

// TestTheProgram runs the built program as an operator would.
func TestTheProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hostbot")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	t.Run("ends what runs when it is told to stop", func(t *testing.T) {
		t.Parallel()
		o := newOperated(t, path)
		bot := o.start(t, 1)
		o.anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
		card := o.restarting(t)
		if err := bot.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		for { // until the signal has arrived
			reply := o.anna.Types(t, "/bot list")
			if reply.View().Contains("We are restarting") {
				break
			}
		}
		o.clock.Advance(4 * time.Second)
		card.WaitFor(t, "**Shop** was restarted")
		if err := bot.Wait(); err != nil {
			t.Errorf("after SIGTERM: %v\n%s", err, o.stderr)
		}
		if text := o.stderr.String(); strings.Contains(text, o.discord.Token()) || strings.Contains(text, o.service.Secret()) {
			t.Errorf("the log holds a secret:\n%s", text)
		}
	})
	t.Run("tells no secret when it dies", func(t *testing.T) {
		t.Parallel()
		o := newOperated(t, path)
		bot := o.start(t, 1)
		o.anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
		o.restarting(t)
		if err := bot.Process.Signal(syscall.SIGQUIT); err != nil { // ends it as a panic would, with all stacks
			t.Fatal(err)
		}
		_ = bot.Wait()
		text := o.stderr.String()
		if !strings.Contains(text, "goroutine ") {
			t.Fatalf("there are no stacks:\n%s", text)
		}
		secrets := []string{o.discord.Token(), o.service.Secret()}
		for _, call := range o.discord.Calls() {
			if _, rest, ok := strings.Cut(call.Path, "/interactions/"); ok {
				secrets = append(secrets, strings.Split(rest, "/")[1])
			}
		}
		if len(secrets) < 4 {
			t.Errorf("only %d secrets are known", len(secrets))
		}
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("it tells %q", secret)
			}
		}
	})
	t.Run("is replaced after it was killed", func(t *testing.T) {
		t.Parallel()
		o := newOperated(t, path)
		bot := o.start(t, 1)
		card := o.restarting(t)
		if err := bot.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = bot.Wait()
		o.clock.Advance(4 * time.Second) // the service does what it was told
		if !card.View().Contains("Restarting **Shop**") {
			t.Fatalf("the card says:\n%s", card.View().Text())
		}

		o.start(t, 2)
		card = card.Press(t, "Refresh")
		card.WaitFor(t, "🟢 Shop")
		card.Press(t, "All bots").WaitFor(t, "🟢 Shop")
		if n := o.service.Count(hostapitest.OpRestart); n != 1 {
			t.Errorf("restarted %d times", n)
		}
	})
}
