//go:build integration

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
)

// TestProgramEnds runs the built program as an operator would, and signals to it
// while a restart is under way. How a process that was killed is replaced is tested
// in bot/testing/e2e/processes.
func TestProgramEnds(t *testing.T) {
	path, err := world.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Run("with what was asked for alone, on --help and --version", func(t *testing.T) {
		t.Parallel()
		if stdout, stderr := say(t, path, "--help"); stdout != "" || stderr != usage {
			t.Errorf("--help: %q, and on stderr %q", stdout, stderr)
		}
		if stdout, stderr := say(t, path, "--version"); !versionLine.MatchString(stdout) || stderr != "" {
			t.Errorf("--version: %q, and on stderr %q", stdout, stderr)
		}
	})
	t.Run("with its own lines alone, on check", func(t *testing.T) {
		t.Parallel()
		checkIsQuiet(t, path)
	})
	t.Run("with what runs, on SIGTERM", func(t *testing.T) {
		t.Parallel()
		p := startProgram(t, path, nil)
		p.signal(t, syscall.SIGUSR1)
		p.signal(t, syscall.SIGTERM)
		for !p.anna.Types(t, "/bot list").View().Contains("Our system is restarting") { // until the signal has arrived
		}
		p.clock.Advance(4 * time.Second)
		p.restart.WaitFor(t, "✅ Restarted")
		if err := p.bot.Wait(); err != nil {
			t.Errorf("after SIGTERM: %v\n%s", err, &p.stderr)
		}
		if !strings.Contains(p.stderr.String(), "the log level is raised") {
			t.Errorf("after SIGUSR1 the log says\n%s", &p.stderr)
		}
		if !strings.Contains(p.stderr.String(), "HOSTAPI_TIMOUT is set, which is not a setting") {
			t.Errorf("of a misspelt variable the log says\n%s", &p.stderr)
		}
		for line := range strings.Lines(p.stderr.String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("a line of the log is not JSON: %s", line)
			}
		}
		p.tellsNoSecret(t)
	})
	t.Run("not with the reader of its log", func(t *testing.T) {
		t.Parallel()
		outlivesItsReader(t, path)
	})
	t.Run("with its terminal", func(t *testing.T) {
		t.Parallel()
		endsWithItsTerminal(t, path)
	})
	t.Run("with all stacks, as after a panic, on SIGQUIT", func(t *testing.T) {
		t.Parallel()
		p := startProgram(t, path, nil)
		p.signal(t, syscall.SIGQUIT)
		_ = p.bot.Wait()
		if !strings.Contains(p.stderr.String(), "goroutine ") {
			t.Fatalf("there are no stacks:\n%s", &p.stderr)
		}
		p.tellsNoSecret(t)
	})
}

// outlivesItsReader has whoever reads the program's log go away once it serves: customers are served as
// before, and the program ends as it is told to.
func outlivesItsReader(t *testing.T, path string) {
	t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := startProgram(t, path, writer)
	_ = writer.Close() // the program's own is left
	_ = reader.Close()
	for range 10 { // each is worth several lines
		p.anna.Types(t, "/bot list").WaitFor(t, "Shop")
	}
	p.clock.Advance(4 * time.Second)
	p.restart.WaitFor(t, "✅ Restarted")
	p.signal(t, syscall.SIGTERM)
	if err := p.bot.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
}

// say returns what the program writes with an argument, and that it succeeds.
func say(t *testing.T, path, argument string) (stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	cmd := exec.Command(path, argument)
	cmd.Stdout, cmd.Stderr = &out, &err
	if failed := cmd.Run(); failed != nil {
		t.Errorf("%s: %v", argument, failed)
	}
	return out.String(), err.String()
}

// program is the built program, in which anna's restart is under way. The service's
// time moves only as a test says.
type program struct {
	discord *discordtest.Server
	service *hostapitest.Service
	clock   *hostapitest.ManualClock
	anna    *discordtest.User
	restart *discordtest.Reply
	bot     *exec.Cmd
	stderr  bytes.Buffer // to be read once the program has ended
}

// startProgram starts the program and waits until anna's restart is under way. A stderr of nil is the
// program's own.
func startProgram(t *testing.T, path string, stderr *os.File) *program {
	t.Helper()
	clock := hostapitest.NewManualClock(time.Now())
	p := &program{
		discord: discordtest.RunT(t, discordtest.Config{NoRateLimits: true}),
		service: hostapitest.RunWith(t, hostapitest.Options{Clock: clock}), clock: clock, bot: exec.Command(path),
	}
	p.anna = p.discord.User("anna")
	p.service.AddAccount(p.anna.ID, hostapitest.Plan{Name: "Pro", RAMMB: 1024, MaxServers: 2})
	p.service.AddServer(p.anna.ID, hostapitest.Server{ID: "id-shop", Name: "Shop", Status: hostapitest.Running, RAMMB: 512})
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(p.discord.Token()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.bot.Env = []string{
		"DISCORD_TOKEN_FILE=" + token, "DISCORD_API_URL=" + p.discord.URL(), "LOG_LEVEL=debug",
		"HOSTAPI_URL=" + p.service.URL(), "HOSTAPI_SECRET=" + p.service.Secret(), "HTTP_ADDR=127.0.0.1:0",
		"HOSTAPI_TIMOUT=20s", // which is misspelt
	}
	p.bot.Stderr = &p.stderr
	if stderr != nil {
		p.bot.Stderr = stderr
	}
	if err := p.bot.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.bot.Process.Kill() // nothing, where it has ended
		_ = p.bot.Wait()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if err := p.discord.WaitCommands(ctx); err != nil {
		t.Fatal(err)
	}
	p.restart = p.anna.Types(t, "/bot restart", discordtest.Options{"bot": "Shop"})
	p.restart.WaitFor(t, "Restarting **Shop**")
	clock.BlockUntil(t, 1)
	return p
}

func (p *program) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := p.bot.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// tellsNoSecret fails the test where the process log, or the stacks in it, hold a
// secret: the program's own or an interaction's token.
func (p *program) tellsNoSecret(t *testing.T) {
	t.Helper()
	secrets := []string{p.discord.Token(), p.service.Secret()}
	for _, call := range p.discord.Calls() {
		if _, rest, ok := strings.Cut(call.Path, "/interactions/"); ok {
			secrets = append(secrets, strings.Split(rest, "/")[1])
		}
	}
	if len(secrets) < 3 {
		t.Errorf("only %d secrets are known", len(secrets))
	}
	for _, secret := range secrets {
		if strings.Contains(p.stderr.String(), secret) {
			t.Errorf("it tells %q", secret)
		}
	}
}
