package monitor

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

// counted is what is counted as it happens.
type counted struct {
	interactions, unanswered, actions, restarts, scheduled, calls, lookups, requests *prometheus.CounterVec
	firstResponse, callDuration                                                      *prometheus.HistogramVec
}

// newCounted registers what is counted as it happens. Counters whose labels are known are there
// as 0 from the start: Prometheus takes the first value of a series for no increase, so an alert
// would not see what happens first.
func newCounted(registry *prometheus.Registry) counted {
	with := promauto.With(registry)
	counts := func(name, help string, labels ...string) *prometheus.CounterVec {
		return with.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	measures := func(name, help string, upTo []float64, labels ...string) *prometheus.HistogramVec {
		return with.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: upTo}, labels)
	}
	c := counted{
		interactions: counts("hostbot_interactions_total",
			"Interactions by kind, route and outcome (unanswered: the customer read that the application did not respond, or not how it ended).",
			"kind", "route", "outcome"),
		unanswered: counts("hostbot_interactions_unanswered_total",
			"Interactions with the outcome unanswered, by kind (none: not even that could be read).", "kind"),
		firstResponse: measures("hostbot_first_response_seconds",
			"From when Discord sent an interaction, by its ID, to Discord's word on the first response. Discord's clock is taken to differ from the machine's by the smallest age at an arrival lately, so the shortest way of an interaction, some 0.05 s, is not in it.",
			[]float64{.005, .01, .025, .05, .1, .25, .5, 1, 1.5, 2, 2.5, 3}, "kind", "deferred"),
		actions: counts("hostbot_actions_total", "Actions on bots that have ended, by name and outcome.", "action", "outcome"),
		restarts: counts("hostbot_auto_restarts_total",
			"What became of crashes of bots that are restarted automatically, by this replica: restarted, given_up (after too many restarts), left_down (of an outage of many, too late, or no longer needed).",
			"result"),
		scheduled: counts("hostbot_scheduled_restarts_total",
			"What became of restarts by the clock, by this replica: restarted, skipped (the bot does not run, or there is maintenance), missed (no replica could begin it within ten minutes).",
			"result"),
		calls: counts("hostbot_hostapi_calls_total", "Calls to the hosting service by operation and error code (empty: success).", "operation", "code"),
		callDuration: measures("hostbot_hostapi_request_seconds",
			"How long calls to the hosting service took, by operation and error code (empty: success).",
			[]float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}, "operation", "code"),
		lookups: counts("hostbot_cache_lookups_total",
			"Looks at an account by result: fresh, or asked where the hosting service had to be.", "result"),
		requests: counts("hostbot_discord_requests_total",
			"Requests to Discord's REST API by route and class of status (none: not answered).", "route", "status"),
	}
	for _, kind := range []interaction.Kind{interaction.Command, interaction.Autocomplete, interaction.Component, interaction.Modal, "none"} {
		c.unanswered.WithLabelValues(string(kind))
	}
	for _, action := range []string{"create", "delete", "reinstall", "restart", "start", "startup", "stop"} {
		for _, outcome := range []interaction.Outcome{interaction.Done, interaction.Failed, interaction.Refused, interaction.Unconfirmed} {
			c.actions.WithLabelValues(action, string(outcome))
		}
	}
	for _, result := range []string{"restarted", "given_up", "left_down"} {
		c.restarts.WithLabelValues(result)
	}
	for _, operation := range hostapi.Operations() {
		for _, code := range append(hostapi.Codes(), "") {
			c.calls.WithLabelValues(string(operation), string(code))
		}
	}
	for _, result := range []string{"fresh", "asked"} {
		c.lookups.WithLabelValues(result)
	}
	for _, route := range []string{"applications", "channels", "gateway", "guilds", "interactions", "oauth2", "users", "webhooks"} {
		for _, status := range []string{"2xx", "4xx", "429", "5xx", "none"} {
			c.requests.WithLabelValues(route, status)
		}
	}
	return c
}

// metric is a gauge or a counter that is asked for when /metrics is read.
type metric struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

func gauge(name, help string, labels ...string) metric {
	return metric{prometheus.NewDesc(name, help, labels, nil), prometheus.GaugeValue}
}

func counter(name, help string, labels ...string) metric {
	return metric{prometheus.NewDesc(name, help, labels, nil), prometheus.CounterValue}
}

// showFunc puts a series on the page. Its labels are the values of the metric's, in their order.
type showFunc func(m metric, value float64, labels ...string)

// asked is a collector of metrics that are asked for together when /metrics is read: a function that shows
// those of which something is known.
type asked func(showFunc)

// Describe names no metric, as any may be missing: Prometheus's client calls such a collector unchecked.
func (a asked) Describe(chan<- *prometheus.Desc) {}

// Collect asks for the metrics.
func (a asked) Collect(ch chan<- prometheus.Metric) {
	a(func(m metric, value float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(m.desc, m.kind, value, labels...)
	})
}

// oneIf is 1 for what is so, and else 0.
func oneIf(so bool) float64 {
	if so {
		return 1
	}
	return 0
}

// process is the collector of Prometheus's client for the process, without the time of its start. It reads
// that from a part of /proc that a hardened unit does not see (ProcSubset=pid), so New shows its own.
func process() prometheus.Collector {
	whole := collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})
	return prometheus.CollectorFunc(func(ch chan<- prometheus.Metric) {
		all := make(chan prometheus.Metric, 100) // more than there are
		whole.Collect(all)
		close(all)
		for m := range all {
			if !strings.Contains(m.Desc().String(), `"`+startTime+`"`) {
				ch <- m
			}
		}
	})
}

// startTime is the name of the metric that tells when the process started.
const startTime = "process_start_time_seconds"
