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
	now := time.Now()
	chosen := now.Add(-time.Minute) // when it seems to have been chosen
	schedules := schedule.New(schedule.Config{Redis: client, Space: space, Rate: 1, Log: zerolog.Nop(), Now: func() time.Time { return chosen }})
	wanted, err := schedules.Get(ctx, customerID, serverID)
	if err != nil || wanted == nil {
		return false, err
	}
	if wanted.Hours > 0 {
		chosen = now.Add(-time.Duration(wanted.Hours) * time.Hour)
	} else {
		there := now.In(notify.Location(wanted.Zone))
		wanted.At = there.Hour()*60 + there.Minute()
	}
	if err := schedules.Set(ctx, customerID, *wanted); err != nil {
		return false, err
	}
	due := schedules.Work().Due
	all, err := client.ZRange(ctx, due, 0, -1).Result()
	if err != nil {
		return false, err
	}
	for i := range all { // the leader leaves those of others for their time
		if err := client.ZAddXX(ctx, due, redis.Z{Member: all[i]}).Err(); err != nil {
			return false, err
		}
	}
	return true, nil
}
