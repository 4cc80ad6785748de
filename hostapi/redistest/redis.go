//go:build integration

package redistest

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

// StartRedis starts the redis-server found in PATH on a loopback port, without
// persistence.
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

// StartRestoredRedis is StartRedis with what a dump holds, which is the path of an RDB file. A Restart
// restores it once more.
func StartRestoredRedis(t testing.TB, dump string) *Server {
	t.Helper()
	restored := func() string {
		dir := t.TempDir()
		data, err := os.ReadFile(dump)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "dump.rdb"), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	return newServer(t, redisServer{path: find(t), dir: restored, appendOnly: "no"}.start)
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
