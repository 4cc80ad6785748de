package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"hostbot/bot/ops/monitor"
	"hostbot/configs"
)

// askHealth asks the bot that runs at HTTP_ADDR whether it serves, with --verbose also for its verdict. A container without
// a shell has no other way to ask.
func askHealth(o options, environ []string, stdout, stderr io.Writer) int {
	addr, err := configs.LoadHTTPAddr(o.config, environ)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, err)
		return exitMisuse
	}
	if addr == "" {
		_, _ = fmt.Fprintln(stderr, "hostbot: HTTP_ADDR is off, so the bot cannot be asked")
		return exitFailure
	}
	status, _, err := monitor.Ask(context.Background(), addr, "/readyz")
	report := ""
	if err == nil && o.verbose {
		_, report, err = monitor.Ask(context.Background(), addr, "/healthz?verbose")
	}
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "hostbot:", err)
		return exitFailure
	}
	_, _ = fmt.Fprintf(stdout, "%d %s\n%s", status, http.StatusText(status), report)
	if status != http.StatusOK {
		return exitFailure
	}
	return exitDone
}
