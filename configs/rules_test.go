package configs_test

import (
	"regexp"
	"strings"
	"testing"
)

const (
	rulesFile     = "deploy/prometheus/rules.yaml"
	operatorsFile = "deploy/kubernetes/operator/prometheusrule.yaml"
)

// TestPrometheusRuleIsTheRules makes the manifest for the Prometheus operator of the rules
// that Prometheus itself reads.
func TestPrometheusRuleIsTheRules(t *testing.T) {
	_, groups, found := strings.Cut(read(t, rulesFile), "\ngroups:\n")
	if !found {
		t.Fatalf("%s has no groups", rulesFile)
	}
	want := "# Made of ../../prometheus/rules.yaml by: go test ./configs -run PrometheusRule -update\n" +
		"apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata:\n  name: hostbot\nspec:\n  groups:\n"
	for line := range strings.Lines(groups) {
		want += "  " + line
	}
	made(t, operatorsFile, want, "PrometheusRule")
}

// TestAlertsSayWhatCustomersNotice in the message that wakes somebody: in their words, which are the bot's or Discord's.
func TestAlertsSayWhatCustomersNotice(t *testing.T) {
	texts := read(t, "../locale/texts/en-US.yaml") + "The application did not respond"
	alerts := strings.Split(read(t, rulesFile), "\n      - alert: ")[1:]
	for _, alert := range alerts {
		name, _, _ := strings.Cut(alert, "\n")
		_, description, found := strings.Cut(alert, "\n          description: >-\n")
		if description, _, _ = strings.Cut(description, "runbook_url:"); !found || !strings.Contains(strings.ToLower(description), "customers") {
			t.Errorf("%s says %q", name, description)
		}
		for _, read := range regexp.MustCompile(`“([^”]*)”`).FindAllStringSubmatch(description, -1) {
			if text := strings.Join(strings.Fields(read[1]), " "); !strings.Contains(texts, text) {
				t.Errorf("%s: customers read %q nowhere", name, text)
			}
		}
	}
	if len(alerts) < 20 {
		t.Errorf("%d alerts", len(alerts))
	}
}

// TestFiguresAreThoseOfTheBot has neither alerts nor the dashboard mix up deployments, or count
// another program's memory.
func TestFiguresAreThoseOfTheBot(t *testing.T) {
	for file, selector := range map[string]string{
		rulesFile:                                `{job="hostbot"`,
		"deploy/grafana/dashboards/hostbot.json": `{namespace=~\"$namespace\",job=~\"$job\"`,
	} {
		text, found := read(t, file), 0
		for _, at := range regexp.MustCompile(`\b(?:hostbot_[a-z_]+|process_[a-z_]+|up\{)`).FindAllStringIndex(text, -1) {
			name, rest := strings.TrimSuffix(text[at[0]:at[1]], "{"), text[at[0]:]
			if strings.HasPrefix(rest, name+", ") { // in label_values
				continue
			}
			found++
			if !strings.HasPrefix(rest, name+selector) {
				t.Errorf("%s: %s is that of every job", file, name)
			}
		}
		if found < 20 {
			t.Errorf("%s names %d figures", file, found)
		}
	}
}
