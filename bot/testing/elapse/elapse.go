// Package elapse has the time come for what the bot does by the clock, for tests and for the playground.
package elapse

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/store/keyspace"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/schedule"
)

// Schedule has the time come now at which a bot is restarted by its schedule, and reports whether it has one. One of once a day
// is from then on of the time that it is there now.
func Schedule(ctx context.Context, client redis.UniversalClient, space keyspace.Space, customerID, serverID string) (found bool, err error) {
	now, since := time.Now(), time.Now().Add(-time.Minute)
	schedules := schedule.New(schedule.Config{
		Redis: client, Space: space, Rate: 1, Wake: func(context.Context, string, ...string) {}, Log: zerolog.Nop(), Now: func() time.Time { return since },
	})
	wanted, err := schedules.Get(ctx, customerID, serverID)
	if err != nil || wanted == nil {
		return false, err
	}
	if there := now.In(notify.Location(wanted.Zone)); wanted.Hours > 0 {
		since = now.Add(-time.Duration(wanted.Hours) * time.Hour)
	} else {
		wanted.At = there.Hour()*60 + there.Minute()
	}
	if err := schedules.Set(ctx, customerID, *wanted); err != nil {
		return false, err
	}
	due := schedules.Work().Due
	all, err := client.ZRange(ctx, due, 0, -1).Result()
	for _, id := range all { // the leader leaves those of others for their time
		if err == nil {
			err = client.ZAdd(ctx, due, redis.Z{Member: id}).Err()
		}
	}
	return true, err
}
