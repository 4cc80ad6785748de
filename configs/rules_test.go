package configs_test

import (
	"os"
	"strings"
	"testing"
)

const (
	rulesFile     = "deploy/prometheus/rules.yaml"
	operatorsFile = "deploy/kubernetes/prometheusrule.yaml"
)

// TestPrometheusRuleIsTheRules makes the manifest for the Prometheus operator of the rules
// that Prometheus itself reads.
func TestPrometheusRuleIsTheRules(t *testing.T) {
	_, groups, found := strings.Cut(read(t, rulesFile), "\ngroups:\n")
	if !found {
		t.Fatalf("%s has no groups", rulesFile)
	}
	want := "# Made of ../prometheus/rules.yaml by: go test ./configs -run PrometheusRule -update\n" +
		"apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata:\n  name: hostbot\nspec:\n  groups:\n"
	for line := range strings.Lines(groups) {
		want += "  " + line
	}
	got, err := os.ReadFile(operatorsFile)
	switch {
	case err == nil && string(got) == want:
	case *update:
		if err := os.WriteFile(operatorsFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s does not say what %s says; run: go test ./configs -run PrometheusRule -update (%v)", operatorsFile, rulesFile, err)
	}
}
