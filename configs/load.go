package configs

import (
	"fmt"
	"strings"

	"github.com/caarlos0/env/v11"
)

// Load returns the settings of the YAML file at path, which may be empty for
// none, and of an environment as os.Environ returns it, which wins. The error is
// an *Error that holds every mistake.
func Load(path string, environ []string) (*Settings, error) {
	l := loader{
		schema: newSchema(), path: path, environment: variables(environ),
		values: make(map[string]string), sources: make(map[string]string), mistakes: newMistakes(),
	}
	l.file = readFile(path, l.schema.keys(), l.mistakes)
	for _, s := range l.schema {
		l.read(s)
	}
	settings := new(Settings)
	if err := env.ParseWithOptions(settings, env.Options{Environment: l.values}); err != nil {
		return nil, fmt.Errorf("settings: %w", err) // every value was read before
	}
	settings.HostAPI.Operations = l.readOperations()
	for _, ids := range [][]string{settings.Admin.UserIDs, settings.Admin.RoleIDs} {
		for i := range ids {
			ids[i] = strings.TrimSpace(ids[i])
		}
	}
	l.validate(settings)
	if err := l.mistakes.err(); err != nil {
		return nil, err
	}
	settings.resolve()
	return settings, nil
}

// loader reads settings.
type loader struct {
	schema      schema
	path        string            // of the file
	file        map[string]entry  // by key
	environment map[string]string // by variable; none is empty

	values   map[string]string // by variable, from wherever it came
	sources  map[string]string // what a mistake in it is said of
	mistakes *mistakes
}

// variables returns an environment without what is empty.
func variables(environ []string) map[string]string {
	found := make(map[string]string, len(environ))
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok && value != "" {
			found[name] = value
		}
	}
	return found
}

// read finds a setting's value, and takes it where it can be read.
func (l *loader) read(s setting) {
	value, source := l.fromEnvironment(s)
	if source == "" {
		value, source = l.fromFile(s)
	}
	if source == "" {
		l.sources[s.variable] = s.variable
		return
	}
	l.sources[s.variable] = source
	if l.mistakes.wrong[s.variable] {
		return
	}
	// Read alone, an error can be of no other setting.
	if err := env.ParseWithOptions(new(Settings), env.Options{Environment: map[string]string{s.variable: value}}); err != nil {
		l.mistakes.add(s.variable, source, s.form())
		return
	}
	l.values[s.variable] = value
}

// fromEnvironment returns a value and what it is called, or nothing.
func (l *loader) fromEnvironment(s setting) (value, source string) {
	value, direct := l.environment[s.variable]
	path, indirect := l.environment[s.variable+fileVariable]
	indirect = indirect && s.isSecret()
	switch {
	case direct && indirect:
		l.mistakes.add(s.variable, s.variable, "and "+s.variable+fileVariable+" are both set")
		return "", s.variable
	case indirect:
		return l.secretFile(s, path, s.variable+fileVariable), s.variable + fileVariable
	case direct:
		return value, s.variable
	}
	return "", ""
}

// fromFile is fromEnvironment for the configuration file.
func (l *loader) fromFile(s setting) (value, source string) {
	direct := l.file[s.key]
	indirect := l.file[s.key+fileKey] // of other settings than secrets there is none
	switch {
	case direct.text != "" && indirect.text != "":
		source := s.variable + " (" + l.inFile(s.key, direct.line) + ")"
		l.mistakes.add(s.variable, source, "and "+s.key+fileKey+" are both set")
		return "", source
	case indirect.text != "":
		source := s.variable + fileVariable + " (" + l.inFile(s.key+fileKey, indirect.line) + ")"
		return l.secretFile(s, indirect.text, source), source
	case direct.text != "":
		return direct.text, s.variable + " (" + l.inFile(s.key, direct.line) + ")"
	}
	return "", ""
}

func (l *loader) inFile(key string, line int) string {
	return fmt.Sprintf("%s in %s, line %d", key, l.path, line)
}

// secretFile returns what a secret's own file holds, without the line break that
// editors put at its end. The path is not repeated, as it may be the secret,
// given under the wrong name.
func (l *loader) secretFile(s setting, path, source string) string {
	content, err := readBounded(path)
	value := strings.TrimRight(string(content), "\r\n")
	switch {
	case err != nil:
		l.mistakes.add(s.variable, source, "names a file that "+err.Error())
	case value == "":
		l.mistakes.add(s.variable, source, "names a file that is empty")
	}
	return value
}

// resolve replaces what stands for something else.
func (s *Settings) resolve() {
	for _, channel := range []*string{&s.LogChannels.Actions, &s.LogChannels.Errors, &s.LogChannels.Lifecycle} {
		switch *channel {
		case "":
			*channel = s.LogChannelID
		case off:
			*channel = ""
		}
	}
	if s.HTTP.Addr == off {
		s.HTTP.Addr = ""
	}
}
