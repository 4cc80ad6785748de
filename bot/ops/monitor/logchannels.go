package monitor

import (
	"strings"
	"time"

	"hostbot/bot/staff/logchannel"
)

// LogChannels adds to what /metrics shows how the log channels fare, labelled with the
// categories of their entries, and how many entries were dropped.
func (m *Monitor) LogChannels(status func() []logchannel.Status, dropped func() uint64) {
	m.ask(func(show showFunc) {
		show(counter("hostbot_log_entries_dropped_total",
			"Log channel entries that nobody reads: too many waited, or for more than a day for a channel that is not in the settings any more."), float64(dropped()))
		for _, s := range status() {
			channel := categories(s)
			show(gauge("hostbot_log_entries_waiting", "Log channel entries that Discord does not have yet.", "channel"), float64(s.Waiting), channel)
			show(gauge("hostbot_log_oldest_entry_seconds", "For how long the oldest entry has been waiting that Discord does not have yet.", "channel"), s.Age(time.Now()).Seconds(), channel)
			if trouble := s.Trouble != ""; trouble || s.Sent > 0 {
				show(gauge("hostbot_log_channel_failing", "1 while Discord does not take entries; missing until it has taken one of this replica.", "channel"), oneIf(trouble), channel)
			}
			show(counter("hostbot_log_requests_total", "Messages and edits that Discord took.", "channel"), float64(s.Sent), channel)
			show(counter("hostbot_log_failed_requests_total", "Messages and edits that Discord did not take at once.", "channel"), float64(s.Retried), channel)
		}
	})
}

func categories(s logchannel.Status) string {
	names := make([]string, len(s.Categories))
	for i, category := range s.Categories {
		names[i] = string(category)
	}
	return strings.Join(names, ",")
}
