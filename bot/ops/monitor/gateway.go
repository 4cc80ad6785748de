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
	m.ask(func(show showFunc) {
		g := now()
		for _, s := range g.Shards {
			shard := strconv.Itoa(s.ID)
			show(gauge("hostbot_gateway_shard_ready", "1 while Discord delivers the events of a shard that is held.", "shard"), oneIf(s.Ready), shard)
			show(gauge("hostbot_gateway_latency_seconds", "From the last heartbeat to its acknowledgement; 0 until there is one.", "shard"), s.Latency.Seconds(), shard)
		}
		show(gauge("hostbot_gateway_shards_held", "Shards that this replica holds."), float64(len(g.Shards)))
		if limits := g.Limits.SessionStartLimit; limits.Total > 0 { // Discord has told
			show(gauge("hostbot_gateway_sessions_remaining",
				"Sessions that Discord still allows today, when it was asked last: before each session that is begun, and every five minutes."), float64(limits.Remaining))
			show(gauge("hostbot_gateway_recommended_shards", "Shards that Discord recommends."), float64(g.Limits.Shards))
			show(gauge("hostbot_gateway_max_concurrency", "Sessions that may be begun at the same time."), float64(limits.MaxConcurrency))
		}
		show(counter("hostbot_gateway_identifies_total", "Sessions that were begun, or tried to begin."), float64(g.Identifies))
		show(counter("hostbot_gateway_resumes_total", "Sessions that were resumed."), float64(g.Resumes))
		show(counter("hostbot_gateway_handovers_total", "Shards that were given to other replicas."), float64(g.Handovers))
	})
}
