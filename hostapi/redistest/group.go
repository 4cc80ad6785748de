//go:build integration

package redistest

import (
	"context"
	"errors"
	"net"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// groupLimit bounds how long servers take to find each other, on a slow machine too.
const groupLimit = 2 * time.Minute

// Group is several Redis servers that replace one another: behind Sentinels, or as a
// Cluster.
type Group struct {
	host      string // on which all of them listen
	url       string
	processes map[string]*process // by address
	seeds     []string            // servers, or Sentinels, that can be asked for the master
	master    func(ctx context.Context, seed *redis.Client, key string) (addr string, err error)
}

// URL returns the address for a REDIS_URL.
func (g *Group) URL() string { return g.url }

// Master returns the address of the master that holds a key. While servers fail over
// it waits.
func (g *Group) Master(t testing.TB, key string) (addr string) {
	t.Helper()
	err := until(func(ctx context.Context) bool {
		return slices.ContainsFunc(g.seeds, func(seed string) bool {
			client := connectTo(seed)
			defer func() { _ = client.Close() }()
			var err error
			addr, err = g.master(ctx, client, key)
			return err == nil
		})
	})
	if err != nil {
		t.Fatal("nobody knows the master: ", err)
	}
	return addr
}

// Kill ends the server at an address as kill -9 does.
func (g *Group) Kill(addr string) { g.processes[addr].kill() }

// Lag keeps what is written to the server at an address from now on from its replicas.
func (g *Group) Lag(t testing.TB, addr string) {
	t.Helper()
	client := connectTo(addr)
	defer func() { _ = client.Close() }()
	forbidden := client.ACLSetUser(t.Context(), "default", "-psync", "-sync").Err()
	if err := errors.Join(forbidden, client.Do(t.Context(), "CLIENT", "KILL", "TYPE", "replica").Err()); err != nil {
		t.Fatal(err)
	}
}

// Hang has the server at an address take connections and answer nobody.
func (g *Group) Hang(t testing.TB, addr string) {
	t.Helper()
	if err := g.processes[addr].cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
}

// Seeds returns the addresses that the URL names: those of the Sentinels, or of the
// servers of a Cluster.
func (g *Group) Seeds() []string { return g.seeds }

func (g *Group) close() {
	for _, p := range g.processes {
		p.kill()
	}
}

// start starts servers by their addresses, each with these arguments.
func (g *Group) start(path, ready string, args map[string][]string) error {
	for addr, own := range args {
		p, err := run(path, ready, own...)
		if err != nil {
			g.close()
			return err
		}
		g.processes[addr] = p
	}
	return nil
}

// await waits until each of some servers is as it is wanted.
func await(addrs []string, wanted func(ctx context.Context, client *redis.Client) bool) error {
	clients := make([]*redis.Client, len(addrs))
	for i, addr := range addrs {
		clients[i] = connectTo(addr)
		defer func() { _ = clients[i].Close() }()
	}
	return until(func(ctx context.Context) bool {
		return !slices.ContainsFunc(clients, func(c *redis.Client) bool { return !wanted(ctx, c) })
	})
}

// until asks again and again until something is so.
func until(isSo func(context.Context) bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), groupLimit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !isSo(ctx) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.New("the servers do not agree")
		}
	}
	return nil
}

func connectTo(addr string) *redis.Client {
	return redis.NewClient(&redis.Options{Addr: addr, DialerRetries: 1, MaxRetries: -1, PoolSize: 1, DialTimeout: time.Second, ReadTimeout: time.Second})
}

// bind returns the arguments with which a server listens on a host and calls others from
// it. Servers of a group know one another by the address that calls. Redis's protected
// mode takes callers of 127.0.0.1 alone for the machine's own.
func bind(host string) []string {
	return []string{"--bind", host, "--bind-source-addr", host, "--protected-mode", "no"}
}

// at returns the address of a port.
func (g *Group) at(port string) string { return net.JoinHostPort(g.host, port) }
