package monitor

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
)

// dependencies are the figures of what the bot depends on, beside the hosting
// service's.
type dependencies struct {
	discord *prometheus.CounterVec
	cache   *prometheus.CounterVec
	redisUp prometheus.Gauge
}

func newDependencies() dependencies {
	d := dependencies{
		discord: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "hostbot_discord_requests_total", Help: "Requests to Discord's REST API by route and class of status (none: not answered).",
		}, []string{"route", "status"}),
		cache: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "hostbot_cache_lookups_total", Help: "Looks at an account by result: fresh, or asked where the hosting service had to be.",
		}, []string{"result"}),
		redisUp: prometheus.NewGauge(prometheus.GaugeOpts{Name: "hostbot_redis_up", Help: "0 while Redis cannot be used."}),
	}
	d.redisUp.Set(1)
	return d
}

// DiscordRequest counts a request to Discord's REST API. Status 0 is that of one which
// was not answered.
func (m *Monitor) DiscordRequest(route string, status int) {
	switch route {
	case "interactions", "webhooks", "channels", "gateway", "applications", "guilds", "users":
	default: // however many there may come to be
		route = "other"
	}
	m.discord.WithLabelValues(route, class(status)).Inc()
}

// class returns the class of an HTTP status. That of too many requests is its own.
func class(status int) string {
	switch {
	case status == 0:
		return "none"
	case status < 300:
		return "2xx"
	case status < 400:
		return "3xx"
	case status == http.StatusTooManyRequests:
		return "429"
	case status < 500:
		return "4xx"
	default:
		return "5xx"
	}
}

// CacheLookup counts a look at an account.
func (m *Monitor) CacheLookup(fresh bool) {
	result := "asked"
	if fresh {
		result = "fresh"
	}
	m.cache.WithLabelValues(result).Inc()
}

// RedisUp notes whether Redis can be used.
func (m *Monitor) RedisUp(up bool) {
	value := 0.
	if up {
		value = 1
	}
	m.redisUp.Set(value)
}

// Redis adds the connections to Redis to what /metrics shows.
func (m *Monitor) Redis(stats func() *redis.PoolStats) {
	m.registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "hostbot_redis_connections", Help: "Connections to Redis."},
			func() float64 { return float64(stats().TotalConns) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "hostbot_redis_pool_timeouts_total", Help: "Commands that found no free connection to Redis in time.",
		}, func() float64 { return float64(stats().Timeouts) }),
	)
}
