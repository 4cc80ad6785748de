package configs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"hostbot/hostapi"
)

// unknownKey does not repeat the key, as it may be a secret.
const unknownKey = "unknown key; configs/hostbot.example.yaml has all that there are"

// readFile decodes the configuration file.
func (l *loader) readFile() {
	content, err := readBounded(l.path)
	if err != nil {
		l.mistake("%s %w", l.path, err)
		return
	}
	var documents []yaml.Node
	if err = yaml.Load(content, &documents, yaml.WithAllDocuments()); err != nil {
		l.broken(err)
		return
	}
	switch len(documents) {
	case 0:
	case 1:
		l.index("", documents[0].Content[0])
		l.decode(&documents[0])
	default:
		l.mistakeAt(documents[1].Line, "the file must hold one document")
	}
}

// broken notes an error because of which the file cannot be read at all, if any.
func (l *loader) broken(err error) {
	at, ok := errors.AsType[*yaml.LoadError](err)
	switch {
	case ok:
		l.mistakeAt(at.Mark.Line, "is not YAML; is a quote, a colon or some indentation missing?")
	case err != nil:
		l.mistake("%s is not YAML", l.path)
	}
}

// mistakeAt notes a mistake for which no setting can be named.
func (l *loader) mistakeAt(line int, what string) { l.mistake("%s, line %d: %s", l.path, line, what) }

// index records the positions of values. It removes the keys that the library would
// accept although they are mistakes, and makes empty values null, which leaves the
// defaults as they are.
func (l *loader) index(section string, node *yaml.Node) {
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
			l.mistakeAt(name.Line, key+" is now called "+now)
		case l.names[key] != "":
			l.mistakeAt(name.Line, "the key was there before")
		case section == "hostapi.operations" && !slices.Contains(hostapi.Operations(), hostapi.Operation(name.Value)):
			l.mistakeAt(name.Line, unknownKey)
		default:
			l.names[key] = fmt.Sprintf("%s in %s, line %d", key, l.path, name.Line)
			l.keys[position{value.Line, value.Column}] = key
			l.index(key, value)
			kept = append(kept, name, value)
		}
	}
	node.Content = kept
}
