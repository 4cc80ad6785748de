package bot

import (
	"context"
	"time"

	"hostbot/bot/ops/monitor"
	"hostbot/bot/sanitize"
	"hostbot/bot/staff/health"
)

// redisLimit bounds the requests to Redis for one report.
const redisLimit = time.Second

// unreadyLimit is the most characters of whyUnready.
const unreadyLimit = 300

// health reports how the program and its dependencies fare. It makes no call to the hosting service: that may
// be in trouble already.
func (b *Bot) health(ctx context.Context) health.Report {
	answered, unanswered := b.monitor.Interactions()
	responses := b.monitor.RecentResponses()
	ctx, cancel := context.WithTimeout(ctx, redisLimit)
	defer cancel()
	asked := time.Now()
	err := b.redis.Write(ctx)
	latency := time.Since(asked)
	if b.watcher.On() {
		_ = b.watcher.Refresh(ctx) // without Redis the last figures are shown, and RedisErr is set
	}
	leads, _ := b.leader.Holder(ctx) // nobody while Redis is away
	requests, invalid := b.discord.Invalid()
	alerting, _, _ := b.alertStatus() // zeros while Redis is away
	queues, letters, _ := b.leader.Queues(ctx)
	lostSince, lostReason := b.connections.loss()
	return health.Report{
		Version:  b.version,
		Started:  b.started,
		Answered: answered, Unanswered: unanswered,
		Responses: responses.Summary, P95: responses.P95,
		Ready: b.Ready(), Standby: b.Standby(), Shards: b.heldShards(), LostSince: lostSince, LostReason: lostReason, Unlocated: b.whyNoGateway(), Arrival: b.arrival.Latest(),
		Service: b.monitor.RecentCalls(), Window: monitor.Window, DownSince: b.service.DownSince(), Missing: b.missingAccounts(),
		Discord: b.monitor.RecentRequests(), Requests: requests, Invalid: invalid, PausedUntil: b.discord.PausedUntil(),
		Leader: leads, Queues: queues, Dead: letters,
		RedisEmbedded: b.redis.Embedded, RedisErr: err, RedisLatency: latency, Redis: b.monitor.RedisOutages(),
		Log: b.delivery.Status(), Watching: b.watcher.On(), Watch: b.watcher.Status(), Alerts: alerting, Outage: b.outages.Current(), Use: b.use(ctx),
	}
}

// use returns zeros for what Redis does not tell.
func (b *Bot) use(ctx context.Context) health.Use {
	restarts, _ := b.restarts.Bots(ctx)
	scheduled, _ := b.schedules.Bots(ctx)
	timed, _ := b.alerts.Timed(ctx)
	channels, _ := b.channels.Users(ctx)
	answers, _ := b.desk.Status(ctx)
	return health.Use{Restarts: restarts, Scheduled: scheduled, Timed: timed, Channels: channels, Answers: int(answers.Sent), Notices: len(b.outages.Notices())}
}

// whyUnready returns why interactions are not served; "" if that is not known.
func (b *Bot) whyUnready() string {
	if _, reason := b.connections.loss(); reason != nil {
		return sanitize.Plain(reason.Error(), unreadyLimit)
	}
	return ""
}
