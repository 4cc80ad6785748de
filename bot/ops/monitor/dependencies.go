package monitor

import (
	"net/http"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/discord/recent"
)

// Leader adds to what /metrics shows whether this replica leads.
func (m *Monitor) Leader(leading func() bool) {
	m.read = append(m.read, func(p *page) { p.gauge("hostbot_leader", oneIf(leading())) })
}

// DiscordRequest counts a request to Discord's REST API. Status 0 is that of one which
// was not answered; failure says how Discord or the network failed, and is "" if neither did.
func (m *Monitor) DiscordRequest(route string, status int, failure string) {
	if status != 0 || failure != "" { // otherwise it was cancelled
		m.discord.Note(time.Now(), failure)
	}
	m.count("hostbot_discord_requests_total", "route", route, "status", class(status))
}

// Discord adds to what /metrics shows how many requests Discord answered within
// rest.InvalidWindow, and how many of them count towards a ban.
func (m *Monitor) Discord(recent func() (answered, invalid int)) {
	m.read = append(m.read, func(p *page) {
		_, invalid := recent()
		p.gauge("hostbot_discord_invalid_requests", float64(invalid))
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
	m.count("hostbot_cache_lookups_total", "result", result)
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

// Redis adds the connections to Redis to what /metrics shows.
func (m *Monitor) Redis(stats func() *redis.PoolStats) {
	m.read = append(m.read, func(p *page) {
		now := stats()
		p.gauge("hostbot_redis_connections", float64(now.TotalConns))
		p.counter("hostbot_redis_pool_timeouts_total", uint64(now.Timeouts))
	})
}
