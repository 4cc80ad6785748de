package redisclient

import (
	"context"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
)

// RedirectLibraryLog makes go-redis log to log, at the level debug: it logs broken connections, and its callers get
// errors for these anyway.
//
// go-redis has one logger for the whole process. So main calls this, before anything is opened, and Open does not.
func RedirectLibraryLog(log zerolog.Logger) {
	redis.SetLogger(libraryLog{log})
}

type libraryLog struct {
	log zerolog.Logger
}

func (l libraryLog) Printf(_ context.Context, format string, values ...any) {
	l.log.Debug().Str("library", "go-redis").Msgf(format, values...)
}
