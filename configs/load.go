package configs

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"hostbot/hostapi"
)

// Load returns the settings of the YAML file at path, which may be empty for
// none, and of an environment as os.Environ returns it, which wins. The error
// holds every mistake, a line each. It repeats no value: a secret may stand where
// another setting was meant.
func Load(path string, environ []string) (*Settings, error) {
	l := &loader{
		settings: defaults(), path: path,
		names: make(map[string]string), keys: make(map[position]string), wrong: make(map[string]bool),
	}
	if path != "" {
		l.readFile()
	}
	l.readEnvironment(environ)
	l.readSecretFiles()
	l.validate(l.settings)
	if l.mistakes != nil {
		return nil, errors.Join(l.mistakes...)
	}
	l.settings.resolve()
	return l.settings, nil
}

// loader decodes the file over the defaults, and the environment over both. Either is
// a tree of YAML's.
type loader struct {
	settings *Settings
	path     string              // of the file
	names    map[string]string   // of the settings that are set, by key: a key with its line, or a variable
	keys     map[position]string // by the positions of their values
	mistakes []error
	wrong    map[string]bool // the names of settings that have a mistake
}

// unknownKey does not repeat the key, as it may be a secret.
const unknownKey = "unknown key; configs/hostbot.example.yaml has all that there are"

// position is where a value stands in the file. Those of the environment, which have
// no place, are on lines below 0.
type position struct{ line, column int }

// mistake notes a mistake.
func (l *loader) mistake(format string, args ...any) {
	l.mistakes = append(l.mistakes, fmt.Errorf(format, args...))
}

// check notes a mistake in the setting of a key, unless wrong is nil. Of several
// mistakes in one setting it notes the first.
func (l *loader) check(key string, wrong error) {
	if name := l.name(key); wrong != nil && !l.wrong[name] {
		l.wrong[name] = true
		l.mistake("%s %w", name, wrong)
	}
}

// name returns the name of a setting in a mistake.
func (l *loader) name(key string) string { return cmp.Or(l.names[key], variable(key)) }

// variable returns the variable of a key, such as HOSTAPI_TIMEOUT.
func variable(key string) string {
	words := strings.NewReplacer("log_channels.default", "log_channel_id", "log_channels.", "log_channel_", "hostapi.status_map", "status_map", "links.", "", ".", "_")
	return strings.ToUpper(words.Replace(key))
}

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
		if section != "" {
			l.check(section, pasted(node.Value))
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
		switch wrong := pasted(name.Value); {
		case wrong != nil:
			l.mistakeAt(name.Line, "a key "+wrong.Error())
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

// decode decodes a tree over the settings. The library reports every mistake with its
// position. Its words are not repeated, as they may hold a value.
func (l *loader) decode(tree *yaml.Node) {
	err := tree.Load(l.settings, yaml.WithKnownFields(), yaml.WithUniqueKeys(false))
	mistakes, ok := errors.AsType[*yaml.LoadErrors](err)
	if !ok {
		l.broken(err)
		return
	}
	for _, m := range mistakes.Errors {
		key, known := l.keys[position{m.Mark.Line, m.Mark.Column}]
		switch {
		case strings.HasPrefix(m.Message, "field "):
			l.mistakeAt(m.Mark.Line, unknownKey)
		case known:
			l.check(key, errors.New(form(m.Message)))
		default:
			l.mistakeAt(m.Mark.Line, form(m.Message))
		}
	}
}

// form says what a value must be. The library's message ends with the Go type into
// which it could not decode the value; about a log level it says Level somewhere. The
// settings' own types say it themselves.
func form(message string) string {
	switch {
	case strings.HasPrefix(message, "is "):
		return message
	case strings.HasSuffix(message, "time.Duration"):
		return "is not a duration such as 30s or 2h"
	case strings.HasSuffix(message, "int"):
		return "is not a whole number"
	case strings.HasSuffix(message, "bool"):
		return "is neither true nor false"
	case strings.Contains(message, "Level"):
		return "is none of " + strings.Join(levels(), ", ")
	case strings.HasSuffix(message, "[]string"):
		return "is not a list of plain values"
	case strings.Contains(message, "(TextUnmarshaler)"):
		return "is not one plain value"
	case strings.Contains(message, "configs."):
		return "must hold keys with values"
	default:
		return "is not one plain value"
	}
}

// readEnvironment decodes the variables as if a file had their values under the keys.
func (l *loader) readEnvironment(environ []string) {
	variables := make(map[string]string, len(environ))
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		variables[name] = value
	}
	for _, former := range slices.Sorted(maps.Keys(formerNames())) {
		if name := variable(former); variables[name] != "" {
			l.mistake("%s is now called %s", name, variable(formerNames()[former]))
		}
	}
	l.pastedNames(variables)
	l.pastedProxies(variables)
	l.forgetSecrets(variables)
	l.decode(l.tree("", reflect.TypeFor[Settings](), variables))
}

// tree returns the section of a file that sets what the variables do. An empty one
// counts as none.
func (l *loader) tree(section string, settings reflect.Type, variables map[string]string) *yaml.Node {
	tree := &yaml.Node{Kind: yaml.MappingNode}
	for field := range settings.Fields() {
		name, variable := field.Tag.Get("yaml"), field.Tag.Get("env")
		key := strings.TrimPrefix(section+"."+name, ".")
		var value *yaml.Node
		switch {
		case variable == "" && field.Type.Kind() == reflect.Struct:
			value = l.tree(key, field.Type, variables)
		case variable == "", variables[variable] == "":
			continue
		default:
			value = scalar(variables[variable], field.Type.Kind())
			value.Line = -1 - len(l.keys)
			l.keys[position{value.Line, 0}] = key
			l.names[key] = variable
			l.check(key, pasted(variables[variable]))
		}
		tree.Content = append(tree.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name}, value)
	}
	return tree
}

// scalar returns the value of a variable. It is what Go takes it for, and not YAML, to
// which 010 is eight and ~ is nothing.
func scalar(value string, kind reflect.Kind) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
	switch kind {
	case reflect.Bool:
		if on, err := strconv.ParseBool(value); err == nil {
			node.Tag, node.Value = "!!bool", strconv.FormatBool(on)
		}
	case reflect.Int:
		if n, err := strconv.Atoi(value); err == nil {
			node.Tag, node.Value = "!!int", strconv.Itoa(n)
		}
	}
	return node
}

// formerNames returns the present keys of settings by the keys that they had in
// former versions. Their variables were called after those as well.
func formerNames() map[string]string {
	return map[string]string{"cache.fresh": "cache.ttl", "cache.keep": "cache.max_stale", "http.pprof": "http.pprof_addr"}
}

// resolve replaces values that stand for another: off, and a log channel's default.
func (s *Settings) resolve() {
	for _, channel := range s.LogChannels.ByCategory() {
		switch *channel {
		case "":
			*channel = s.LogChannels.Default
		case off:
			*channel = ""
		}
	}
	if s.HTTP.Addr == off {
		s.HTTP.Addr = ""
	}
}
