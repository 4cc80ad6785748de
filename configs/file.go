package configs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// maxFile bounds what is read of a file, in bytes. The time that the library
// takes for hostile nesting grows with the square of it.
const maxFile = 64 << 10

// entry is a value in the file.
type entry struct {
	text string
	line int
}

// file is a configuration file being read. The file is walked, and not decoded
// into a struct, so that every mistake is found and not the first alone, and
// because what the library says of a mistake repeats the file.
type file struct {
	path     string
	tree     keyTree
	entries  map[string]entry // by key
	seen     map[string]bool  // keys that were there
	mistakes *mistakes
}

// readFile returns the values of the file at a path, which may be empty for none.
func readFile(path string, keys map[string]bool, m *mistakes) map[string]entry {
	if path == "" {
		return nil
	}
	content, err := readBounded(path)
	if err != nil {
		m.addLine(path + " " + err.Error())
		return nil
	}
	f := file{path: path, tree: newKeyTree(keys), entries: make(map[string]entry), seen: make(map[string]bool), mistakes: m}
	f.parse(content)
	return f.entries
}

func (f *file) parse(content []byte) {
	document, err := parser.ParseBytes(content, 0, parser.AllowDuplicateMapKey()) // which pair reports
	if err != nil {
		f.mistakes.addLine(f.syntaxError(err))
		return
	}
	bodies := make([]ast.Node, 0, 1)
	for _, d := range document.Docs {
		if d.Body != nil {
			bodies = append(bodies, d.Body)
		}
	}
	switch len(bodies) {
	case 0:
	case 1:
		f.section("", bodies[0])
	default:
		f.mistake(bodies[1], "the file must hold one document")
	}
}

// section reads what is under a key.
func (f *file) section(key string, node ast.Node) {
	switch n := node.(type) {
	case *ast.NullNode, *ast.CommentGroupNode:
	case *ast.MappingNode:
		for _, value := range n.Values {
			f.pair(key, value)
		}
	case *ast.MappingValueNode:
		f.pair(key, n)
	default:
		where := "the file"
		if key != "" {
			where = key
		}
		f.mistake(node, where+" must hold "+f.tree.under(key))
	}
}

func (f *file) pair(parent string, pair *ast.MappingValueNode) {
	name, known := pair.Key.(*ast.StringNode)
	if !known || !f.tree.children[parent][name.Value] {
		f.mistake(pair.Key, "unknown key; known are "+f.tree.under(parent))
		return
	}
	key := strings.TrimPrefix(parent+"."+name.Value, ".")
	if f.seen[key] {
		f.mistake(pair.Key, key+" was there before")
		return
	}
	f.seen[key] = true
	if f.tree.children[key] != nil {
		f.section(key, pair.Value)
		return
	}
	text, ok := scalar(pair.Value)
	if list, isList := pair.Value.(*ast.SequenceNode); isList && f.tree.lists[key] {
		text, ok = joined(list)
	}
	switch {
	case !ok && f.tree.lists[key]:
		f.mistake(pair.Key, key+" must be a list of plain values")
	case !ok:
		f.mistake(pair.Key, key+" must be one plain value")
	default:
		f.entries[key] = entry{text: text, line: line(pair.Key)}
	}
}

func (f *file) mistake(node ast.Node, what string) {
	f.mistakes.addLine(fmt.Sprintf("%s, line %d: %s", f.path, line(node), what))
}

func (f *file) syntaxError(err error) string {
	var located yaml.Error
	if errors.As(err, &located) && located.GetToken() != nil {
		return fmt.Sprintf("%s, line %d: is not YAML; is a quote, a colon or some indentation missing?",
			f.path, located.GetToken().Position.Line)
	}
	return f.path + " is not YAML"
}

func line(node ast.Node) int {
	if t := node.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 0
}

// scalar returns a value as it is written: an ID is a long number, and must not
// be rounded.
func scalar(node ast.Node) (text string, ok bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return strings.TrimRight(n.Value.Value, "\n"), true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return node.GetToken().Value, true
	case *ast.NullNode:
		return "", true
	default:
		return "", false
	}
}

// joined returns a list as a variable has it.
func joined(list *ast.SequenceNode) (text string, ok bool) {
	items := make([]string, len(list.Values))
	for i, value := range list.Values {
		if items[i], ok = scalar(value); !ok {
			return "", false
		}
	}
	return strings.Join(items, ","), true
}

// readBounded reads a file. Its errors do not repeat the path.
func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("can not be read: %w", withoutPath(err))
	}
	defer func() { _ = f.Close() }()
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("can not be read: %w", withoutPath(err))
	case len(content) > maxFile:
		return nil, fmt.Errorf("is larger than %d KiB", maxFile>>10)
	}
	return content, nil
}

func withoutPath(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
