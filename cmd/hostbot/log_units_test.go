package main_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDurationsSayTheirUnit looks for fields of the log with a duration, which zerolog writes as a
// number of milliseconds.
func TestDurationsSayTheirUnit(t *testing.T) {
	found := 0
	err := filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, field := range regexp.MustCompile(`\.Dur\("(\w+)"`).FindAllStringSubmatch(string(source), -1) {
			found++
			if !strings.HasSuffix(field[1], "_ms") {
				t.Errorf("%s: the field %s does not say that it is in milliseconds", path, field[1])
			}
		}
		return nil
	})
	if err != nil || found == 0 {
		t.Errorf("%d fields, %v", found, err)
	}
}
