package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// askHealth asks the bot that runs beside it, with the same settings, whether it
// serves. A container without a shell has no other way to ask.
func askHealth(addr string, stdout, stderr io.Writer) int {
	status, err := ask(addr)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "hostbot:", err)
		return exitFailure
	}
	_, _ = fmt.Fprintln(stdout, status, http.StatusText(status))
	if status != http.StatusOK {
		return exitFailure
	}
	return exitDone
}

func ask(addr string) (status int, err error) {
	if addr == "" {
		return 0, errors.New("HTTP_ADDR is off, so the bot cannot be asked")
	}
	// The bot is on this machine, so no proxy is asked, whatever is set.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 3 * time.Second}
	res, err := client.Get("http://" + addr + "/readyz")
	if err != nil {
		return 0, err
	}
	return res.StatusCode, res.Body.Close()
}
