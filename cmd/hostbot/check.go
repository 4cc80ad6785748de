package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/signal"
	"syscall"
	"time"

	"hostbot/bot/ops/check"
	"hostbot/configs"
)

// checkLimit bounds each check.
const checkLimit = 15 * time.Second

// tryOut tries the settings against their counterparts and prints a line for each
// finding.
func tryOut(settings *configs.Settings, o options, stdout io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	c := check.Config{Settings: settings, Version: version, UserID: o.userID, Limit: checkLimit}
	tell := func(f check.Finding) { _, _ = io.WriteString(stdout, line(f)) }
	if o.json {
		lines := json.NewEncoder(stdout)
		lines.SetEscapeHTML(false)
		tell = func(f check.Finding) { _ = lines.Encode(f) }
	}
	if !check.Run(ctx, c, tell) {
		return exitFailure
	}
	return exitDone
}

// line is a finding for people.
func line(f check.Finding) string {
	mark := map[check.Result]string{check.OK: "✓", check.Warning: "!", check.Failure: "✗"}[f.Result]
	text := fmt.Sprintf("%s %s: %s", mark, f.Name, f.Found)
	if f.Cure != "" {
		text += " → " + f.Cure
	}
	return text + "\n"
}
