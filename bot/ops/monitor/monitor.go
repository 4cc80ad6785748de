// Package monitor shows operators how the bot fares, on three pages: /healthz (the process lives; with
// ?verbose, how it and what it depends on fare), /readyz (it serves) and /metrics, for Prometheus.
//
// What happens is counted when it happens, by methods such as Monitor.Action; metrics.go lists these
// counters and histograms. What can be looked up is looked up each time /metrics is read, by
// functions that methods such as Monitor.Gateway are given. A gauge of which nothing is known yet is
// missing from the page, so none says that all is well before anybody looked.
package monitor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"hostbot/bot/discord/recent"
	"hostbot/bot/interaction"
	"hostbot/bot/responder"
	"hostbot/hostapi"
)

// Window is the time over which calls to the hosting service are counted for people.
const Window = 5 * time.Minute

// ReadsWindow is the time over which it is counted how many accounts the service knows of those that it is
// asked for.
const ReadsWindow = 10 * time.Minute

// Monitor holds the figures. Its methods are safe for concurrent use, but for those that
// add to what /metrics shows: each is called once at most, before the page is first read. A function that they
// are given is called each time the page is read, and must be safe for concurrent use. If it panics,
// what it was to tell is missing from the page.
type Monitor struct {
	registry   *prometheus.Registry
	commit     string // that the program was built from
	counted    counted
	answered   atomic.Int64
	unanswered atomic.Int64
	calls      recent.Outcomes // to the hosting service
	reads      recent.Counter  // of accounts, of which those fail that are not found
	discord    recent.Outcomes // requests to its REST API
	redis      recent.Outcomes // that it was lost, and back
	responses  responses
	redisAway  atomic.Bool
}

// New returns a monitor; ready becomes the gauge hostbot_ready.
func New(version string, ready func() bool) *Monitor {
	registry := prometheus.NewRegistry()
	m := &Monitor{registry: registry, counted: newCounted(registry)}
	for _, o := range []*recent.Outcomes{&m.calls, &m.discord, &m.redis, &m.responses.Outcomes} {
		o.Window = Window
	}
	m.reads.Window = ReadsWindow
	began := float64(time.Now().UnixMilli()) / 1000 // as good as the process
	m.ask(func(show showFunc) {
		show(gauge("hostbot_build_info", "The program's version, the commit that it was built from, and Go's version.", "version", "commit", "goversion"), 1, version, m.commit, runtime.Version())
		show(gauge("hostbot_ready", "1 while Discord delivers interactions."), oneIf(ready()))
		show(gauge(startTime, "When the process started, since 1970."), began)
	})
	registry.MustRegister(collectors.NewGoCollector(), process())
	return m
}

// ask adds to what /metrics shows.
func (m *Monitor) ask(a asked) { m.registry.MustRegister(a) }

// Commit has /metrics show from which commit the program was built.
func (m *Monitor) Commit(commit string) { m.commit = commit }

// Interaction counts an interaction that is over.
func (m *Monitor) Interaction(o responder.Observation) {
	if o.Outcome != "elsewhere" {
		m.responses.note(time.Now(), o)
	}
	if o.Outcome == "unanswered" {
		m.unanswered.Add(1)
		m.counted.unanswered.WithLabelValues(string(o.Kind)).Inc()
	} else {
		m.answered.Add(1)
	}
	m.counted.interactions.WithLabelValues(string(o.Kind), o.Route, o.Outcome).Inc()
	if o.First > 0 {
		m.counted.firstResponse.WithLabelValues(string(o.Kind), strconv.FormatBool(o.Deferred)).Observe(o.First.Seconds())
	}
}

// Action counts an action that has ended.
func (m *Monitor) Action(a interaction.Action) {
	m.counted.actions.WithLabelValues(a.Name, string(a.Outcome)).Inc()
}

// AutoRestart counts what became of a crash of a bot that is restarted automatically.
func (m *Monitor) AutoRestart(result string) { m.counted.restarts.WithLabelValues(result).Inc() }

// ScheduledRestart counts what became of a restart by the clock.
func (m *Monitor) ScheduledRestart(result string) { m.counted.scheduled.WithLabelValues(result).Inc() }

// Service counts a call to the hosting service.
func (m *Monitor) Service(c hostapi.Call) {
	operation, code := string(c.Op), string(c.Code)
	m.counted.calls.WithLabelValues(operation, code).Inc()
	m.counted.callDuration.WithLabelValues(operation, code).Observe(c.Duration.Seconds())
	if c.Attempts > 0 { // otherwise the service has nothing to do with it
		reason := ""
		if blamesService(c.Code) {
			reason = c.Reason
		}
		m.calls.Note(time.Now(), reason)
		if c.Op == hostapi.OpList && (c.Code == "" || c.Code == hostapi.CodeNotFound) {
			m.reads.Add(time.Now(), c.Code == hostapi.CodeNotFound)
		}
	}
}

// Log adds to what /metrics shows how many lines of the process log were dropped.
func (m *Monitor) Log(dropped func() uint64) {
	lost := counter("hostbot_log_lines_dropped_total", "Lines of the process log that were lost, because nobody read them in time or at all.")
	m.ask(func(show showFunc) { show(lost, float64(dropped())) })
}

// blamesService reports whether a failure is the service's, or the way's to it, and
// not what a customer asked for.
func blamesService(code hostapi.Code) bool {
	return slices.Contains([]hostapi.Code{hostapi.CodeUnauthorized, hostapi.CodeRateLimited, hostapi.CodeUnavailable, hostapi.CodeMalformed, hostapi.CodeInternal}, code)
}

// Interactions is how many interactions were answered, and how many were not.
func (m *Monitor) Interactions() (answered, unanswered int64) {
	return m.answered.Load(), m.unanswered.Load()
}

// RecentCalls is how calls to the hosting service have fared within Window. Those have failed
// that did by its fault.
func (m *Monitor) RecentCalls() recent.Summary { return m.calls.Summary(time.Now()) }

// AccountReads is for how many accounts the hosting service had an answer within ReadsWindow, and how many of
// these it did not find.
func (m *Monitor) AccountReads() (reads, missing int) { return m.reads.Sum(time.Now()) }

// Listen serves handler at addr (host:port) and returns the address with the
// port that was chosen, and how to stop. At a loopback address it answers only requests to localhost
// or to an IP address: a web page in a browser on the same machine could otherwise read the pages
// by a name of its own that leads there (DNS rebinding).
func Listen(addr string, handler http.Handler) (bound string, stop func(context.Context), err error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return "", nil, fmt.Errorf("monitor: %w", err)
	}
	if at, ok := listener.Addr().(*net.TCPAddr); ok && at.IP.IsLoopback() {
		handler = byAddressOnly(handler)
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

// byAddressOnly refuses requests to any other name than localhost.
func byAddressOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := (&url.URL{Host: r.Host}).Hostname()
		if net.ParseIP(host) == nil && !strings.EqualFold(host, "localhost") {
			http.Error(w, "use localhost or an IP address", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
