//go:build integration

package redistest

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"hostbot/hostapi/loopback"
)

// masterName is by what name Sentinels know the master.
const masterName = "main"

// StartSentinels starts a master with two replicas, and three Sentinels, which have
// another server be the master when it was away for half a second.
func StartSentinels(t testing.TB) *Group {
	t.Helper()
	path, dir := find(t), t.TempDir()
	var g *Group
	if err := attempt(func() (err error) { g, err = startSentinels(path, dir); return err }); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.close)
	return g
}

func startSentinels(path, dir string) (*Group, error) {
	host := loopback.Host()
	ports, err := freePorts(host, 6)
	if err != nil {
		return nil, err
	}
	servers, sentinels := ports[:3], ports[3:]
	g := &Group{host: host, processes: make(map[string]*process), master: sentinelsMaster}
	args := make(map[string][]string)
	for i, port := range servers {
		args[g.at(port)] = append(bind(host), "--port", port, "--dir", dir, "--save", "", "--repl-diskless-sync-delay", "0")
		if i > 0 {
			args[g.at(port)] = append(args[g.at(port)], "--replicaof", host, servers[0])
		}
	}
	if err := g.start(path, serves, args); err != nil {
		return nil, err
	}
	clear(args)
	for i, port := range sentinels {
		file := filepath.Join(dir, "sentinel-"+port+".conf")
		if err := os.WriteFile(file, []byte(sentinelConfig(host, dir, i, servers, sentinels)), 0o600); err != nil {
			return nil, err
		}
		g.seeds = append(g.seeds, g.at(port))
		args[g.at(port)] = []string{file, "--sentinel"}
	}
	if err := g.start(path, "+monitor master", args); err != nil {
		return nil, err
	}
	g.url = "redis://" + g.seeds[0] + "?master_name=" + masterName + "&addr=" + g.seeds[1] + "&addr=" + g.seeds[2]
	return g, g.awaitSentinels(servers)
}

// awaitSentinels waits until the servers replicate and the Sentinels agree.
func (g *Group) awaitSentinels(servers []string) error {
	err := await([]string{g.at(servers[1]), g.at(servers[2])}, func(ctx context.Context, c *redis.Client) bool {
		return strings.Contains(c.Info(ctx, "replication").Val(), "master_link_status:up")
	})
	if err == nil {
		err = await(g.seeds, func(ctx context.Context, c *redis.Client) bool {
			return strings.HasPrefix(c.Do(ctx, "SENTINEL", "CKQUORUM", masterName).String(), "SENTINEL CKQUORUM main: OK 3 ")
		})
	}
	if err != nil {
		g.close()
	}
	return err
}

// sentinelConfig is what a Sentinel would have written that has found the others.
func sentinelConfig(host, dir string, own int, servers, sentinels []string) string {
	id := func(i int) string { return fmt.Sprintf("%040x", i+1) }
	lines := []string{
		"bind " + host, "bind-source-addr " + host, "protected-mode no", "port " + sentinels[own], "dir " + dir, "sentinel myid " + id(own),
		"sentinel monitor " + masterName + " " + host + " " + servers[0] + " 2",
		"sentinel down-after-milliseconds " + masterName + " 500",
		"sentinel failover-timeout " + masterName + " 5000",
	}
	for _, port := range servers[1:] {
		lines = append(lines, "sentinel known-replica "+masterName+" "+host+" "+port)
	}
	for i, port := range sentinels {
		if i != own {
			lines = append(lines, "sentinel known-sentinel "+masterName+" "+host+" "+port+" "+id(i))
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

func sentinelsMaster(ctx context.Context, seed *redis.Client, _ string) (string, error) {
	addr := redis.NewStringSliceCmd(ctx, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", masterName)
	if err := seed.Process(ctx, addr); err != nil {
		return "", err
	}
	return net.JoinHostPort(addr.Val()[0], addr.Val()[1]), nil
}
