package configs

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"hostbot/configs/secret"
	"hostbot/hostapi"
)

// setting is what the tags of a field of Settings say.
type setting struct {
	variable string
	key      string
	kind     reflect.Type
}

func (s setting) isSecret() bool { return s.kind == reflect.TypeFor[secret.Text]() }
func (s setting) isList() bool   { return s.kind.Kind() == reflect.Slice }

// form says what a value must be, for one that can not be read.
func (s setting) form() string {
	switch s.kind {
	case reflect.TypeFor[time.Duration]():
		return "is not a duration such as 30s or 2h"
	case reflect.TypeFor[bool]():
		return "is neither true nor false"
	case reflect.TypeFor[zerolog.Level]():
		return "is none of trace, debug, info, warn, error"
	default:
		return "can not be read"
	}
}

// Endings of the names under which a secret's own file is named.
const (
	fileVariable = "_FILE"
	fileKey      = "_file"
)

// schema is every setting, in the order of Settings.
type schema []setting

func newSchema() schema { return settingsOf(reflect.TypeFor[Settings]()) }

func settingsOf(t reflect.Type) schema {
	var found schema
	for field := range t.Fields() {
		if variable, ok := field.Tag.Lookup("env"); ok {
			found = append(found, setting{variable: variable, key: field.Tag.Get("key"), kind: field.Type})
		} else if field.Type.Kind() == reflect.Struct {
			found = append(found, settingsOf(field.Type)...)
		}
	}
	return found
}

// operationsKey is the key under which the file changes operations.
const operationsKey = "hostapi.operations"

// keys returns every key that may hold a value in the file, and whether that may
// be a list.
func (s schema) keys() map[string]bool {
	keys := make(map[string]bool)
	for _, one := range s {
		keys[one.key] = one.isList()
		if one.isSecret() {
			keys[one.key+fileKey] = false
		}
	}
	for _, op := range operations() {
		for _, property := range operationProperties() {
			keys[operationsKey+"."+string(op)+"."+property] = false
		}
	}
	return keys
}

// operations returns the operations that the file may change.
func operations() []hostapi.Operation {
	return []hostapi.Operation{
		hostapi.OpList, hostapi.OpGet, hostapi.OpCreate, hostapi.OpDelete, hostapi.OpStart,
		hostapi.OpStop, hostapi.OpRestart, hostapi.OpReinstall, hostapi.OpUpdateStartup,
	}
}

// keyTree is the keys of the file by what they are under.
type keyTree struct {
	lists    map[string]bool            // by key that holds a value
	children map[string]map[string]bool // by key that holds keys; "" is the file
}

func newKeyTree(keys map[string]bool) keyTree {
	tree := keyTree{lists: keys, children: make(map[string]map[string]bool)}
	for key := range keys {
		for key != "" {
			parent := key[:max(strings.LastIndexByte(key, '.'), 0)]
			if tree.children[parent] == nil {
				tree.children[parent] = make(map[string]bool)
			}
			tree.children[parent][strings.TrimPrefix(key[len(parent):], ".")] = true
			key = parent
		}
	}
	return tree
}

// under returns the names of the keys under one, for a reader.
func (t keyTree) under(key string) string {
	names := make([]string, 0, len(t.children[key]))
	for name := range t.children[key] {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
