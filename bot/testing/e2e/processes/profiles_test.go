//go:build integration

package processes_test

import (
	"net/http"
	"strings"
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
)

// TestProfilesLeaveProbesAndFiguresAsTheyAre has a replica's memory be looked at while it is probed.
func TestProfilesLeaveProbesAndFiguresAsTheyAre(t *testing.T) {
	t.Parallel()
	w := newScene(t, instantly, discordtest.Config{})
	address := world.FreeAddress(t)
	r := w.start(t, "HTTP_PPROF_ADDR="+address)
	profiles := &replica{http: address}
	if status, _ := profiles.get("/debug/pprof/heap"); status != http.StatusOK {
		t.Errorf("profiles at their address: %d", status)
	}
	if status, _ := r.get("/debug/pprof/heap"); status != http.StatusNotFound {
		t.Errorf("profiles at that of the probes: %d", status)
	}
	for _, page := range []string{"/healthz", "/readyz", "/metrics"} {
		if status, _ := r.get(page); status != http.StatusOK {
			t.Errorf("%s: %d", page, status)
		}
		if status, _ := profiles.get(page); status != http.StatusNotFound {
			t.Errorf("%s beside the profiles: %d", page, status)
		}
	}
	if _, metrics := r.get("/metrics"); !strings.Contains(metrics, `hostbot_build_info{commit="`) || !strings.Contains(metrics, `",goversion="go1.`) {
		t.Error("it does not tell how it was built")
	}
}
