package configs

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"
)

// Load returns the settings of the YAML file at path, which may be empty for
// none, and of an environment as os.Environ returns it, which wins. The error
// holds every mistake, a line each. It repeats no value: a secret may stand where
// another setting was meant.
func Load(path string, environ []string) (*Settings, error) {
	l := &loader{settings: defaults(), names: make(map[string]string), wrong: make(map[string]bool)}
	if path != "" {
		l.readFile(path)
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

// loader decodes the file over the defaults, and the environment over both.
type loader struct {
	settings  *Settings
	names     map[string]string // of settings that the file sets, with their lines, by key
	variables map[string]string // the environment, once it is read
	mistakes  []error
	wrong     map[string]bool // the names of settings that have a mistake
}

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

// name returns the name of a setting in a mistake: its key and line where the file
// sets it, else its variable.
func (l *loader) name(key string) string {
	if name := l.names[key]; name != "" && l.variables[variable(key)] == "" {
		return name
	}
	return variable(key)
}

// variable returns the variable of a key, such as HOSTAPI_TIMEOUT.
func variable(key string) string {
	words := strings.NewReplacer("log_channels.default", "log_channel_id", "log_channels.", "log_channel_", "links.", "", ".", "_")
	return strings.ToUpper(words.Replace(key))
}

// readEnvironment decodes the variables one by one, as the library's errors do not
// name them.
func (l *loader) readEnvironment(environ []string) {
	l.variables = make(map[string]string, len(environ))
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		l.variables[name] = value
	}
	for _, former := range slices.Sorted(maps.Keys(formerNames())) {
		if name := variable(former); l.variables[name] != "" {
			l.mistake("%s is now called %s", name, variable(formerNames()[former]))
		}
	}
	l.forgetSecrets()
	fields, err := env.GetFieldParams(l.settings)
	if err != nil {
		l.mistake("settings: %w", err) // in their tags
	}
	for _, field := range fields {
		if l.variables[field.Key] == "" {
			continue
		}
		one := env.Options{Environment: map[string]string{field.Key: l.variables[field.Key]}}
		if err := env.ParseWithOptions(l.settings, one); err != nil {
			at, _ := errors.AsType[env.ParseError](err)
			l.wrong[field.Key] = true
			l.mistake("%s %s", field.Key, form(fmt.Sprint(at.Type)))
		}
	}
}

// form says what a value must be. The text wanted ends with the Go type into which
// a library could not decode it; about a log level it says Level somewhere.
func form(wanted string) string {
	switch {
	case strings.HasSuffix(wanted, "time.Duration"):
		return "is not a duration such as 30s or 2h"
	case strings.Contains(wanted, "configs.Interval"):
		return "is neither a duration such as 60s nor " + off
	case strings.HasSuffix(wanted, "int"):
		return "is not a whole number"
	case strings.HasSuffix(wanted, "bool"):
		return "is neither true nor false"
	case strings.Contains(wanted, "Level"):
		return "is none of " + strings.Join(levels(), ", ")
	case strings.HasSuffix(wanted, "[]string"):
		return "is not a list of plain values"
	case strings.Contains(wanted, "configs."):
		return "must hold keys with values"
	default:
		return "is not one plain value"
	}
}

// formerNames returns the present keys of settings by the keys that they had in
// former versions. Their variables were called after those as well.
func formerNames() map[string]string {
	return map[string]string{"cache.fresh": "cache.ttl", "cache.keep": "cache.max_stale"}
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
