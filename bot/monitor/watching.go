package monitor

import (
	"hostbot/bot/alerts"
	"hostbot/bot/watcher"
)

// Watching adds to what /metrics shows how watching fares, and alerts.
func (m *Monitor) Watching(watching func() watcher.Status, alerting func() alerts.Status) {
	m.read = append(m.read, func(p *page) {
		w, a := watching(), alerting()
		p.gauge("hostbot_watch_accounts", float64(w.Accounts))
		p.gauge("hostbot_watch_interval_seconds", w.Interval.Seconds())
		p.gauge("hostbot_watch_lag_seconds", w.Lag.Seconds())
		p.counter("hostbot_watch_looks_total", w.Looks)
		p.counter("hostbot_watch_failed_looks_total", w.Failed)
		p.gauge("hostbot_alerts_waiting", float64(a.Waiting))
		p.counter("hostbot_alerts_sent_total", uint64(a.Sent))
		p.counter("hostbot_alerts_refused_total", uint64(a.Refused))
	})
}
