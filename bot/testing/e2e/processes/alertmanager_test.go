//go:build integration

package processes_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
)

const alertmanagerFile = "../../../../configs/deploy/compose/alertmanager.yaml"

// TestOperatorsAreToldOfAnAlert has the service refuse the secret, and reads what a real Prometheus and
// a real Alertmanager, with the settings that Compose has, tell in a channel of Discord: what is wrong, and where the
// runbook is.
func TestOperatorsAreToldOfAnAlert(t *testing.T) {
	t.Parallel()
	messages := make(chan string, 100)
	webhook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		messages <- r.URL.Path + " " + string(body)
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(webhook.Close)
	address := startAlertmanager(t, webhook.URL+"/api/webhooks/1/x")

	w := newScene(t, instantly, discordtest.Config{})
	r := w.start(t)
	prometheus, who := startPrometheus(t, r.http, address), w.customers("anna", 3)
	w.service.Fail("", hostapitest.Fault{Status: http.StatusUnauthorized}, 0)
	const alert = "HostbotSecretRefused"
	eventually(t, "the alert fires", func() bool {
		for _, c := range who {
			_, _ = c.Start("/bot list", nil)
		}
		return prometheus.alerts(t)[alert] == "firing"
	})
	var told string
	eventually(t, "operators are told", func() bool {
		select {
		case told = <-messages:
			return true
		default:
			return false
		}
	})
	for _, want := range []string{"/api/webhooks/1/x ", "refuses the bot's secret", "RUNBOOK.md#" + strings.ToLower(alert)} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not in %s", want, told)
		}
	}
}

// startAlertmanager starts an Alertmanager that tells Discord at once, by a webhook, ends it with
// the test, and returns its address.
func startAlertmanager(t *testing.T, webhook string) (address string) {
	t.Helper()
	program := installed(t, "alertmanager", "install it as .ci/run does, as Debian's does not know all of the settings")
	text, err := os.ReadFile(alertmanagerFile)
	if err != nil {
		t.Fatal(err)
	}
	dir, address := t.TempDir(), world.FreeAddress(t)
	secret, config := filepath.Join(dir, "alerts_webhook"), filepath.Join(dir, "alertmanager.yml")
	settings := strings.NewReplacer("/run/secrets/alerts_webhook", secret, "group_wait: 30s", "group_wait: 1ms").Replace(string(text))
	for path, content := range map[string]string{secret: webhook, config: settings} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, "--config.file="+config, "--storage.path="+filepath.Join(dir, "data"), "--cluster.listen-address=",
		"--web.listen-address="+address, "--log.level=warn")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	eventually(t, "Alertmanager is ready", func() bool {
		res, err := http.Get("http://" + address + "/-/ready")
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusOK
	})
	return address
}
