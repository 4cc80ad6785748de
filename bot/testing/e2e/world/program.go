package world

import (
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"testing"

	"hostbot/hostapi/loopback"
)

// Build builds the program into a directory as the Dockerfile does, and returns its path.
func Build(dir string) (path string, err error) {
	path = filepath.Join(dir, "hostbot")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "hostbot/cmd/hostbot")
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, said)
	}
	return path, nil
}

// FreeAddress returns an address of this machine on which nobody listens: on Linux nobody
// else will.
func FreeAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", loopback.AnyPort())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}
