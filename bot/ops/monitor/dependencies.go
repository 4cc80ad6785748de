package monitor

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/discord/recent"
	"hostbot/bot/discord/register"
	"hostbot/bot/leader"
)

// redisLimit bounds a question to Redis.
const redisLimit = time.Second

// Leader adds to what /metrics shows whether this replica leads, and how many dead letters there are. The leader
// alone shows that, while Redis tells it.
func (m *Monitor) Leader(leading func() bool, letters func(context.Context) ([]leader.Letter, error)) {
	m.ask(func(show showFunc) {
		show(gauge("hostbot_leader", "1 while this replica does what only one may do: it polls, and sends alerts and panels."), oneIf(leading()))
		if !leading() {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), redisLimit)
		defer cancel()
		if found, err := letters(ctx); err == nil {
			show(gauge("hostbot_dead_letters", "What the leader cannot deal with: it ended the process or panicked again and again, or cannot be read. The leader shows it."), float64(len(found)))
		}
	})
}

// DiscordRequest counts a request to Discord's REST API. Status 0 is that of one which
// was not answered; failure says how Discord or the network failed, and is "" if neither did.
func (m *Monitor) DiscordRequest(route string, status int, failure string) {
	if status != 0 || failure != "" { // otherwise it was cancelled
		m.discord.Note(time.Now(), failure)
	}
	m.counted.requests.WithLabelValues(route, class(status)).Inc()
}

// Discord adds to what /metrics shows how many requests Discord answered within
// rest.InvalidWindow, and how many of them count towards a ban.
func (m *Monitor) Discord(recent func() (answered, invalid int)) {
	m.ask(func(show showFunc) {
		_, invalid := recent()
		show(gauge("hostbot_discord_invalid_requests",
			"Requests of the last ten minutes that count towards a ban of this machine's address: Discord bans at 10,000."), float64(invalid))
	})
}

// Arrival adds to what /metrics shows whether interactions arrive where the bot takes them, and until when
// the certificate of its public address is good.
func (m *Monitor) Arrival(latest func() register.Arrival) {
	m.ask(func(show showFunc) {
		a := latest()
		if !a.At.IsZero() {
			show(gauge("hostbot_interactions_arrive",
				"0 while Discord sends interactions elsewhere, or nothing answers at the Interactions Endpoint URL as the bot does; missing until that was looked at."), oneIf(a.Fault == register.None))
		}
		if !a.Expires.IsZero() {
			show(gauge("hostbot_endpoint_certificate_expiry_timestamp_seconds", "When the certificate of the Interactions Endpoint URL expires, since 1970."), float64(a.Expires.Unix()))
		}
	})
}

// class returns the class of an HTTP status. That of too many requests is its own.
func class(status int) string {
	switch {
	case status == 0:
		return "none"
	case status == http.StatusTooManyRequests:
		return "429"
	case status/100 == 2: // as most are
		return "2xx"
	default:
		return strconv.Itoa(status/100) + "xx"
	}
}

// CacheLookup counts a look at an account.
func (m *Monitor) CacheLookup(fresh bool) {
	result := "asked"
	if fresh {
		result = "fresh"
	}
	m.counted.lookups.WithLabelValues(result).Inc()
}

// ServiceHealth adds to what /metrics shows whether the hosting service is there: nothing before the first call.
func (m *Monitor) ServiceHealth(downSince func() time.Time) {
	m.ask(func(show showFunc) {
		if down := !downSince().IsZero(); down || m.calls.Called() {
			show(gauge("hostbot_hostapi_up", "0 while the hosting service is taken to be away, and calls are refused; missing until it was called."), oneIf(!down))
		}
	})
}

// RedisUp notes that Redis can be used, or why it cannot.
func (m *Monitor) RedisUp(trouble error) {
	m.redisAway.Store(trouble != nil)
	reason := ""
	if trouble != nil {
		reason = trouble.Error()
	}
	m.redis.Note(time.Now(), reason)
}

// RecentRequests is how requests to Discord's REST API have fared within Window.
func (m *Monitor) RecentRequests() recent.Summary { return m.discord.Summary(time.Now()) }

// RedisOutages is when Redis was lost last, and when it was back.
func (m *Monitor) RedisOutages() recent.Summary { return m.redis.Summary(time.Now()) }

// Redis adds to what /metrics shows the connections to Redis, and whether it can be used: nothing of
// that while there is no connection and RedisUp was told of no trouble.
func (m *Monitor) Redis(stats func() *redis.PoolStats) {
	m.ask(func(show showFunc) {
		now := stats()
		if away := m.redisAway.Load(); away || now.TotalConns > 0 {
			show(gauge("hostbot_redis_up", "0 while Redis cannot be used; missing while nothing is known, as there is no connection."), oneIf(!away))
		}
		show(gauge("hostbot_redis_connections", "Connections to Redis."), float64(now.TotalConns))
		show(counter("hostbot_redis_pool_timeouts_total", "Commands that found no free connection to Redis in time."), float64(now.Timeouts))
	})
}

// RedisMemory adds to what /metrics shows which share of its memory Redis uses: nothing while Redis does not tell, or
// has no limit.
func (m *Monitor) RedisMemory(used func(context.Context) (float64, error)) {
	m.ask(func(show showFunc) {
		if m.redisAway.Load() {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), redisLimit)
		defer cancel()
		if share, err := used(ctx); err == nil && share > 0 {
			show(gauge("hostbot_redis_memory_used_ratio", "Redis's used_memory of its maxmemory, from 0 to 1; of a Cluster, the fullest master's. Missing if there is no limit."), share)
		}
	})
}
