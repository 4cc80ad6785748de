package bench_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// floorNext is the variable with which this binary is a process of BenchmarkFloor:
// it names where what comes in is passed on to, or nothing.
const floorNext = "HOSTBOT_BENCHMARK_FLOOR"

// BenchmarkFloor sends a byte to another process, on to a third and back, which is
// what an interaction takes of a machine that does nothing else for it: from
// Discord to the bot, to Redis, and back. It is the least that p50 and p99 of
// BenchmarkList can be at the same rate.
func BenchmarkFloor(b *testing.B) {
	for _, perSecond := range []int{300, 1000} {
		b.Run(fmt.Sprintf("load=%d/s", perSecond), func(b *testing.B) {
			way, err := net.Dial("tcp", startFloor(b, startFloor(b, "")))
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = way.Close() }()
			var took []time.Duration
			tick := time.NewTicker(time.Second / time.Duration(perSecond))
			defer tick.Stop()
			for b.Loop() {
				<-tick.C
				began := time.Now()
				if err := exchange(way); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}

// exchange sends a byte and waits for the one that comes back.
func exchange(conn net.Conn) error {
	if _, err := conn.Write([]byte{1}); err != nil {
		return err
	}
	_, err := io.ReadFull(conn, make([]byte, 1))
	return err
}

// startFloor starts a process that passes bytes on to next and returns where it
// listens. It ends with the benchmark.
func startFloor(b *testing.B, next string) (address string) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), floorNext+"=to "+next)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	address, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(address)
}

// floorMain is the process: it serves one connection.
func floorMain(next string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	from, err := listener.Accept()
	if err != nil {
		return err
	}
	var to net.Conn
	if next != "" {
		if to, err = net.Dial("tcp", next); err != nil {
			return err
		}
	}
	for {
		if _, err := io.ReadFull(from, make([]byte, 1)); err != nil {
			return err
		}
		if to != nil {
			if err := exchange(to); err != nil {
				return err
			}
		}
		if _, err := from.Write([]byte{1}); err != nil {
			return err
		}
	}
}
