package main

import (
	"context"
	"encoding/json"
	"io"
	"os/signal"
	"syscall"

	"hostbot/bot/ops/check"
	"hostbot/bot/staff/health"
	"hostbot/configs"
)

// runCheck checks the settings against Discord, the hosting service and Redis, and prints a line for each item.
func runCheck(settings *configs.Settings, doubts []configs.Doubt, o options, stdout io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	c := check.Config{Settings: settings, Doubts: doubts, Version: builtVersion(), UserID: o.userID, Limit: check.Limit}
	tell := func(i health.Item) { _, _ = io.WriteString(stdout, i.Line()) }
	if o.json {
		lines := json.NewEncoder(stdout)
		lines.SetEscapeHTML(false)
		tell = func(i health.Item) { _ = lines.Encode(i) }
	}
	if !check.Run(ctx, c, tell) {
		return exitFailure
	}
	return exitDone
}
