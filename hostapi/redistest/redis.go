package redistest

import (
	"net"
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

type redisServer struct {
	path       string
	dir        func() string // of a server that is about to start
	appendOnly string        // "yes" or "no"
}

func (r redisServer) start(t testing.TB, addr string) (bound string, stop func()) {
	t.Helper()
	err := attempt(func() (err error) {
		if bound, err = freeAddr(addr); err != nil {
			return err
		}
		host, port, _ := net.SplitHostPort(bound)
		p, err := run(r.path, serves, "--bind", host, "--port", port, "--dir", r.dir(), "--save", "",
			"--appendonly", r.appendOnly, "--appendfsync", "always", "--daemonize", "no")
		if err == nil {
			stop = p.kill
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return bound, stop
}
