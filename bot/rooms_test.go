package bot_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rooms are the folders of production code from the lowest to the highest. Rooms of one
// line do not import each other.
var rooms = [][]string{
	{"bot/away", "bot/sanitize", "bot/seldom", "bot/store"},
	{"bot/interaction"},
	{"bot/discord"},
	{"bot/leader"},
	{"bot/actions"},
	{"bot/responder", "bot/watch"},
	{"bot/staff"},
	{"commands"},
	{"bot/ops"},
	{"bot"},
	{"cmd"},
}

// level returns the line of rooms that a package is in, and its room; -1 where it is in none.
func level(pkg string) (line int, room string) {
	for ; pkg != "."; pkg = filepath.Dir(pkg) {
		for line, rooms := range rooms {
			if slices.Contains(rooms, pkg) {
				return line, pkg
			}
		}
	}
	return -1, ""
}

// TestImportsPointDown has each room import those below it, and nothing import the tests' own.
func TestImportsPointDown(t *testing.T) {
	t.Parallel()
	const tests = "bot/testing"
	seen := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		pkg, _ := filepath.Rel("..", filepath.Dir(path))
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(pkg, tests) {
			return err
		}
		own, room := level(pkg)
		if own < 0 {
			if strings.HasPrefix(pkg, "bot/") {
				t.Errorf("%s is in no room", pkg)
			}
			return nil
		}
		seen++
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			imported, ours := strings.CutPrefix(imported, "hostbot/")
			if !ours {
				continue
			}
			other, its := level(imported)
			switch {
			case strings.HasPrefix(imported, tests) && !strings.HasPrefix(pkg, "cmd/playground"):
				t.Errorf("%s imports %s", path, imported)
			case strings.HasPrefix(imported, tests), its == room:
			case other >= own:
				t.Errorf("%s imports %s, which is not below it", path, imported)
			}
		}
		return nil
	})
	if err != nil || seen < 100 {
		t.Errorf("%d files read, %v", seen, err)
	}
}
