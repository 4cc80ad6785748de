package bot

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"hostbot/bot/discord/rest"
	"hostbot/bot/ops/monitor"
	"hostbot/commands"
)

// pingLimit bounds the question whether Redis is there.
const pingLimit = time.Second

// health gathers how the program and what it depends on fare. It makes no call
// to the hosting service, which may be in trouble already.
func (b *Bot) health(ctx context.Context) commands.Health {
	calls, failed := b.monitor.RecentCalls()
	answered, unanswered := b.monitor.Interactions()
	ctx, cancel := context.WithTimeout(ctx, pingLimit)
	defer cancel()
	asked := time.Now()
	err := b.redis.Client.Ping(ctx).Err()
	latency := time.Since(asked)
	if b.watcher.On() {
		_ = b.watcher.Refresh(ctx) // without Redis the last figures are shown, and RedisErr tells
	}
	requests, invalid := b.discord.Invalid()
	alerting, _ := b.alertStatus() // zeros while Redis is away, which RedisErr tells
	return commands.Health{
		Version:  b.version,
		Started:  b.started,
		Answered: answered, Unanswered: unanswered,
		Shards: b.heldShards(),
		Calls:  calls, Failed: failed, Window: monitor.Window, DownSince: b.service.DownSince(),
		Requests: requests, Invalid: invalid,
		RedisEmbedded: b.redis.Embedded, RedisErr: err, RedisLatency: latency,
		Log: b.delivery.Status(), Watching: b.watcher.On(), Watch: b.watcher.Status(), Alerts: alerting,
	}
}

// describeHealth is what /admin status shows, in lines for operators.
func (b *Bot) describeHealth(ctx context.Context) string {
	h := b.health(ctx)
	var text strings.Builder
	line := func(well bool, format string, args ...any) {
		mark := "✓ "
		if !well {
			mark = "✗ "
		}
		text.WriteString(mark + strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " ") + "\n")
	}
	line(true, "hostbot: version %s, up for %v, %d interactions answered, %d without an answer",
		h.Version, time.Since(h.Started).Round(time.Second), h.Answered, h.Unanswered)
	for _, s := range h.Shards {
		state := "not connected"
		switch {
		case s.Ready && s.Latency > 0:
			state = "heartbeats take " + s.Latency.Round(10*time.Microsecond).String()
		case s.Ready:
			state = "connected"
		}
		line(s.Ready, "gateway, shard %d: %s", s.ID, state)
	}
	if h.Shards != nil && len(h.Shards) == 0 {
		line(b.Standby(), "gateway: no shard is held here")
	}
	if b.endpoint != nil {
		line(b.Ready(), "interactions over HTTP")
	}
	line(h.ServiceWell(), "hosting service: %s", described(h))
	if wait := time.Until(b.discord.PausedUntil()); wait > 0 {
		line(false, "discord: all requests but answers to interactions wait for %v more, as discord asks", wait.Round(time.Second))
	}
	line(h.InvalidWell(), "discord: %d of %d requests refused (401, 403 or 429) within %v", h.Invalid, h.Requests, rest.InvalidWindow)
	switch {
	case h.RedisErr != nil:
		line(false, "redis: %v", h.RedisErr)
	case h.RedisEmbedded:
		line(true, "redis: in the process, as REDIS_URL is empty")
	default:
		line(true, "redis: answered within %v", h.RedisLatency.Round(10*time.Microsecond))
	}
	if h.Watching {
		line(!h.Watch.Grown, "watcher: %d accounts, each every %v, %v late; alerts: %d sent, %d refused, %d wait",
			h.Watch.Accounts, h.Watch.Interval, h.Watch.Lag, h.Alerts.Sent, h.Alerts.Refused, h.Alerts.Waiting)
	}
	if held := h.Alerts.Held; h.Watching && held.Is() {
		what := "alerts are held"
		if held.New {
			what = "no DMs are opened"
		}
		line(false, "direct messages: %s, the next after %s is tried; Discord refuses them with the code %d",
			what, held.Until.UTC().Format(time.DateTime), held.Code)
	}
	for _, ch := range h.Log {
		line(commands.LogWell(ch), "log channel %s: %d entries wait, the oldest for %v; %s",
			ch.Channel, ch.Waiting, ch.Age(time.Now()).Round(time.Second), cmp.Or(ch.Trouble, "Discord takes them"))
	}
	return text.String()
}

func described(h commands.Health) string {
	text := fmt.Sprintf("%d of %d calls failed within %v", h.Failed, h.Calls, h.Window)
	if !h.DownSince.IsZero() {
		text = fmt.Sprintf("away for %v; ", time.Since(h.DownSince).Round(time.Second)) + text
	}
	return text
}
