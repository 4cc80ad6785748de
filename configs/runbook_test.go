package configs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
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
	runbook := read(t, "deploy/RUNBOOK.md")
	lines := errorLines(t)
	if len(lines) < 5 {
		t.Fatalf("found only %q", lines)
	}
	for _, line := range lines {
		line, _, _ = strings.Cut(line, ":") // what follows may be long
		if !strings.Contains(runbook, "`"+line) {
			t.Errorf("the runbook does not say what to do about the line %q", line)
		}
	}
}

// errorLines returns what the program may log at the level error: the messages of
// functions that name that level, but for those that begin with another one.
func errorLines(t *testing.T) (lines []string) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "test/") {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, source, 0)
		if err != nil {
			return err
		}
		text := func(n ast.Node) string {
			return string(source[files.Position(n.Pos()).Offset:files.Position(n.End()).Offset])
		}
		for _, declared := range file.Decls {
			if !isError.MatchString(text(declared)) {
				continue
			}
			ast.Inspect(declared, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) != 1 || !strings.HasSuffix(text(call.Fun), ".Msg") || isLess.MatchString(text(call.Fun)) {
					return true
				}
				if literal := firstLiteral(call.Args[0]); literal != nil {
					line, _ := strconv.Unquote(literal.Value)
					lines = append(lines, line)
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

var (
	isError = regexp.MustCompile(`(?i)log\.Error\(\)|zerolog\.ErrorLevel`)
	isLess  = regexp.MustCompile(`\.(Debug|Info|Warn)\(\)|zerolog\.(Debug|Info|Warn)Level`)
)

// firstLiteral returns the first string of an expression, or nil.
func firstLiteral(e ast.Expr) *ast.BasicLit {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e
	case *ast.BinaryExpr:
		return firstLiteral(e.X)
	default:
		return nil
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
