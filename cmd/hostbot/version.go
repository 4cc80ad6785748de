package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

// These are set by the linker. A build within the repository knows its commit by
// itself.
var (
	version = "development"
	commit  = ""
)

// describeVersion tells the program's version, the commit that it was built from as
// far as the build knew, and Go's version.
func describeVersion() string {
	return fmt.Sprintf("hostbot %s, commit %s, %s", version, builtFrom(), runtime.Version())
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
