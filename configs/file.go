package configs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"hostbot/hostapi"
)

// file is a configuration file that is being read.
type file struct {
	*loader
	path string
	keys map[position]string // by the positions of their values
}

// unknownKey does not repeat the key, as it may be a secret.
const unknownKey = "unknown key; configs/hostbot.example.yaml has all that there are"

type position struct{ line, column int }

func (l *loader) readFile(path string) {
	content, err := readBounded(path)
	if err != nil {
		l.mistake("%s %w", path, err)
		return
	}
	f := file{l, path, make(map[position]string)}
	var documents []yaml.Node
	if err = yaml.Load(content, &documents, yaml.WithAllDocuments()); err != nil {
		f.broken(err)
		return
	}
	switch len(documents) {
	case 0:
	case 1:
		f.index("", documents[0].Content[0])
		f.decode(&documents[0])
	default:
		f.mistakeAt(documents[1].Line, "the file must hold one document")
	}
}

// decode decodes the file over the settings. The library reports every mistake
// with its position. Its words are not repeated, as they may hold a value.
func (f file) decode(document *yaml.Node) {
	err := document.Load(f.settings, yaml.WithKnownFields(), yaml.WithUniqueKeys(false))
	mistakes, ok := errors.AsType[*yaml.LoadErrors](err)
	if !ok {
		f.broken(err)
		return
	}
	for _, m := range mistakes.Errors {
		key, known := f.keys[position{m.Mark.Line, m.Mark.Column}]
		switch {
		case strings.HasPrefix(m.Message, "field "):
			f.mistakeAt(m.Mark.Line, unknownKey)
		case known:
			f.check(key, errors.New(form(m.Message)))
		default:
			f.mistakeAt(m.Mark.Line, form(m.Message))
		}
	}
}

// broken notes an error because of which the file cannot be read at all, if any.
func (f file) broken(err error) {
	at, ok := errors.AsType[*yaml.LoadError](err)
	switch {
	case ok:
		f.mistakeAt(at.Mark.Line, "is not YAML; is a quote, a colon or some indentation missing?")
	case err != nil:
		f.mistake("%s is not YAML", f.path)
	}
}

// mistakeAt notes a mistake for which no setting can be named.
func (f file) mistakeAt(line int, what string) { f.mistake("%s, line %d: %s", f.path, line, what) }

// index records the positions of values. It removes the keys that the library would
// accept although they are mistakes, and makes empty values null, which leaves the
// defaults as they are.
func (f file) index(section string, node *yaml.Node) {
	switch node.Kind {
	case yaml.ScalarNode:
		node.Value = strings.TrimRight(node.Value, "\n") // of a block
		if node.Value == "" {
			node.Tag, node.Style = "!!null", 0
		}
		return
	case yaml.MappingNode:
	default:
		return
	}
	var kept []*yaml.Node
	for pair := range slices.Chunk(node.Content, 2) {
		name, value := pair[0], pair[1]
		key := strings.TrimPrefix(section+"."+name.Value, ".")
		now, former := formerNames()[key]
		switch {
		case former:
			f.mistakeAt(name.Line, key+" is now called "+now)
		case f.names[key] != "":
			f.mistakeAt(name.Line, "the key was there before")
		case section == "hostapi.operations" && !slices.Contains(hostapi.Operations(), hostapi.Operation(name.Value)):
			f.mistakeAt(name.Line, unknownKey)
		default:
			f.names[key] = fmt.Sprintf("%s in %s, line %d", key, f.path, name.Line)
			f.keys[position{value.Line, value.Column}] = key
			f.index(key, value)
			kept = append(kept, name, value)
		}
	}
	node.Content = kept
}
