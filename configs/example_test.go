package configs_test

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"hostbot/configs"
	"hostbot/hostapi"
)

const examplePath = "hostbot.example.yaml"

// What the example shows, but for the required settings, is the defaults.
func TestExampleShowsTheDefaults(t *testing.T) {
	got, err := configs.Load(examplePath, required())
	if err != nil {
		t.Fatal(err)
	}
	want := defaults()
	got.Admin.UserIDs, got.Admin.RoleIDs = nil, nil // an empty list is none
	compare(t, got, want)
}

// What the example shows as a comment is right too.
func TestExampleOperations(t *testing.T) {
	content := read(t, examplePath)
	start, end := strings.Index(content, "  operations:\n"), strings.Index(content, "redis:\n")
	operations := strings.ReplaceAll(content[start:end], "# ", "")
	got, err := load(t, "hostapi:\n"+operations, required()...)
	if err != nil {
		t.Fatal(err)
	}
	want := defaults()
	want.HostAPI.Operations = map[hostapi.Operation]hostapi.Override{
		hostapi.OpDelete:  {Enabled: new(false)},
		hostapi.OpRestart: {Enabled: new(true), Method: "PUT", Path: "/v2/apps/:id/restart", UserIDIn: hostapi.InQuery},
	}
	compare(t, got, want)
}

// variables returns the variables of a struct's settings, with their keys.
func variables(section string, t reflect.Type) map[string]string {
	found := make(map[string]string)
	for field := range t.Fields() {
		key := strings.TrimPrefix(section+"."+field.Tag.Get("yaml"), ".")
		if variable := field.Tag.Get("env"); variable != "" {
			found[variable] = key
		} else if field.Type.Kind() == reflect.Struct {
			maps.Copy(found, variables(key, field.Type))
		}
	}
	return found
}
