package redisclient

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
)

// slow is how long a command takes to be logged as slow: a hundred times what is usual within a data centre.
const slow = 100 * time.Millisecond

// trace logs commands that failed or were slow, at the level debug, as a hook around each. It leaves out their
// arguments: these include users' IDs and texts.
type trace struct{ log zerolog.Logger }

// DialHook leaves dialing as it is: a command that finds no connection fails.
func (t trace) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook watches a command.
func (t trace) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if !t.log.Debug().Enabled() {
			return next(ctx, cmd)
		}
		began := time.Now()
		err := next(ctx, cmd)
		t.note(time.Since(began), err, cmd)
		return err
	}
}

// ProcessPipelineHook watches a pipeline.
func (t trace) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if !t.log.Debug().Enabled() {
			return next(ctx, cmds)
		}
		began := time.Now()
		err := next(ctx, cmds)
		t.note(time.Since(began), err, cmds...)
		return err
	}
}

func (t trace) note(took time.Duration, err error, cmds ...redis.Cmder) {
	failed := err != nil && !errors.Is(err, redis.Nil)
	if !failed && took < slow {
		return
	}
	line := t.log.Debug()
	if failed {
		line = line.Str("error", inShort(err))
	}
	line.Str("command", names(cmds)).Dur("took_ms", took).Msg("a command to redis failed or was slow")
}

// inShort returns the text of a network or context error, and the first word of any other: the rest may repeat
// arguments or values.
func inShort(err error) string {
	var network net.Error // context.DeadlineExceeded is one
	if errors.As(err, &network) || errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) {
		return err.Error()
	}
	word, _, _ := strings.Cut(err.Error(), " ")
	return word
}

// names returns the names of commands, each once.
func names(cmds []redis.Cmder) string {
	var each []string
	for _, cmd := range cmds {
		if name := cmd.Name(); !slices.Contains(each, name) {
			each = append(each, name)
		}
	}
	return strings.Join(each, " ")
}
