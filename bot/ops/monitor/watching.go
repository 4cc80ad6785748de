package monitor

import (
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/watcher"
)

// Watching adds to what /metrics shows how watching fares, and alerts. Where alerting
// fails, nothing is shown of them: zeros would be taken for a new beginning.
func (m *Monitor) Watching(watching func() watcher.Status, alerting func() (alerts.Status, error)) {
	m.read = append(m.read, func(p *page) {
		w := watching()
		p.gauge("hostbot_watch_accounts", float64(w.Accounts))
		p.gauge("hostbot_watch_interval_seconds", w.Interval.Seconds())
		p.gauge("hostbot_watch_lag_seconds", w.Delay.Seconds())
		p.gauge("hostbot_watch_limited_accounts", float64(w.Limits.Accounts))
		p.gauge("hostbot_watch_slowed", oneIf(w.Limits.All))
		p.counter("hostbot_watch_looks_total", w.Polls)
		p.counter("hostbot_watch_failed_looks_total", w.Failed)
		a, err := alerting()
		if err != nil {
			return
		}
		p.gauge("hostbot_alerts_waiting", float64(a.Waiting))
		p.counter("hostbot_alerts_sent_total", uint64(a.Sent))
		p.counter("hostbot_alerts_refused_total", uint64(a.Refused))
		held := 0.0
		if a.Held.Is() {
			held = 1
		}
		p.gauge("hostbot_alerts_held", held)
	})
}
