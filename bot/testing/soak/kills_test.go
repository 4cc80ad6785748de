//go:build integration

package soak_test

import (
	"context"
	"io"
	"os/exec"
	"testing"
	"time"

	"hostbot/bot/testing/e2e/world"
)

// mortal is a replica that is a process of its own, and is killed now and then.
type mortal struct {
	command     string
	environment []string
	log         io.Writer
	process     *exec.Cmd
}

// mortalEnvironment has it listen at the same address after each kill, over HTTP.
func (s *soak) mortalEnvironment(t *testing.T) []string {
	if !world.OverHTTP() {
		return s.Environment()
	}
	address := world.FreeAddress(t)
	s.Discord.AddEndpoint("http://" + address + "/interactions")
	return append(s.Environment(), "INTERACTIONS_ADDR="+address)
}

func newMortal(t *testing.T, environment []string, log io.Writer) mortal {
	t.Helper()
	command, err := world.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := mortal{command: command, environment: environment, log: log}
	m.start(t)
	return m
}

func (m *mortal) start(t *testing.T) {
	process := exec.Command(m.command)
	process.Env, process.Stderr = m.environment, m.log
	if err := process.Start(); err != nil {
		t.Error(err)
		return
	}
	m.process = process
	t.Cleanup(func() { _, _ = process.Process.Kill(), process.Wait() })
}

// beforeKill is how long all is well before a kill, so that Redis has what the
// process knows: what it has not is lost with the process.
const beforeKill = 5 * time.Second

// kill kills the process, and starts another one. Interactions that were not
// answered by then are not; whatever has begun is to have an end.
func (s *soak) kill(ctx context.Context, t *testing.T) {
	pause(ctx, beforeKill)
	defer s.weather.begin()()
	s.weather.kill()
	_ = s.mortal.process.Process.Kill()
	_ = s.mortal.process.Wait()
	s.mortal.start(t)
}
