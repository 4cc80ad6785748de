package monitor

import (
	"strings"
	"time"

	"hostbot/bot/staff/logchannel"
)

// LogChannels adds to what /metrics shows how the log channels fare, labelled with the
// categories of their entries, and how many entries were dropped.
func (m *Monitor) LogChannels(status func() []logchannel.Status, dropped func() uint64) {
	m.read = append(m.read, func(p *page) {
		p.counter("hostbot_log_entries_dropped_total", dropped())
		channels := status()
		gauge := func(name string, value func(logchannel.Status) float64) {
			for _, s := range channels {
				p.gauge("hostbot_log_"+name, value(s), "channel", categories(s))
			}
		}
		counter := func(name string, value func(logchannel.Status) uint64) {
			for _, s := range channels {
				p.counter("hostbot_log_"+name, value(s), "channel", categories(s))
			}
		}
		gauge("entries_waiting", func(s logchannel.Status) float64 { return float64(s.Waiting) })
		gauge("oldest_entry_seconds", func(s logchannel.Status) float64 { return s.Age(time.Now()).Seconds() })
		gauge("channel_failing", func(s logchannel.Status) float64 { return oneIf(s.Trouble != "") })
		counter("requests_total", func(s logchannel.Status) uint64 { return s.Sent })
		counter("failed_requests_total", func(s logchannel.Status) uint64 { return s.Retried })
	})
}

func categories(s logchannel.Status) string {
	names := make([]string, len(s.Categories))
	for i, category := range s.Categories {
		names[i] = string(category)
	}
	return strings.Join(names, ",")
}
