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
// a real Alertmanager, with the settings that Compose has, tell in a channel of Discord and by the second way: what is
// wrong, what customers read, and where the runbook is. A dead man's switch hears of the Watchdog.
func TestOperatorsAreToldOfAnAlert(t *testing.T) {
	t.Parallel()
	messages := make(chan string, 100)
	webhook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		messages <- r.URL.Path + " " + string(body)
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(webhook.Close)
	address := startAlertmanager(t, webhook.URL)

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
	told := make(map[string]string) // by the path of a webhook, what it was sent
	eventually(t, "operators are told by each way, and the switch hears of the watchdog", func() bool {
		select {
		case message := <-messages:
			path, text, _ := strings.Cut(message, " ")
			told[path] += text
		default:
		}
		return strings.Contains(told[discordHook], alert) && strings.Contains(told[secondHook], alert) && strings.Contains(told[switchHook], "Watchdog")
	})
	for _, want := range []string{"refuses the bot's secret", "Customers read “The hosting service denied us access”", "RUNBOOK.md#" + strings.ToLower(alert)} {
		if text := strings.ReplaceAll(told[discordHook], `\n`, " "); !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
	if strings.Contains(told[discordHook]+told[secondHook], "Watchdog") {
		t.Error("operators are told that alerts are sent")
	}
}

// Paths of webhooks.
const (
	discordHook = "/api/webhooks/1/x"
	secondHook  = "/second"
	switchHook  = "/switch"
)

// startAlertmanager starts an Alertmanager that sends at once to webhooks of a server, as the comments of its settings
// say, ends it with the test, and returns its address.
func startAlertmanager(t *testing.T, server string) (address string) {
	t.Helper()
	program := installed(t, "alertmanager", "install it as .ci/run does, as Debian's does not know all of the settings")
	text, err := os.ReadFile(alertmanagerFile)
	if err != nil {
		t.Fatal(err)
	}
	dir, address := t.TempDir(), world.FreeAddress(t)
	secret, config := filepath.Join(dir, "alerts_webhook"), filepath.Join(dir, "alertmanager.yml")
	settings := strings.NewReplacer("/run/secrets/alerts_webhook", secret, "group_wait: 30s", "group_wait: 1ms", "# webhook_configs", "webhook_configs",
		"https://alerts.example.com/hostbot", server+secondHook, "https://hc-ping.com/YOUR-CHECK", server+switchHook).Replace(string(text))
	for path, content := range map[string]string{secret: server + discordHook, config: settings} {
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
