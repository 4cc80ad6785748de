//go:build integration

package processes_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
)

const (
	rulesFile     = "../../../../configs/deploy/prometheus/rules.yaml"
	dashboardFile = "../../../../configs/deploy/grafana/dashboards/hostbot.json"
)

// TestPrometheusFindsEachMetric has a real Prometheus scrape the program. What the
// alert rules and the dashboard name has to be there.
func TestPrometheusFindsEachMetric(t *testing.T) {
	t.Parallel()
	w := newScene(t, instantly, discordtest.Config{})
	if err := w.redisClient(t).ConfigSet(t.Context(), "maxmemory", "100mb").Err(); err != nil {
		t.Fatal(err)
	}
	r := w.start(t)
	settled(allRestart(t, w.customers("figures", 1)))
	prometheus := startPrometheus(t, r.http)

	eventually(t, "Prometheus has the figures of an action", func() bool {
		var said struct{ Result []any }
		return prometheus.ask("query?query="+url.QueryEscape("hostbot_actions_total > 0"), &said) && len(said.Result) > 0
	})
	// Only now: names are there while their page is still being read. A certificate has who is reached over HTTPS.
	found := append(prometheus.names(t), "hostbot_endpoint_certificate_expiry_timestamp_seconds")
	for _, file := range []string{rulesFile, dashboardFile} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		named := regexp.MustCompile(`\b(?:hostbot|process|go)_[a-z_]+`).FindAllString(string(text), -1)
		if len(named) < 10 {
			t.Errorf("%s names no metrics", file)
		}
		for _, name := range named {
			if !slices.Contains(found, name) {
				t.Errorf("%s names %s, which the program does not have", file, name)
			}
		}
	}
	prometheus.evaluates(t)
	lint(t, r)
}

// lint has Prometheus's own tool look at the bot's metrics, by the conventions for names,
// types and help. Those of the process are the library's.
func lint(t *testing.T, r *replica) {
	t.Helper()
	_, page := r.get("/metrics")
	cmd := exec.Command(installed(t, "promtool", "it comes with prometheus"), "check", "metrics")
	cmd.Stdin = strings.NewReader(strings.Join(regexp.MustCompile(`(?m)^(# (HELP|TYPE) )?hostbot_.*\n`).FindAllString(page, -1), ""))
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool: %v\n%s", err, said)
	}
}

// prometheus is a Prometheus that runs, by the address of its API.
type prometheus string

// installed returns where a program is. Where it is not, the test fails and says where it is had from.
func installed(t *testing.T, name, from string) (path string) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("%s is not in PATH: %s", name, from)
	}
	return path
}

// startPrometheus starts a Prometheus with the alert rules that scrapes one target and
// tells Alertmanagers, by their addresses, and ends it with the test.
func startPrometheus(t *testing.T, target string, alertmanagers ...string) prometheus {
	t.Helper()
	program := installed(t, "prometheus", "install Debian's package prometheus")
	rules, err := filepath.Abs(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	dir, address := t.TempDir(), world.FreeAddress(t)
	config := filepath.Join(dir, "prometheus.yml")
	text := fmt.Sprintf("global: {scrape_interval: 200ms, scrape_timeout: 200ms, evaluation_interval: 200ms}\nrule_files: [%s]\n"+
		"scrape_configs: [{job_name: hostbot, static_configs: [{targets: ['%s']}]}]\n"+
		"alerting: {alertmanagers: [{static_configs: [{targets: [%s]}]}]}\n", rules, target, strings.Join(alertmanagers, ", "))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address, "--log.level=error")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	return prometheus("http://" + address + "/api/v1/")
}

// ask returns what is under data in Prometheus's answer. It reports whether there was one.
func (p prometheus) ask(path string, data any) bool {
	res, err := http.Get(string(p) + path)
	if err != nil {
		return false
	}
	defer func() { _ = res.Body.Close() }()
	answer := struct{ Data any }{data}
	return res.StatusCode == http.StatusOK && json.NewDecoder(res.Body).Decode(&answer) == nil
}

// alerts returns the states of the alerts that are pending or firing.
func (p prometheus) alerts(t *testing.T) map[string]string {
	t.Helper()
	var said struct {
		Alerts []struct {
			Labels struct{ Alertname string }
			State  string
		}
	}
	p.ask("alerts", &said)
	states := make(map[string]string)
	for _, alert := range said.Alerts {
		states[alert.Labels.Alertname] = alert.State
	}
	return states
}

// names returns the names of the metrics that were scraped.
func (p prometheus) names(t *testing.T) (names []string) {
	t.Helper()
	p.ask("label/__name__/values?match[]="+url.QueryEscape(`{job="hostbot"}`), &names)
	return names
}

// evaluates checks that Prometheus can evaluate each rule.
func (p prometheus) evaluates(t *testing.T) {
	t.Helper()
	var said struct {
		Groups []struct {
			Rules []struct{ Name, Health, LastError string }
		}
	}
	eventually(t, "Prometheus has evaluated the rules", func() bool {
		return p.ask("rules", &said) && len(said.Groups) == 1 && said.Groups[0].Rules[0].Health != "unknown"
	})
	for _, rule := range said.Groups[0].Rules {
		if rule.Health != "ok" {
			t.Errorf("%s: %s %s", rule.Name, rule.Health, rule.LastError)
		}
	}
}
