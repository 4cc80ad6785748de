package redistest

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// find returns the path of redis-server. Where there is none the test is skipped.
func find(t testing.TB) (path string) {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv(required) != "" {
			t.Fatal("redis-server is not in PATH, and " + required + " is set")
		}
		t.Skip("redis-server is not in PATH: install it to run this on a real Redis")
	}
	return path
}

// required is the variable with which a test that finds no real Redis fails.
const required = "TEST_REQUIRE_REDIS"

// startAttempts is how often ports are chosen: between the choice of a free one
// and its use another program may take it.
const startAttempts = 5

// attempt repeats what chooses ports until it succeeds.
func attempt(start func() error) error {
	var errs []error
	for range startAttempts {
		err := start()
		if err == nil {
			return nil
		}
		errs = append(errs, err)
	}
	return fmt.Errorf("start redis-server: %w", errors.Join(errs...))
}

// run starts redis-server and returns when it has said that it is ready. stop kills
// it and may be called again.
func run(path, ready string, args ...string) (stop func(), err error) {
	cmd := exec.Command(path, args...)
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	read := make(chan struct{})
	stop = func() {
		_ = cmd.Process.Kill()
		<-read // before Wait, which closes the pipe
		_ = cmd.Wait()
	}
	said := make(chan error, 1)
	go func() {
		defer close(read)
		lines := bufio.NewScanner(output)
		var before []string
		for lines.Scan() {
			if strings.Contains(lines.Text(), ready) {
				said <- nil
				break
			}
			before = append(before, lines.Text())
		}
		for lines.Scan() { // so that the server never waits for a reader
		}
		said <- fmt.Errorf("it ended: %s", strings.Join(before, "\n"))
	}()
	if err := <-said; err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

// serves is what a Redis says that is ready. A Sentinel says something else.
const serves = "Ready to accept connections"

// freeAddr replaces port 0 by one that is free.
func freeAddr(addr string) (string, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return "", err
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String(), nil
}

// freePorts returns so many ports of the loopback interface that are free.
func freePorts(n int) ([]string, error) {
	ports := make([]string, n)
	for i := range ports {
		listener, err := net.Listen("tcp", anyPort)
		if err != nil {
			return nil, err
		}
		defer func() { _ = listener.Close() }() // only then, so that all differ
		_, ports[i], _ = net.SplitHostPort(listener.Addr().String())
	}
	return ports, nil
}
