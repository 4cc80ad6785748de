//go:build integration

package clients

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
)

const (
	// startLimit bounds the time until a program is connected.
	startLimit = 2 * time.Minute
	// stopLimit is how long a program may take to leave before it is killed.
	stopLimit = 20 * time.Second
)

// start runs a program as the server's bot until the test ends, and returns once
// it has registered its commands and is connected. What it prints is shown where
// the test fails.
func start(t *testing.T, discord *discordtest.Server, name string, args ...string) {
	t.Helper()
	program, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(program, name, args...)
	cmd.Env = append(os.Environ(),
		"DISCORD_TOKEN="+discord.Token(),
		"DISCORD_API_URL="+unversioned(discord.URL()),
		"DISCORD_GATEWAY_URL="+discord.GatewayURL(),
	)
	var output bytes.Buffer // read only once the program has ended
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopLimit
	if err := cmd.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	connecting, ended := context.WithCancelCause(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = cmd.Wait() // ProcessState says more
		ended(fmt.Errorf("the program ended: %v", cmd.ProcessState))
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		if !cmd.ProcessState.Success() {
			t.Errorf("the program ended: %v", cmd.ProcessState)
		}
		if t.Failed() {
			t.Logf("the program printed:\n%s", output.String())
		}
	})
	awaitBot(t, connecting, discord)
}

// awaitBot waits until a bot is connected and has registered its commands.
func awaitBot(t *testing.T, ctx context.Context, discord *discordtest.Server) {
	t.Helper()
	limited, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := discord.WaitConnected(limited, 1); err != nil {
		t.Fatalf("the program did not connect: %v", context.Cause(limited))
	}
	if err := discord.WaitCommands(limited); err != nil {
		t.Fatalf("the program did not register its commands: %v", context.Cause(limited))
	}
}

// unversioned is the address of the REST API without the version at its end.
func unversioned(url string) string { return url[:strings.LastIndex(url, "/")] }
