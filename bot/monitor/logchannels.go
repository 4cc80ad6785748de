package monitor

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"hostbot/bot/logchannel"
)

// LogChannels adds how the log channels fare to what /metrics shows.
func (m *Monitor) LogChannels(status func() []logchannel.Status) {
	m.registry.MustRegister(logChannels(status))
}

// logChannels asks for figures when they are shown. Channels are labelled with
// the categories of their entries.
type logChannels func() []logchannel.Status

// figure is one of those of a channel.
type figure struct {
	name, help string
	kind       prometheus.ValueType
	value      func(logchannel.Status) float64
}

func figures() []figure {
	return []figure{
		{"entries_waiting", "Log channel entries that Discord does not have yet.", prometheus.GaugeValue,
			func(s logchannel.Status) float64 { return float64(s.Waiting) }},
		{"oldest_entry_seconds", "For how long the oldest of them has been waiting.", prometheus.GaugeValue,
			func(s logchannel.Status) float64 { return s.Age(time.Now()).Seconds() }},
		{"channel_failing", "1 while Discord does not take entries.", prometheus.GaugeValue,
			func(s logchannel.Status) float64 { return float64(min(1, len(s.Trouble))) }},
		{"requests_total", "Messages and edits that Discord took.", prometheus.CounterValue,
			func(s logchannel.Status) float64 { return float64(s.Sent) }},
		{"failed_requests_total", "Messages and edits that Discord did not take at once.", prometheus.CounterValue,
			func(s logchannel.Status) float64 { return float64(s.Retried) }},
		{"grouped_errors_total", "Errors that are told by a count alone.", prometheus.CounterValue,
			func(s logchannel.Status) float64 { return float64(s.Grouped) }},
	}
}

// Describe is of prometheus.Collector.
func (c logChannels) Describe(out chan<- *prometheus.Desc) {
	for _, f := range figures() {
		out <- f.describe()
	}
}

// Collect is of prometheus.Collector.
func (c logChannels) Collect(out chan<- prometheus.Metric) {
	for _, s := range c() {
		names := make([]string, len(s.Categories))
		for i, category := range s.Categories {
			names[i] = string(category)
		}
		for _, f := range figures() {
			out <- prometheus.MustNewConstMetric(f.describe(), f.kind, f.value(s), strings.Join(names, ","))
		}
	}
}

func (f figure) describe() *prometheus.Desc {
	return prometheus.NewDesc("hostbot_log_"+f.name, f.help, []string{"channel"}, nil)
}
