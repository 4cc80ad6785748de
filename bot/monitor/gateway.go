package monitor

import (
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/prometheus/client_golang/prometheus"
)

// Gateway is how the shards that the process holds fare, and what Discord said last
// about sessions. What it has not said yet is 0.
type Gateway struct {
	Shards []Shard
	Limits discordgo.GatewayBotResponse
	// Since the start: sessions that were begun, or tried to begin, and resumed, and
	// shards that were given to other replicas.
	Identifies, Resumes, Handovers int64
}

// Shard is a shard that the process holds.
type Shard struct {
	ID      int
	Ready   bool
	Latency time.Duration
}

// Gateway adds the gateway to what /metrics shows.
func (m *Monitor) Gateway(now func() Gateway) { m.registry.MustRegister(gatewayCollector(now)) }

// gatewayCollector collects what is not there all the time: a metric for each shard
// that is held.
type gatewayCollector func() Gateway

// Describe describes nothing: which metrics there are changes.
func (gatewayCollector) Describe(chan<- *prometheus.Desc) {}

// Collect sends the metrics.
func (c gatewayCollector) Collect(metrics chan<- prometheus.Metric) {
	now := c()
	send := func(kind prometheus.ValueType, name, help string, value float64) {
		metrics <- prometheus.MustNewConstMetric(prometheus.NewDesc("hostbot_gateway_"+name, help, nil, nil), kind, value)
	}
	sendShard := func(shard int, name, help string, value float64) {
		desc := prometheus.NewDesc("hostbot_gateway_"+name, help, []string{"shard"}, nil)
		metrics <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, strconv.Itoa(shard))
	}
	for _, s := range now.Shards {
		ready := 0.0
		if s.Ready {
			ready = 1
		}
		sendShard(s.ID, "shard_ready", "1 while Discord delivers the events of a shard that is held.", ready)
		sendShard(s.ID, "latency_seconds", "From a heartbeat to its acknowledgement.", s.Latency.Seconds())
	}
	limits := now.Limits.SessionStartLimit
	send(prometheus.GaugeValue, "shards_held", "Shards that this replica holds.", float64(len(now.Shards)))
	send(prometheus.GaugeValue, "sessions_remaining", "Sessions that Discord still allows today, when it was asked last.", float64(limits.Remaining))
	send(prometheus.GaugeValue, "recommended_shards", "Shards that Discord recommends.", float64(now.Limits.Shards))
	send(prometheus.GaugeValue, "max_concurrency", "Sessions that may be begun at the same time.", float64(limits.MaxConcurrency))
	send(prometheus.CounterValue, "identifies_total", "Sessions that were begun, or tried to begin.", float64(now.Identifies))
	send(prometheus.CounterValue, "resumes_total", "Sessions that were resumed.", float64(now.Resumes))
	send(prometheus.CounterValue, "handovers_total", "Shards that were given to other replicas.", float64(now.Handovers))
}
