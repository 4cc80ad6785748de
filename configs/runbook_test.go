package configs_test

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRunbookHasEachAlert and TestRunbookHasEachError look for what somebody comes with who opens the
// runbook, and for what it explains and nobody can meet.
func TestRunbookHasEachAlert(t *testing.T) {
	runbook, rules := read(t, "deploy/RUNBOOK.md"), read(t, "deploy/prometheus/rules.yaml")
	firstScreen, _, _ := strings.Cut(runbook, "\n## Alerts\n")
	severity := make(map[string]string)
	for _, rule := range regexp.MustCompile(`(?s)- alert: (\w+)\n.*?severity: (\w+)`).FindAllStringSubmatch(rules, -1) {
		severity[rule[1]] = rule[2]
	}
	explained := make(map[string]bool)
	for _, section := range regexp.MustCompile(`(?m)^### (\w+)\n\n(?:\*(\w+)\.\*)?`).FindAllStringSubmatch(runbook, -1) {
		alert, said := section[1], cmp.Or(strings.ToLower(section[2]), "none")
		explained[alert] = true
		switch is, known := severity[alert]; {
		case !known:
			t.Errorf("the runbook explains %s, and no rule has it", alert)
		case said != is:
			t.Errorf("the section on %s begins with %q, and the rule's severity is %s", alert, said, is)
		case !strings.Contains(rules, "RUNBOOK.md#"+strings.ToLower(alert)+"\n"):
			t.Errorf("%s does not lead to its section", alert)
		case strings.Contains(firstScreen, "["+alert+"]") != (is == "page"):
			t.Errorf("%s is of the severity %s: the first screen has those that page, and no others", alert, is)
		}
	}
	for alert := range severity {
		if !explained[alert] {
			t.Errorf("the runbook has no section on %s", alert)
		}
	}
	if len(severity) == 0 {
		t.Error("no alerts")
	}
}

func TestRunbookHasEachError(t *testing.T) {
	runbook, logs := read(t, "deploy/RUNBOOK.md"), make(map[string]bool)
	// The message follows an event of the level, or the level itself, in Msg or as the next argument of
	// Bot.tell. Text after a colon may be long.
	logged := regexp.MustCompile(`(?s)(?:[lL]og\.Error\(\)|zerolog\.ErrorLevel)(?:, |.*?(?:\.Msg\(|\), ))"([^":]+)`)
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "test/") {
			return err
		}
		for _, line := range logged.FindAllStringSubmatch(read(t, path), -1) {
			logs[line[1]] = true
			if !strings.Contains(runbook, "`"+line[1]) {
				t.Errorf("the runbook does not say what to do about the line %q", line[1])
			}
		}
		return nil
	})
	if err != nil || len(logs) < 5 {
		t.Errorf("found %d lines: %v", len(logs), err)
	}
	_, table, _ := strings.Cut(runbook, "\n## Lines of the level error\n")
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?`) \\|").FindAllStringSubmatch(table, -1) {
		for line := range strings.SplitSeq(strings.Trim(row[1], "`"), "`, `") {
			if said, _, _ := strings.Cut(line, ":"); !logs[said] {
				t.Errorf("the runbook explains the line %q, and nothing logs it", line)
			}
		}
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
