//go:build integration

package main

import (
	"context"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/patience"
	"hostbot/bot/testing/terminal"
	"hostbot/hostapi/hostapitest"
)

// endsWithItsTerminal runs the built program in a terminal that is closed. It must not go on
// unseen, though SIGHUP has it read files again otherwise.
func endsWithItsTerminal(t *testing.T, path string) {
	t.Helper()
	screen, device := terminal.Open(t)
	discord, service := discordtest.RunT(t), hostapitest.RunT(t)
	bot := exec.Command(path)
	bot.Env = []string{
		"DISCORD_TOKEN=" + discord.Token(), "DISCORD_API_URL=" + discord.URL(),
		"HOSTAPI_URL=" + service.URL(), "HOSTAPI_SECRET=" + service.Secret(), "HTTP_ADDR=off",
	}
	bot.Stdin, bot.Stdout, bot.Stderr = device, device, device
	bot.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := bot.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience.Limit)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = bot.Process.Kill() })()
	if err := discord.WaitCommands(ctx); err != nil {
		t.Error(err)
	}
	_ = screen.Close()
	for range 20 { // a shell in the terminal passes SIGHUP on, which is no second wish to end
		<-time.After(2 * time.Millisecond)
		_ = bot.Process.Signal(syscall.SIGHUP)
	}
	if err := bot.Wait(); err != nil {
		t.Errorf("when its terminal was closed: %v", err)
	}
}
