package hostapi_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"testing"
	"time"

	"hostbot/hostapi/loopback"
	"hostbot/hostapi/redistest"
)

func TestEachServer(t *testing.T) {
	redistest.EachServer(t, func(t *testing.T, server *redistest.Server) {
		addr, ctx := server.Addr(), t.Context()
		client := redistest.Connect(t, server.URL())
		if err := client.Set(ctx, "lasting", "x", 0).Err(); err != nil {
			t.Fatal(err)
		}
		if err := client.Set(ctx, "brief", "x", 20*time.Millisecond).Err(); err != nil {
			t.Fatal(err)
		}
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for deadline := time.Now().Add(20 * time.Second); client.Exists(ctx, "brief").Val() != 0; <-tick.C {
			if time.Now().After(deadline) {
				t.Fatal("what was to live for 20 ms is still there")
			}
		}
		if n := client.Exists(ctx, "lasting").Val(); n != 1 {
			t.Error("what was to last is gone")
		}

		server.Stop()
		server.Stop()
		if err := client.Ping(ctx).Err(); err == nil {
			t.Error("a stopped server answers")
		}
		server.Restart()
		if n, err := client.DBSize(ctx).Result(); err != nil || n != 0 || server.Addr() != addr {
			t.Errorf("after a restart at %s, before at %s, DBSize() = %d, %v; want an empty Redis", server.Addr(), addr, n, err)
		}
	})
}

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
