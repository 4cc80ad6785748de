package configs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRunbookHasEachAlert and TestRunbookHasEachError look for what somebody comes
// with who opens the runbook.
func TestRunbookHasEachAlert(t *testing.T) {
	runbook, rules := read(t, "deploy/RUNBOOK.md"), read(t, "deploy/prometheus/rules.yaml")
	alerts := regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(rules, -1)
	if len(alerts) == 0 {
		t.Fatal("no alerts")
	}
	for _, alert := range alerts {
		if !strings.Contains(runbook, "\n### "+alert[1]+"\n") {
			t.Errorf("the runbook has no section on %s", alert[1])
		}
		if !strings.Contains(rules, "RUNBOOK.md#"+strings.ToLower(alert[1])+"\n") {
			t.Errorf("%s does not lead to its section", alert[1])
		}
	}
}

func TestRunbookHasEachError(t *testing.T) {
	runbook, found := read(t, "deploy/RUNBOOK.md"), 0
	// The message follows an event of the level, or the level itself, in Msg or as the next argument of
	// Bot.tell. Text after a colon may be long.
	logged := regexp.MustCompile(`(?s)(?:[lL]og\.Error\(\)|zerolog\.ErrorLevel)(?:, |.*?(?:\.Msg\(|\), ))"([^":]+)`)
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "test/") {
			return err
		}
		for _, line := range logged.FindAllStringSubmatch(read(t, path), -1) {
			found++
			if !strings.Contains(runbook, "`"+line[1]) {
				t.Errorf("the runbook does not say what to do about the line %q", line[1])
			}
		}
		return nil
	})
	if err != nil || found < 5 {
		t.Errorf("found %d lines: %v", found, err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
