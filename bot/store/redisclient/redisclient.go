// Package redisclient opens the program's Redis: the one in its settings or, without one, a Redis inside the process.
package redisclient

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/configs/redisurl"
	"hostbot/hostapi/secret"
)

// Conn is the program's connection to Redis.
type Conn struct {
	// Client sends commands, with the timeouts of package redisurl. It connects on first use.
	Client redis.UniversalClient
	// Embedded says that the Redis is inside the process.
	Embedded bool

	embedded *embedded // nil if Redis is a separate server
	outage   *outage   // nil without Watch
}

// Open returns a connection to the Redis at an address, as package redisurl documents it. It connects later, and
// fails only if the address is wrong.
//
// For an empty address it starts a Redis inside the process, and logs that its data is lost with the process.
func Open(address secret.Text, log zerolog.Logger) (*Conn, error) {
	if address == "" {
		log.Warn().Msg("REDIS_URL is empty: data is kept in memory, for this process alone and until it ends")
		e, err := startEmbedded()
		if err != nil {
			return nil, fmt.Errorf("redis in memory: %w", err)
		}
		e.client.AddHook(trace(log))
		return &Conn{Client: e.client, Embedded: true, embedded: e}, nil
	}
	options, err := redisurl.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("redis: the address %w", err)
	}
	client := newClient(options)
	client.AddHook(trace(log))
	return &Conn{Client: client}, nil
}

// clusterReload is how long go-redis may use its map of a Cluster's slots. With its default of a minute it would take
// that long to find the replacement of a master that died.
const clusterReload = time.Second

func newClient(options *redis.UniversalOptions) redis.UniversalClient {
	if !options.IsClusterMode {
		return redis.NewUniversalClient(options)
	}
	cluster := options.Cluster()
	cluster.ClusterStateReloadInterval = clusterReload
	return redis.NewClusterClient(cluster)
}

// MemoryUsed returns which share of its memory (maxmemory) Redis uses; of a Cluster, the fullest master. It is 0 if
// there is no limit.
func (c *Conn) MemoryUsed(ctx context.Context) (share float64, err error) {
	cluster, ok := c.Client.(*redis.ClusterClient)
	if !ok {
		return memoryUsed(ctx, c.Client)
	}
	var mu sync.Mutex
	err = cluster.ForEachMaster(ctx, func(ctx context.Context, master *redis.Client) error {
		its, err := memoryUsed(ctx, master)
		mu.Lock()
		defer mu.Unlock()
		share = max(share, its)
		return err
	})
	return share, err
}

func memoryUsed(ctx context.Context, server redis.Cmdable) (share float64, err error) {
	info, err := server.InfoMap(ctx, "memory").Result()
	if err != nil {
		return 0, err
	}
	used, _ := strconv.ParseFloat(info["Memory"]["used_memory"], 64)
	most, _ := strconv.ParseFloat(info["Memory"]["maxmemory"], 64)
	if most <= 0 {
		return 0, nil
	}
	return used / most, nil
}

// Close closes the connections, and an embedded Redis. Running commands fail. A Conn is closed once.
func (c *Conn) Close() {
	if c.outage != nil {
		c.outage.close()
	}
	_ = c.Client.Close() // fails only if it was closed before
	if c.embedded != nil {
		c.embedded.close()
	}
}
