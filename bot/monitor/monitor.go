// Package monitor shows operators how the bot fares: /healthz says that the
// process lives, and ?verbose how it fares, /readyz whether it serves, /metrics what it
// measured.
package monitor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"hostbot/bot/interaction"
	"hostbot/bot/responder"
	"hostbot/hostapi"
)

// Monitor holds the figures. Its methods are safe for concurrent use.
type Monitor struct {
	registry     *prometheus.Registry
	interactions *prometheus.CounterVec
	actions      *prometheus.CounterVec
	first        *prometheus.HistogramVec
	service      *prometheus.HistogramVec
	served       atomic.Int64
	calls        recent // to the hosting service
	dependencies
}

// New returns a monitor; ready becomes the gauge hostbot_ready.
func New(version string, ready func() bool) *Monitor {
	m := &Monitor{
		registry:     prometheus.NewRegistry(),
		dependencies: newDependencies(),
		interactions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "hostbot_interactions_total", Help: "Interactions by kind, route and outcome.",
		}, []string{"kind", "route", "outcome"}),
		actions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "hostbot_actions_total", Help: "Actions on bots that have ended, by name and outcome.",
		}, []string{"action", "outcome"}),
		first: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "hostbot_first_response_seconds", Help: "From an interaction's arrival to Discord's word on its first response.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 1.5, 2, 2.5, 3},
		}, []string{"kind", "deferred"}),
		service: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "hostbot_hostapi_request_seconds", Help: "Calls to the hosting service by operation and error code (empty: success).",
			Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"operation", "code"}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "hostbot_build_info", Help: "The program's version.", ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	up := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "hostbot_ready", Help: "1 while Discord delivers interactions."}, func() float64 {
		if ready() {
			return 1
		}
		return 0
	})
	m.registry.MustRegister(m.interactions, m.actions, m.first, m.service, m.discord, m.cache, m.redisUp, build, up, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// slow is from when on a first response is kept as an exemplar, with its interaction's
// ID, by which the process log tells more of it.
const slow = 1500 * time.Millisecond

// Interaction counts an interaction that is over.
func (m *Monitor) Interaction(o responder.Observation) {
	m.served.Add(1)
	m.interactions.WithLabelValues(string(o.Kind), o.Route, o.Outcome).Inc()
	if o.First > 0 {
		first := m.first.WithLabelValues(string(o.Kind), strconv.FormatBool(o.Deferred))
		if kept, ok := first.(prometheus.ExemplarObserver); ok && o.First >= slow {
			kept.ObserveWithExemplar(o.First.Seconds(), prometheus.Labels{"interaction": o.ID})
			return
		}
		first.Observe(o.First.Seconds())
	}
}

// Action counts an action that has ended.
func (m *Monitor) Action(a interaction.Action) {
	m.actions.WithLabelValues(a.Name, string(a.Outcome)).Inc()
}

// Service counts a call to the hosting service.
func (m *Monitor) Service(c hostapi.Call) {
	m.service.WithLabelValues(string(c.Op), string(c.Code)).Observe(c.Duration.Seconds())
	if c.Attempts > 0 { // otherwise the service has nothing to do with it
		m.calls.count(time.Now(), blamesService(c.Code))
	}
}

// ServiceHealth adds to what /metrics shows whether the hosting service is there.
func (m *Monitor) ServiceHealth(downSince func() time.Time) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "hostbot_hostapi_up", Help: "0 while the hosting service is taken to be away, and calls are refused.",
	}, func() float64 {
		if downSince().IsZero() {
			return 1
		}
		return 0
	}))
}

// Log adds to what /metrics shows how many lines of the process log were dropped.
func (m *Monitor) Log(dropped func() uint64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "hostbot_log_lines_dropped_total", Help: "Lines of the process log that were lost, because nobody read them in time or at all.",
	}, func() float64 { return float64(dropped()) }))
}

// blamesService tells whether a failure is the service's, or the way's to it, and
// not what a customer asked for.
func blamesService(code hostapi.Code) bool {
	switch code {
	case hostapi.CodeUnauthorized, hostapi.CodeRateLimited, hostapi.CodeUnavailable, hostapi.CodeMalformed, hostapi.CodeInternal:
		return true
	default:
		return false
	}
}

// Served is how many interactions were served.
func (m *Monitor) Served() int64 { return m.served.Load() }

// RecentCalls is how many calls to the hosting service there were within Window,
// and how many of them failed by its fault.
func (m *Monitor) RecentCalls() (calls, failed int) { return m.calls.sum(time.Now()) }

// Listen serves handler at addr (host:port) and returns the address with the
// port that was chosen, and how to stop.
func Listen(addr string, handler http.Handler) (bound string, stop func(context.Context), err error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return "", nil, fmt.Errorf("monitor: %w", err)
	}
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) }) // it ends with ErrServerClosed
	return listener.Addr().String(), func(ctx context.Context) {
		if err := server.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) {
			_ = server.Close()
		}
		serving.Wait()
	}, nil
}
