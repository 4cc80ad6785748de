//go:build integration && !linux

package redistest

import "os/exec"

// endWithTests does nothing: servers outlive tests that panic.
func endWithTests(*exec.Cmd) {}
