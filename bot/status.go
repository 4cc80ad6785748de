package bot

import (
	"context"
	"time"

	"hostbot/bot/monitor"
	"hostbot/commands"
)

// pingLimit bounds the question whether Redis is there.
const pingLimit = time.Second

// health gathers how the program and what it depends on fare. It makes no call
// to the hosting service, which may be in trouble already.
func (b *Bot) health(ctx context.Context) commands.Health {
	calls, failed := b.monitor.RecentCalls()
	ctx, cancel := context.WithTimeout(ctx, pingLimit)
	defer cancel()
	asked := time.Now()
	err := b.redis.Client.Ping(ctx).Err()
	return commands.Health{
		Version: b.version,
		Started: b.started,
		Served:  b.monitor.Served(),
		Shards:  b.heldShards(),
		Calls:   calls, Failed: failed, Window: monitor.Window, DownSince: b.service.DownSince(),
		RedisEmbedded: b.redis.Embedded, RedisErr: err, RedisLatency: time.Since(asked),
		Log: b.delivery.Status(), Watching: b.watcher.On(), Watch: b.watcher.Status(), Alerts: b.alertStatus(),
	}
}
