package monitor

import (
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/prometheus/client_golang/prometheus"
)

// Gateway is a shard's session as it is measured.
type Gateway interface {
	Latency() time.Duration
	// Limits is what Discord said last, or nil.
	Limits() *discordgo.GatewayBotResponse
}

// Gateway adds a shard's session to what /metrics shows. What Discord has not
// said yet is 0.
func (m *Monitor) Gateway(g Gateway) {
	limits := func() discordgo.GatewayBotResponse {
		if said := g.Limits(); said != nil {
			return *said
		}
		return discordgo.GatewayBotResponse{}
	}
	gauge := func(name, help string, value func() float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "hostbot_gateway_" + name, Help: help}, value))
	}
	gauge("latency_seconds", "From a heartbeat to its acknowledgement.", func() float64 { return g.Latency().Seconds() })
	gauge("sessions_remaining", "Sessions that Discord still allows today, when it was asked last.",
		func() float64 { return float64(limits().SessionStartLimit.Remaining) })
	gauge("recommended_shards", "Shards that Discord recommends.", func() float64 { return float64(limits().Shards) })
	gauge("max_concurrency", "Sessions that may be begun at the same time.",
		func() float64 { return float64(limits().SessionStartLimit.MaxConcurrency) })
}
