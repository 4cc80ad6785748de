package hostapi_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"testing"

	"hostbot/hostapi/loopback"
	"hostbot/hostapi/redistest"
)

// TestStoppedServersKeepTheirPort stops a server, has others take its port on the hosts
// that the system gives them, and starts it again.
func TestStoppedServersKeepTheirPort(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the machine may have one loopback address only")
	}
	redistest.EachServer(t, func(t *testing.T, server *redistest.Server) {
		host, port, _ := net.SplitHostPort(server.Addr())
		server.Stop()
		for _, other := range []string{"127.0.0.1", loopback.Host()} {
			if other == host {
				t.Fatalf("another server is given the host %s too", host)
			}
			// Where this fails, somebody has that port already, which is as good.
			if listener, err := net.Listen("tcp", net.JoinHostPort(other, port)); err == nil {
				t.Cleanup(func() { _ = listener.Close() })
			}
		}
		server.Restart()
	})
}

// TestRestartWhileProcessesAreStarted: a process that is being started holds the listener
// of a server that is stopped at that moment.
func TestRestartWhileProcessesAreStarted(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var starting sync.WaitGroup
	defer starting.Wait()
	defer cancel()
	for range 4 {
		starting.Go(func() {
			for ctx.Err() == nil {
				_ = exec.CommandContext(ctx, program, "-test.run", "^$", "-test.list", "^$").Run()
			}
		})
	}
	server := redistest.StartMiniredis(t)
	for range 300 {
		server.Restart()
	}
}
