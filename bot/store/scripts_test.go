package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// script is a constant with Lua for Redis.
type script struct {
	name  string // with its package
	lines int
}

// scripts returns those of a file.
func scripts(t *testing.T, path string) (found []script) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) == 0 {
			return true
		}
		lines := 0
		ast.Inspect(spec.Values[0], func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && strings.Contains(text.Value, "redis.") {
				lua, _ := strconv.Unquote(text.Value)
				lines += strings.Count(strings.TrimSpace(lua), "\n") + 1
			}
			return true
		})
		if lines > 0 {
			found = append(found, script{file.Name.Name + "." + spec.Names[0].Name, lines})
		}
		return true
	})
	return found
}

// TestEveryScriptIsInTheIndex also has the scripts be few, beside that of the shards. What several
// share is no script, but its lines count.
func TestEveryScriptIsInTheIndex(t *testing.T) {
	t.Parallel()
	const most, mostLines = 14, 130
	doc, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	index := make(map[string]bool)
	for _, name := range regexp.MustCompile(`(?m)^\t(\w+\.\w+)`).FindAllStringSubmatch(doc.Doc.Text(), -1) {
		index[name[1]] = true
	}
	n, lines := 0, 0
	err = filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		for _, s := range scripts(t, path) {
			if strings.HasSuffix(s.name, "Script") {
				if !index[s.name] {
					t.Errorf("%s in %s is not in the index", s.name, path)
				}
				delete(index, s.name)
				n++
			}
			lines += s.lines
			if strings.HasPrefix(s.name, "shards.") {
				n, lines = n-1, lines-s.lines
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if left := slices.Sorted(maps.Keys(index)); len(left) > 0 {
		t.Errorf("the index has %q, which are no scripts", left)
	}
	t.Logf("%d scripts have %d lines", n, lines)
	if n > most || lines > mostLines {
		t.Errorf("%d scripts have %d lines, want %d and %d at most", n, lines, most, mostLines)
	}
}
