//go:build integration

package redistest

import (
	"os/exec"
	"syscall"
)

// endWithTests has the system kill a server where the tests end without doing so: by a
// panic, or because they took too long.
func endWithTests(server *exec.Cmd) {
	server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
