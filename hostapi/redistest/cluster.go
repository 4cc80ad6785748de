//go:build integration

package redistest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"hostbot/hostapi/loopback"
)

const (
	masters = 3     // of a Cluster
	slots   = 16384 // of all Clusters
)

// StartCluster starts a Cluster of three masters with a replica each, which takes its
// master's place when that was away for half a second.
func StartCluster(t testing.TB) *Group {
	t.Helper()
	path, dir := find(t), t.TempDir()
	var g *Group
	if err := attempt(func() (err error) { g, err = startCluster(path, dir, 2*masters); return err }); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.close)
	if err := g.awaitCluster(); err != nil {
		t.Fatal(err)
	}
	return g
}

// startCluster starts the processes of a Cluster. Those that are more than its masters
// are replicas.
func startCluster(path, dir string, n int) (*Group, error) {
	host := loopback.Host()
	ports, err := freePorts(host, 2*n)
	if err != nil {
		return nil, err
	}
	ports, buses := ports[:n], ports[n:]
	g := &Group{host: host, processes: make(map[string]*process), master: clustersMaster}
	args := make(map[string][]string)
	for i, port := range ports {
		file := filepath.Join(dir, "nodes-"+port+".conf")
		if err := os.WriteFile(file, []byte(nodesFile(host, i, ports, buses)), 0o600); err != nil {
			return nil, err
		}
		g.seeds = append(g.seeds, g.at(port))
		args[g.at(port)] = append(bind(host),
			"--port", port, "--cluster-port", buses[i], "--dir", dir, "--save", "",
			"--cluster-enabled", "yes", "--cluster-config-file", file, "--cluster-node-timeout", "500", "--repl-diskless-sync-delay", "0")
	}
	if err := g.start(path, serves, args); err != nil {
		return nil, err
	}
	g.url = "redis://" + g.seeds[0] + "?addr=" + strings.Join(g.seeds[1:], "&addr=")
	return g, nil
}

// awaitCluster waits until the servers found each other. A master waits for 2 s before
// it serves.
func (g *Group) awaitCluster() error {
	return await(g.seeds, func(ctx context.Context, c *redis.Client) bool {
		return strings.Contains(c.ClusterInfo(ctx).Val(), "cluster_state:ok") &&
			!strings.Contains(c.Info(ctx, "replication").Val(), "master_link_status:down")
	})
}

// nodesFile is what a server would have written that has found the others.
func nodesFile(host string, own int, ports, buses []string) string {
	id := func(i int) string { return fmt.Sprintf("%040x", i+1) }
	var lines strings.Builder
	for i, port := range ports {
		flags, master, held := "master", "-", ""
		if i < masters {
			held = fmt.Sprintf(" %d-%d", i*slots/masters, (i+1)*slots/masters-1)
		} else {
			flags, master = "slave", id(i-masters)
		}
		if i == own {
			flags = "myself," + flags
		}
		_, _ = fmt.Fprintf(&lines, "%s %s:%s@%s %s %s 0 0 %d connected%s\n", id(i), host, port, buses[i], flags, master, i%masters+1, held)
	}
	_, _ = fmt.Fprintf(&lines, "vars currentEpoch %d lastVoteEpoch 0\n", masters)
	return lines.String()
}

// clustersMaster asks a server for the key: one that does not have it names the one
// that has.
func clustersMaster(ctx context.Context, seed *redis.Client, key string) (string, error) {
	err := seed.Exists(ctx, key).Err()
	if err == nil {
		return seed.Options().Addr, nil
	}
	if words := strings.Fields(err.Error()); len(words) == 3 && words[0] == "MOVED" {
		return words[2], nil
	}
	return "", err
}
