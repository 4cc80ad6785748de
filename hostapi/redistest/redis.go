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

// StartRedis starts the redis-server found in PATH on a loopback port, without
// persistence. Where there is none the test is skipped.
func StartRedis(t testing.TB) *Server {
	t.Helper()
	return newServer(t, redisServer{path: find(t), dir: t.TempDir, appendOnly: "no"}.start)
}

// StartDurableRedis is StartRedis with persistence: a Restart keeps all that the
// server has confirmed.
func StartDurableRedis(t testing.TB) *Server {
	t.Helper()
	dir := t.TempDir()
	return newServer(t, redisServer{path: find(t), dir: func() string { return dir }, appendOnly: "yes"}.start)
}

func find(t testing.TB) (path string) {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("TEST_REQUIRE_REDIS") != "" {
			t.Fatal("redis-server is not in PATH, and TEST_REQUIRE_REDIS is set")
		}
		t.Skip("redis-server is not in PATH: install it to run this on a real Redis")
	}
	return path
}

type redisServer struct {
	path       string
	dir        func() string // of a server that is about to start
	appendOnly string        // "yes" or "no"
}

// startAttempts is how many ports are tried: between the choice of a free one
// and its use another program may take it.
const startAttempts = 5

func (r redisServer) start(t testing.TB, addr string) (string, func()) {
	t.Helper()
	var errs []error
	for range startAttempts {
		bound, err := freeAddr(addr)
		if err == nil {
			var stop func()
			if stop, err = r.run(r.dir(), bound); err == nil {
				return bound, stop
			}
		}
		errs = append(errs, err)
	}
	t.Fatalf("start redis-server: %v", errors.Join(errs...))
	return "", nil
}

// run starts the server in dir and returns when it accepts connections.
func (r redisServer) run(dir, addr string) (stop func(), err error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(r.path, "--bind", host, "--port", port, "--dir", dir, "--save", "", "--appendonly", r.appendOnly, "--appendfsync", "always", "--daemonize", "no")
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
	ready := make(chan error, 1)
	go func() {
		defer close(read)
		lines := bufio.NewScanner(output)
		var said []string
		for lines.Scan() {
			if strings.Contains(lines.Text(), "Ready to accept connections") {
				ready <- nil
				break
			}
			said = append(said, lines.Text())
		}
		for lines.Scan() { // so that the server never waits for a reader
		}
		ready <- fmt.Errorf("it ended: %s", strings.Join(said, "\n"))
	}()
	if err := <-ready; err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

// freeAddr replaces port 0 by one that is free.
func freeAddr(addr string) (string, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return "", err
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String(), nil
}
