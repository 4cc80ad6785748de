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
		Service: commands.ServiceHealth{Window: monitor.Window, Calls: calls, Failed: failed, DownSince: b.service.DownSince()},
		Redis:   b.redisHealth(ctx),
		Log:     logHealth(b.delivery.Status()),
	}
}

func logHealth(channels []logchannel.Status) []commands.LogChannel {
	list := make([]commands.LogChannel, len(channels))
	for i, ch := range channels {
		list[i] = commands.LogChannel{ID: ch.Channel, Waiting: ch.Waiting, Age: ch.Age(time.Now()), Trouble: ch.Trouble, Forbidden: ch.Forbidden}
	}
	return list
}

func (b *Bot) redisHealth(ctx context.Context) commands.RedisHealth {
	ctx, cancel := context.WithTimeout(ctx, pingLimit)
	defer cancel()
	asked := time.Now()
	err := b.redis.Client.Ping(ctx).Err()
	return commands.RedisHealth{Embedded: b.redis.Embedded, Err: err, Latency: time.Since(asked)}
}
