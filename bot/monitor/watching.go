package monitor

import (
	"github.com/prometheus/client_golang/prometheus"

	"hostbot/bot/alerts"
	"hostbot/bot/watcher"
)

// Watching adds to what /metrics shows how watching fares, and alerts.
func (m *Monitor) Watching(watching func() watcher.Status, alerting func() alerts.Status) {
	gauge := func(name, help string, value func() float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "hostbot_" + name, Help: help}, value))
	}
	counter := func(name, help string, value func() float64) {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "hostbot_" + name, Help: help}, value))
	}
	gauge("watch_accounts", "Accounts that are watched, by all replicas.", func() float64 { return float64(watching().Accounts) })
	gauge("watch_interval_seconds", "Time between two looks at an account; more than WATCH_INTERVAL where WATCH_RATE allows no less.",
		func() float64 { return watching().Interval.Seconds() })
	gauge("watch_lag_seconds", "For how long the account has been due that is due first.", func() float64 { return watching().Lag.Seconds() })
	counter("watch_looks_total", "Looks of this replica that succeeded.", func() float64 { return float64(watching().Looks) })
	counter("watch_failed_looks_total", "Looks of this replica that did not succeed.", func() float64 { return float64(watching().Failed) })
	gauge("alerts_waiting", "Alerts that are to be sent or edited, by all replicas.", func() float64 { return float64(alerting().Waiting) })
	counter("alerts_sent_total", "Alerts that were sent, by all replicas.", func() float64 { return float64(alerting().Sent) })
	counter("alerts_refused_total", "Customers who took no message, by all replicas.", func() float64 { return float64(alerting().Refused) })
}
