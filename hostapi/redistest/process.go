//go:build integration

package redistest

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"testing"
)

// find returns the path of redis-server. Where there is none the test fails.
func find(t testing.TB) (path string) {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		t.Fatal("redis-server is not in PATH: install it to run this on a real Redis")
	}
	return path
}

// startAttempts is how often ports are chosen: where the machine has one host only,
// another program may take a port between the choice of a free one and its use.
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

// process is a redis-server.
type process struct {
	cmd  *exec.Cmd
	read chan struct{} // closed once its output has ended
}

// kill ends it, as kill -9 does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.read // before Wait, which closes the pipe
	_ = p.cmd.Wait()
}

// run starts redis-server and returns when it has said that it is ready.
func run(path, ready string, args ...string) (*process, error) {
	cmd := exec.Command(path, args...)
	endWithTests(cmd)
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd, make(chan struct{})}
	said := make(chan error, 1)
	go func() {
		defer close(p.read)
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
		p.kill()
		return nil, err
	}
	return p, nil
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

// freePorts returns so many ports of a host that are free.
func freePorts(host string, n int) ([]string, error) {
	ports := make([]string, n)
	for i := range ports {
		listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
		if err != nil {
			return nil, err
		}
		defer func() { _ = listener.Close() }() // only then, so that all differ
		_, ports[i], _ = net.SplitHostPort(listener.Addr().String())
	}
	return ports, nil
}
