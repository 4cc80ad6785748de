package alerts

import (
	"github.com/redis/go-redis/v9"

	"hostbot/bot/watch/notify"
)

// DMs and Redis return what the alerts were given.
func (a *Alerts) DMs() *notify.Notifier        { return a.cfg.DMs }
func (a *Alerts) Redis() redis.UniversalClient { return a.cfg.Redis }
