package configs

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"go.yaml.in/yaml/v4"

	"hostbot/hostapi"
)

// Load returns the settings of the YAML file at path, which may be empty for
// none, and of an environment as os.Environ returns it, which wins. The error
// holds every mistake, a line each. It repeats no value: a secret may stand where
// another setting was meant.
func Load(path string, environ []string) (*Settings, error) {
	l := read(path, environ)
	l.readSecretFiles()
	l.validate(l.settings)
	if l.mistakes != nil {
		return nil, errors.Join(l.mistakes...)
	}
	l.settings.resolve()
	return l.settings, nil
}

// LoadHTTPAddr returns HTTP.Addr of the same settings. All others may be missing or wrong: whoever asks a bot that
// runs need not have its secrets.
func LoadHTTPAddr(path string, environ []string) (string, error) {
	const key = "http.addr"
	l := read(path, environ)
	unread := l.path != "" && l.names[""] == ""
	if unread && l.mistakes != nil || l.wrong[l.name(key)] {
		return "", errors.Join(l.mistakes...)
	}
	l.mistakes = nil
	l.check(key, listenAddress(l.settings.HTTP.Addr))
	l.settings.resolve()
	return l.settings.HTTP.Addr, errors.Join(l.mistakes...)
}

// read returns a loader that has read the file and the environment.
func read(path string, environ []string) *loader {
	l := &loader{settings: defaults(), path: path, names: make(map[string]string), wrong: make(map[string]bool)}
	if path != "" {
		l.readFile()
	}
	l.readEnvironment(environ)
	return l
}

// loader sets what the file says over the defaults, and what the environment says over both.
type loader struct {
	settings *Settings
	path     string            // of the file
	names    map[string]string // of the settings that are set, by key: a key with its line, or a variable
	mistakes []error
	wrong    map[string]bool // the names of settings that have a mistake
}

// mistake notes a mistake.
func (l *loader) mistake(format string, args ...any) {
	l.mistakes = append(l.mistakes, fmt.Errorf(format, args...))
}

// mistakeAt notes a mistake for which no setting can be named.
func (l *loader) mistakeAt(line int, what string) { l.mistake("%s, line %d: %s", l.path, line, what) }

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

// readFile reads the configuration file.
func (l *loader) readFile() {
	content, err := readBounded(l.path)
	if err != nil {
		l.mistake("%s %w", l.path, err)
		return
	}
	var documents []yaml.Node
	err = yaml.Load(content, &documents, yaml.WithAllDocuments())
	broken, hasPlace := errors.AsType[*yaml.LoadError](err)
	switch {
	case hasPlace:
		l.mistakeAt(broken.Mark.Line, "is not YAML; is a quote, a colon or some indentation missing?")
	case err != nil:
		l.mistake("%s is not YAML", l.path)
	case len(documents) > 1:
		l.mistakeAt(documents[1].Line, "the file must hold one document")
	case len(documents) == 1:
		root := documents[0].Content[0]
		l.names[""] = fmt.Sprintf("%s, line %d:", l.path, root.Line)
		l.readNode("", root, reflect.ValueOf(l.settings).Elem())
	}
}

// readNode sets a section, or one setting, to what the file says at a key. What is empty there leaves the default.
func (l *loader) readNode(key string, node *yaml.Node, to reflect.Value) {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	isSection := to.Kind() == reflect.Struct || to.Kind() == reflect.Map
	switch {
	case node.Kind == yaml.ScalarNode && (strings.Trim(node.Value, "\n") == "" || node.ShortTag() == "!!null"):
	case !isSection:
		l.check(key, setNode(to, node))
	case node.Kind != yaml.MappingNode:
		l.check(key, errors.New("must hold keys with values"))
	default:
		for pair := range slices.Chunk(node.Content, 2) {
			l.readMember(key, pair[0], pair[1], to)
		}
	}
}

// readMember sets what stands below a name in a section.
func (l *loader) readMember(section string, name, node *yaml.Node, to reflect.Value) {
	key, value := strings.TrimPrefix(section+"."+name.Value, "."), member(to, name.Value)
	switch wrong := pasted(name.Value); {
	case wrong != nil:
		l.mistakeAt(name.Line, "a key "+wrong.Error())
	case !value.IsValid(): // the key is not repeated, as it may be a secret
		l.mistakeAt(name.Line, "unknown key; configs/hostbot.example.yaml has all that there are")
	case l.names[key] != "":
		l.mistakeAt(name.Line, "the key was there before")
	default:
		l.names[key] = fmt.Sprintf("%s in %s, line %d", key, l.path, name.Line)
		l.readNode(key, node, value)
		if to.Kind() == reflect.Map {
			if to.IsNil() {
				to.Set(reflect.MakeMap(to.Type()))
			}
			to.SetMapIndex(reflect.ValueOf(hostapi.Operation(name.Value)), value)
		}
	}
}

// member returns what a section may have under a name, or the zero Value for nothing. The one that is a
// map is that of operations.
func member(section reflect.Value, name string) reflect.Value {
	if section.Kind() == reflect.Map {
		if !slices.Contains(hostapi.Operations(), hostapi.Operation(name)) {
			return reflect.Value{}
		}
		return reflect.New(section.Type().Elem()).Elem()
	}
	for field, value := range section.Fields() {
		if field.Tag.Get("yaml") == name {
			return value
		}
	}
	return reflect.Value{}
}

// readEnvironment sets what variables do. An empty one counts as none.
func (l *loader) readEnvironment(environ []string) {
	variables := make(map[string]string, len(environ))
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		variables[name] = value
	}
	l.pastedNames(variables)
	l.pastedProxies(variables)
	l.forgetSecrets(variables)
	for _, s := range settingsIn("", reflect.ValueOf(l.settings).Elem()) {
		if text := variables[s.variable]; text != "" {
			l.names[s.key] = s.variable
			l.check(s.key, setText(s.value, text))
		}
	}
}

// setting is one that has a variable.
type setting struct {
	key, variable string
	value         reflect.Value
}

// settingsIn lists the settings of a section that have a variable.
func settingsIn(section string, of reflect.Value) (all []setting) {
	for field, value := range of.Fields() {
		key := strings.TrimPrefix(section+"."+field.Tag.Get("yaml"), ".")
		switch variable := field.Tag.Get("env"); {
		case variable != "":
			all = append(all, setting{key, variable, value})
		case value.Kind() == reflect.Struct:
			all = append(all, settingsIn(key, value)...)
		}
	}
	return all
}

// list is a setting of several values: a list in the file, or a text with commas.
type list interface{ set(elements []string) }

// setNode sets a setting to what the file says, and returns what is wrong with that.
func setNode(to reflect.Value, node *yaml.Node) error {
	several, isList := to.Addr().Interface().(list)
	_, isMap := several.(*StatusMap)
	switch {
	case node.Kind == yaml.ScalarNode:
		return setText(to, strings.TrimRight(node.Value, "\n")) // of a block
	case !isList:
		return errors.New("is not one plain value")
	case node.Kind == yaml.MappingNode && !isMap, slices.ContainsFunc(node.Content, func(n *yaml.Node) bool { return n.Kind != yaml.ScalarNode }):
		return errors.New("is not a list of plain values")
	}
	var elements []string
	for i, n := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 1 {
			elements[i/2] += "=" + n.Value
		} else {
			elements = append(elements, n.Value)
		}
	}
	return setList(several, elements)
}

func setList(to list, elements []string) error {
	for i, element := range elements {
		elements[i] = strings.TrimSpace(element)
		if wrong := pasted(elements[i]); wrong != nil {
			return fmt.Errorf("is a list, of which an element %w", wrong)
		}
	}
	to.set(elements)
	return nil
}

// setText sets a setting to a text, which the file and the environment may hold alike, and returns what is
// wrong with that.
func setText(to reflect.Value, text string) error {
	wrong := parse(to, text)
	return cmp.Or(pasted(text), wrong)
}

func parse(to reflect.Value, text string) (err error) {
	form := ""
	switch setting := to.Addr().Interface().(type) {
	case list:
		return setList(setting, strings.Split(text, ","))
	case *zerolog.Level:
		*setting, err = zerolog.ParseLevel(text)
		form = "is none of " + strings.Join(levels(), ", ")
	case encoding.TextUnmarshaler:
		return setting.UnmarshalText([]byte(text))
	case *time.Duration:
		*setting, err = time.ParseDuration(text)
		form = "is not a duration such as 30s or 2h"
	case *int:
		*setting, err = strconv.Atoi(text)
		form = "is not a whole number"
	case *bool:
		*setting, err = strconv.ParseBool(text)
		form = "is neither true nor false"
	case **bool:
		*setting = new(bool)
		return parse(reflect.ValueOf(*setting).Elem(), text)
	default:
		to.SetString(text)
	}
	if err != nil {
		return errors.New(form)
	}
	return nil
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
