package monitor

import (
	"strconv"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/shards"
)

// Gateway is how the shards that the process holds fare, and what Discord said last
// about sessions; its Total is 0 before it has said anything.
type Gateway struct {
	Shards []shards.Status
	Limits discordgo.GatewayBotResponse
	// Since the start: sessions that were begun, or tried to begin, and resumed, and
	// shards that were given to other replicas.
	Identifies, Resumes, Handovers int64
}

// Gateway adds the gateway to what /metrics shows.
func (m *Monitor) Gateway(now func() Gateway) {
	m.read = append(m.read, func(p *page) {
		g := now()
		for _, s := range g.Shards {
			p.gauge("hostbot_gateway_shard_ready", oneIf(s.Ready), "shard", strconv.Itoa(s.ID))
		}
		for _, s := range g.Shards {
			p.gauge("hostbot_gateway_latency_seconds", s.Latency.Seconds(), "shard", strconv.Itoa(s.ID))
		}
		limits := g.Limits.SessionStartLimit
		p.gauge("hostbot_gateway_shards_held", float64(len(g.Shards)))
		if limits.Total > 0 { // Discord has told
			p.gauge("hostbot_gateway_sessions_remaining", float64(limits.Remaining))
			p.gauge("hostbot_gateway_recommended_shards", float64(g.Limits.Shards))
			p.gauge("hostbot_gateway_max_concurrency", float64(limits.MaxConcurrency))
		}
		p.counter("hostbot_gateway_identifies_total", uint64(g.Identifies))
		p.counter("hostbot_gateway_resumes_total", uint64(g.Resumes))
		p.counter("hostbot_gateway_handovers_total", uint64(g.Handovers))
	})
}
