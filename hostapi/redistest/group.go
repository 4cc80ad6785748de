package redistest

import (
	"context"
	"errors"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// startLimit bounds how long servers take to find each other.
const startLimit = 20 * time.Second

// Group is several Redis servers that replace one another: behind Sentinels, or as a
// Cluster.
type Group struct {
	url    string
	stops  map[string]func() // how each process is killed, by its address
	seeds  []string          // servers, or Sentinels, that can be asked for the master
	master func(ctx context.Context, seed *redis.Client, key string) (addr string, err error)
}

// URL returns the address for a REDIS_URL.
func (g *Group) URL() string { return g.url }

// Master returns the address of the master that holds a key now.
func (g *Group) Master(t testing.TB, key string) (addr string) {
	t.Helper()
	var errs []error
	for _, seed := range g.seeds {
		client := connectTo(seed)
		addr, err := g.master(t.Context(), client, key)
		_ = client.Close()
		if err == nil {
			return addr
		}
		errs = append(errs, err) // that one may have been killed
	}
	t.Fatal("the master is not known: ", errors.Join(errs...))
	return ""
}

// Kill ends the server at an address as kill -9 does.
func (g *Group) Kill(addr string) { g.stops[addr]() }

func (g *Group) close() {
	for _, stop := range g.stops {
		stop()
	}
}

// start starts servers by their addresses, each with these arguments.
func (g *Group) start(path, ready string, args map[string][]string) error {
	for addr, own := range args {
		stop, err := run(path, ready, own...)
		if err != nil {
			g.close()
			return err
		}
		g.stops[addr] = stop
	}
	return nil
}

// await waits until each of some servers is as it is wanted.
func await(addrs []string, wanted func(ctx context.Context, client *redis.Client) bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	clients := make([]*redis.Client, len(addrs))
	for i, addr := range addrs {
		clients[i] = connectTo(addr)
		defer func() { _ = clients[i].Close() }()
	}
	for slices.ContainsFunc(clients, func(c *redis.Client) bool { return !wanted(ctx, c) }) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.New("the servers did not find each other")
		}
	}
	return nil
}

func connectTo(addr string) *redis.Client {
	return redis.NewClient(&redis.Options{Addr: addr, DialerRetries: 1, MaxRetries: -1, PoolSize: 1, DialTimeout: time.Second, ReadTimeout: time.Second})
}

// onLoopback returns the address of a port.
func onLoopback(port string) string { return net.JoinHostPort("127.0.0.1", port) }
