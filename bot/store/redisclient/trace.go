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

// trace returns a hook that logs commands that failed or were slow, at the level debug. It leaves out their
// arguments: these include users' IDs and texts.
func trace(log zerolog.Logger) hook {
	return func(_ context.Context, cmds []redis.Cmder, took time.Duration, err error) {
		failed := err != nil && !errors.Is(err, redis.Nil)
		if !failed && took < slow {
			return
		}
		line := log.Debug()
		if failed {
			line.Str("error", inShort(err))
		}
		line.Str("command", names(cmds)).Dur("took_ms", took).Msg("a command to redis failed or was slow")
	}
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
