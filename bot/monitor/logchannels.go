package monitor

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"hostbot/bot/logchannel"
)

// LogChannels adds to what /metrics shows how the log channels fare, of which
// there are always the same. They are labelled with the categories of their
// entries.
func (m *Monitor) LogChannels(status func() []logchannel.Status) {
	for i, channel := range status() {
		names := make([]string, len(channel.Categories))
		for j, category := range channel.Categories {
			names[j] = string(category)
		}
		options := func(name, help string) prometheus.Opts {
			return prometheus.Opts{Name: "hostbot_log_" + name, Help: help, ConstLabels: prometheus.Labels{"channel": strings.Join(names, ",")}}
		}
		gauge := func(name, help string, value func(logchannel.Status) float64) {
			show := func() float64 { return value(status()[i]) }
			m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts(options(name, help)), show))
		}
		counter := func(name, help string, value func(logchannel.Status) uint64) {
			show := func() float64 { return float64(value(status()[i])) }
			m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts(options(name, help)), show))
		}
		gauge("entries_waiting", "Log channel entries that Discord does not have yet.", func(s logchannel.Status) float64 { return float64(s.Waiting) })
		gauge("oldest_entry_seconds", "For how long the oldest of them has been waiting.",
			func(s logchannel.Status) float64 { return s.Age(time.Now()).Seconds() })
		gauge("channel_failing", "1 while Discord does not take entries.", func(s logchannel.Status) float64 { return float64(min(1, len(s.Trouble))) })
		counter("requests_total", "Messages and edits that Discord took.", func(s logchannel.Status) uint64 { return s.Sent })
		counter("failed_requests_total", "Messages and edits that Discord did not take at once.", func(s logchannel.Status) uint64 { return s.Retried })
	}
}
