package loadgen

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Process is a program that runs.
type Process struct {
	cmd    *exec.Cmd
	output *os.File
	ended  chan struct{}
	err    error // set before ended is closed
	stop   func() error
}

// Start runs a command of a shell with further environment variables. What it
// prints goes to a file, and is seen where the program ends by itself.
func Start(command string, environment ...string) (*Process, error) {
	output, err := os.CreateTemp("", "loadgen")
	if err != nil {
		return nil, fmt.Errorf("loadgen: %w", err)
	}
	// exec, so that the process is the program and not the shell.
	cmd := exec.Command("/bin/sh", "-c", "exec "+command)
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stdout, cmd.Stderr = output, output
	p := &Process{cmd: cmd, output: output, ended: make(chan struct{})}
	p.stop = sync.OnceValue(p.end)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("loadgen: %w", err)
	}
	go func() {
		defer close(p.ended)
		p.err = cmd.Wait()
	}()
	return p, nil
}

// WaitReady waits until the program is connected to Discord and has seen to its
// commands.
func (p *Process) WaitReady(ctx context.Context, d *Discord) error {
	select {
	case <-d.Ready():
		return nil
	case <-p.ended:
		said, _ := os.ReadFile(p.output.Name())
		return fmt.Errorf("loadgen: the program ended: %w\n%s", p.err, said)
	case <-ctx.Done():
		said, _ := os.ReadFile(p.output.Name())
		return fmt.Errorf("loadgen: the program does not get ready: %w\n%s", ctx.Err(), said)
	}
}

// stopLimit is how long a program may take to end.
const stopLimit = 10 * time.Second

// Stop ends the program as a service manager does. A program that ends with a
// failure, or not at all, is an error. It may be stopped again.
func (p *Process) Stop() error { return p.stop() }

func (p *Process) end() error {
	defer func() { _ = errors.Join(p.output.Close(), os.Remove(p.output.Name())) }()
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it fails where the program has ended
	select {
	case <-p.ended:
		return p.err
	case <-time.After(stopLimit):
		_ = p.cmd.Process.Kill()
		<-p.ended
		return fmt.Errorf("loadgen: the program did not end within %v", stopLimit)
	}
}

// Usage is what a process has used so far.
type Usage struct {
	CPU      time.Duration // of all its threads, in user and kernel mode
	Resident int64         // bytes of memory that it holds now
}

// ticksPerSecond is Linux's USER_HZ, in which /proc counts.
const ticksPerSecond = 100

// Usage reads what the program has used from /proc, so on Linux only.
func (p *Process) Usage() (Usage, error) {
	dir := "/proc/" + strconv.Itoa(p.cmd.Process.Pid)
	stat, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return Usage{}, fmt.Errorf("loadgen: %w", err)
	}
	rollup, err := os.ReadFile(dir + "/smaps_rollup") // exact, where stat may be behind by a megabyte
	if err != nil {
		return Usage{}, fmt.Errorf("loadgen: %w", err)
	}
	// The second field is the program's name in parentheses, which may hold
	// spaces. The 14th and 15th are times (proc(5)).
	_, afterName, _ := strings.Cut(string(stat), ") ")
	_, afterRss, _ := strings.Cut(string(rollup), "\nRss:")
	fields, resident := strings.Fields(afterName), strings.Fields(afterRss)
	if len(fields) < 13 || len(resident) < 1 {
		return Usage{}, fmt.Errorf("loadgen: %s makes no sense", dir)
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64) // the kernel writes nothing but digits
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	kilobytes, _ := strconv.ParseInt(resident[0], 10, 64)
	return Usage{CPU: time.Duration(user+system) * time.Second / ticksPerSecond, Resident: kilobytes << 10}, nil
}
