package redisclient

import (
	"context"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
)

// RedirectLibraryLog sends what go-redis has to say to log, at level debug.
//
// go-redis has one logger for the whole process, which prints to stderr in a
// format of its own. So this is for main to call, before anything is opened,
// and not part of Open, where it would change what other connections do. What
// the library says is of connections that broke, which its callers are told
// anyway, as errors.
func RedirectLibraryLog(log zerolog.Logger) {
	redis.SetLogger(libraryLog{log})
}

type libraryLog struct {
	log zerolog.Logger
}

func (l libraryLog) Printf(_ context.Context, format string, values ...any) {
	l.log.Debug().Str("library", "go-redis").Msgf(format, values...)
}
