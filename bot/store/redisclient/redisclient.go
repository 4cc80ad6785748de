// Package redisclient opens the program's Redis: the one that its settings name,
// or, where they name none, one inside the process.
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
	// Client sends commands, within the limits that package redisurl sets. It
	// connects when it is first used, and again whenever it must.
	Client redis.UniversalClient
	// Embedded tells that the Redis is inside the process.
	Embedded bool

	embedded *embedded // nil: the Redis is a server of its own
	outage   *outage   // nil: nobody watches
}

// Open returns the connection to the Redis at an address, whose forms package
// redisurl documents. It does not wait for the Redis, which may come and go;
// the error is that the address is wrong.
//
// An empty address makes a Redis inside the process: its data is lost with the
// process and no other process sees it, as log is told.
func Open(address secret.Text, log zerolog.Logger) (*Conn, error) {
	if address == "" {
		log.Warn().Msg("REDIS_URL is empty: data is kept in memory, for this process alone and until it ends")
		e, err := startEmbedded()
		if err != nil {
			return nil, fmt.Errorf("redis in memory: %w", err)
		}
		e.client.AddHook(trace{log})
		return &Conn{Client: e.client, Embedded: true, embedded: e}, nil
	}
	options, err := redisurl.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("redis: the address %w", err)
	}
	client := newClient(options)
	client.AddHook(trace{log})
	return &Conn{Client: client}, nil
}

// clusterReload is how old the knowledge may be of which server of a Cluster holds
// what. A master that died cannot tell who took its place, and go-redis would ask
// others after a minute.
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

// Close ends the connections, and the Redis where it is inside the process.
// Commands under way fail. A Conn is closed once.
func (c *Conn) Close() {
	if c.outage != nil {
		c.outage.close()
	}
	_ = c.Client.Close() // it fails only where it was closed before
	if c.embedded != nil {
		c.embedded.close()
	}
}
