package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// These are set by the linker for a release. A build within the repository knows its commit, and the tag that
// it is at or after, by itself.
var version, commit string

// describeVersion tells the program's version, the commit that it was built from as
// far as the build knew, and Go's version.
func describeVersion() string {
	return fmt.Sprintf("hostbot %s, commit %s, %s", builtVersion(), builtFrom(), runtime.Version())
}

// builtVersion returns the program's version, such as 1.2.3; that of a build after the tag v1.2.2 which is none of its own is
// 1.2.3-0.DATE-COMMIT (https://go.dev/ref/mod#pseudo-versions), and "development" where the build knew none.
func builtVersion() string {
	known := ""
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "(devel)" {
		known = info.Main.Version
	}
	return cmp.Or(strings.TrimPrefix(cmp.Or(version, known), "v"), "development")
}

// builtFrom returns the commit that the program was built from, as far as the build knew.
func builtFrom() string {
	built, modified := "unknown", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				built = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				modified = " with changes"
			}
		}
	}
	return cmp.Or(commit, built) + modified
}
