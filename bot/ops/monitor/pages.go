package monitor

import (
	"context"
	"io"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Pages is what the pages show beside the figures.
type Pages struct {
	// Ready reports whether interactions are being served.
	Ready func() bool
	// Standby reports whether they would be, if other replicas did not serve them all.
	Standby func() bool
	// Why tells in a line why interactions are not being served; "" where that is not known.
	Why func() string
	// Health tells in lines of text how the program and what it depends on fare.
	Health func(context.Context) string
}

// Handler serves the pages.
func (m *Monitor) Handler(p Pages) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		text := "ok\n"
		if r.URL.Query().Has("verbose") {
			text = p.Health(r.Context())
		}
		_, _ = io.WriteString(w, text)
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		switch {
		case p.Ready():
			_, _ = io.WriteString(w, "ok\n")
		case p.Standby():
			_, _ = io.WriteString(w, "standby: other replicas hold all shards\n")
		default:
			text := "not connected to Discord"
			if why := p.Why(); why != "" {
				text += ": " + why
			}
			http.Error(w, text, http.StatusServiceUnavailable)
		}
	})
	// If a part cannot be shown, the rest is.
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError}))
	return mux
}

// Profiles serves net/http/pprof, which shows what is in the program's memory.
func Profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 1 << 20

// Ask returns what a bot answers on one of its pages.
func Ask(ctx context.Context, addr, page string) (status int, text string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+page, http.NoBody)
	if err != nil {
		return 0, "", err
	}
	// The bot is on this machine, so no proxy is used, even if one is set.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 3 * time.Second}
	res, err := client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	return res.StatusCode, string(body), err
}
