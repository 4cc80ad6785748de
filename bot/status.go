package bot

import (
	"context"
	"time"

	"hostbot/bot/logchannel"
	"hostbot/bot/monitor"
	"hostbot/commands"
)

// pingLimit bounds the question whether Redis is there.
const pingLimit = time.Second

// health gathers how the program and what it depends on fare. It makes no call
// to the hosting service, which may be in trouble already.
func (b *Bot) health(ctx context.Context) commands.Health {
	calls, failed := b.monitor.RecentCalls()
	return commands.Health{
		Version: b.version,
		Started: b.started,
		Served:  b.monitor.Served(),
		Shards:  []commands.Shard{{ID: 0, Ready: b.Ready(), Latency: b.gateway.Latency()}},
		Service: commands.ServiceHealth{Window: monitor.Window, Calls: calls, Failed: failed},
		Redis:   b.redisHealth(ctx),
		Waiting: waiting(b.delivery.Status()),
	}
}

// waiting is how many entries are on their way to the log channels.
func waiting(channels []logchannel.Status) int {
	n := 0
	for _, ch := range channels {
		n += ch.Waiting
	}
	return n
}

func (b *Bot) redisHealth(ctx context.Context) commands.RedisHealth {
	ctx, cancel := context.WithTimeout(ctx, pingLimit)
	defer cancel()
	asked := time.Now()
	err := b.redis.Client.Ping(ctx).Err()
	return commands.RedisHealth{Embedded: b.redis.Embedded, Err: err, Latency: time.Since(asked)}
}
