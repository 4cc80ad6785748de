package accounts_test

import (
	"bytes"
	"context"
	"net"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

// commandLog notes the names of commands that reach Redis.
type commandLog struct {
	mu    sync.Mutex
	names []string
	meet  func(ctx context.Context, name string) error
	after func(name string) error
}

// onCommand lets every command meet a function before it is sent; an error
// keeps it from that.
func (l *commandLog) onCommand(meet func(ctx context.Context, name string) error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.meet = meet
}

func (l *commandLog) note(ctx context.Context, name string) error {
	l.mu.Lock()
	l.names = append(l.names, name)
	meet := l.meet
	l.mu.Unlock()
	if meet == nil {
		return nil
	}
	return meet(ctx, name)
}

// holdFirst holds the first command of a name back, from when held receives
// until release is closed. It then ends with err, or is sent where that is nil.
func holdFirst(f *fixture, name string, err error) (held <-chan struct{}, release chan struct{}) {
	met, release := make(chan struct{}, 1), make(chan struct{})
	first := make(chan struct{}, 1)
	first <- struct{}{}
	f.seen.onCommand(func(_ context.Context, command string) error {
		if command != name {
			return nil
		}
		select {
		case <-first:
			met <- struct{}{}
			<-release
			return err
		default:
			return nil
		}
	})
	return met, release
}

// afterFirst has the next command of a name end with err, though it was
// carried out.
func (l *commandLog) afterFirst(name string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.after = func(command string) error {
		if command != name {
			return nil
		}
		l.after = nil
		return err
	}
}

// lost returns the error of a command whose answer is lost.
func (l *commandLog) lost(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.after == nil {
		return nil
	}
	return l.after(name)
}

// take returns what was noted and forgets it.
func (l *commandLog) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	names := l.names
	l.names = nil
	return names
}

func (l *commandLog) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (l *commandLog) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if err := l.note(ctx, cmd.Name()); err != nil {
			return err
		}
		if err := next(ctx, cmd); err != nil {
			return err
		}
		if err := l.lost(cmd.Name()); err != nil {
			cmd.SetErr(err)
			return err
		}
		return nil
	}
}

func (l *commandLog) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		for _, cmd := range cmds {
			if err := l.note(ctx, cmd.Name()); err != nil {
				return err
			}
		}
		return next(ctx, cmds)
	}
}

// lines is a log that a test reads.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.b.String(), text)
}
