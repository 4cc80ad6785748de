package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// The linker sets these for a release. Without them, a build within the repository knows its commit, and the latest tag.
var version, commit string

// describeVersion returns the program's version, the commit that it was built from if that is known, and Go's version.
func describeVersion() string {
	return fmt.Sprintf("hostbot %s, commit %s, %s", builtVersion(), builtFrom(), runtime.Version())
}

// builtVersion returns the program's version, such as 1.2.3. A build of a commit after the tag v1.2.2 that has no tag is
// 1.2.3-0.DATE-COMMIT (https://go.dev/ref/mod#pseudo-versions). If the version is not known, it is "development".
func builtVersion() string {
	known := ""
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "(devel)" {
		known = info.Main.Version
	}
	return cmp.Or(strings.TrimPrefix(cmp.Or(version, known), "v"), "development")
}

// builtFrom returns the commit that the program was built from; "unknown" if it is not known.
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
