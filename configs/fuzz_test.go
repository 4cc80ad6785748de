package configs_test

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hostbot/configs"
)

// FuzzVariables sets a variable to any value. A mistake names the variable, and repeats nothing
// of a secret that stands in it.
func FuzzVariables(f *testing.F) {
	names := slices.Sorted(maps.Keys(variables("", reflect.TypeFor[configs.Settings]())))
	for i := range names {
		for _, value := range []string{"", "off", "1", "-1", "1h", "99999999999999999999", "https://example.com", ":8080", "A=B,C", "true", "redis://localhost:6379", "ff"} {
			f.Add(uint(i), value, "")
		}
	}
	f.Add(uint(0), "https://user:", "@example.com")
	f.Fuzz(func(t *testing.T, i uint, before, after string) {
		name := names[i%uint(len(names))]
		for _, value := range []string{before + after, before + tokenMark + after} {
			settings, err := configs.Load("", required(name+"="+value))
			if (settings == nil) == (err == nil) {
				t.Errorf("%s=%q: settings %v, error %v", name, value, settings != nil, err)
			}
			if err == nil {
				continue
			}
			leaks(t, err.Error())
			if !strings.Contains(err.Error(), name) {
				t.Errorf("%s=%q: the error does not name it: %v", name, value, err)
			}
		}
	})
}

// FuzzFile reads any file, in which a secret may stand in any place. Each mistake has the file
// or a variable in it, and none the secret.
func FuzzFile(f *testing.F) {
	for _, file := range append(misplaced(), "", "a: [", "- x", "discord:\n  token: ", "---\n---\n", "cache:\n  ttl: 1h\n  ttl: ", "a: &x\n  b: *x", "? {a: b}\n: c", "!!binary x", "languages: {a: 1}", "<<: {discord: {token: x}}") {
		before, after, _ := strings.Cut(strings.ReplaceAll(file, "%[1]s", "%s"), "%s")
		f.Add(before, after)
	}
	names := slices.Collect(maps.Keys(variables("", reflect.TypeFor[configs.Settings]())))
	path := filepath.Join(f.TempDir(), "hostbot.yaml")
	f.Fuzz(func(t *testing.T, before, after string) {
		if err := os.WriteFile(path, []byte(before+tokenMark+after), 0o600); err != nil {
			t.Fatal(err)
		}
		settings, err := configs.Load(path, required())
		if (settings == nil) == (err == nil) {
			t.Errorf("settings %v, error %v", settings != nil, err)
		}
		if err == nil {
			return
		}
		leaks(t, err.Error())
		for line := range strings.SplitSeq(err.Error(), "\n") {
			if !strings.Contains(line, path) && !slices.ContainsFunc(names, func(name string) bool { return strings.Contains(line, name) }) {
				t.Errorf("the mistake %q is in nothing", line)
			}
		}
	})
}
