package monitor

import (
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/watcher"
)

// Watching adds to what /metrics shows how watching fares, and alerts to customers and in channels. Where alerting
// fails, nothing is shown of them: zeros would be taken for a new beginning.
func (m *Monitor) Watching(watching func() watcher.Status, alerting func() (sent, posted notify.Status, err error)) {
	accounts := gauge("hostbot_watch_accounts", "Accounts that are watched, by all replicas.")
	interval := gauge("hostbot_watch_interval_seconds",
		"Time between two polls of an account; more than WATCH_INTERVAL where WATCH_RATE allows no less.")
	lag := gauge("hostbot_watch_lag_seconds", "For how long the account has been due that is due first.")
	limited := gauge("hostbot_watch_limited_accounts",
		"Accounts whose polls the hosting service has answered with 429 lately, by all replicas.")
	slowed := gauge("hostbot_watch_slowed",
		"1 while polls of all accounts are fewer, as the hosting service has answered 429 to several.")
	polls := counter("hostbot_watch_looks_total", "Polls of this replica that succeeded.")
	failed := counter("hostbot_watch_failed_looks_total", "Polls of this replica that did not succeed.")
	m.ask(func(show showFunc) {
		w := watching()
		show(accounts, float64(w.Accounts))
		show(interval, w.Interval.Seconds())
		show(lag, w.Delay.Seconds())
		show(limited, float64(w.Limits.Accounts))
		show(slowed, oneIf(w.Limits.All))
		show(polls, float64(w.Polls))
		show(failed, float64(w.Failed))
	})

	waiting := gauge("hostbot_alerts_waiting", "Alerts that are to be sent or edited, by all replicas.")
	sent := counter("hostbot_alerts_sent_total", "Alerts that were sent, by all replicas.")
	refused := counter("hostbot_alerts_refused_total", "Customers who took no message, by all replicas.")
	inChannels := counter("hostbot_channel_alerts_sent_total", "Alerts that were posted in channels of panels, by all replicas.")
	held := gauge("hostbot_alerts_held", "1 while Discord lets the bot send no direct messages, or none to new people.")
	m.ask(func(show showFunc) {
		a, posted, err := alerting()
		if err != nil {
			return
		}
		show(waiting, float64(a.Waiting))
		show(sent, float64(a.Sent))
		show(refused, float64(a.Refused))
		show(inChannels, float64(posted.Sent))
		show(held, oneIf(a.Pause.Is()))
	})
}
