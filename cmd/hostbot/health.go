package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

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
	status, _, err := ask(addr, "/readyz")
	report := ""
	if err == nil && o.verbose {
		_, report, err = ask(addr, "/healthz?verbose")
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

// maxReport bounds what is read of an answer, in bytes.
const maxReport = 1 << 20

// ask returns the bot's answer on one of its pages.
func ask(addr, page string) (status int, text string, err error) {
	if addr == "" {
		return 0, "", errors.New("HTTP_ADDR is off, so the bot cannot be asked")
	}
	// The bot is on this machine, so no proxy is used, even if one is set.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 3 * time.Second}
	res, err := client.Get("http://" + addr + page)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxReport))
	return res.StatusCode, string(body), err
}
