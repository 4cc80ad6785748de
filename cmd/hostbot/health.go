package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// health asks the bot that runs beside it, with the same settings, whether it
// serves. A container without a shell has no other way to ask.
func health(addr string, stdout, stderr io.Writer) int {
	if addr == "" {
		_, _ = fmt.Fprintln(stderr, "hostbot: HTTP_ADDR is off, so the bot cannot be asked")
		return exitFailure
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/readyz", nil)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "hostbot:", err)
		return exitFailure
	}
	// The bot is on this machine, so no proxy is asked, whatever is set.
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "hostbot:", err)
		return exitFailure
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = fmt.Fprintln(stdout, res.Status)
	if res.StatusCode != http.StatusOK {
		return exitFailure
	}
	return exitDone
}
