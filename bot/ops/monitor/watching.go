package monitor

import (
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/watcher"
)

// Watching adds to what /metrics shows how watching fares, and alerts to customers and in channels. Where alerting
// fails, nothing is shown of them: zeros would be taken for a new beginning.
func (m *Monitor) Watching(watching func() watcher.Status, alerting func() (sent, posted notify.Status, err error)) {
	m.ask(func(show showFunc) {
		w := watching()
		show(gauge("hostbot_watch_accounts", "Accounts that are watched, by all replicas."), float64(w.Accounts))
		show(gauge("hostbot_watch_interval_seconds",
			"Time between two polls of an account; more than WATCH_INTERVAL where WATCH_RATE allows no less."), w.Interval.Seconds())
		show(gauge("hostbot_watch_lag_seconds", "For how long the account has been due that is due first."), w.Delay.Seconds())
		show(gauge("hostbot_watch_limited_accounts",
			"Accounts whose polls the hosting service has answered with 429 lately, by all replicas."), float64(w.Limits.Accounts))
		show(gauge("hostbot_watch_slowed",
			"1 while polls of all accounts are fewer, as the hosting service has answered 429 to several."), oneIf(w.Limits.All))
		show(counter("hostbot_watch_looks_total", "Polls of this replica that succeeded."), float64(w.Polls))
		show(counter("hostbot_watch_failed_looks_total", "Polls of this replica that did not succeed."), float64(w.Failed))
	})

	m.ask(func(show showFunc) {
		a, posted, err := alerting()
		if err != nil {
			return
		}
		show(gauge("hostbot_alerts_waiting", "Alerts that are to be sent or edited, by all replicas."), float64(a.Waiting))
		show(counter("hostbot_alerts_sent_total", "Alerts that were sent, by all replicas."), float64(a.Sent))
		show(counter("hostbot_alerts_refused_total", "Customers who took no message, by all replicas."), float64(a.Refused))
		show(counter("hostbot_channel_alerts_sent_total", "Alerts that were posted in channels of panels, by all replicas."), float64(posted.Sent))
		show(gauge("hostbot_alerts_held", "1 while Discord lets the bot send no direct messages, or none to new people."), oneIf(a.Pause.Is()))
	})
}
